"""Read the binary table back: the same walk as the Rust reader, for measuring tables before they are committed."""

import struct

from features import BY_CODE
from pack import BASE, END, REFUSED


class Table:
    def __init__(self, data):
        at = 8
        texts, nodes = struct.unpack_from("<HH", data, at)
        at += 4
        self.texts, self.nodes, self.masks, self.keys, self.memo = [], [], [], {}, {}
        for _ in range(texts):
            size = data[at]
            self.texts.append(data[at + 1 : at + 1 + size].decode())
            at += 1 + size
        for _ in range(nodes):
            node = struct.unpack_from("<BHHHH", data, at)
            at += 9
            mask = BY_CODE[node[0]].mask
            for following in (node[2], node[4]):
                mask |= self.masks[following] if following < BASE else 0
            self.nodes.append(node)
            self.masks.append(mask)
        count, at = data[at], at + 1
        for _ in range(count):
            sm, keys = struct.unpack_from("<BH", data, at)
            at += 3
            self.keys[sm] = {}
            for _ in range(keys):
                key, text, node = struct.unpack_from("<HHH", data, at)
                at += 6
                self.keys[sm][key] = text, node

    def name(self, sm, word):
        root = self.keys.get(sm, {}).get(word & 0xFFF)
        if root is None:
            return f"unknown({word & 0xFFF:#x})"
        mask = self.masks[root[1]] | 0xFFF if root[1] < BASE else 0xFFF
        part = sm, word & mask
        if part not in self.memo:
            self.memo[part] = self.walk(root, word) or f"unknown({word & mask:#x})"
        return self.memo[part]

    def walk(self, root, word):
        name, at = self.texts[root[0]], root[1]
        while at < BASE:
            code, low, low_next, high, high_next = self.nodes[at]
            text, at = (high, high_next) if BY_CODE[code].get(word) else (low, low_next)
            name += self.texts[text]
        if at == BASE:
            return name.split(".")[0] + ".?"
        return name if at == END else None
