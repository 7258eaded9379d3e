"""Write the pairs that the tests hold the tables against: words of programs not learnt from, with the printed mnemonic.

    fixtures.py OUT [--name PREFIX] [--most N] [--seed S] PATH...

OUT gets `PREFIXsm_90.tsv.zst` and so on: one word for each combination of key and bits 72 to 104, at most N (2,500) drawn with
the seed.
"""

import argparse
import pathlib
import random
from collections import defaultdict

import zstandard

from cubins import code, cubins
from oracle import ask, mnemonic
from verify import FIELDS, unique


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("out", type=pathlib.Path)
    cli.add_argument("--name", default="")
    cli.add_argument("--most", type=int, default=2500)
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("paths", nargs="+")
    args = cli.parse_args()
    classes = defaultdict(dict)
    for path in args.paths:
        for _, data in cubins(path):
            sm, sections = code(data)
            for word, _ in unique(sections):
                classes[sm].setdefault((word & 0xFFF, word & FIELDS), word)
    for sm, known in sorted(classes.items()):
        words = [known[mark] for mark in sorted(known)]
        words = random.Random(args.seed).sample(words, min(len(words), args.most))
        try:
            names = [mnemonic(text) for text in ask(words, f"SM{sm}")]
        except RuntimeError as error:  # an architecture the tool has dropped
            print(f"sm_{sm}: {error}")
            continue
        lines = "".join(f"{word:032x}\t{name}\n" for word, name in sorted(zip(words, names)) if name)
        packed = zstandard.ZstdCompressor(level=19).compress(lines.encode())
        (args.out / f"{args.name}sm_{sm}.tsv.zst").write_bytes(packed)
        print(f"sm_{sm}: {lines.count(chr(10))} of {len(known)} pairs, {len(packed)} bytes", flush=True)


if __name__ == "__main__":
    main()
