"""Hold a table against the disassembler over the cubins of programs.

    verify.py TABLE [--sample N --seed S] [--not-in LIST] [--each K] PATH...

Every word of every cubin is decoded. Words are asked in classes of equal key, equal decoded name and equal bits 72 to 104
(where modifiers lie): up to K (2) of each class over all cubins of an architecture, so that every decoded name is
checked in every surrounding it occurs in. Counts are over all instructions; a class with a wrong answer counts whole.
`--sample` takes that many of the cubins found, drawn with the seed from their sorted order; `--not-in` names a file of
paths left out (those learnt from).
"""

import argparse
import pathlib
import random
from collections import Counter, defaultdict

import numpy as np

from cubins import code, cubins
from oracle import ask, mnemonic
from table import Table

FIELDS = ((1 << 33) - 1) << 72


def unique(sections):
    """Distinct words with counts."""
    data = b"".join(section[: len(section) // 16 * 16] for section in sections)
    values, counts = np.unique(np.frombuffer(data, dtype="V16"), return_counts=True) if data else ((), ())
    return [(int.from_bytes(bytes(v), "little"), int(n)) for v, n in zip(values, counts)]


def masks_of(table, sm):
    """By key, the bits that decide a name or lie where modifiers do: (low halves, high halves)."""
    low, high = np.zeros(4096, "u8"), np.zeros(4096, "u8")
    for key in range(4096):
        root = table.keys[sm].get(key)
        mask = FIELDS | 0xFFF | (table.masks[root[1]] if root and root[1] < len(table.masks) else 0)
        low[key], high[key] = mask & (1 << 64) - 1, mask >> 64
    return low, high


def distinct(sections, masks):
    """One word for each distinct value of those bits, with the number of words that have it."""
    data = b"".join(section[: len(section) // 16 * 16] for section in sections)
    words = np.frombuffer(data, dtype="<u8").reshape(-1, 2)
    key = words[:, 0] & 0xFFF
    low, high = words[:, 0] & masks[0][key], words[:, 1] & masks[1][key]
    both = np.empty(len(words), dtype=[("low", "u8"), ("high", "u8")])
    both["low"], both["high"] = low, high
    _, first, counts = np.unique(both, return_index=True, return_counts=True)
    return [(int(words[i, 0]) | int(words[i, 1]) << 64, int(n)) for i, n in zip(first, counts)]


def gather(paths, skip, sample, seed):
    if sample:
        names = sorted(str(p) for path in paths for p in pathlib.Path(path).rglob("*.cubin"))
        names = [name for name in names if name not in skip]
        paths = random.Random(seed).sample(names, sample)
    for path in paths:
        yield from cubins(path)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("table", type=pathlib.Path)
    cli.add_argument("--sample", type=int)
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("--not-in", type=pathlib.Path)
    cli.add_argument("--each", type=int, default=2)
    cli.add_argument("--sm", type=int, action="append")
    cli.add_argument("--missed", type=pathlib.Path, help="write the words not named whole here")
    cli.add_argument("paths", nargs="+")
    args = cli.parse_args()
    skip = set(args.not_in.read_text().split("\n")) if args.not_in else set()
    table = Table(args.table.read_bytes())
    files, total = Counter(), Counter()
    classes, known_masks = defaultdict(dict), {}
    for _, data in gather(args.paths, skip, args.sample, args.seed):
        sm, sections = code(data)
        if sm not in table.keys or args.sm and sm not in args.sm:
            files[f"no table for sm_{sm}"] += 1
            continue
        files[sm] += 1
        known = classes[sm]
        if sm not in known_masks:
            known_masks[sm] = masks_of(table, sm)
        for word, count in distinct(sections, known_masks[sm]):
            total[sm] += count
            mark = word & 0xFFF, table.name(sm, word), word & FIELDS
            held = known.setdefault(mark, [0])
            held[0] += count
            if len(held) <= args.each:
                held.append(word)
    missed = []
    print("| sm | cubins | instructions | asked | wrong base | wrong whole | unknown | `.?` |")
    for sm, known in sorted(classes.items()):
        flat = [(mark, word) for mark, held in known.items() for word in held[1:]]
        names = [mnemonic(text) for text in ask([word for _, word in flat], f"SM{sm}")]
        base, whole, unknown, partial = set(), set(), Counter(), Counter()
        for (mark, word), name in zip(flat, names):
            ours = mark[1]
            if ours.startswith("unknown("):
                unknown[word & 0xFFF, name] = 0
                missed.append((sm, word, ours, name))
            elif name is None or ours.split(".")[0] != name.split(".")[0]:
                base.add(mark)
                print("   wrong", sm, f"{word:032x}", ours, name)
            elif ours.endswith("?"):
                missed.append((sm, word, ours, name))
            elif ours != name:
                whole.add(mark)
                print("   wrong", sm, f"{word:032x}", ours, name)
        for mark, held in known.items():
            if mark[1].startswith("unknown("):
                unknown[mark[0]] += held[0]
            elif mark[1].endswith("?"):
                partial[mark[0], mark[1]] += held[0]
        count = lambda marks: sum(known[mark][0] for mark in marks)
        print(
            f"| sm_{sm} | {files[sm]} | {total[sm]:,} | {len(flat):,} | {count(base):,} | {count(whole):,} "
            f"| {sum(v for v in unknown.values()):,} | {sum(partial.values()):,} |",
            flush=True,
        )
        for what, n in unknown.most_common(12):
            if n:
                names = sorted({str(name) for key in unknown if isinstance(key, tuple) and key[0] == what for name in key[1:]})
                print(f"   unknown {what:#05x} {n:,} {' '.join(names[:6])}")
        for (key, name), n in partial.most_common(12):
            print(f"   in part {key:#05x} {n:,} {name}")
    print({k: v for k, v in files.items() if isinstance(k, str)})
    if args.missed:
        args.missed.write_text("".join(f"{sm}\t{w:032x}\t{ours}\t{name}\n" for sm, w, ours, name in missed))


if __name__ == "__main__":
    main()
