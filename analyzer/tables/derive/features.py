"""What a table may ask about a word: one bit, or whether an operand field holds a special value.

Special values matter because the disassembler prints aliases: a multiply-add whose addend is RZ and whose
factor is a power of two is printed as a shift, and so on.
"""

# 2^16 and 2^31 print as plain multiplications.
SHIFTS = [1 << n for n in range(1, 31) if n != 16]
ALL = (1 << 128) - 1
GUARD = range(12, 16)
FIRST, LAST = 16, 104  # bits between the guard and the control codes
CONTROL = ((1 << 21) - 1) << 105


class Bit:
    def __init__(self, at):
        self.code, self.mask = at, 1 << at

    def get(self, word):
        return int(bool(word & self.mask))

    def put(self, word, value, rng):
        return word | self.mask if value else word & ~self.mask


class Ones:
    """All `width` bits from `at` are set: RZ, URZ or PT."""

    def __init__(self, code, at, width):
        self.code, self.at, self.width = code, at, width
        self.mask = ((1 << width) - 1) << at

    def get(self, word):
        return int(word & self.mask == self.mask)

    def put(self, word, value, rng):
        if value:
            return word | self.mask
        if not self.get(word):
            return word
        return word & ~self.mask | rng.randrange((1 << self.width) - 1) << self.at


class Imm:
    """The 32-bit immediate at bit 32 is 0, is 1, or is a greater power of two."""

    mask = 0xFFFFFFFF << 32
    at, width = 32, 32

    def __init__(self, code, kind):
        self.code, self.kind = code, kind

    def get(self, word):
        value = word >> 32 & 0xFFFFFFFF
        if self.kind == "pow2":
            return int(value in SHIFTS)
        return int(value == self.kind)

    def put(self, word, value, rng):
        if value:
            number = rng.choice(SHIFTS) if self.kind == "pow2" else self.kind
        elif not self.get(word):
            return word
        else:
            number = rng.getrandbits(32) | 0x00410000
        return word & ~self.mask | number << 32


BITS = {at: Bit(at) for at in range(128)}
SPECIAL = [
    *(Ones(128 + i, at, 8) for i, at in enumerate((16, 24, 32, 64))),
    *(Ones(132 + i, at, 6) for i, at in enumerate((16, 24, 32, 64))),
    *(Ones(136 + i, at, 3) for i, at in enumerate((68, 77, 81, 84, 87))),
    Imm(144, 0),
    Imm(145, 1),
    Imm(146, "pow2"),
]
BY_CODE = {**BITS, **{f.code: f for f in SPECIAL}}
IMMS = [f for f in SPECIAL if isinstance(f, Imm)]
COVER = {at: [f for f in SPECIAL if f.mask >> at & 1] for at in range(128)}


def plain(word, at):
    """Whether no special value covers bit `at` in `word`."""
    return not any(f.get(word) for f in COVER[at])
