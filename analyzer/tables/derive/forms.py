"""Learn how operands are printed, from pairs (word, printed text) of programs.

A *form* is a template (`R{16}, R{24}, 0x{32:32}, RZ`) for the words of one key that agree in all bits outside the fields
the template prints. Nothing is generalised over bits whose meaning was not seen: a word with another value there has no
form, and its operands are left out.

    forms.py learn PAIRS OUT      PAIRS: pickled {architecture: {(word, text): count}}
    forms.py try PAIRS            learn from one half, hold against the other
"""

import pickle
import re
import struct
import sys
from collections import defaultdict

# Bits whose value never changes how operands print: guard and control codes.
LOOKED_AT = ((1 << 105) - 1) & ~0xFFFF
NUMBER = r"[+-]?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]\d+)?)"
TOKEN = re.compile(rf"(?<![A-Za-z0-9_.\]])(URZ|UR\d+|RZ|R\d+|UPT|UP\d+|PT|P\d+|SB\d+|B\d+|{NUMBER})(?![A-Za-z0-9_])")
COMMENT = re.compile(r"\(\*.*?\*\)")

# Kinds of fields: number of the kind in the table, name of the register file, its last number.
REGISTERS = {"R": (1, "R", "RZ"), "UR": (2, "UR", "URZ"), "P": (3, "P", "PT"), "UP": (4, "UP", "UPT"), "B": (5, "B", None), "SB": (6, "SB", None)}
HEX, SIGNED, FLOAT, SMALL = 7, 8, 9, 10  # SMALL: signed or not, but the sign bit was never seen set
PLACES = {
    "R": [(at, 8) for at in (16, 24, 32, 64)],
    "UR": [(at, width) for at in (16, 24, 32, 64, 40, 48, 80) for width in (8, 6)],
    "P": [(at, 3) for at in (16, 68, 77, 81, 84, 87, 24, 64, 32)],
    "UP": [(at, 3) for at in (16, 68, 77, 81, 84, 87, 24, 64, 32)],
    "B": [(16, 4), (24, 4)],
    "SB": [(44, 3), (40, 3), (44, 4)],
}
# Immediate, address offset, constant offset (in words and bytes), and what fits nothing else.
NUMBERS = [(HEX, 32, 32, 1), (SIGNED, 32, 32, 1), (SIGNED, 40, 24, 1), (HEX, 40, 14, 4), (HEX, 38, 16, 1), (HEX, 37, 16, 1), (FLOAT, 32, 32, 1)]


def operands(text):
    """What stands behind guard and mnemonic; None where it is no function of the word alone."""
    text = COMMENT.sub("", text).replace(".reuse", "").strip().rstrip(";").strip()
    if "`(" in text or "@" in text.split(None, 1)[-1] and not text.startswith("@"):
        return None
    if text.startswith("@"):
        text = text.split(None, 1)[1]
    head, _, rest = text.partition(" ")
    return rest.strip()


def split(text):
    """(literal parts, tokens)."""
    parts, tokens, at = [], [], 0
    for match in TOKEN.finditer(text):
        parts.append(text[at : match.start()])
        tokens.append(match.group(1))
        at = match.end()
    parts.append(text[at:])
    return tuple(parts), tokens


def file_of(token):
    for name in ("UR", "UP", "SB", "R", "P", "B"):
        if token.startswith(name) and (token[len(name) :].isdigit() or token in ("RZ", "URZ", "PT", "UPT")):
            return name
    return None


def bits(word, at, width):
    return word >> at & (1 << width) - 1


def decimal(value):
    """A 32-bit float as printed; None where the printed form is not sure."""
    number = struct.unpack("<f", struct.pack("<I", value))[0]
    if number != number or abs(number) >= 1e15 or 0 < abs(number) < 1e-4 or value == 1 << 31:
        return None
    return f"{number:.20g}"


def show(field, word):
    kind, at, width, scale = field
    value = bits(word, at, width)
    for number, name, last in REGISTERS.values():
        if kind == number:
            return last if last and value == (1 << width) - 1 else f"{name}{value}"
    if kind == SMALL:
        return None if value >> (width - 1) else f"{value:#x}"
    if kind == HEX:
        return f"{value * scale:#x}"
    if kind == SIGNED:
        value = value - (1 << width) if value >> (width - 1) else value
        return f"{value:#x}"
    return decimal(value)


def candidates(tokens):
    """Fields that could print these tokens of one place."""
    name = file_of(tokens[0])
    if name:
        return [(REGISTERS[name][0], at, width, 1) for at, width in PLACES[name]]
    return NUMBERS


def fields_of(samples):
    """For every token of equally built texts its field: list of fields or None, or False when nothing fits.

    A token that is the same everywhere stays literal when several fields or none would print it.
    """
    out = []
    for place in range(len(samples[0][1])):
        tokens = [tokens[place].lstrip("+") for _, tokens in samples]
        if len({file_of(t) for t in tokens}) > 1:
            return False
        fit = [f for f in candidates(tokens) if all(show(f, w) == t for (w, _), t in zip(samples, tokens))]
        distinct = len(set(tokens))
        if fit and (distinct > 1 or len(fit) == 1):
            out.append(fit)
        elif distinct == 1:
            # Literal: the bits that say so, whichever they are, stay part of the form.
            out.append([None])
        else:
            field = narrow(samples, tokens)
            if not field:
                return False
            out.append([field])
    return out


def narrow(samples, tokens):
    """A field just wide enough for the numbers seen; the bits beyond it stay part of the form."""
    try:
        values = [int(t, 16) if t.startswith("0x") else None for t in tokens]
    except ValueError:
        return None
    if None in values:
        return None
    fits = []
    for scale in (1, 4, 8, 16):
        if any(v % scale for v in values):
            continue
        width = max(1, max(v // scale for v in values).bit_length())
        for at in range(16, 105 - width):
            if all(bits(w, at, width) * scale == v for (w, _), v in zip(samples, values)):
                fits.append((HEX, at, width, scale))
    return fits[0] if len(fits) == 1 else None


def assign(fit):
    """One field for every token, each its own; None when the samples leave a choice: a register that was always the same as
    another one beside it says nothing of where it stands, and other texts of the key are no witness."""
    some = []
    for fields in fit:
        whole = [f for f in fields if f and f[1:] == (32, 32, 1) and f[0] in (HEX, SIGNED)]
        some.append([(SMALL, 32, 32, 1)] if len(whole) == 2 else list(fields))
    while True:
        taken = {fields[0] for fields in some if len(fields) == 1 and fields[0]}
        fewer = [[f for f in fields if f not in taken] if len(fields) > 1 else fields for fields in some]
        if fewer == some:
            break
        some = fewer
    for place, fields in enumerate(some):
        if len(fields) > 1:
            narrow = min(fields, key=lambda f: f[2])
            inside = ((1 << narrow[2]) - 1) << narrow[1]
            if all(f[0] == narrow[0] and ((1 << f[2]) - 1) << f[1] & inside == inside for f in fields):
                # One field or a wider one around it, whose other bits never varied: those stay part of the form.
                some[place] = [narrow]
    if any(len(fields) != 1 for fields in some):
        return None
    return [fields[0] for fields in some]


def mask_of(fields):
    mask = 0
    for field in fields:
        if field:
            mask |= ((1 << field[2]) - 1) << field[1]
    return mask & LOOKED_AT


def ones(fields, word):
    """Which fields hold their special value: all ones for registers, zero for numbers."""
    out = []
    for field in sorted({f for f in fields if f}):
        value, full = bits(word, field[1], field[2]), (1 << field[2]) - 1
        out.append(value == (full if field[0] <= 4 else 0))
    return tuple(out)


def learn(pairs):
    """{key: [(mask, {value: [(special conditions, parts, fields)]})]} of one architecture."""
    built = defaultdict(list)
    for (word, text), _ in sorted(pairs.items()):
        rest = operands(text)
        if rest is None:
            continue
        parts, tokens = split(rest)
        if sum(map(len, parts)) + len(tokens) > 90:
            continue
        name = [t for t in text.split() if not t.startswith("@")][0]
        if any(("." in t or "e+" in t or "e-" in t) and t.lstrip("+") != decimal(bits(word, 32, 32)) for t in tokens):
            continue
        built[word & 0xFFF, name.split(".")[0], parts, tuple(file_of(t) for t in tokens)].append((word, tokens))
    choices = {}
    for mark, samples in built.items():
        fit = fields_of(samples)
        if fit is False:
            continue
        choices[mark] = fit
    forms = defaultdict(dict)
    for mark, fit in choices.items():
        fields = assign(fit)
        if fields is None:
            continue
        literal = [f is None for f in fields]
        for word, tokens in built[mark]:
            parts = list(mark[2])
            # Literal tokens join the text around them.
            text, kept, here = [parts[0]], [], tokens
            for n, token in enumerate(here):
                if literal[n]:
                    text[-1] += token + parts[n + 1]
                else:
                    text[-1] += "+" if token.startswith("+") else ""
                    kept.append(fields[n])
                    text.append(parts[n + 1])
            value = word & LOOKED_AT & ~mask_of(kept)
            forms[word & 0xFFF, mask_of(kept)].setdefault((value, tuple(text), tuple(kept)), set()).add(ones(kept, word))
    return check(forms, pairs)


def check(forms, pairs):
    """Drop forms that a pair contradicts."""
    index = defaultdict(lambda: defaultdict(list))
    for (key, mask), some in forms.items():
        for (value, text, kept), special in some.items():
            index[key][mask].append((value, text, kept, special))
    wrong = set()
    table = compile_(index)
    for (word, text), _ in pairs.items():
        rest = operands(text)
        for form in matches(table, word):
            if rest is None or render(form, word) not in (rest, None):
                wrong.add((word & 0xFFF, form[0], form[1], form[2]))
    for key, masks in index.items():
        for mask in masks:
            masks[mask] = [f for f in masks[mask] if (key, f[0], f[1], f[2]) not in wrong]
    return compile_(index)


def compile_(index):
    """By key and mask: value to forms. A special value must have been seen as such or not to matter."""
    table = {}
    for key, masks in index.items():
        table[key] = {}
        for mask, some in masks.items():
            by_value = defaultdict(list)
            # A field's special value does not matter when forms were seen with and without it.
            free = {}
            for _, text, kept, special in some:
                seen = free.setdefault(kept, [set() for _ in next(iter(special))])
                for flags in special:
                    for n, flag in enumerate(flags):
                        seen[n].add(flag)
            for value, text, kept, special in some:
                by_value[value].append((value, text, kept, special, free[kept]))
            table[key][mask] = dict(by_value)
    return table


def matches(table, word):
    for mask, by_value in table.get(word & 0xFFF, {}).items():
        for form in by_value.get(word & LOOKED_AT & ~mask, ()):
            flags = ones(form[2], word)
            if all(len(seen) == 2 or flag in seen for flag, seen in zip(flags, form[4])):
                yield form


def render(form, word):
    _, text, kept = form[:3]
    out = text[0]
    for field, part in zip(kept, text[1:]):
        shown = show(field, word)
        if shown is None:
            return None
        out += shown + part
    return out


def decode(table, word):
    texts = {render(form, word) for form in matches(table, word)}
    return texts.pop() if len(texts) == 1 else None


def pack(tables):
    """`tables` by architecture to bytes; equal forms of several architectures are one."""
    sms = sorted(tables)
    every = defaultdict(int)
    for n, sm in enumerate(sms):
        for key, masks in tables[sm].items():
            for mask, by_value in masks.items():
                for value, text, kept, special, free in (form for some in by_value.values() for form in some):
                    if len(set(kept)) > 8:
                        continue
                    conditions = 0
                    for place, seen in enumerate(zip(*special)):
                        both = free[place] if len(free[place]) == 2 else set(seen)
                        conditions |= ((1 if False in both else 0) | (2 if True in both else 0)) << 2 * place
                    every[key, mask, value, template(text, kept), conditions] |= 1 << n
    masks = sorted({mark[1] for mark in every})
    templates = sorted({mark[3] for mark in every})
    wide = lambda value: (value >> 16).to_bytes(12, "little")
    out = [b"LLFORM1\n", bytes([len(sms), *sms]), struct.pack("<H", len(masks)), *map(wide, masks)]
    out.append(struct.pack("<H", len(templates)))
    out += [bytes([len(t)]) + t for t in templates]
    out.append(struct.pack("<H", len(every)))
    for (key, mask, value, text, conditions), which in sorted(every.items()):
        out.append(struct.pack("<HH", key, masks.index(mask)) + wide(value))
        out.append(struct.pack("<HHH", templates.index(text), conditions, which))
    return b"".join(out), len(every), len(templates), len(masks)


def template(text, kept):
    data = text[0].encode()
    for field, part in zip(kept, text[1:]):
        data += bytes([0x80 | field[0], *field[1:]]) + part.encode()
    return data


def main():
    pairs = pickle.load(open(sys.argv[2], "rb"))
    if sys.argv[1] == "learn":
        data, *counts = pack({sm: learn(known) for sm, known in pairs.items()})
        open(sys.argv[3], "wb").write(data)
        print(len(data), "bytes; forms, templates, masks:", *counts)
    elif sys.argv[1] == "try":
        for sm, known in sorted(pairs.items()):
            items = sorted(known.items(), key=lambda item: hash(item[0][0] >> 16 & 0xFFFFFFFF) % 7)
            train, test = dict(items[: len(items) // 2]), items[len(items) // 2 :]
            table = learn(train)
            right = wrong = none = 0
            for (word, text), n in test:
                rest = operands(text)
                got = decode(table, word)
                if got is None:
                    none += n
                elif got == rest:
                    right += n
                else:
                    wrong += n
                    if wrong < 20:
                        print("   ", f"{word:032x}", repr(rest), repr(got))
            count = sum(len(v) for m in table.values() for v in m.values())
            print(sm, f"{count} forms; right {right} wrong {wrong} none {none}")


if __name__ == "__main__":
    main()
