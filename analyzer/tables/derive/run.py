"""Derive the tables: collect words of programs, learn every key of every architecture, pack.

    run.py words WORK PATH...     words of the cubins found there, for training
    run.py learn WORK SM...       learn architectures, each with what the ones before it taught
    run.py recall WORK TABLE      take the tables of an earlier result as candidates
    run.py again WORK SM...       learn again what is known in its first part only, or not at all
    run.py light WORK SM...       take over what the other architectures have learnt, checked with few words a key
    run.py pack WORK OUT          write the binary table
    run.py report WORK            what is known, by architecture

`NVDISASM` names the disassembler. WORK is a folder for results between the steps.
"""

import itertools
import pathlib
import pickle
import random
import sys
from collections import Counter, defaultdict

from cubins import cubins, words
from learn import Key, first, fresh, learn
from oracle import ask, mnemonic, settled
from pack import BASE, END, REFUSED, pack
from table import Table

SEED = 1
FIELDS = ((1 << 33) - 1) << 72  # most modifiers lie at bits 72 to 104
FORM = 0x1FF  # bits 9 to 11 say which operand is a register, an immediate or a constant
EVERY = range(1 << 12)


def load(path, default):
    return pickle.loads(path.read_bytes()) if path.exists() else default


def collect(work, paths, per_key=400):
    """Distinct words by architecture and key, at most two for equal modifiers."""
    pool = load(work / "words.pkl", {})
    taken = Counter()
    for sm, keys in pool.items():
        for key, known in keys.items():
            taken.update((sm, key, w & FIELDS) for w in known)
    for path in paths:
        for _, data in cubins(path):
            sm, seen = words(data)
            keys = pool.setdefault(sm, defaultdict(list))
            for word in seen:
                mark = sm, word & 0xFFF, word & FIELDS
                if taken[mark] < 2 and len(keys[word & 0xFFF]) < per_key:
                    taken[mark] += 1
                    keys[word & 0xFFF].append(word)
        print(path, {sm: sum(map(len, keys.values())) for sm, keys in sorted(pool.items())}, flush=True)
    (work / "words.pkl").write_bytes(pickle.dumps({sm: dict(keys) for sm, keys in pool.items()}))


def candidates(key, sm, done, here, recalled=None):
    """Tables to try: the same key on the architectures nearest first, then other forms of the operation here."""
    near = sorted(done, key=lambda other: (abs(other - sm), other))
    models = [done[other][key].model for other in near if key in done[other]]
    recalled = recalled or {}
    models += [recalled[other][key] for other in sorted(recalled, key=lambda o: abs(o - sm)) if key in recalled[other]]
    models += [here[k].model for k in sorted(here) if k & FORM == key & FORM and k != key]
    out = []
    for model in models:
        if model[1] and not any(model[:2] == known[:2] for known in out):
            out.append(model)
    # Whole mnemonics before first parts.
    return sorted(out, key=lambda model: bool(model[2]) or any(n and n.endswith("?") for n in model[1].values()))[:6]


def recall(work, path):
    """Truth tables out of the diagrams of a binary table: candidates that the disassembler confirms or not."""
    table = Table(path.read_bytes())
    for sm, keys in table.keys.items():
        found = {key: model for key in keys if (model := expand(table, keys[key]))}
        (work / f"recalled_{sm}.pkl").write_bytes(pickle.dumps(found))
        print(f"sm_{sm}: {len(found)} of {len(keys)} keys")


def expand(table, root, most=15):
    """(features, truth table, note, fixed bits) of one diagram; None when it asks too much."""
    codes, fixed, top = set(), {}, root[1]
    while top < BASE:
        code, _, low, _, high = table.nodes[top]
        if code > 127 or (low == REFUSED) == (high == REFUSED):
            break
        fixed[code] = int(low == REFUSED)
        top = high if low == REFUSED else low
    todo, seen = [top], set()
    while todo:
        at = todo.pop()
        if at < BASE and at not in seen:
            seen.add(at)
            code, _, low, _, high = table.nodes[at]
            codes.add(code)
            todo += [low, high]
        if len(codes) > most:
            return None
    codes = sorted(codes)
    place = {code: n for n, code in enumerate(codes)}
    out = {}
    for values in itertools.product((0, 1), repeat=len(codes)):
        name, at = prefix(table, root, top), top
        while at < BASE:
            code, low, low_next, high, high_next = table.nodes[at]
            text, at = (high, high_next) if values[place[code]] else (low, low_next)
            name += table.texts[text]
        if at == END:
            out[values] = name
        elif at == BASE:
            out[values] = name.split(".")[0] + ".?"
    return codes, out, "", fixed


def prefix(table, root, top):
    """The text on the way from the root to `top`, past the fixed bits."""
    name, at = table.texts[root[0]], root[1]
    while at != top:
        _, low, low_next, high, high_next = table.nodes[at]
        text, at = (high, high_next) if low_next == REFUSED else (low, low_next)
        name += table.texts[text]
    return name


class Learnt:
    """What is kept of a key."""

    @classmethod
    def of(cls, model, examples, bases, tests):
        new = cls.__new__(cls)
        new.model, new.examples, new.bases, new.adopted, new.tests = model, examples, bases, True, tests
        return new

    def __init__(self, state):
        self.model = state.codes, state.table, state.note, state.fixed
        self.examples, self.bases, self.adopted, self.tests = state.examples, state.bases, state.adopted, state.tests


def again(work, sm):
    """Keys known in part: try what was recalled, and what other architectures have learnt since."""
    pool = load(work / "words.pkl", {}).get(sm, {})
    here = load(work / f"learnt_{sm}.pkl", {})
    done = {int(p.stem.split("_")[1]): load(p, {}) for p in work.glob("learnt_*.pkl") if p.stem != f"learnt_{sm}"}
    old = {int(p.stem.split("_")[1]): load(p, {}) for p in work.glob("recalled_*.pkl")}
    states = {}
    for key in EVERY:
        if key in here and not here[key].model[2]:
            continue
        recalled = [old[other][key] for other in sorted(old, key=lambda o: abs(o - sm)) if key in old[other]]
        whole = [m for m in candidates(key, sm, done, here) if not m[2]]
        if recalled or whole:
            states[key] = state(key, pool, sm, done, here)
            states[key].models = (recalled + whole)[:6]
            states[key].only_adopt = key in here
    learn(f"SM{sm}", states)
    better = {k: Learnt(s) for k, s in states.items() if s.table and not s.note}
    here.update(better)
    (work / f"learnt_{sm}.pkl").write_bytes(pickle.dumps(here))
    print(f"sm_{sm}: {len(better)} of {len(states)} keys are whole now")


def fill_in(one, printed, base):
    """A table that no word contradicts and that only lacks some: the lacking joint values are known by the first part."""
    for model in one.models:
        codes, table, note, fixed = model
        one.codes, right, wrong = list(codes), 0, 0
        for word in printed:
            have, name = table.get(one.read(word)), one.truth[word]
            if any((word >> code & 1) != value for code, value in fixed.items()):
                continue
            right += have == name and settled(name)
            wrong += have is not None and not have.endswith("?") and have != name
        if not note and not wrong and right >= 8 and len(codes) <= 15:
            whole = {v: table.get(v) or f"{base}.?" for v in itertools.product((0, 1), repeat=len(codes))}
            return codes, whole, "", fixed
    return None


def light(work, sm, names=40, others=24):
    """Tables of other architectures, kept for a key where every word asked agrees: at least one for each of up to `names`
    decoded names of every candidate, besides words of programs, examples of the others and random ones."""
    rng = random.Random(SEED * 1000 + sm)
    pool = load(work / "words.pkl", {}).get(sm, {})
    here = load(work / f"learnt_{sm}.pkl", {})
    done = {int(p.stem.split("_")[1]): load(p, {}) for p in work.glob("learnt_*.pkl") if p.stem != f"learnt_{sm}"}
    recalled = {int(p.stem.split("_")[1]): load(p, {}) for p in work.glob("recalled_*.pkl")}
    states, asked = {}, []
    for key in EVERY:
        if key in here and not here[key].model[2]:
            continue
        found = candidates(key, sm, done, {}, recalled)
        if not found and key not in pool:
            continue
        one = states[key] = state(key, pool, sm, done, {}, recalled)
        words = [fresh(key, i % 6, rng) for i in range(6)]
        words += rng.sample(one.hints, min(len(one.hints), others)) + rng.sample(one.real, min(len(one.real), 2 * others))
        one.valid = lambda words=tuple(words): list(words)
        one.diverse = lambda count, words=tuple(one.hints or words): [rng.choice(words)]
        for model in found:
            by_name = defaultdict(list)
            for values, name in model[1].items():
                if name:
                    by_name[name].append(values)
            one.codes = list(model[0])
            some = rng.sample(sorted(by_name), min(len(by_name), names))
            words += [w for _, w in one.questions([rng.choice(by_name[name]) for name in some])]
        one.asked = sorted(set(words))
        asked += one.asked
    print(f"sm_{sm}: asking {len(asked)} words about {len(states)} keys", flush=True)
    answers = dict(zip(asked, (mnemonic(text) for text in ask(asked, f"SM{sm}"))))
    count = Counter()
    for key, one in states.items():
        one.truth = {word: answers[word] for word in one.asked}
        printed = [w for w, n in one.truth.items() if n is not None]
        kept = None
        for model in one.models if len(printed) >= 6 else ():
            one.codes = list(model[0])
            if one.agrees(model[1], model[3]):
                kept = model
                break
        bases = {first(one.truth[w]) for w in printed}
        if kept is None and len(bases) == 1:
            kept = fill_in(one, printed, next(iter(bases)))
        if kept is None and len(bases) == 1 and len(printed) >= 12:
            kept = [], {(): f"{next(iter(bases))}.?"}, "first part", {}
        if kept:
            here[key] = Learnt.of(kept, [w for w in printed if settled(one.truth[w])][:24], sorted(bases), len(printed))
        count[kept and (kept[2] or "whole")] += 1
    (work / f"learnt_{sm}.pkl").write_bytes(pickle.dumps(here))
    print(f"sm_{sm}: {len(here)} keys; now {dict(count)}", flush=True)


def state(key, pool, sm, done, here, recalled=None):
    hints = [w for other in sorted(done) if key in done[other] for w in done[other][key].examples[:10]]
    hints += [w for k in here if k & FORM == key & FORM for w in here[k].examples[:8]]
    hints = random.Random(key).sample(hints, min(len(hints), 60))
    return Key(key, pool.get(key, []), SEED, candidates(key, sm, done, here, recalled), hints)


def teach(work, sm):
    pool = load(work / "words.pkl", {}).get(sm, {})
    done = {}
    for path in work.glob("learnt_*.pkl"):
        other = int(path.stem.split("_")[1])
        if other != sm:
            done[other] = load(path, {})
    recalled = {int(p.stem.split("_")[1]): load(p, {}) for p in work.glob("recalled_*.pkl")}
    low, rest = [k for k in EVERY if k < 0x400], [k for k in EVERY if k >= 0x400]
    states = {}

    def wave(keys):
        here = {k: Learnt(s) for k, s in states.items() if s.done and s.table}
        return {key: state(key, pool, sm, done, here, recalled) for key in keys}

    states.update(wave(low))
    learn(f"SM{sm}", states, lambda: wave(rest))
    here = {k: Learnt(s) for k, s in states.items() if s.table or s.note}
    fresh = work / f"{sm}.new"
    fresh.write_bytes(pickle.dumps(here))
    fresh.rename(work / f"learnt_{sm}.pkl")
    summary(sm, here)


def summary(sm, here):
    notes = Counter(k.model[2] or "whole" for k in here.values())
    print(f"sm_{sm}: {len(here)} keys, {sum(k.adopted for k in here.values())} adopted, {dict(notes)}", flush=True)
    for key, known in sorted(here.items()):
        if known.model[2]:
            print(f"   {key:#05x} {known.model[2]}: {' '.join(known.bases)}")


def main():
    sys.setrecursionlimit(10_000)
    command, work = sys.argv[1], pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    if command == "words":
        collect(work, sys.argv[3:])
    elif command == "learn":
        for sm in sys.argv[3:]:
            teach(work, int(sm))
    elif command == "light":
        for sm in sys.argv[3:]:
            light(work, int(sm))
    elif command == "recall":
        recall(work, pathlib.Path(sys.argv[3]))
    elif command == "again":
        for sm in sys.argv[3:]:
            again(work, int(sm))
    elif command == "pack":
        every = {int(path.stem.split("_")[1]): load(path, {}) for path in sorted(work.glob("learnt_*.pkl"))}
        models = {}
        for sm, keys in sorted(every.items()):
            models[sm] = {k: (known.model[0], known.model[1], known.model[3]) for k, known in keys.items()}
        data, report, nodes = pack(models)
        pathlib.Path(sys.argv[3]).write_bytes(data)
        print(f"{len(data)} bytes, {nodes} nodes", *report[:20], sep="\n")
    elif command == "report":
        for path in sorted(work.glob("learnt_*.pkl")):
            summary(int(path.stem.split("_")[1]), load(path, {}))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
