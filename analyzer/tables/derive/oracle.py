"""Ask a disassembler what it prints for given 128-bit instruction words.

The only thing taken from the tool is the pair (word, printed text). `NVDISASM` names the executable.
"""

import os
import re
import struct
import subprocess
import tempfile

NVDISASM = os.environ.get("NVDISASM", "nvdisasm")
NOP = 0x000FC000000000000000000000007918
_ADDRESS = re.compile(r"at address 0x([0-9a-f]+)")
_LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*$")


def _run(words, arch):
    handle, path = tempfile.mkstemp(suffix=".bin")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(b"".join(w.to_bytes(16, "little") for w in words))
        return subprocess.run(
            ["nice", "-n", "15", NVDISASM, "-b", arch, "-ndf", path], capture_output=True, text=True, errors="replace"
        )
    finally:
        os.unlink(path)


def ask(words, arch):
    """The printed text of every word, or None where the tool refuses the word.

    A refused word is named by address on stderr; it is replaced by a NOP and the rest is asked again.
    """
    words = list(words)
    refused = set()
    while True:
        done = _run(words, arch)
        if done.returncode == 0:
            break
        fresh = {int(m.group(1), 16) // 16 for m in map(_ADDRESS.search, done.stderr.splitlines()) if m}
        fresh -= refused
        if not fresh:
            if "SM" in done.stderr and "fatal" not in done.stderr or len(words) == 0:
                raise RuntimeError(done.stderr[:300])
            # Some words stop the tool without saying where: halve until each stands alone.
            if len(words) == 1:
                return [None]
            half = len(words) // 2
            texts = ask(words[:half], arch) + ask(words[half:], arch)
            return [None if index in refused else text for index, text in enumerate(texts)]
        for index in fresh:
            words[index] = NOP
        refused |= fresh
    texts = [None] * len(words)
    for line in done.stdout.splitlines():
        match = _LINE.match(line)
        if match:
            index = int(match.group(1), 16) // 16
            if index not in refused:
                texts[index] = match.group(2)
    return texts


def mnemonic(text):
    """The mnemonic with its modifiers: the first part that is no guard and no brace."""
    if text is None:
        return None
    for part in text.split():
        if not part.startswith("@") and part not in "{}":
            return part.rstrip(";")
    return None


def settled(name):
    """Whether the printed mnemonic is free of placeholders for undefined field values."""
    return name is not None and "INVALID" not in name and "?" not in name
