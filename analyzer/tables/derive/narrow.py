"""Name whole what programs hold, for keys whose tables are too wide to be asked in full.

    narrow.py learn WORK MISSED [SM...]    MISSED: lines of `verify.py --missed`, the words that were not named whole
    narrow.py forms WORK MISSED [SM...]    the same for other forms of these operations, with the words of the forms that programs hold
    narrow.py absent WORK TABLE [SM...]    learn in full, as `run.py learn` does, the keys that TABLE lacks on an architecture
    narrow.py lay WORK TABLE OUT           lay what was learnt over a binary table: OUT is the new one

A key's words of programs say which bits vary there. Bits that decide the mnemonic and never varied are *held*: a word with another
value there is known by its first part only. Over the others every joint value is asked, and words with everything else at random
must agree, or nothing is taken. Held bits and table are a *box*; words of programs that vary in too many bits are split into several.
"""

import itertools
import pathlib
import random
import sys
from collections import defaultdict

import run
from features import BITS, FIRST, LAST
from learn import Key, first, fresh, retouch
from oracle import settled
from pack import BASE, MAX_NODES, REFUSED, Diagram, order_of, write
from table import Table

WIDEST = 11  # features of one box
LONGEST = 255  # features on one path, as in the reader
DEEPEST = 6  # times that words of one key are split


class Narrow(Key):
    """A key whose words all have the held bits."""

    def __init__(self, key, real, seed, depth=0):
        super().__init__(key, real, seed)
        self.held, self.depth, self.boxes = {}, depth, []

    def learn_words(self, words):
        return (yield from super().learn_words([self.hold(w) for w in words]))

    def hold(self, word):
        for code, value in self.held.items():
            word = word | 1 << code if value else word & ~(1 << code)
        return word

    def run(self):
        rng = self.rng
        yield from super().learn_words(self.real)
        if not all(settled(self.truth[w]) for w in self.real):
            self.real = [w for w in self.real if settled(self.truth[w])]
            if not self.real:
                return
        bases = {first(self.truth[w]) for w in self.real}
        if len(bases) != 1:
            return
        # Which bits matter, seen from words of programs.
        by_name = defaultdict(list)
        for word in self.real:
            by_name[self.truth[word]].append(word)
        groups = sorted(by_name.values())
        samples = [rng.choice(g) for g in rng.sample(groups, min(len(groups), 12))]
        samples += [rng.choice(self.real) for _ in range(6)]
        near = [(w, at) for w in samples for at in range(FIRST, LAST + 1)]
        yield from super().learn_words([w ^ 1 << at for w, at in near])
        matters = {at for w, at in near if self.truth[w ^ 1 << at] != self.truth[w]}
        varies = {at for at in range(FIRST, LAST + 1) if len({w >> at & 1 for w in self.real}) == 2}
        self.held = {at: self.real[0] >> at & 1 for at in matters - varies}
        self.truth = {w: n for w, n in self.truth.items() if self.hold(w) == w}
        self.features = matters & varies
        for _ in range(6):
            if len(self.features) > WIDEST:
                yield from self.split()
                return
            if (yield from self.ask_all()):
                return

    def split(self):
        """Two halves by the feature that leaves the fewest varying in the greater one."""
        if self.depth == DEEPEST:
            return
        halves = lambda at: [[w for w in self.real if w >> at & 1 == value] for value in (0, 1)]
        wide = lambda words: sum(len({w >> at & 1 for w in words}) == 2 for at in self.features)
        at = min(sorted(self.features), key=lambda at: max(map(wide, halves(at))))
        for words in halves(at):
            part = Narrow(self.key, words, run.SEED, self.depth + 1)
            yield from part.run()
            self.boxes += part.boxes

    def ask_all(self):
        """Fill the table and try it; True when it holds or nothing more can be done."""
        rng = self.rng
        self.codes, self.table = sorted(self.features), {}
        todo = list(itertools.product((0, 1), repeat=len(self.codes)))
        words = []
        for turn in range(6 if len(todo) <= 512 else 3):
            base = rng.choice(self.real)
            if turn > 1:
                base = retouch(base, rng)
            for values in todo:
                word = base
                for code, value in zip(self.codes, values):
                    word = BITS[code].put(word, value, rng)
                words.append(word)
        for _ in range(400):
            words.append(retouch(rng.choice(self.real), rng))
            words.append(self.mutate(rng.choice(self.real)))
        for i in range(120):
            words.append(fresh(self.key, i % 6, rng))
        yield from self.learn_words(words)
        witness, clash = {}, None
        for word, name in self.truth.items():
            if name is None:
                continue
            values = self.read(word)
            if not settled(name):
                self.table.setdefault(values, first(name) + ".?")
            elif settled(self.table.get(values)) and self.table[values] != name:
                clash = witness[values], word
            else:
                self.table[values], witness[values] = name, word
        if clash is None:
            if len({first(n) for n in self.table.values()}) == 1:
                self.boxes.append((dict(self.held), list(self.codes), self.table))
            return True
        # The smallest difference that matters is held where programs never vary it, else a feature.
        a, b = clash
        differing = [at for at in range(FIRST, LAST + 1) if (a ^ b) >> at & 1 and at not in self.features]
        trials = [a ^ 1 << at for at in differing]
        yield from self.learn_words(trials)
        found = [at for at, w in zip(differing, trials) if self.truth.get(w) != self.truth[a]]
        if not found:
            return True
        varies = {at for at in found if len({w >> at & 1 for w in self.real}) == 2}
        self.features |= varies
        self.held.update({at: self.real[0] >> at & 1 for at in found if at not in varies})
        self.truth = {w: n for w, n in self.truth.items() if self.hold(w) == w}
        return False


def doubted(sm):
    """Keys whose first tables were seen to name wrongly what no program held: only boxes name these whole (`doubted.tsv`)."""
    lines = (pathlib.Path(__file__).parent / "doubted.tsv").read_text().splitlines()
    return [int(key, 16) for number, key, _ in (line.split("\t") for line in lines) if int(number) == sm]


def lay(work, old, out):
    """Boxes first, in their order; a word outside all of them goes where the old table sends it."""
    table = Table(old.read_bytes())
    diagram, place = Diagram(), []
    follow = lambda text, node: ((table.texts[text],) if table.texts[text] else (), place[node] if node < BASE else node)
    for code, low, low_next, high, high_next in table.nodes:
        place.append(diagram.node(code, follow(low, low_next), follow(high, high_next)))
    roots = {sm: {key: follow(*root) for key, root in keys.items()} for sm, keys in table.keys.items()}
    for what, (sm, keys) in itertools.product(("absent", "narrow"), roots.items()):
        for key in doubted(sm) if what == "narrow" else ():
            prefix = keys.pop(key)[0][:1]
            if prefix:
                keys[key] = prefix, BASE
        for key, boxes in run.load(work / f"{what}_{sm}.pkl", {}).items():
            after = keys.get(key, ((), REFUSED))
            for held, codes, names in reversed(boxes):
                order, nodes = order_of(list(codes), names)
                if nodes > MAX_NODES or not names:
                    print(f"sm_{sm} {key:#05x}: {nodes} nodes, left out")
                    continue
                here = diagram.build(list(codes), names, order)
                if here is None:
                    continue
                for code, value in sorted(held.items(), reverse=True):
                    here = (), diagram.node(code, *((after, here) if value else (here, after)))
                after = here
            if after[1] != REFUSED:
                keys[key] = after
    depth = []
    for _, low, high in diagram.nodes:
        depth.append(1 + max(depth[n] if n < BASE else 0 for _, n in (low, high)))
    longest = max(depth[n] for keys in roots.values() for _, n in keys.values() if n < BASE)
    if longest > LONGEST:
        sys.exit(f"a path asks {longest} features, the reader takes {LONGEST}")
    data = write(diagram, roots)
    out.write_bytes(data)
    print(f"{len(data)} bytes, {len(diagram.nodes)} nodes")


def absent(work, path, sms):
    """Keys that an architecture's table lacks, because it was taken over from a neighbour (`run.py light`) that lacks them."""
    table, pools = Table(path.read_bytes()), run.load(work / "words.pkl", {})
    for sm in sms or sorted(table.keys):
        states = {}
        for key in set(run.EVERY) - set(table.keys[sm]):
            real = pools.get(sm, {}).get(key, [])
            hints = [w for other in sorted(pools) for w in pools[other].get(key, ())]
            hints = random.Random(key).sample(hints, min(len(hints), 60))
            states[key] = Key(key, real, run.SEED, (), hints)
        run.learn(f"SM{sm}", states)
        boxes = {key: [(s.fixed, s.codes, s.table)] for key, s in sorted(states.items()) if any(s.table.values())}
        (work / f"absent_{sm}.pkl").write_bytes(run.pickle.dumps(boxes))
        whole = sum(any(settled(n) for n in box[0][2].values()) for box in boxes.values())
        print(f"sm_{sm}: {len(boxes)} keys printed something, {whole} of them whole", flush=True)
        for key, s in sorted(states.items()):
            if s.bases:
                print(f"   {key:#05x} {s.note or 'whole'}: {' '.join(s.bases)}")


def main():
    sys.setrecursionlimit(10_000)
    command, work, path = sys.argv[1], *map(pathlib.Path, sys.argv[2:4])
    if command == "lay":
        lay(work, path, pathlib.Path(sys.argv[4]))
    elif command in ("learn", "forms", "absent"):
        {"learn": take, "forms": forms, "absent": absent}[command](work, path, [int(sm) for sm in sys.argv[4:]])
    else:
        sys.exit(__doc__)


def take(work, missed, sms):
    wanted, pools = read(missed), run.load(work / "words.pkl", {})
    for sm in sms or sorted(wanted):
        states = {}
        for key, words in wanted[sm].items():
            # Words that other architectures' programs hold vary what is worth knowing here too.
            more = [w for known in (wanted, pools) for other in sorted(known) for w in known[other].get(key, ())]
            states[key] = state(key, words + random.Random(key).sample(more, min(len(more), 150)))
        keep(work, sm, states)


def forms(work, missed, sms):
    """Bits 9 to 11 say which operand is a register, an immediate or a constant; the modifiers of such forms lie at the same place."""
    wanted, pools = read(missed), run.load(work / "words.pkl", {})
    for sm in sms or sorted(wanted):
        known = run.load(work / f"narrow_{sm}.pkl", {})
        words = defaultdict(list)
        for found in (*wanted.values(), *pools.values()):
            for key, some in found.items():
                words[key & run.FORM] += some
        states = {}
        for key in sorted(k & run.FORM | form << 9 for k in {k & run.FORM for k in known} for form in range(8)):
            some = words[key & run.FORM]
            if key not in known and some:
                some = random.Random(key).sample(some, min(len(some), 300))
                states[key] = state(key, [w & ~0xFFF | key for w in some])
        keep(work, sm, states)


def read(missed):
    wanted = defaultdict(lambda: defaultdict(list))
    for line in missed.read_text().splitlines():
        sm, word, _, name = line.split("\t")
        if name != "None":
            wanted[int(sm)][int(word, 16) & 0xFFF].append(int(word, 16))
    return wanted


def state(key, words):
    real = sorted({w & ((1 << 105) - 1) & ~0xF000 | 0x7000 | 0x7F1 << 105 for w in words})
    return Narrow(key, random.Random(key).sample(real, min(len(real), 300)), run.SEED)


def keep(work, sm, states):
    run.learn(f"SM{sm}", states, log=lambda *a, **k: None)
    kept = run.load(work / f"narrow_{sm}.pkl", {})
    kept.update({key: s.boxes + kept.get(key, []) for key, s in states.items() if s.boxes})
    (work / f"narrow_{sm}.pkl").write_bytes(run.pickle.dumps(kept))
    print(f"sm_{sm}: {sum(bool(s.boxes) for s in states.values())} of {len(states)} keys whole where programs use them", flush=True)
    for key, s in sorted(states.items()):
        if not s.boxes and s.features:
            print(f"   {key:#05x} open: {len(s.features)} features, {len(s.held)} held")


if __name__ == "__main__":
    main()
