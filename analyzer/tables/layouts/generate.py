"""Asks libtriton for the answers that `tests/layout.rs` holds the layout algebra to.

    pip install triton==3.7.1
    python generate.py CORPUS > cases.jsonl && zstd -19 --rm cases.jsonl

CORPUS is a folder with the unpacked `demo/data` archives: attributes that real kernels use are asked about as they are
printed. Everything else is drawn from a fixed seed. libtriton ends the process on layouts it refuses, so cases are asked in
forked children, and a case that ends its child is left out (the count goes to stderr).

Lines, by `kind`:
  layout     attribute text, shape, element bits -> basis vectors by input dimension
  pair       two attributes of one shape -> basis vectors of to.invert_and_compose(from), and what lowering the conversion
             emits: `none`, `register`, `shuffle` or `shared`
  algebra    two maps -> product, composition, inverse, rank properties
  corpus     file and line of a conversion in CORPUS -> what lowering it emits (3.2 spellings are written anew for 3.7 first)
  blocks     the three lists of a cluster's blocks -> block bases
  banks      register and shared attribute -> excess wavefronts of an access, as libtriton counts them
"""

import json
import os
import random
import re
import sys
import tempfile

from triton._C import libtriton
from triton.experimental.gluon.language import (
    BlockedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    NVMMASharedLayout,
    SharedLinearLayout,
    SliceLayout,
    SwizzledSharedLayout,
)
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout

ir, gluon = libtriton.ir, libtriton.gluon_ir
LinearLayout = libtriton.linear_layout.LinearLayout
context = ir.context()
ir.load_dialects(context)
libtriton.nvidia.load_dialects(context)
libtriton.amd.load_dialects(context)
builder = gluon.GluonOpBuilder(context)
draw = random.Random(20250604)
scratch = tempfile.mkdtemp()

MODULE = """
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, ttg.target = "{target}", "ttg.threads-per-warp" = {threads} : i32}} {{
{body}
}}
"""


def parse(body, warps=4, threads=32, target="cuda:90"):
    path = os.path.join(scratch, f"{os.getpid()}.mlir")
    with open(path, "w") as file:
        file.write(MODULE.format(body=body, warps=warps, threads=threads, target=target))
    return ir.parse_mlir_module(path, context)


def powers(rank, total):
    """Powers of two with a product of 2**total."""
    bits = [0] * rank
    for _ in range(total):
        bits[draw.randrange(rank)] += 1
    return [1 << bit for bit in bits]


def shape_of(rank, low, high):
    while True:
        shape = [1 << draw.randint(low, high) for _ in range(rank)]
        if sum(size.bit_length() - 1 for size in shape) <= 15:
            return shape


def blocks(rank):
    """Block bases: mostly one block, else two or four."""
    if draw.random() < 0.8:
        return []
    bases = []
    reach = [1] * rank
    for _ in range(draw.choice([1, 2])):
        dim = draw.randrange(rank)
        basis = [0] * rank
        if draw.random() < 0.7:
            basis[dim] = reach[dim]
            reach[dim] *= 2
        bases.append(basis)
    return bases


def cga_layout(rank, given):
    return blocks(rank) if given is None else given


def order_of(rank):
    order = list(range(rank))
    draw.shuffle(order)
    return order


def blocked(rank, warps=None, threads=None, cga=None):
    warps = draw.choice([1, 2, 3]) if warps is None else warps
    threads = draw.choice([5, 6]) if threads is None else threads
    registers = powers(rank, draw.randint(0, 4))
    cga = blocks(rank) if cga is None else cga
    return BlockedLayout(registers, powers(rank, threads), powers(rank, warps), order_of(rank), cga)


def nvidia_mma(warps=None, rank=2, cga=None, version=None):
    version = version or draw.choice([2, 3])
    warps = draw.choice([1, 2, 3]) if warps is None else warps
    cga = blocks(rank) if cga is None else cga
    if version == 2:
        tile = [16, 8] if rank == 2 else [1, 16, 8]
        return NVMMADistributedLayout([2, 0], powers(rank, warps), tile, cga)
    groups = powers(2, max(warps - 2, 0))
    return NVMMADistributedLayout([3, 0], [4 * groups[0], groups[1]], [16, 8 << draw.randint(0, 5), 16], cga)


def mfma(warps=None, rank=2, cga=None):
    warps = draw.choice([1, 2, 3]) if warps is None else warps
    tile, transposed = draw.choice(
        [([32, 32], True), ([32, 32], False), ([16, 16], True), ([16, 16], False), ([64, 4], True), ([4, 64], False), ([4, 64], True)]
    )
    tiles = powers(2, draw.choice([0, 0, 0, 1, 2]))
    tiles = tiles if rank == 2 else [1, *tiles]
    bits = 64 if tile == [16, 16] and draw.random() < 0.2 else 32
    warps = powers(rank, warps)
    return AMDMFMALayout(draw.randint(1, 4), [*tile, draw.choice([8, 16])], transposed, warps, bits, tiles, cga_layout(rank, cga))


def wmma(warps=None, cga=None):
    warps = draw.choice([1, 2, 3]) if warps is None else warps
    version = draw.choice([1, 2, 3])
    shape = {1: [[16, 16, 16]], 2: [[16, 16, 16], [16, 16, 32]], 3: [[16, 16, 4], [16, 16, 32], [16, 16, 64], [16, 16, 128]]}
    reach = [1, 1]

    def steps(count):
        bases = []
        for _ in range(count):
            dim = draw.randrange(2)
            bases.append([reach[0] if dim == 0 else 0, reach[1] if dim == 1 else 0])
            reach[dim] *= 2
        return bases

    registers = steps(draw.choice([0, 0, 1, 2]))
    return AMDWMMALayout(version, draw.random() < 0.5, steps(warps), registers, draw.choice(shape[version]), cga_layout(2, cga))


def linear(shape, warps=2, threads=5):
    """A distributed layout written out: a random bijection of index bits, sometimes with repeats."""
    bases = [[size if at == dim else 0 for at in range(len(shape))] for dim, whole in enumerate(shape) for size in bits_of(whole)]
    draw.shuffle(bases)
    zero = [0] * len(shape)
    for _ in range(draw.choice([0, 0, 1])):
        bases.insert(draw.randint(0, len(bases)), zero)
    while len(bases) < warps + threads:
        bases.append(zero)
    registers = len(bases) - warps - threads
    return DistributedLinearLayout(bases[:registers], bases[registers : registers + threads], bases[registers + threads :], [], shape)


def bits_of(size):
    return [1 << bit for bit in range(size.bit_length() - 1)]


def register_layout(shape, warps=None, threads=None, cga=None):
    """Any layout for registers and its shape; `None` when the draw does not fit."""
    rank = len(shape)
    kind = draw.choice(["blocked", "blocked", "slice", "nvidia", "nvidia", "mfma", "wmma", "dot", "dot", "linear"])
    if kind == "blocked":
        return blocked(rank, warps, threads, cga)
    if kind == "slice":
        dim = draw.randint(0, rank)
        parent = register_layout([*shape[:dim], 1, *shape[dim:]], warps, threads, cga) if rank < 3 else None
        return parent and SliceLayout(dim, parent)
    if kind == "linear":
        return linear(shape, 2 if warps is None else warps, 5 if threads is None else threads)
    if rank not in (2, 3):
        return None
    if kind == "nvidia" and threads != 6:
        return nvidia_mma(warps, rank, cga, version=2 if rank == 3 or (warps is not None and warps < 2) else None)
    if kind == "mfma" and threads != 5:
        return mfma(warps, rank, cga)
    if kind == "wmma" and threads != 6 and rank == 2:
        return wmma(warps, cga)
    if kind == "dot":
        parent = register_layout(shape, warps, threads, cga)
        if parent is None or isinstance(parent, (SliceLayout, DotOperandLayout, DistributedLinearLayout)):
            return None
        operand = draw.randint(0, 1)
        if isinstance(parent, BlockedLayout):
            return DotOperandLayout(operand, parent, 0)
        if isinstance(parent, NVMMADistributedLayout):
            operand = 0 if parent.version[0] == 3 else operand
            return DotOperandLayout(operand, parent, draw.choice([1, 2, 4, 8]) if parent.version[0] == 2 else 2)
        return DotOperandLayout(operand, parent, draw.choice([4, 8, 16]))
    return None


def shared_layout(shape, bits):
    rank = len(shape)
    if rank >= 2 and draw.random() < 0.5:
        width = draw.choice([0, 32, 64, 128])
        padded = bits == 8 and width == 128 and draw.random() < 0.3
        return NVMMASharedLayout(width, bits, rank, transposed=draw.random() < 0.5 and not padded, fp4_padded=padded, cga_layout=blocks(rank) or None)
    return SwizzledSharedLayout(
        1 << draw.randint(0, 4), 1 << draw.randint(0, 3), 1 << draw.randint(0, 4), order_of(rank), blocks(rank)
    )


ELEMENTS = {8: builder.get_int8_ty, 16: builder.get_half_ty, 32: builder.get_float_ty}


def text_of(attribute, shape, bits, space):
    """The attribute as MLIR prints it, cut out of a type."""
    element = ELEMENTS[bits]()
    if space == "register":
        return re.fullmatch(r"tensor<[^,]*, (.*)>", str(builder.get_distributed_ty(element, shape, attribute)))[1]
    if space == "shared":
        text = str(builder.get_shared_mem_desc_ty(element, shape, attribute, shape))
        return re.fullmatch(r"!ttg.memdesc<[^,]*, (.*), #ttg.shared_memory, mutable>", text)[1]
    text = str(builder.get_tensor_mem_desc_ty(element, shape, attribute, shape))
    return re.fullmatch(r"!ttg.memdesc<[^,]*, (.*), #ttng.tensor_memory, mutable>", text)[1]


def bases_of(layout):
    """Basis vectors of what `to_linear_layout` returns."""
    names = {"reg_bases": "register", "lane_bases": "lane", "warp_bases": "warp", "offset_bases": "offset", "rows": "row", "cols": "col", "block_bases": "block"}
    return {name: getattr(layout, field) for field, name in names.items() if hasattr(layout, field)}


def as_linear(bases, shape):
    outputs = [f"dim{dim}" for dim in range(len(shape))]
    return LinearLayout.from_bases(list(bases.items()), outputs, list(shape), True)


def drawn_layout():
    bits = draw.choice([8, 16, 32])
    space = draw.choice(["register"] * 6 + ["shared"] * 2 + ["tensor"])
    if space == "register":
        shape = shape_of(draw.choice([1, 2, 2, 2, 2, 3, 4]), 0, 8)
        layout = register_layout(shape)
    elif space == "shared":
        shape = shape_of(draw.choice([1, 2, 2, 2, 3]), 2, 9)
        layout = shared_layout(shape, bits)
    elif draw.random() < 0.15:
        bits, shape = 8, [1 << draw.randint(5, 8), 1 << draw.randint(0, 5)]
        layout = TensorMemoryScalesLayout(draw.choice([None, (2, 1), (1, 2)]))
    else:
        block = (draw.choice([64, 128]), 1 << draw.randint(3, 8))
        split = draw.choice([None, None, None, (2, 1), (1, 2)])
        shape = [block[0] << draw.randint(0, 2), block[1] << draw.randint(0, 2)]
        layout = TensorMemoryLayout(block, draw.choice([1, 32 // bits]), split, draw.random() < 0.2)
    return layout and (layout, shape, bits, space)


def ask_layout(drawn):
    layout, shape, bits, space = drawn
    attribute = layout._to_ir(builder)
    bases = bases_of(builder.to_linear_layout(attribute, shape))
    return {"kind": "layout", "text": text_of(attribute, shape, bits, space), "shape": shape, "bits": bits, "bases": bases}


def ask_printed(text, shape, bits):
    """An attribute of the corpus, read by MLIR."""
    size = "x".join(map(str, shape))
    element = {8: "i8", 16: "f16", 32: "f32"}[bits]
    if "tensor_memory" in text:
        kind = f"!ttg.memdesc<{size}x{element}, {text}, #tmem, mutable>"
    elif "shared" in text:
        kind = f"!ttg.memdesc<{size}x{element}, {text}, #smem, mutable>"
    else:
        kind = f"tensor<{size}x{element}, {text}>"
    module = parse(f"tt.func private @k(%a: {kind}) {{\n tt.return\n }}")
    value = module.get_function("k").args(0)
    if "amd_rotating_shared" in text:
        # No binding names this kind; a reshape to the same shape writes its offsets out.
        operations = []
        module.walk(operations.append)
        end = next(operation for operation in operations if operation.get_name() == "tt.return")
        builder.set_insertion_point_to_start(end.get_block())
        builder.set_loc("k", 1, 1)
        value = builder.create_memdesc_reshape(value, shape)
        bases = bases_of(builder.get_gluon_layout_from_memdesc(value))
    elif kind.startswith("tensor"):
        bases = bases_of(builder.to_linear_layout(builder.get_gluon_layout_from_tensor(value)._to_ir(builder), shape))
    else:
        bases = bases_of(builder.to_linear_layout(builder.get_gluon_layout_from_memdesc(value)._to_ir(builder), shape))
    return {"kind": "layout", "text": text, "shape": shape, "bits": bits, "bases": bases}


def lowered(a, b, warps, threads):
    """What Triton's own lowering of a conversion from type a to type b emits."""
    body = f"tt.func private @k(%a: {a}) -> {b} attributes {{noinline = true}} {{\n %0 = ttg.convert_layout %a : {a} -> {b}\n tt.return %0 : {b}\n }}"
    chip = "cuda:90" if threads == 32 else "hip:gfx942"
    module = parse(body, warps, threads, chip)
    manager = ir.pass_manager(context)
    if threads == 32:
        libtriton.nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(manager, 90, 80)
        libtriton.nvidia.passes.ttgpuir.add_to_llvmir(manager, 90, 80)
    else:
        libtriton.amd.passes.ttgpuir.add_allocate_shared_memory(manager)
        libtriton.amd.passes.ttgpuir.add_to_llvmir(manager, "gfx942", True)
    manager.run(module, "k")
    text = str(module)
    if int(re.search(r"ttg.shared = (\d+)", text)[1]) > 0:
        return "shared"
    if re.search(r"shfl|bpermute|permlane|ds_swizzle|dpp", text):
        return "shuffle"
    # The struct of registers is handed on as it is, or taken apart and put together anew.
    return "none" if "llvm.return %arg0" in text else "register"


def ask_pair(pair):
    (a, b), shape, bits, warps, threads = pair
    a, b = a._to_ir(builder), b._to_ir(builder)
    source, target = (as_linear(bases_of(builder.to_linear_layout(one, shape)), shape) for one in (a, b))
    composed = dict(target.invert_and_compose(source).bases)
    texts = [text_of(one, shape, bits, "register") for one in (a, b)]
    size, element = "x".join(map(str, shape)), {16: "f16", 32: "f32"}[bits]
    answer = lowered(*(f"tensor<{size}x{element}, {text}>" for text in texts), warps, threads)
    return {"kind": "pair", "from": texts[0], "to": texts[1], "shape": shape, "bits": bits, "bases": composed, "lowered": answer}


def modern(text):
    """3.2 and 3.3 to 3.5 spellings as 3.7 reads them; the layout meant is the same."""
    text = text.replace("#triton_gpu.", "#ttg.")
    text = re.sub(r"(amd_mfma<\{)versionMajor = (\d), versionMinor = \d", r"\1version = \2", text)
    # Operands of wgmma fill registers of 32 bits; only 16-bit ones occur without a width.
    text = re.sub(r"(dot_op<\{opIdx = 0, parent = #ttg.nvidia_mma<\{versionMajor = 3[^}]*\}>)\}>", r"\1, kWidth = 2}>", text)
    return re.sub(r"(amd_mfma<\{[^}]*instrShape = \[\d+, \d+)\]", r"\1, 8]", text)


def corpus_conversions(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".ttgir"):
                continue
            path = os.path.join(where, name)
            with open(path) as file:
                text = file.read()
            known = dict(re.findall(r"^(#\w+) = (#\w+\.\w+<.*>)$", text, re.MULTILINE))

            def spelled(part):
                return re.sub(r"#\w+(?![\w.])", lambda found: spelled(known[found[0]]), part)

            warps = int(re.search(r'num-warps" = (\d+)', text)[1])
            threads = int(re.search(r'threads-per-warp" = (\d+)', text)[1])
            for number, line in enumerate(text.splitlines(), 1):
                found = re.search(r"\.convert_layout .* : (tensor<.*>) -> (tensor<.*>) loc", line + " loc")
                if found:
                    a, b = (modern(spelled(part)) for part in found.groups())
                    yield os.path.relpath(path, folder), number, a, b, warps, threads


def ask_conversion(case):
    path, line, a, b, warps, threads = case
    return {"kind": "corpus", "path": path, "line": line, "lowered": lowered(a, b, warps, threads)}


def ask_blocks(_):
    rank = draw.randint(1, 4)
    splits = powers(rank, draw.randint(0, 3))
    blocks = [split << draw.choice([0, 0, 1]) for split in splits]
    order = order_of(rank)
    return {"kind": "blocks", "blocks": blocks, "splits": splits, "order": order, "bases": gluon.make_cga_layout(blocks, splits, order)}


def drawn_pair():
    threads = draw.choice([5, 5, 5, 6])
    warps = draw.choice([0, 1, 2])
    shape = draw.choice([[64], [256], [32, 32], [64, 32], [16, 64], [64, 64], [128, 1], [4, 16, 16], [8, 64]])
    bits = draw.choice([16, 32])
    a = register_layout(shape, warps, threads, [])
    if a is None or any(isinstance(a, kind) for kind in (AMDWMMALayout,)):
        return None
    near = draw.random()
    if near < 0.25 and isinstance(a, BlockedLayout):
        # Close relatives, or all conversions would go through shared memory.
        registers = list(a.size_per_thread)
        dim = draw.randrange(len(shape))
        registers[dim] *= 2
        b = BlockedLayout(registers, a.threads_per_warp, a.warps_per_cta, a.order, [])
    elif near < 0.7:
        b = relative(a, shape, warps, threads)
    else:
        b = register_layout(shape, warps, threads, [])
    return b and ((a, b), shape, bits, 1 << warps, 1 << threads)


def relative(layout, shape, warps, threads):
    """The layout written out with some of its register and lane bits exchanged."""
    bases = bases_of(builder.to_linear_layout(layout._to_ir(builder), shape))
    registers, lanes, warp = ([list(basis) for basis in bases[name]] for name in ("register", "lane", "warp"))
    if len(lanes) != threads or len(warp) != warps:
        return None
    for _ in range(draw.randint(0, 3)):
        pool = draw.choice(["rr", "ll", "rl", "rl"])
        one, other = ({"r": registers, "l": lanes}[letter] for letter in pool)
        if one and other:
            i, j = draw.randrange(len(one)), draw.randrange(len(other))
            one[i], other[j] = other[j], one[i]
    return DistributedLinearLayout(registers, lanes, warp, [], shape)


def random_map(inputs, outputs, is_onto):
    """Random columns; when onto, an invertible part is mixed in."""
    width = sum(bits for _, bits in outputs)
    count = sum(bits for _, bits in inputs)
    columns = [draw.randrange(1 << width) if draw.random() < 0.8 else 0 for _ in range(count)]
    if is_onto and count >= width:
        unit = [1 << bit for bit in range(width)]
        for _ in range(3 * width):
            i, j = draw.randrange(width), draw.randrange(width)
            if i != j:
                unit[i] ^= unit[j]
        for column, place in zip(unit, draw.sample(range(count), width)):
            columns[place] = column
    bases, taken = [], 0
    for name, bits in inputs:
        rows = []
        for column in columns[taken : taken + bits]:
            row, shift = [], 0
            for _, out in outputs:
                row.append(column >> shift & ((1 << out) - 1))
                shift += out
            rows.append(row)
        taken += bits
        bases.append((name, rows))
    return LinearLayout.from_bases(bases, [name for name, _ in outputs], [1 << bits for _, bits in outputs], False)


def plain(layout):
    return {"bases": [[name, rows] for name, rows in layout.bases], "outputs": [list(output) for output in layout.out_dims]}


def ask_algebra(_):
    outputs = [(f"dim{dim}", draw.randint(0, 3)) for dim in range(draw.randint(1, 3))]
    width = sum(bits for _, bits in outputs)

    def inputs():
        names = ["register", "lane", "warp"][: draw.randint(1, 3)]
        sizes = [draw.randint(0, 3) for _ in names]
        sizes[0] += max(0, width - sum(sizes))
        return list(zip(names, sizes))

    x = random_map(inputs(), outputs, draw.random() < 0.7)
    y = random_map(inputs(), outputs, True)
    z = random_map(outputs, [("dim3", draw.randint(0, 4)), ("dim4", draw.randint(0, 3))], False)
    answer = {"kind": "algebra", "x": plain(x), "y": plain(y), "z": plain(z)}
    answer["surjective"], answer["injective"] = x.is_surjective(), x.is_injective()
    answer["composed"] = plain(x.compose(z))
    answer["product"] = plain(x * y)
    if x.is_invertible():
        answer["inverse"] = plain(x.invert())
    if x.is_surjective() and y.is_surjective() and [n for n, _ in x.bases] == [n for n, _ in y.bases]:
        answer["solved"] = plain(x.invert_and_compose(y))
    return answer


def ask_banks(drawn):
    a, b, shape, bits = drawn
    a, b = a._to_ir(builder), b._to_ir(builder)
    conflicts = builder.get_shared_bank_conflicts(a, b, shape, bits)
    return {"kind": "banks", "register": text_of(a, shape, bits, "register"), "shared": text_of(b, shape, bits, "shared"), "shape": shape, "bits": bits, "conflicts": conflicts}


def drawn_banks():
    bits = draw.choice([8, 16, 32])
    shape = draw.choice([[32, 32], [64, 64], [128, 32], [16, 128], [64, 128]])
    a = register_layout(shape, 2, 5, [])
    b = shared_layout(shape, bits)
    if a is None or b.cga_layout:
        return None
    return a, b, shape, bits


def forked(ask, cases):
    """Answers in order; a case that raises or ends its process is left out."""
    cases, lost = list(cases), 0
    at = 0
    while at < len(cases):
        end = min(at + 64, len(cases))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w") as out:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                for index in range(at, end):
                    draw.seed(f"{ask.__name__}{index}")
                    try:
                        line = json.dumps(ask(cases[index]), separators=(",", ":"))
                    except Exception:
                        line = "null"
                    out.write(line + "\n")
                    out.flush()
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as answers:
            lines = [line for line in answers if line.endswith("\n")]
        os.waitpid(child, 0)
        for line in lines:
            if line == "null\n":
                lost += 1
            else:
                yield line
        at += len(lines)
        if at < end and len(lines) < 64:
            at += 1
            lost += 1
    print(f"{ask.__name__}: {len(cases) - lost} of {len(cases)}", file=sys.stderr)


def draws(what, count):
    made = 0
    while made < count:
        case = None
        try:
            case = what()
        except (AssertionError, ValueError, TypeError, RuntimeError):
            pass
        if case is not None:
            made += 1
            yield case


def corpus_attributes(folder):
    texts = set()
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".ttgir"):
                with open(os.path.join(where, name)) as file:
                    texts.update(re.findall(r"^#\w+ = (#ttn?g\.\w+<.*>)$", file.read(), re.MULTILINE))
    known = [text for text in texts if "padded_shared" not in text]
    for text in sorted(known):
        for shape in ([128, 64], [64, 128], [128, 128], [256, 64], [64, 256], [128, 1], [1024], [128], [32], [512], [1, 128]):
            for bits in (16, 32):
                yield text, shape, bits


def main():
    out = sys.stdout
    seen = set()

    def write(lines):
        for line in lines:
            if line not in seen:
                seen.add(line)
                out.write(line)

    write(forked(ask_corpus, corpus_attributes(sys.argv[1])))
    write(forked(ask_layout, draws(drawn_layout, 9000)))
    write(forked(ask_pair, draws(drawn_pair, 3000)))
    write(forked(ask_algebra, range(2500)))
    write(forked(ask_conversion, corpus_conversions(sys.argv[1])))
    write(forked(ask_blocks, range(200)))
    write(forked(ask_banks, draws(drawn_banks, 1500)))


def ask_corpus(case):
    return ask_printed(*case)


if __name__ == "__main__":
    main()
