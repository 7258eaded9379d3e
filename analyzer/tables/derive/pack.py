"""Turn learnt truth tables into one decision diagram and write it as the committed binary table.

Each key's table becomes an ordered diagram whose edges carry parts of the mnemonic, with the longest common part
pulled towards the root. Nodes are shared over all keys and architectures. A joint value that the disassembler refuses
ends in REFUSED: such a word is reported as unknown. One that it prints with a placeholder ends in BASE: only the first
part of the mnemonic is named.
"""

import itertools
import os
import struct
from collections import defaultdict

from features import BY_CODE

END, REFUSED, BASE = 0xFFFF, 0xFFFE, 0xFFFD
ANY = "any"  # a joint value no word can have


def parts(name):
    head, *tail = name.split(".")
    return (head, *("." + t for t in tail))


class Diagram:
    def __init__(self):
        self.index = {}
        self.nodes = []

    def node(self, code, low, high):
        item = (code, low, high)
        if item not in self.index:
            self.index[item] = len(self.nodes)
            self.nodes.append(item)
        return self.index[item]

    def join(self, code, a, b):
        """The function that is `a` where the feature is 0 and `b` where it is 1: (common prefix, node)."""
        if a is ANY or a == b:
            return b
        if b is ANY:
            return a
        if a is None or b is None:
            prefix = (a or b)[0]
            strip = lambda x: ((), REFUSED) if x is None else ((), x[1])
            return prefix, self.node(code, strip(a), strip(b))
        if BASE in (a[1], b[1]) and a[0][:1] == b[0][:1]:
            # The reader cuts the name behind its first part, so what was added before does no harm.
            prefix = b[0] if a[1] == BASE else a[0]
            return prefix, self.node(code, ((), a[1]), ((), b[1]))
        n = 0
        while n < min(len(a[0]), len(b[0])) and a[0][n] == b[0][n]:
            n += 1
        return a[0][:n], self.node(code, (a[0][n:], a[1]), (b[0][n:], b[1]))

    def build(self, codes, table, order):
        """`table` maps joint values in the order of `codes`; missing ones are refused."""
        position = [codes.index(c) for c in order]
        impossible = impossible_values(codes)
        level = []
        for values in itertools.product((0, 1), repeat=len(order)):
            full = [0] * len(codes)
            for p, v in zip(position, values):
                full[p] = v
            full = tuple(full)
            name = table.get(full)
            if name is None:
                level.append(ANY if impossible(full) else None)
            elif name.endswith(".?"):
                level.append((parts(name)[:1], BASE))
            else:
                level.append((parts(name), END))
        for code in reversed(order):
            level = [self.join(code, level[i], level[i + 1]) for i in range(0, len(level), 2)]
        return level[0]


def impossible_values(codes):
    special = [i for i, c in enumerate(codes) if c >= 128]
    if not special:
        return lambda full: False
    near = [i for i, c in enumerate(codes) if any(BY_CODE[codes[s]].mask & BY_CODE[c].mask for s in special)]
    memo = {}

    def test(full):
        key = tuple(full[i] for i in near)
        if key not in memo:
            memo[key] = not possible([codes[i] for i in near], key)
        return memo[key]

    return test


def possible(codes, values):
    import random

    rng = random.Random(1)
    for _ in range(4):
        word = rng.getrandbits(128)
        for want in (0, 1):
            for code, value in zip(codes, values):
                if value == want:
                    word = BY_CODE[code].put(word, value, rng)
        for code, value in zip(codes, values):
            if code < 128:
                word = BY_CODE[code].put(word, value, rng)
        if tuple(BY_CODE[c].get(word) for c in codes) == values:
            return True
    return False


def positions(codes, table):
    """For every feature: the last place in the mnemonic where it makes a difference."""
    first = dict.fromkeys(codes, 0)
    for values, name in itertools.islice(table.items(), 6000):
        if name is None or name.endswith("?"):
            continue
        for i, code in enumerate(codes):
            other = table.get(values[:i] + (1 - values[i],) + values[i + 1 :])
            if other and other != name and not other.endswith("?"):
                a, b = parts(name), parts(other)
                n = 0
                while n < min(len(a), len(b)) and a[n] == b[n]:
                    n += 1
                first[code] = max(first[code], n)
    return first


def count(codes, table, order):
    d = Diagram()
    d.build(codes, table, order)
    return len(d.nodes)


def order_of(codes, table):
    """An order that keeps the diagram small: by place in the mnemonic, then moved while it helps."""
    first = positions(codes, table)
    order = sorted(codes, key=lambda c: (first[c], c))
    best = count(codes, table, order)
    if len(table) > SEARCHED or len(codes) < 3:
        return order, best
    for code in list(order):
        for at in range(len(order)):
            trial = [c for c in order if c != code]
            trial.insert(at, code)
            if trial == order:
                continue
            size = count(codes, table, trial)
            if size < best:
                best, order = size, trial
    return order, best


SEARCHED = int(os.environ.get("SEARCHED", 1 << 10))  # largest table whose order is searched for
MAX_NODES = 400  # a regular key has tens; more means that a feature is missing


def first_part_only(table):
    """The table that knows no more than the first part of the mnemonic, where that is one for all."""
    bases = {name.split(".")[0] for name in table.values() if name}
    return {(): bases.pop() + ".?"} if len(bases) == 1 else {}


def pack(models, orders=None):
    """`models`: {sm: {key: (codes, table, fixed)}} to bytes. `orders` keeps found orders within a run of Python."""
    diagram = Diagram()
    orders = {} if orders is None else orders
    roots, report, built = defaultdict(dict), [], {}
    for sm, keys in models.items():
        for key, (codes, table, fixed) in sorted(keys.items()):
            if not any(table.values()):
                continue
            token = tuple(codes), hash(frozenset((v, n) for v, n in table.items() if n))
            if token not in orders:
                orders[token] = order_of(list(codes), table)
            report.append((orders[token][1], sm, hex(key), next(n for n in table.values() if n)))
            if orders[token][1] > MAX_NODES:
                codes, table = [], first_part_only(table)
                token = "first part", *table.values()
                orders[token] = [], 0
                if not table:
                    continue
            if token not in built:
                built[token] = diagram.build(list(codes), table, orders[token][0])
            prefix, node = built[token]
            for code, value in sorted(fixed.items(), reverse=True):
                here, refused = ((), node), ((), REFUSED)
                node = diagram.node(code, *((refused, here) if value else (here, refused)))
            roots[sm][key] = prefix, node
    data = write(diagram, roots)
    report.sort(reverse=True)
    return data, report[:40], len(diagram.nodes)


def write(diagram, roots):
    """The bytes of a diagram with `roots`: {sm: {key: (text, node)}}."""
    texts = {(): 0}
    for _, low, high in diagram.nodes:
        texts.setdefault(low[0], len(texts))
        texts.setdefault(high[0], len(texts))
    for keys in roots.values():
        for prefix, _ in keys.values():
            texts.setdefault(prefix, len(texts))
    out = [b"LLSASS1\n", struct.pack("<HH", len(texts), len(diagram.nodes))]
    for text in texts:
        data = "".join(text).encode()
        out.append(bytes([len(data)]) + data)
    for code, low, high in diagram.nodes:
        out.append(struct.pack("<BHHHH", code, texts[low[0]], low[1], texts[high[0]], high[1]))
    out.append(bytes([len(roots)]))
    for sm, keys in sorted(roots.items()):
        out.append(struct.pack("<BH", sm, len(keys)))
        for key, (prefix, node) in sorted(keys.items()):
            out.append(struct.pack("<HHH", key, texts[prefix], node))
    return b"".join(out)
