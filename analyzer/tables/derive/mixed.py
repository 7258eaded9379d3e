"""Kernels to hold a table against that it was not learnt from: statements of `generate.py` of all kinds mixed at random.

    mixed.py OUT SEED COUNT [--sm 75,80,90a] PTXAS...

Every kernel takes 12 to 40 statements of any kinds, each way of operands, other literals and offsets than `generate.py`, some statements
predicated, at any level of optimisation. Every PTXAS that knows a target assembles it: other versions choose other instructions.
"""

import argparse
import pathlib
import random
import re

import generate

LITERALS = {
    "R": "0x1 0x10 0xffffffff 0x80000000 0x7fff0000 65536 3".split(),
    "L": "0x1 0x100000000 0xffffffffffffffff 12".split(),
    "F": "0f00000000 0f3F000000 0fBF800000 0f7F800000".split(),
    "D": "0d0000000000000000 0d3FE0000000000000 0dC000000000000000".split(),
    "H": "0x3c00 0x1 0x8000".split(),
}
LEVELS = [(), (), ("-O0",), ("-O0", "-g"), ("-O1",), ("-O2",), ("--maxrregcount", "40")]
# What every thread of a warp takes part in has no guard.
WHOLE = ("{", "@", "bar", "wgmma", "tcgen05", "setmax", "ldmatrix", "mma", "shfl", "vote", "match", "redux", "elect")


def mix(rng, every):
    """(statements, way of operands); the literals of `generate` are set."""
    lines = rng.sample(every, rng.choice((12, 25, 40)))
    moved = lambda match: f"+{int(match.group(1)) * rng.choice((1, 2, 4, 17))}]"
    lines = [re.sub(r"\+(\d+)\]", moved, line) if rng.random() < 0.5 else line for line in lines]
    if rng.random() < 0.3:
        lines = [line if line.startswith(WHOLE) or rng.random() < 0.5 else f"@%P0 {line}" for line in lines]
    for kind, values in LITERALS.items():
        generate.LITERAL[kind], generate.SMALL[kind] = rng.choice(values), rng.choice(values)
    return lines, rng.choice(("loaded", "uniform", "every", "literal", "small"))


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("out", type=pathlib.Path)
    cli.add_argument("seed", type=int)
    cli.add_argument("count", type=int)
    cli.add_argument("--sm", default=",".join(generate.TARGETS))
    cli.add_argument("ptxas", nargs="+")
    args = cli.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(args.seed)
    every = sorted({line for lines in generate.kinds().values() for line in lines})
    known = [generate.knows(ptxas) for ptxas in args.ptxas]
    kept = cubins = 0
    for number in range(args.count):
        lines, mode = mix(rng, every)
        for target in args.sm.split(","):
            for place, ptxas in enumerate(args.ptxas):
                level = rng.choice(LEVELS)
                if target not in known[place]:
                    continue
                out = args.out / f"mixed{number}-{mode}-{place}.sm_{target}.cubin"
                good, _ = generate.build(ptxas, target, "mixed", lines, mode, out, level)
                kept, cubins = kept + good, cubins + (good > 0)
    print(f"{cubins} cubins, {kept} statements")


if __name__ == "__main__":
    main()
