"""Learn, for one architecture and one 12-bit key, the mnemonic as a function of features of the word."""

import itertools
import random
from collections import defaultdict

from features import ALL, BITS, BY_CODE, CONTROL, COVER, FIRST, IMMS, LAST, SPECIAL, plain
from oracle import ask, mnemonic, settled

CONTROLS = [c << 105 for c in (0x7F1, 0x7E4, 0x7F5, 0x771, 0x711, 0x7E8, 0x7F8)]
DEBUG = bool(__import__("os").environ.get("DEBUG"))
MAX_FEATURES = 16


def first(name):
    """The part of a mnemonic before its modifiers; None stays None."""
    return name and name.split(".")[0]


def fresh(key, style, rng):
    """A random word with this key; the styles differ in density and in how many fields hold special values."""
    word = rng.getrandbits(128)
    if style == 1:
        word &= rng.getrandbits(128) & rng.getrandbits(128)
    elif style == 2:
        word &= rng.getrandbits(128) & rng.getrandbits(128) & rng.getrandbits(128)
    elif style == 3:
        word = 0
    elif style == 4:
        sparse = rng.getrandbits(33) & rng.getrandbits(33) & rng.getrandbits(33)
        word = word & ~(((1 << 33) - 1) << 72) | sparse << 72
    elif style == 5:
        word = word & ~(((1 << 33) - 1) << 72)
    if style:
        for feature in SPECIAL:
            if rng.random() < 0.2:
                word = feature.put(word, 1, rng)
    if rng.random() < 0.9:
        word = word & ~0xF000 | 0x7000
    return word & ((1 << 105) - 1) & ~0xFFF | key | rng.choice(CONTROLS)


def retouch(word, rng):
    """A real word with some fields set to special values or to noise."""
    for feature in SPECIAL:
        roll = rng.random()
        if roll < 0.15:
            word = feature.put(word, 1, rng)
        elif roll < 0.22:
            word = word & ~feature.mask | rng.getrandbits(128) & feature.mask
    return word & ~0xFFF | word & 0xFFF


class Key:
    """One key's state; `run` is a coroutine that yields lists of words and receives their mnemonics.

    `real` are words of programs, `hints` words that another architecture or another form of the operation prints,
    `models` learnt tables worth a try.
    """

    def __init__(self, key, real, seed, models=(), hints=()):
        self.key, self.real = key, real
        self.hints = [w & ~0xFFF | key for w in hints]
        self.rng = random.Random(seed * 4096 + key)
        self.features = set()
        self.codes = []
        self.models, self.adopted, self.only_adopt = models, False, False
        self.truth = {}
        self.fixed = {}
        self.note = ""
        self.table = {}
        self.base_only = False
        self.tests = 0
        self.done, self.examples, self.bases = False, [], []

    def adopt(self, model):
        """Try another table for this key; keep it when every printed word agrees."""
        codes, table, _, fixed = model
        if not table:
            return False
        self.codes = list(codes)
        if not self.agrees(table, fixed):
            return False
        rng = self.rng
        # Every decoded name in several places, and any joint values.
        by_name = defaultdict(list)
        for values, name in table.items():
            if name:
                by_name[name].append(values)
        wanted = {v for group in by_name.values() for v in rng.sample(group, min(len(group), 2))}
        wanted = rng.sample(sorted(wanted), min(len(wanted), 500))
        every = [v for group in by_name.values() for v in group]
        wanted += rng.sample(every, min(len(every), 150))
        batch = self.questions(wanted)
        yield from self.learn_words([w for _, w in batch])
        if not self.agrees(table, fixed):
            return False
        near = [w ^ 1 << at for w in self.diverse(3) for at in range(FIRST, LAST + 1)]
        near += [f.put(w, 1 - f.get(w), rng) for w in self.diverse(4) for f in SPECIAL]
        near += [self.mutate(w) for w in self.diverse(40)]
        yield from self.learn_words(near)
        if not self.agrees(table, fixed):
            return False
        self.table, self.fixed, self.features, self.adopted = table, dict(fixed), set(codes), True
        self.note = "first part" if model[2] else ""
        self.tests = len(self.valid())
        return True

    def agrees(self, table, fixed):
        """Whether a table says of every word asked so far what was printed."""
        for word, name in self.truth.items():
            if name is not None:
                have = table.get(self.read(word))
                if have != name and not (have and have.endswith("?") and have == first(name) + ".?"):
                    return False
                if not settled(name) and have == name:
                    return False
                if any((word >> code & 1) != value for code, value in fixed.items()):
                    return False
        return True

    def run(self):
        rng = self.rng
        pool = [fresh(self.key, i % 6, rng) for i in range(30)] + self.hints
        pool += rng.sample(self.real, min(len(self.real), 200))
        pool += [retouch(rng.choice(self.real or self.hints), rng) for _ in range(40)] if self.real or self.hints else []
        yield from self.learn_words(pool)
        if not self.printed():
            return
        for model in self.models if self.valid() else ():
            if (yield from self.adopt(model)):
                return
        self.codes = []
        if self.only_adopt:
            return
        if not self.valid() or not (yield from self.whole()):
            yield from self.first_part()

    def whole(self):
        """Learn the whole mnemonic. False when there are too many features or something stays unexplained."""
        rng = self.rng
        pool = [fresh(self.key, i % 6, rng) for i in range(48)]
        real = rng.sample(self.real, min(len(self.real), 300))
        pool += real
        pool += [retouch(rng.choice(real), rng) for _ in range(100)] if real else []
        yield from self.learn_words(pool)
        # Walk outwards from what is valid: neighbours reach combinations that random words miss.
        for _ in range(2):
            known = self.valid()
            near = []
            for word in rng.sample(known, min(25, len(known))):
                for _ in range(8):
                    near.append(self.mutate(word))
            yield from self.learn_words(near)
        yield from self.find_features()
        for _ in range(14):
            if self.note:
                return False
            if not (yield from self.fill()) and not self.note:
                if (yield from self.check()):
                    return not self.note
        return False

    def first_part(self):
        """Learn the first part of the mnemonic alone: far fewer features decide it."""
        self.base_only, self.note = True, ""
        self.truth = {word: first(name) for word, name in self.truth.items()}
        self.features, self.codes, self.table, self.fixed = set(), [], {}, {}
        done = yield from self.whole()
        self.table = {v: name + ".?" for v, name in self.table.items() if name and not name.endswith("?")} if done else {}
        self.note = "first part" if done else "not understood"

    def printed(self):
        return [w for w, n in self.truth.items() if n is not None]

    def give_up(self):
        """Name the first part alone, where it was one for all words that printed; else nothing."""
        bases = {first(name) for name in self.truth.values() if name}
        self.codes, self.fixed, self.note = [], {}, "given up"
        self.table = {(): bases.pop() + ".?"} if len(bases) == 1 and len(self.valid()) > 100 else {}
        self.finish()

    def finish(self):
        """Keep examples for other architectures and forms; drop what only learning needed."""
        known, self.done = self.valid(), True
        self.examples = self.diverse(min(24, len(known))) if known else []
        self.bases = sorted({first(self.truth[w]) for w in known})
        self.truth = {}

    def mutate(self, word):
        rng = self.rng
        if rng.random() < 0.5:
            word = rng.choice(SPECIAL).put(word, rng.randrange(2), rng)
        for _ in range(rng.randrange(1, 4)):
            word ^= 1 << rng.randrange(FIRST, LAST + 1)
        return word

    def learn_words(self, words):
        words = [w for w in words if w not in self.truth]
        if words:
            names = yield words
            if self.base_only:
                names = map(first, names)
            self.truth.update(zip(words, names))

    def valid(self):
        return [w for w, n in self.truth.items() if settled(n)]

    def diverse(self, count):
        by_name = defaultdict(list)
        known = self.valid()
        if len(known) > 1500:
            known = self.rng.sample(known, 1500)
        for word in known:
            by_name[self.truth[word]].append(word)
        groups = list(by_name.values())
        self.rng.shuffle(groups)
        picked = [self.rng.choice(g) for g in groups[:count]]
        while len(picked) < count:
            picked.append(self.rng.choice(self.rng.choice(groups)))
        return picked

    def find_features(self):
        """Flip every bit and toggle every special value in many contexts; keep what changes the mnemonic."""
        rng = self.rng
        everything = []
        for contexts in (5,) if self.features else (16, 8):
            pairs = []
            for word in self.diverse(contexts):
                for at in range(FIRST, LAST + 1):
                    pairs.append((word, word ^ 1 << at, at))
                for feature in SPECIAL:
                    pairs.append((word, feature.put(word, 1 - feature.get(word), rng), feature.code))
            yield from self.learn_words([p[1] for p in pairs])
            for old, new, code in pairs:
                self.judge(old, new, code)
            everything += pairs
        self.prune()
        self.find_fixed(everything)

    def judge(self, old, new, code, force=False):
        a, b = self.truth[old], self.truth[new]
        if a is None or b is None or a == b or code in self.features:
            return
        if code < 128:
            if force or (plain(old, code) and plain(new, code)):
                self.features.add(code)
            return
        if not (settled(a) and settled(b)):
            return
        feature = BY_CODE[code]
        changed = [f for f in SPECIAL if f.mask & feature.mask and f.get(old) != f.get(new)]
        bits = [at for at in range(128) if feature.mask >> at & 1]
        if any(at in self.features and (old ^ new) >> at & 1 for at in bits):
            return
        if all(f is feature for f in changed):
            self.features.add(code)

    def prune(self):
        """Drop special values all of whose bits are features anyway."""
        for feature in SPECIAL:
            if feature.code in self.features:
                if all(at in self.features for at in range(128) if feature.mask >> at & 1):
                    self.features.discard(feature.code)

    def find_fixed(self, pairs):
        """Bits that must have one value: flipping them never left a word that prints."""
        seen = defaultdict(lambda: [0, 0])
        broken = set()
        for old, new, code in pairs:
            if code < 128 and self.truth[old] is not None:
                if self.truth[new] is None:
                    seen[code][old >> code & 1] += 1
                else:
                    broken.add(code)
        for code, counts in seen.items():
            if code not in broken and code not in self.features and sum(counts) >= 12 and 0 in counts:
                self.fixed[code] = int(counts[1] > 0)

    def questions(self, wanted):
        """(values, word) for the wanted joint values, all made from one valid word."""
        raw = [c for c in self.codes if c < 128]
        special = [c for c in self.codes if c >= 128]
        clear = ~sum(1 << c for c in raw)
        template = self.diverse(1)[0] & clear
        bases = {}
        for values in itertools.product((0, 1), repeat=len(special)):
            word = template
            for want in (0, 1):  # zeros first, so that a special value set later is not disturbed
                for code, value in zip(special, values):
                    if value == want:
                        word = BY_CODE[code].put(word, value, self.rng)
            bases[values] = word & clear
        out = []
        for values in wanted:
            word = bases[values[len(raw) :]]
            for code, value in zip(raw, values):
                if value:
                    word |= 1 << code
            if not special or self.read(word) == values:
                out.append((values, word))
        return out

    def read(self, word):
        return tuple(BY_CODE[c].get(word) for c in self.codes)

    def fill(self):
        """Ask for every joint value through several templates. True when a new feature was found."""
        self.codes = sorted(self.features)
        if len(self.codes) > (MAX_FEATURES if self.real or not self.graphics() else 10):
            self.note = "too wide"
            return False
        todo = list(itertools.product((0, 1), repeat=len(self.codes)))
        self.table = {}
        witness = {}
        for turn in range(4 if len(todo) <= 512 else 2):
            batch = self.questions(todo)
            yield from self.learn_words([w for _, w in batch])
            for values, word in batch:
                name = self.truth[word]
                if name is None:
                    continue
                if settled(name):
                    if settled(self.table.get(values)) and self.table[values] != name:
                        return (yield from self.separate(witness[values], word))
                    self.table[values], witness[values] = name, word
                else:
                    self.table.setdefault(values, name.split(".")[0] + ".?")
            if turn or len(todo) > 256:
                todo = [v for v in todo if v not in self.table]
            if not todo:
                break
        return False

    def graphics(self):
        """Textures and surfaces: their many fields are not worth enumerating where no kernel uses them."""
        known = self.valid()
        return not known or self.truth[known[0]].startswith(("SU", "T", "AL2P", "AST", "IPA", "PIXLD"))

    def separate(self, a, b):
        """Two words agree in all features and differ in mnemonic: find the smallest difference that matters."""
        names = self.truth[a], self.truth[b]
        if DEBUG:
            print(hex(self.key), names, f"{a:032x} {b:032x}", self.codes)
        differing = [at for at in range(FIRST, LAST + 1) if (a ^ b) >> at & 1]
        self.rng.shuffle(differing)
        size = len(differing) // 2
        while size:
            chunks = [differing[i : i + size] for i in range(0, len(differing), size)]
            trials = [[at for at in differing if at not in chunk] for chunk in chunks]
            trials = [t for t in trials if t]
            words = [a ^ sum(1 << at for at in trial) for trial in trials]
            yield from self.learn_words(words)
            for trial, word in zip(trials, words):
                if settled(self.truth[word]) and self.truth[word] != names[0]:
                    differing = trial
                    break
            else:
                size //= 2
                continue
            size = min(size, max(1, len(differing) // 2))
        other = a ^ sum(1 << at for at in differing)
        before = len(self.features)
        fields = [f for f in SPECIAL if f.get(a) != f.get(other) and all(f.mask >> at & 1 for at in differing)]
        wide = [f for f in fields if f.width > 3 and f.code not in self.features]
        known = [f for f in fields if f.code in self.features]
        if wide and not known and (len(fields) == 1 or all(f.mask == wide[0].mask for f in fields)):
            self.features.add(wide[0].code)
        elif len(wide) > 1 and not known:
            # RZ or URZ at one place: the wider field holds for eight-bit registers.
            self.features.add(wide[0].code)
        else:
            self.features.update(differing)
        self.prune()
        if len(self.features) > before:
            return True
        self.note = f"cannot separate {names} {a:032x} {b:032x}"
        same = names[0].split(".")[0] == names[1].split(".")[0]
        self.table[self.read(a)] = names[0].split(".")[0] + ".?" if same else None
        return False

    def check(self):
        """Try the table on fresh words; True when every settled answer agrees."""
        rng = self.rng
        known = self.valid()
        words = [fresh(self.key, i % 6, rng) for i in range(30)]
        words += [retouch(rng.choice(known), rng) for _ in range(100)]
        words += [self.mutate(rng.choice(known)) for _ in range(100)]
        if self.real:
            words += [retouch(rng.choice(self.real), rng) for _ in range(100)]
        yield from self.learn_words(words)
        for code in list(self.fixed):
            if any((w >> code & 1) != self.fixed[code] for w, n in self.truth.items() if n is not None):
                del self.fixed[code]
        self.tests = len(self.valid())
        for word in self.valid():
            if self.note:
                break
            values = self.read(word)
            name = self.table.get(values)
            if name is None or name.endswith("?"):
                self.table[values] = self.truth[word]
            elif name != self.truth[word]:
                other = next((w for w in self.valid() if self.read(w) == values and self.truth[w] == name), None)
                if other is None:
                    self.table[values] = None
                    continue
                if (yield from self.separate(other, word)):
                    return False
        return True


def learn(arch, states, later=None, log=print, batch=150_000):
    """Run the coroutines of many keys of one architecture, their questions merged into few runs of the tool.

    `later` gives further states, taken up when few of the first are still open.
    """
    waiting = {}

    def start(some):
        for k, s in some.items():
            routine = s.run()
            question = next(routine, None)
            if question is not None:
                waiting[k] = (routine, question)

    start(states)
    asked = quiet = 0
    while waiting or later:
        if later and len(waiting) < 12:
            more, later = later(), None
            states.update(more)
            start(more)
        quiet = quiet + 1 if sum(len(question) for _, question in waiting.values()) < 400 else 0
        if quiet > 30:
            # What is still open asks in circles.
            for k in waiting:
                states[k].give_up()
            break
        todo, size = [], 0
        for k in sorted(waiting):
            if size and size + len(waiting[k][1]) > batch:
                continue
            todo.append(k)
            size += len(waiting[k][1])
        words = [w for k in todo for w in waiting[k][1]]
        names = [mnemonic(t) for t in ask(words, arch)]
        asked += len(words)
        at = 0
        for k in todo:
            routine, question = waiting.pop(k)
            answer = names[at : at + len(question)]
            at += len(question)
            try:
                waiting[k] = (routine, routine.send(answer))
            except StopIteration:
                states[k].finish()
        some = " ".join(f"{k:#x}:{len(states[k].features)}" for k in sorted(waiting)[:8])
        log(f"{arch}: asked {asked}, {len(waiting)} keys open: {some}", flush=True)
    return states
