"""Hold a table against the disassembler where no program may have been: words made from its own diagrams.

    walk.py [--each N] [--seed S] TABLE WORK BAD [SM...]

For every key N (400) random paths through its diagram are forced upon words of programs (WORK's `words.pkl`, of any architecture) and random
words. What is named whole and printed otherwise is written to BAD: architecture, word, our name, what was printed.
A word printed with a placeholder (a field has an undefined value, which no compiler writes) is counted apart.
"""

import argparse
import pathlib
import random
from collections import Counter, defaultdict

import run
from features import BY_CODE
from learn import fresh, retouch
from oracle import ask, mnemonic, settled
from pack import BASE, REFUSED
from table import Table


def path(table, root, word, rng):
    """`word` with the features that lead down a random path to a name; refused ends are avoided where the other edge goes on."""
    at = root[1]
    while at < BASE:
        code, _, low, _, high = table.nodes[at]
        # One way in three stays with the word: boxes hold many bits, and few random choices reach their inside.
        here = BY_CODE[code].get(word)
        side = here if rng.random() < 0.34 else rng.randrange(2)
        if (high if side else low) >= BASE and (low if side else high) not in (REFUSED, BASE):
            side = 1 - side
        word = BY_CODE[code].put(word, side, rng)
        at = high if side else low
    return word


def words_of(table, sm, pools, each, rng):
    for key, root in sorted(table.keys[sm].items()):
        real = pools.get(sm, {}).get(key) or [w for known in pools.values() for w in known.get(key, ())]
        for turn in range(each):
            word = rng.choice(real) if real and turn % 4 else fresh(key, turn % 6, rng)
            if turn % 3 == 0:
                word = retouch(word, rng)
            yield path(table, root, word, rng)


def chunks(words, arch, most=4096):
    """Some words stop the tool and are found by halving: that is quick for a few thousand."""
    for at in range(0, len(words), most):
        yield from ask(words[at : at + most], arch)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("table", type=pathlib.Path)
    cli.add_argument("work", type=pathlib.Path)
    cli.add_argument("bad", type=pathlib.Path)
    cli.add_argument("--each", type=int, default=400)
    cli.add_argument("--seed", type=int, default=1)
    cli.add_argument("sm", nargs="*", type=int)
    args = cli.parse_args()
    table, pools = Table(args.table.read_bytes()), run.load(args.work / "words.pkl", {})
    with args.bad.open("a") as out:
        for sm in args.sm or sorted(table.keys):
            rng = random.Random(args.seed * 1000 + sm)
            words = sorted(set(words_of(table, sm, pools, args.each, rng)))
            count, keys = Counter(), defaultdict(Counter)
            for word, text in zip(words, chunks(words, f"SM{sm}")):
                ours, name = table.name(sm, word), mnemonic(text)
                if name is None or ours.startswith("unknown("):
                    count["refused" if name is None else "unknown"] += 1
                    continue
                wrong = ours.split(".")[0] != name.split(".")[0] or not ours.endswith("?") and ours != name
                what = ("wrong" if settled(name) else "undefined") if wrong else "in part" if ours.endswith("?") else "right"
                count[what] += 1
                if wrong:
                    keys[what][word & 0xFFF] += 1
                    out.write(f"{sm}\t{word:032x}\t{ours}\t{name}\n")
            print(f"sm_{sm}: {len(words)} words, {dict(count)}", flush=True)
            for what, some in keys.items():
                print("  ", what, " ".join(f"{key:#05x}:{n}" for key, n in some.most_common(40)), flush=True)


if __name__ == "__main__":
    main()
