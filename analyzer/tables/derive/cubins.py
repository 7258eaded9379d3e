"""Instruction words of cubins: single files, folders, and the members of fatbins inside shared objects.

Only what the derivation needs: the code sections and the architecture number. A fatbin is a 16-byte header (magic,
version, header size, size of what follows) and members, each with a header that says kind (2 is a cubin), sizes and,
in its flags, how it is compressed (0x2000 LZ4, 0x8000 zstd).
"""

import pathlib
import struct
from collections import Counter

FATBIN = struct.pack("<IHH", 0xBA55ED50, 1, 16)
ELF = b"\x7fELF"


def code(cubin):
    """(architecture, [bytes of every code section])."""
    abi = cubin[7]
    flags = struct.unpack_from("<I", cubin, 48)[0]
    sm = flags >> 8 & 0xFF if abi == 0x41 else flags & 0xFF
    table, (size, count, names) = struct.unpack_from("<Q", cubin, 40)[0], struct.unpack_from("<HHH", cubin, 58)
    if count == 0:  # more sections than the header can say: the first section header has the number
        count = struct.unpack_from("<Q", cubin, table + 32)[0]
    if names == 0xFFFF:
        names = struct.unpack_from("<I", cubin, table + 40)[0]
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    strings = headers[names][4]
    out = []
    for name, kind, _, _, offset, length in headers:
        if kind == 1 and cubin[strings + name : strings + name + 6] == b".text.":
            out.append(cubin[offset : offset + length])
    return sm, out


def words(cubin):
    """(architecture, Counter of words)."""
    sm, sections = code(cubin)
    seen = Counter()
    for section in sections:
        whole = len(section) // 16 * 16
        seen.update(int.from_bytes(section[i : i + 16], "little") for i in range(0, whole, 16))
    return sm, seen


def members(blob):
    """The cubins of every fatbin in `blob`."""
    at = 0
    while (at := blob.find(FATBIN, at)) >= 0:
        size = struct.unpack_from("<Q", blob, at + 8)[0]
        here, end = at + 16, min(at + 16 + size, len(blob))
        while here + 64 <= end:
            kind, _, head, length, packed = struct.unpack_from("<HHIQI", blob, here)
            flags, _, plain = struct.unpack_from("<QQQ", blob, here + 40)
            if head < 64 or here + head + length > len(blob):
                break
            if kind == 2:
                yield unpack(blob[here + head : here + head + length], flags, packed, plain)
            here += head + length
        at += 16


def unpack(data, flags, packed, plain):
    if flags & 0x2000:
        import lz4.block

        return lz4.block.decompress(data[:packed], uncompressed_size=plain)
    if flags & 0x8000:
        import zstandard

        return zstandard.ZstdDecompressor().decompress(data[:packed] if packed else data, max_output_size=plain)
    return data


def cubins(path):
    """Every cubin in a file or folder, in order of names."""
    path = pathlib.Path(path)
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    for file in files:
        data = file.read_bytes()
        if data[:4] == ELF and data[18:20] == b"\xbe\x00":
            yield file, data
        elif FATBIN in data:
            for cubin in members(data):
                if cubin[:4] == ELF:
                    yield file, cubin
