"""Write PTX kernels that use much of the instruction set and assemble them for every architecture.

    generate.py OUT [--sm 75,80,90a] [--from FIRST] PTXAS...

Every kernel is a list of statements of one kind, each with operands in registers loaded from memory, uniform ones and immediates.
What an assembler refuses for a target (it names the line) is left out there, and the rest is tried again. A target is assembled by
the first PTXAS that knows it. OUT gets `KIND.sm_90a.cubin` and so on; the counts are printed.
"""

import argparse
import collections
import itertools
import pathlib
import re
import subprocess

TARGETS = "75 80 86 87 89 90a 100a 103a 110a 120a 121a".split()
CLASSES = {"R": ("b32", 4), "L": ("b64", 8), "F": ("f32", 4), "D": ("f64", 8), "H": ("b16", 2)}
LITERAL = {"R": "0x1234567", "L": "0x123456789ab", "F": "0f40490FDB", "D": "0d400921FB54442D18", "H": "0x1234"}
SMALL = {"R": "7", "L": "5", "F": "0f3F800000", "D": "0d3FF0000000000000", "H": "3"}
PLACE = re.compile(r"\{([RLFDHP])(!?)\}")


def each(text, **choices):
    """`text` with every combination of the choices, named by `<name>`."""
    names = list(choices)
    for values in itertools.product(*(choices[name].split() for name in names)):
        line = text
        for name, value in zip(names, values):
            line = line.replace(f"<{name}>", "" if value == "-" else value)
        yield line


def kinds():
    """Kind to statements. `{R!}` is a result, `{R}` an operand; R, L, F, D, H are 32 and 64 bits, floats and 16 bits, P a predicate."""
    out = collections.OrderedDict()

    def add(kind, *parts):
        out.setdefault(kind, []).extend(line for part in parts for line in ([part] if isinstance(part, str) else part))

    add("int", each("<o>.<t> {R!}, {R}, {R};", o="add sub min max mul.lo mul.hi div rem", t="s32 u32"))
    add("int", each("mad.<w>.<t> {R!}, {R}, {R}, {R};", w="lo hi", t="s32 u32"))
    add("int", each("mul24.<w>.<t> {R!}, {R}, {R};", w="lo hi", t="s32 u32"), "add.sat.s32 {R!}, {R}, {R};", "sub.sat.s32 {R!}, {R}, {R};")
    add("int", each("sad.<t> {R!}, {R}, {R}, {R};", t="s32 u32"), each("<o>.s32 {R!}, {R};", o="abs neg"), each("mul.wide.<t> {L!}, {R}, {R};", t="s32 u32"))
    add("int", each("mad.wide.<t> {L!}, {R}, {R}, {L};", t="s32 u32"), "min.relu.s32 {R!}, {R}, {R};", "max.relu.s32 {R!}, {R}, {R};")
    add("int16", each("<o>.<t> {H!}, {H}, {H};", o="add sub min max mul.lo mul.hi div rem", t="s16 u16"), each("<o>.<t> {R!}, {R}, {R};", o="add min max", t="u16x2 s16x2"))
    add("int16", each("<o>.relu.s16x2 {R!}, {R}, {R};", o="min max"), each("mul.wide.<t> {R!}, {H}, {H};", t="s16 u16"))
    add("int64", each("<o>.<t> {L!}, {L}, {L};", o="add sub min max mul.lo mul.hi div rem", t="s64 u64"), each("<o>.s64 {L!}, {L};", o="abs neg"))
    add("bits", each("<o>.<t> {R!}, {R}, {R};", o="and or xor shl", t="b32"), each("<o>.b64 {L!}, {L}, {L};", o="and or xor"), each("shr.<t> {R!}, {R}, {R};", t="s32 u32"))
    add("bits", each("<o>.b64 {L!}, {L}, {R};", o="shl shr"), "shr.s64 {L!}, {L}, {R};", "not.b32 {R!}, {R};", "cnot.b32 {R!}, {R};", each("<o>.<t> {R!}, {R};", o="popc clz brev", t="b32"))
    add("bits", each("<o>.b64 {R!}, {L};", o="popc clz"), "brev.b64 {L!}, {L};", each("bfind<s>.<t> {R!}, {R};", s="- .shiftamt", t="s32 u32"), "bfind.u64 {R!}, {L};")
    add("bits", each("bfe.<t> {R!}, {R}, {R}, {R};", t="s32 u32"), "bfi.b32 {R!}, {R}, {R}, {R}, {R};", "bfe.u64 {L!}, {L}, {R}, {R};", "fns.b32 {R!}, {R}, {R}, {R};")
    add("bits", each("shf.<d>.<m>.b32 {R!}, {R}, {R}, {R};", d="l r", m="wrap clamp"), each("prmt.b32<m> {R!}, {R}, {R}, {R};", m="- .f4e .b4e .rc8 .ecl .ecr .rc16"))
    add("bits", each("lop3.b32 {R!}, {R}, {R}, {R}, <n>;", n="0x96 0xe8 0x1e 0xca"), each("szext.<m>.<t> {R!}, {R}, {R};", m="clamp wrap", t="s32 u32"), each("bmsk.<m>.b32 {R!}, {R}, {R};", m="clamp wrap"))
    add("carry", "add.cc.u32 {R!}, {R}, {R};", "addc.cc.u32 {R!}, {R}, {R};", "addc.u32 {R!}, {R}, {R};", "sub.cc.u32 {R!}, {R}, {R};", "subc.cc.u32 {R!}, {R}, {R};", "subc.u32 {R!}, {R}, {R};")
    add("carry", "mad.lo.cc.u32 {R!}, {R}, {R}, {R};", "madc.lo.cc.u32 {R!}, {R}, {R}, {R};", "madc.hi.u32 {R!}, {R}, {R}, {R};", "madc.hi.cc.u32 {R!}, {R}, {R}, {R};", "addc.u64 {L!}, {L}, {L};")
    add("dot", each("dp4a.<a>.<b> {R!}, {R}, {R}, {R};", a="s32 u32", b="s32 u32"), each("dp2a.<m>.<a>.<b> {R!}, {R}, {R}, {R};", m="lo hi", a="s32 u32", b="s32 u32"))
    add("video", each("<o>.<t>.<t>.<t><s> {R!}, {R}, {R};", o="vadd vsub vabsdiff vmin vmax", t="s32 u32", s="- .sat"), each("vset.<t>.<t>.<c> {R!}, {R}, {R};", t="s32 u32", c="eq lt ge"))
    add("video", each("vmad.s32.s32.s32<s> {R!}, {R}, {R}, {R};", s="- .sat .shr7 .shr15"), each("v<o>4.<t>.<t>.<t><s> {R!}, {R}, {R}, {R};", o="add sub absdiff min max avrg", t="s32 u32", s="- .sat .add"))
    add("video", each("v<o>2.<t>.<t>.<t><s> {R!}, {R}, {R}, {R};", o="add sub absdiff min max avrg", t="s32 u32", s="- .sat"), each("vs<d>.u32.u32.u32.<m> {R!}, {R}, {R};", d="hl hr", m="wrap clamp"))
    add("float", each("<o>.<r><z><s>.f32 {F!}, {F}, {F};", o="add sub mul", r="rn rz rm rp", z="- .ftz", s="- .sat"), each("fma.<r><z><s>.f32 {F!}, {F}, {F}, {F};", r="rn rz rm rp", z="- .ftz", s="- .sat"))
    add("float", each("<o><z><n><x>.f32 {F!}, {F}, {F};", o="min max", z="- .ftz", n="- .NaN", x="- .xorsign.abs"), each("<o><z>.f32 {F!}, {F}, {F}, {F};", o="min max", z="- .NaN"))
    add("float", each("<o><z>.f32 {F!}, {F};", o="abs neg", z="- .ftz"), "copysign.f32 {F!}, {F}, {F};", "testp.finite.f32 {P!}, {F};", "testp.subnormal.f32 {P!}, {F};")
    add("math", each("<o>.approx<z>.f32 {F!}, {F};", o="rcp sqrt rsqrt sin cos lg2 ex2", z="- .ftz"), "tanh.approx.f32 {F!}, {F};", each("<o>.<r><z>.f32 {F!}, {F};", o="rcp sqrt", r="rn rz rm rp", z="- .ftz"))
    add("math", each("div.<r><z>.f32 {F!}, {F}, {F};", r="approx full rn rz", z="- .ftz"), each("tanh.approx.<t> {R!}, {R};", t="f16x2 bf16x2"), each("ex2.approx.<t> {R!}, {R};", t="f16x2 ftz.bf16x2"))
    add("math", "tanh.approx.f16 {H!}, {H};", "tanh.approx.bf16 {H!}, {H};", "ex2.approx.f16 {H!}, {H};", "ex2.approx.ftz.bf16 {H!}, {H};")
    add("double", each("<o>.<r>.f64 {D!}, {D}, {D};", o="add sub mul div", r="rn rz rm rp"), each("fma.<r>.f64 {D!}, {D}, {D}, {D};", r="rn rz rm rp"), each("<o>.f64 {D!}, {D}, {D};", o="min max"))
    add("double", each("<o>.f64 {D!}, {D};", o="abs neg"), each("<o>.rn.f64 {D!}, {D};", o="rcp sqrt"), each("<o>.approx.ftz.f64 {D!}, {D};", o="rcp rsqrt"), each("setp.<c>.f64 {P!}, {D}, {D};", c="lt le eq ne gtu num nan"))
    add("half", each("<o><s>.<t> {R!}, {R}, {R};", o="add sub mul", s="- .rn .ftz .sat .ftz.sat", t="f16x2 bf16x2"), each("fma.rn<s>.<t> {R!}, {R}, {R}, {R};", s="- .ftz .sat .relu .ftz.relu", t="f16x2 bf16x2"))
    add("half", each("<o><s><n>.<t> {R!}, {R}, {R};", o="min max", s="- .ftz", n="- .NaN .xorsign.abs", t="f16x2 bf16x2"), each("<o>.<t> {R!}, {R};", o="abs neg", t="f16x2 bf16x2"), each("<o>.<t> {H!}, {H}, {H};", o="add mul sub min max", t="f16 bf16"))
    add("half", each("fma.rn<s>.<t> {H!}, {H}, {H}, {H};", s="- .ftz .sat .relu .oob", t="f16 bf16"), each("set.<c>.<t>.<t> {R!}, {R}, {R};", c="lt eq geu ne", t="f16x2"), each("set.<c>.u32.f16x2 {R!}, {R}, {R};", c="lt eq"))
    add("half", each("setp.<c>.f16 {P!}, {H}, {H};", c="lt le eq neu num"), each("setp.<c>.bf16 {P!}, {H}, {H};", c="lt ge"), each("fma.rn<s>.<t> {R!}, {R}, {R}, {R};", s=".oob .oob.relu", t="f16x2 bf16x2"))
    add("mixed", each("<o>.<r><s>.f32.<t> {F!}, {H}, {F};", o="add sub", r="rn rz rm rp", s="- .sat", t="f16 bf16"), each("fma.<r><s>.f32.<t> {F!}, {H}, {H}, {F};", r="rn rz rm rp", s="- .sat", t="f16 bf16"))
    add("mixed", each("<o>.<r><z>.f32x2 {L!}, {L}, {L};", o="add sub mul", r="rn rz rm rp", z="- .ftz"), each("fma.<r><z>.f32x2 {L!}, {L}, {L}, {L};", r="rn rz rm rp", z="- .ftz"))
    for s, d in itertools.permutations([("R", "s32"), ("R", "u32"), ("L", "s64"), ("L", "u64"), ("H", "s16"), ("H", "u16")], 2):
        add("convert_int", f"cvt.{d[1]}.{s[1]} {{{d[0]}!}}, {{{s[0]}}};", f"cvt.sat.{d[1]}.{s[1]} {{{d[0]}!}}, {{{s[0]}}};")
    for kind, places in (("s8", "RLFDH"), ("u8", "RLFDH")):
        for c in places:
            type_ = {"R": "s32", "L": "s64", "F": "f32", "D": "f64", "H": "f16"}[c]
            add("convert_int", f"cvt{'.rzi' if c in 'FDH' else ''}.sat.{kind}.{type_} {{R!}}, {{{c}}};", f"cvt{'.rn' if c in 'FDH' else ''}.{type_}.{kind} {{{c}!}}, {{R}};")
    floats = [("F", "f32"), ("D", "f64"), ("H", "f16"), ("H", "bf16")]
    ints = [("R", "s32"), ("R", "u32"), ("L", "s64"), ("L", "u64"), ("H", "s16"), ("H", "u16")]
    for (a, f), (b, i) in itertools.product(floats, ints):
        for r in "rn rz rm rp".split():
            add(f"convert_{f}", f"cvt.{r}i.{i}.{f} {{{b}!}}, {{{a}}};", f"cvt.{r}.{f}.{i} {{{a}!}}, {{{b}}};", f"cvt.{r}i.ftz.{i}.{f} {{{b}!}}, {{{a}}};")
    for (a, f), (b, g) in itertools.product(floats, floats):
        for r in "- .rn .rz .rm .rp .rni .rzi .rmi .rpi .rn.sat .rn.ftz .rn.relu .rz.relu .sat .ftz .rna".split():
            add("convert_float", f"cvt{'' if r == '-' else r}.{f}.{g} {{{a}!}}, {{{b}}};")
    for t in "f16x2 bf16x2".split():
        add("convert_packed", each(f"cvt.<r><s>.{t}.f32 {{R!}}, {{F}}, {{F}};", r="rn rz", s="- .relu .satfinite .relu.satfinite"), f"cvt.rs.{t}.f32 {{R!}}, {{F}}, {{F}}, {{R}};", f"cvt.rs.relu.{t}.f32 {{R!}}, {{F}}, {{F}}, {{R}};")
    for t in "e4m3x2 e5m2x2 e2m3x2 e3m2x2".split():
        add("convert_packed", each(f"cvt.rn.satfinite<s>.{t}.<f> {{H!}}, {{R}};", s="- .relu", f="f16x2 bf16x2"), each(f"cvt.rn.satfinite<s>.{t}.f32 {{H!}}, {{F}}, {{F}};", s="- .relu"), each(f"cvt.rn<s>.f16x2.{t} {{R!}}, {{H}};", s="- .relu"))
    add("convert_packed", each("cvt.<r>.satfinite.ue8m0x2.f32 {H!}, {F}, {F};", r="rz rp"), each("cvt.<r>.satfinite.ue8m0x2.bf16x2 {H!}, {R};", r="rz rp"), "cvt.rn.bf16x2.ue8m0x2 {R!}, {H};", each("cvt.rna<s>.tf32.f32 {R!}, {F};", s="- .satfinite"))
    add("convert_packed", each("cvt.<r><s>.tf32.f32 {R!}, {F};", r="rn rz", s="- .relu .satfinite .relu.satfinite"), each("cvt.rs.satfinite<s>.<t>.f32 {R!}, {{F}, {F}, {F}, {F}}, {R};", s="- .relu", t="e4m3x4 e5m2x4 e2m3x4 e3m2x4"))
    add("convert_packed", each("cvt.rs.satfinite<s>.e2m1x4.f32 {H!}, {{F}, {F}, {F}, {F}}, {R};", s="- .relu"), each("cvt.pack.sat.<d>.s32.b32 {R!}, {R}, {R}, {R};", d="u8 s8 u4 s4 u2 s2"), each("cvt.pack.sat.<d>.s32 {R!}, {R}, {R};", d="u16 s16"))
    add("convert_packed", each("{ .reg .b8 q; cvt.rn.satfinite<s>.e2m1x2.f32 q, {F}, {F}; cvt.u32.u8 {R!}, q; }", s="- .relu"), each("{ .reg .b8 q; cvt.u8.u32 q, {R}; cvt.rn<s>.f16x2.e2m1x2 {R!}, q; }", s="- .relu"))
    add("convert_packed", each("{ .reg .b8 q; cvt.rn.satfinite<s>.e2m1x2.<f> q, {R}; cvt.u32.u8 {R!}, q; }", s="- .relu", f="f16x2 bf16x2"))
    conditions = "eq ne lt le gt ge"
    for c, t in (("R", "s32"), ("R", "u32"), ("L", "s64"), ("L", "u64"), ("H", "s16"), ("H", "u16")):
        add("compare", each(f"setp.<c>.{t} {{P!}}, {{{c}}}, {{{c}}};", c=conditions), each(f"set.<c>.u32.{t} {{R!}}, {{{c}}}, {{{c}}};", c="eq lt"), each(f"setp.<c>.<b>.{t} {{P!}}, {{{c}}}, {{{c}}}, {{P}};", c="lt ge", b="and or xor"))
    add("compare", each("setp.<c><z>.f32 {P!}, {F}, {F};", c=conditions + " equ neu ltu leu gtu geu num nan", z="- .ftz"), each("set.<c>.f32.f32 {F!}, {F}, {F};", c=conditions), each("slct.<t>.s32 {R!}, {R}, {R}, {R};", t="b32"))
    add("compare", "selp.b32 {R!}, {R}, {R}, {P};", "selp.b64 {L!}, {L}, {L}, {P};", "selp.f32 {F!}, {F}, {F}, {P};", "selp.f64 {D!}, {D}, {D}, {P};", "slct.f32.f32 {F!}, {F}, {F}, {F};", each("<o>.pred {P!}, {P}, {P};", o="and or xor"), "not.pred {P!}, {P};")
    spaces = {"global": "%g", "shared": "%sh", "local": "%lo", "generic": "%g"}
    for space, base in spaces.items():
        dot = "" if space == "generic" else f".{space}"
        kind = f"memory_{space}"
        add(kind, each(f"ld{dot}.<t> {{R!}}, [{base}+16];", t="u8 s8 u16 s16 b32"), f"ld{dot}.b64 {{L!}}, [{base}+8];", each(f"ld{dot}.v2.b32 {{{{R!}}, {{R!}}}}, [{base}+<n>];", n="0 64"), f"ld{dot}.v4.b32 {{{{R!}}, {{R!}}, {{R!}}, {{R!}}}}, [{base}+128];")
        add(kind, each(f"st{dot}.<t> [{base}+16], {{R}};", t="u8 u16 b32"), f"st{dot}.b64 [{base}+8], {{L}};", f"st{dot}.v2.b64 [{base}+32], {{{{L}}, {{L}}}};", f"st{dot}.v4.b32 [{base}+48], {{{{R}}, {{R}}, {{R}}, {{R}}}};", each(f"ld.volatile{dot}.<t> {{R!}}, [{base}+4];", t="u8 s16 b32"))
        add(kind, f"st.volatile{dot}.b32 [{base}], {{R}};", f"ld.volatile{dot}.b64 {{L!}}, [{base}];", f"st.volatile{dot}.b64 [{base}], {{L}};")
        if space in ("global", "generic", "shared"):
            scopes = "cta gpu sys cluster"
            add(kind, each(f"ld.<m>.<s>{dot}.<t> {{R!}}, [{base}+4];", m="relaxed acquire", s=scopes, t="b32 u8 s16"), each(f"st.<m>.<s>{dot}.<t> [{base}+4], {{R}};", m="relaxed release", s=scopes, t="b32 u8"), each(f"ld.<m>.<s>{dot}.b64 {{L!}}, [{base}+8];", m="relaxed acquire", s=scopes))
        if space in ("global", "generic"):
            add(kind, each(f"ld.<c>{dot}.<t> {{R!}}, [{base}];", c="ca cg cs lu cv", t="b32 u8"), each(f"st.<c>{dot}.b32 [{base}], {{R}};", c="wb cg cs wt"))
        if space == "global":
            add(kind, each("ld.global<c>.nc.<t> {R!}, [%g+4];", c="- .ca .cg .cs", t="b32 u8 s8 u16 s16"), each("ld.global.nc.v4.b32 {{R!}, {R!}, {R!}, {R!}}, [%g+<n>];", n="16"), each("ld.global<e><p>.b32 {R!}, [%g];", e="- .L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate", p="- .L2::64B .L2::128B .L2::256B"))
            add(kind, each("ld.global.nc.L1::no_allocate<p>.v2.b64 {{L!}, {L!}}, [%g];", p="- .L2::128B .L2::256B"), each("st.global.L1::<e>.b32 [%g], {R};", e="evict_first evict_last no_allocate"), each("ld.global<c>.L2::cache_hint.b32 {R!}, [%g], {L};", c="- .nc"))
            add(kind, "ld.global.v8.b32 {{R!}, {R!}, {R!}, {R!}, {R!}, {R!}, {R!}, {R!}}, [%g];", "ld.global.v4.b64 {{L!}, {L!}, {L!}, {L!}}, [%g+32];", "st.global.v8.b32 [%g], {{R}, {R}, {R}, {R}, {R}, {R}, {R}, {R}};", each("ld.mmio.relaxed.sys.global.<t> {R!}, [%g];", t="b32"))
            add(kind, each("prefetch.global.<l> [%g];", l="L1 L2 L2::evict_last L2::evict_normal"), "prefetchu.L1 [%g];", "discard.global.L2 [%g], 128;", "applypriority.global.L2::evict_normal [%g], 128;", "createpolicy.fractional.L2::evict_last.b64 {L!}, 1.0;", "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 {L!}, [%g], 0x100000, 0x200000;")
            add(kind, each("ld.weak.global.<c>.v2.b32 {{R!}, {R!}}, [%g];", c="ca cs"), "ldu.global.b32 {R!}, [%g];", each("ld.param.b32 {R!}, [pn];"), "isspacep.shared {P!}, %g;", "isspacep.global {P!}, %g;", "isspacep.local {P!}, %g;", "cvta.shared.u64 {L!}, {L};", "cvta.to.local.u64 {L!}, {L};")
        else:
            pass
        if space in ("global", "shared", "generic"):
            atoms = f"atomic_{space}"
            for c, ops, types in (("R", "add min max", "s32 u32"), ("R", "and or xor exch", "b32"), ("R", "inc dec", "u32"), ("L", "and or xor exch", "b64"), ("L", "add", "u64"), ("L", "min max", "u64 s64"), ("F", "add", "f32"), ("D", "add", "f64"), ("R", "add.noftz", "f16x2 bf16x2"), ("H", "add.noftz", "f16 bf16"), ("R", "min.noftz max.noftz", "f16x2 bf16x2")):
                add(atoms, each(f"atom<m>{dot}.<o>.<t> {{{c}!}}, [{base}+<n>], {{{c}}};", m="- .relaxed.cta .acq_rel.gpu .acquire.sys", o=ops, t=types, n="0 16"))
                if space != "shared":
                    add(f"reduce_{space}", each(f"red<m>{dot}.<o>.<t> [{base}+<n>], {{{c}}};", m="- .relaxed.cta .release.gpu .relaxed.sys", o=ops.replace("exch", "or"), t=types, n="0 16"))
            add(atoms, each(f"atom<m>{dot}.cas.b32 {{R!}}, [{base}+16], {{R}}, {{R}};", m="- .acq_rel.gpu .relaxed.sys .acquire.cta"), each(f"atom<m>{dot}.cas.b64 {{L!}}, [{base}+16], {{L}}, {{L}};", m="- .acq_rel.gpu .relaxed.sys"), f"atom{dot}.cas.b16 {{H!}}, [{base}+16], {{H}}, {{H}};")
            add(atoms, each(f"{{ .reg .b128 a,b,c; mov.b128 a, {{{{L}}, {{L}}}}; mov.b128 b, {{{{L}}, {{L}}}}; atom{dot}.<o> c, [{base}], <v>; mov.b128 {{{{L!}}, {{L!}}}}, c; }}", o="cas.b128", v="a,b"), f"{{ .reg .b128 a,c; mov.b128 a, {{{{L}}, {{L}}}}; atom{dot}.exch.b128 c, [{base}], a; mov.b128 {{{{L!}}, {{L!}}}}, c; }}")
            if space == "global":
                add(atoms, each("atom.global.v<n>.<t>.add {<d>}, [%g], {<s>};", n="2", t="f32", d="{F!},{F!}", s="{F},{F}"), "atom.global.v4.f32.add {{F!},{F!},{F!},{F!}}, [%g], {{F},{F},{F},{F}};", "red.global.v4.f32.add [%g], {{F},{F},{F},{F}};", "red.global.add.noftz.v4.bf16x2 [%g], {{R},{R},{R},{R}};", "red.global.add.noftz.v2.f16x2 [%g], {{R},{R}};")
    add("warp", each("shfl.sync.<m>.b32 {R!}, {R}, {R}, 0x1f, -1;", m="idx up down bfly"), each("shfl.sync.<m>.b32 {R!}|{P!}, {R}, <n>, 0x1c1f, -1;", m="idx up down bfly", n="1 4"), each("vote.sync.<m>.pred {P!}, {P}, -1;", m="all any uni"), "vote.sync.ballot.b32 {R!}, {P}, -1;")
    add("warp", each("match.any.sync.<t> {R!}, <v>, -1;", t="b32", v="{R}"), "match.any.sync.b64 {R!}, {L}, -1;", "match.all.sync.b32 {R!}|{P!}, {R}, -1;", "activemask.b32 {R!};", each("redux.sync.<o>.<t> {R!}, {R}, -1;", o="add min max", t="s32 u32"), each("redux.sync.<o>.b32 {R!}, {R}, -1;", o="and or xor"))
    add("warp", each("redux.sync.<o><a><n>.f32 {F!}, {F}, -1;", o="min max", a="- .abs", n="- .NaN"), "bar.warp.sync -1;", "bar.warp.sync 0xff;", "elect.sync {R!}|{P!}, -1;", each("movmatrix.sync.aligned.m8n8.trans.b16 {R!}, {R};"))
    add("barrier", "bar.sync 0;", "bar.sync 1, 64;", "bar.arrive 2, 64;", "barrier.sync 3;", "barrier.sync.aligned 4, 128;", each("bar.red.<o>.pred {P!}, 5, {P};", o="and or"), "bar.red.popc.u32 {R!}, 6, {P};", each("membar.<s>;", s="cta gl sys"), each("fence.<m>.<s>;", m="sc acq_rel", s="cta gpu sys cluster"))
    add("barrier", "barrier.cluster.arrive;", "barrier.cluster.wait;", "barrier.cluster.arrive.release;", "barrier.cluster.arrive.relaxed;", "barrier.cluster.wait.acquire;", each("fence.proxy.<p>;", p="alias async async.global async.shared::cta"), "fence.mbarrier_init.release.cluster;", "griddepcontrol.wait;", "griddepcontrol.launch_dependents;", "nanosleep.u32 {R};", "nanosleep.u32 100;")
    add("barrier", "bar.sync {R};", "bar.sync {R}, 64;", "barrier.arrive {R}, 96;", "setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.dec.sync.aligned.u32 40;", "fence.proxy.tensormap::generic.release.gpu;", "fence.proxy.tensormap::generic.acquire.gpu [%g], 128;")
    add("async", each("cp.async.ca.shared.global<p> [%sh], [%g], <n>;", p="- .L2::64B .L2::128B .L2::256B", n="4 8 16"), each("cp.async.cg.shared.global<p> [%sh], [%g], 16;", p="- .L2::128B"), "cp.async.ca.shared.global [%sh], [%g], 16, {R};", "cp.async.commit_group;", "cp.async.wait_group 0;", "cp.async.wait_group 2;", "cp.async.wait_all;")
    add("async", "cp.async.mbarrier.arrive.shared.b64 [%sh];", "cp.async.mbarrier.arrive.noinc.shared.b64 [%sh];", "mbarrier.init.shared.b64 [%sh], {R};", "mbarrier.inval.shared.b64 [%sh];", "mbarrier.arrive.shared.b64 {L!}, [%sh];", "mbarrier.arrive.noComplete.shared.b64 {L!}, [%sh], 1;", "mbarrier.arrive_drop.shared.b64 {L!}, [%sh];", "mbarrier.test_wait.shared.b64 {P!}, [%sh], {L};")
    add("async", each("mbarrier.try_wait<x>.shared::cta.b64 {P!}, [%sh], <v>;", x="-", v="{L}"), "mbarrier.try_wait.parity.shared::cta.b64 {P!}, [%sh], {R};", "mbarrier.try_wait.parity.shared::cta.b64 {P!}, [%sh], {R}, {R};", "mbarrier.test_wait.parity.shared::cta.b64 {P!}, [%sh], {R};", "mbarrier.arrive.expect_tx.shared::cta.b64 {L!}, [%sh], {R};", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%sh], {R};", "mbarrier.pending_count.b64 {R!}, {L};")
    add("async", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%sh];", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%sh], {R};", "mapa.shared::cluster.u32 {R!}, %sh, {R};", "getctarank.shared::cluster.u32 {R!}, %sh;", "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%sh], {R}, [%sh];", "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%sh], {{R},{R},{R},{R}}, [%sh];")
    add("async", each("ld.shared::cluster.<t> {R!}, [%sh];", t="b32 u8"), "st.shared::cluster.b32 [%sh], {R};", "atom.shared::cluster.add.u32 {R!}, [%sh], {R};", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%sh], {R}, [%sh];")
    bulk = "cp.async.bulk"
    add("bulk", f"{bulk}.shared::cluster.global.mbarrier::complete_tx::bytes [%sh], [%g], {{R}}, [%sh];", f"{bulk}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%sh], [%g], {{R}}, [%sh], {{H}};", f"{bulk}.global.shared::cta.bulk_group [%g], [%sh], {{R}};", f"{bulk}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%sh], [%sh], {{R}}, [%sh];", f"{bulk}.commit_group;", f"{bulk}.wait_group 0;", f"{bulk}.wait_group.read 1;", f"{bulk}.prefetch.L2.global [%g], {{R}};")
    add("bulk", each("cp.reduce.async.bulk.global.shared::cta.bulk_group.<o>.<t> [%g], [%sh], {R};", o="add min max", t="u32 s32 u64"), each("cp.reduce.async.bulk.global.shared::cta.bulk_group.<o> [%g], [%sh], {R};", o="and.b32 or.b32 xor.b32 inc.u32 dec.u32 add.noftz.f16 add.noftz.bf16 add.f32 add.f64 min.f16 max.bf16"))
    for n in range(1, 6):
        c = "{" + ",".join(["{R}"] * n) + "}"
        add("bulk", f"{bulk}.tensor.{n}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%sh], [%g, {c}], [%sh];", f"{bulk}.tensor.{n}d.global.shared::cta.tile.bulk_group [%g, {c}], [%sh];", f"{bulk}.prefetch.tensor.{n}d.L2.global.tile [%g, {c}];", f"cp.reduce.async.bulk.tensor.{n}d.global.shared::cta.add.tile.bulk_group [%g, {c}], [%sh];")
        if n > 2:
            o = "{" + ",".join(["{H}"] * (n - 2)) + "}"
            add("bulk", f"{bulk}.tensor.{n}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%sh], [%g, {c}], [%sh], {o};", f"{bulk}.tensor.{n}d.global.shared::cta.im2col_no_offs.bulk_group [%g, {c}], [%sh];")
    add("bulk", "prefetch.tensormap [%g];", each("tensormap.replace.tile.<f>.global.b1024.b32 [%g], <v>;", f="rank", v="{R}"), "tensormap.replace.tile.global_address.global.b1024.b64 [%g], {L};", "multimem.ld_reduce.global.add.f32 {F!}, [%g];", "multimem.st.global.f32 [%g], {F};", "multimem.red.global.add.f32 [%g], {F};")
    add("bulk", each("multimem.ld_reduce.relaxed.sys.global.add.<t> {R!}, [%g];", t="f16x2 bf16x2 u32"), each("multimem.ld_reduce.global.<o>.v4.<t> {{R!},{R!},{R!},{R!}}, [%g];", o="add min max", t="f16x2 bf16x2"), "multimem.ld_reduce.global.add.acc::f32.v4.bf16x2 {{R!},{R!},{R!},{R!}}, [%g];", "multimem.ld_reduce.global.and.b32 {R!}, [%g];", "multimem.ld_reduce.global.min.u64 {L!}, [%g];")
    add("bulk", each("multimem.ld_reduce.global.<o>.<t> {R!}, [%g];", o="min max add", t="s32 u32"), each("multimem.ld_reduce.global.<o>.<t> {L!}, [%g];", o="min max add", t="s64 u64"), each("multimem.ld_reduce.<m>.global.<o>.b<w> {<c>!}, [%g];", m="weak relaxed.gpu acquire.sys", o="and or xor", w="32", c="R"), each("multimem.ld_reduce.global.<o>.b64 {L!}, [%g];", o="and or xor"))
    add("bulk", each("multimem.ld_reduce.global.<o>.<t> {R!}, [%g];", o="add min max", t="f16x2 bf16x2 e4m3x4 e5m2x4"), each("multimem.ld_reduce.global.add.acc::f16.<t> {R!}, [%g];", t="e4m3x4 e5m2x4"), "multimem.ld_reduce.global.add.f64 {D!}, [%g];", each("multimem.ld_reduce.global.<o>.v2.<t> {{R!},{R!}}, [%g];", o="add min max", t="f16x2 bf16x2 e4m3x4 e5m2x4"))
    add("bulk", each("multimem.ld_reduce.global.<o>.v4.<t> {{R!},{R!},{R!},{R!}}, [%g];", o="add min max", t="e4m3x4 e5m2x4"), each("multimem.ld_reduce.global.add.acc::f16.v4.<t> {{R!},{R!},{R!},{R!}}, [%g];", t="e4m3x4 e5m2x4"), each("multimem.red.<m>.global.<o>.<t> [%g], {R};", m="relaxed.sys release.gpu", o="add min max", t="s32 u32 f16x2 bf16x2"), each("multimem.red.global.<o>.b32 [%g], {R};", o="and or xor"))
    four = lambda c: "{" + ",".join(["{" + c + "}"] * 4) + "}"
    two = lambda c: "{" + ",".join(["{" + c + "}"] * 2) + "}"
    add("matrix", each("ldmatrix.sync.aligned.m8n8.x<n><t>.shared.b16 <d>, [%sh];", n="1", t="- .trans", d="{{R!}}"), each(f"ldmatrix.sync.aligned.m8n8.x2<t>.shared.b16 {two('R!')}, [%sh];", t="- .trans"), each(f"ldmatrix.sync.aligned.m8n8.x4<t>.shared.b16 {four('R!')}, [%sh];", t="- .trans"), each(f"stmatrix.sync.aligned.m8n8.x4<t>.shared.b16 [%sh], {four('R')};", t="- .trans"), each(f"stmatrix.sync.aligned.m8n8.x2<t>.shared.b16 [%sh], {two('R')};", t="- .trans"))
    add("matrix", each(f"ldmatrix.sync.aligned.m16n16.x1.trans.shared<f> {two('R!')}, [%sh];", f=".b8 .b8x16.b6x16_p32 .b8x16.b4x16_p64"), each(f"ldmatrix.sync.aligned.m8n16.x2.shared<f> {two('R!')}, [%sh];", f=".b8x16.b6x16_p32 .b8x16.b4x16_p64"), each(f"stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%sh], {two('R')};"))
    one = "{{R}}"
    for f in "f16 bf16".split():
        add("matrix", f"mma.sync.aligned.m16n8k16.row.col.f32.{f}.{f}.f32 {four('F!')}, {four('R')}, {two('R')}, {four('F')};", f"mma.sync.aligned.m16n8k8.row.col.f32.{f}.{f}.f32 {four('F!')}, {two('R')}, {one}, {four('F')};")
    add("matrix", f"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {two('R!')}, {four('R')}, {two('R')}, {two('R')};", f"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {two('R!')}, {two('R')}, {one}, {two('R')};", f"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {four('F!')}, {two('R')}, {one}, {four('F')};", f"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {four('F!')}, {four('R')}, {two('R')}, {four('F')};")
    add("matrix", f"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {two('D!')}, {{{{D}}}}, {{{{D}}}}, {two('D')};", f"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {four('D!')}, {two('D')}, {{{{D}}}}, {four('D')};", f"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {four('D!')}, {four('D')}, {two('D')}, {four('D')};")
    for a, b in itertools.product("s8 u8".split(), repeat=2):
        add("matrix", each(f"mma.sync.aligned.m16n8k16.row.col<s>.s32.{a}.{b}.s32 {four('R!')}, {two('R')}, {one}, {four('R')};", s="- .satfinite"), each(f"mma.sync.aligned.m16n8k32.row.col<s>.s32.{a}.{b}.s32 {four('R!')}, {four('R')}, {two('R')}, {four('R')};", s="- .satfinite"), f"mma.sync.aligned.m8n8k16.row.col.s32.{a}.{b}.s32 {two('R!')}, {one}, {one}, {two('R')};")
    for a, b in itertools.product("s4 u4".split(), repeat=2):
        add("matrix", f"mma.sync.aligned.m16n8k64.row.col.s32.{a}.{b}.s32 {four('R!')}, {four('R')}, {two('R')}, {four('R')};", f"mma.sync.aligned.m8n8k32.row.col.s32.{a}.{b}.s32 {two('R!')}, {one}, {one}, {two('R')};")
    add("matrix", each(f"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.<o>.popc {four('R!')}, {four('R')}, {two('R')}, {four('R')};", o="and xor"), each(f"mma.sync.aligned.m16n8k32.row.col.f32.<a>.<b>.f32 {four('F!')}, {four('R')}, {two('R')}, {four('F')};", a="e4m3 e5m2", b="e4m3 e5m2"), each(f"mma.sync.aligned.m16n8k32.row.col.f16.<a>.<b>.f16 {two('R!')}, {four('R')}, {two('R')}, {two('R')};", a="e4m3 e5m2", b="e4m3 e5m2"))
    add("matrix", each(f"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.<a>.<b>.f32 {four('F!')}, {four('R')}, {two('R')}, {four('F')};", a="e4m3 e5m2 e3m2 e2m3 e2m1", b="e4m3 e5m2 e3m2 e2m3 e2m1"), each(f"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f16.<a>.<b>.f16 {two('R!')}, {four('R')}, {two('R')}, {two('R')};", a="e4m3 e2m1", b="e4m3 e3m2"))
    add("matrix", each(f"mma.sp<o>.sync.aligned.m16n8k32.row.col.f32.<f>.<f>.f32 {four('F!')}, {four('R')}, {four('R')}, {four('F')}, {{R}}, 0x0;", o="- ::ordered_metadata", f="f16 bf16"), each(f"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.<f>.<f>.f32 {four('F!')}, {four('R')}, {four('R')}, {four('F')}, {{R}}, 0x0;", f="e4m3 e5m2"), f"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32 {four('R!')}, {four('R')}, {four('R')}, {four('R')}, {{R}}, 0x0;")
    add("matrix", each(f"mma.sync.aligned.m16n8k64.row.col.kind::<k>.block_scale.scale_vec::<v>X.f32.e2m1.e2m1.f32.<s> {four('F!')}, {four('R')}, {two('R')}, {four('F')}, {{{{R}}}}, {{0,0}}, {{{{R}}}}, {{0,0}};", k="mxf4 mxf4nvf4", v="2 4", s="ue8m0 ue4m3"), each(f"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.<a>.<b>.f32.ue8m0 {four('F!')}, {four('R')}, {two('R')}, {four('F')}, {{{{R}}}}, {{0,0}}, {{{{R}}}}, {{0,0}};", a="e4m3 e2m1", b="e4m3 e3m2"))
    acc = lambda n: "{" + ",".join(["{F!}"] * n) + "}"
    add("wgmma", "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;", *(each(f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.<f>.<f> {acc(n // 2)}, {{L}}, {{L}}, {{P}}, 1, <s>, 0, <b>;", f="f16 bf16", s="1 -1", b="0 1") for n in (8, 16, 32)), each(f"wgmma.mma_async.sync.aligned.m64n8k32.f32.<a>.<b> {acc(4)}, {{L}}, {{L}}, {{P}}, 1, 1;", a="e4m3 e5m2", b="e4m3 e5m2"), f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {acc(4)}, {four('R')}, {{L}}, {{P}}, 1, 1, 0;", f"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {acc(4)}, {{L}}, {{L}}, {{P}}, 1, 1;", each(f"wgmma.mma_async.sync.aligned.m64n8k32.s32.<a>.<b> {four('R!')}, {{L}}, {{L}}, {{P}};", a="s8 u8", b="s8 u8"))
    ten = "tcgen05"
    add("tensor5", each(f"{ten}.alloc.cta_group::<g>.sync.aligned.shared::cta.b32 [%sh], 64;", g="1"), f"{ten}.dealloc.cta_group::1.sync.aligned.b32 {{R}}, 64;", f"{ten}.relinquish_alloc_permit.cta_group::1.sync.aligned;", *(f"{ten}.{o}.sync.aligned;" for o in ("wait::ld", "wait::st")), f"{ten}.fence::before_thread_sync;", f"{ten}.fence::after_thread_sync;", f"{ten}.commit.cta_group::1.mbarrier::arrive::one.b64 [%g];")
    add("tensor5", each(f"{ten}.mma.cta_group::1.kind::<k> [{{R}}], {{L}}, {{L}}, {{R}}, {{P}};", k="f16 tf32 f8f6f4 i8"), each(f"{ten}.mma.cta_group::1.kind::<k> [{{R}}], [{{R}}], {{L}}, {{R}}, {{P}};", k="f16 tf32 f8f6f4 i8"), each(f"{ten}.mma.sp.cta_group::1.kind::<k> [{{R}}], {{L}}, {{L}}, [{{R}}], {{R}}, {{P}};", k="f16 tf32 f8f6f4 i8"), each(f"{ten}.mma.cta_group::1.kind::<k>.block_scale [{{R}}], {{L}}, {{L}}, {{R}}, [{{R}}], [{{R}}], {{P}};", k="mxf8f6f4 mxf4"), f"{ten}.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [{{R}}], {{L}}, {{L}}, {{R}}, [{{R}}], [{{R}}], {{P}};", each(f"{ten}.mma.ws.cta_group::1.kind::<k> [{{R}}], {{L}}, {{L}}, {{R}}, {{P}};", k="f16 tf32 f8f6f4 i8"))
    for shape, mult in (("32x32b", 1), ("16x64b", 1), ("16x128b", 2), ("16x256b", 4)):
        for n in (1, 2, 4, 8):
            if n * mult <= 16:
                d, s = ("{" + ",".join(["{" + c + "}"] * (n * mult)) + "}" for c in ("R!", "R"))
                add("tensor5", each(f"{ten}.ld.sync.aligned.{shape}.x{n}<p>.b32 {d}, [{{R}}];", p="- .pack::16b"), each(f"{ten}.st.sync.aligned.{shape}.x{n}<p>.b32 [{{R}}], {s};", p="- .unpack::16b"))
    add("tensor5", each(f"{ten}.cp.cta_group::1.<s> [{{R}}], {{L}};", s="128x256b 4x256b 128x128b 64x128b.warpx2::02_13 64x128b.warpx2::01_23 32x128b.warpx4 128x256b.b8x16.b6x16_p32 128x128b.b8x16.b4x16_p64"), f"{ten}.shift.cta_group::1.down [{{R}}];")
    for shape, coords in (("1d", 1), ("2d", 2), ("3d", 4), ("a1d", 2), ("a2d", 4), ("cube", 4)):
        for t, c in (("s32", "R"), ("f32", "F")):
            if t == "s32" and shape == "cube":
                continue
            xs = "{" + ",".join(["{" + c + "}"] * coords) + "}" if coords > 1 else "{{" + c + "}}"
            if shape.startswith("a"):
                xs = "{{R}," + ",".join(["{" + c + "}"] * (coords - 1)) + "}"
            add("texture", each(f"tex.{shape}.v4.<d>.{t} {four('R!')}, [tx, {xs}];", d="s32 u32"), each(f"tex.{shape}.v4.f32.{t} {four('F!')}, [tx, {xs}];"))
            if t == "f32":
                add("texture", f"tex.level.{shape}.v4.f32.f32 {four('F!')}, [tx, {xs}], {{F}};", f"tex.{shape}.v4.f32.f32 {four('F!')}, [{{L}}, {xs}];")
                if shape in ("2d", "a2d"):
                    add("texture", each(f"tld4.<c>.{shape}.v4.f32.f32 {four('F!')}, [tx, {xs}];", c="r g b a"), f"tex.grad.{shape}.v4.f32.f32 {four('F!')}, [tx, {xs}], {two('F')}, {two('F')};")
    add("texture", each("txq.<q>.b32 {R!}, [tx];", q="width height depth channel_data_type channel_order"), each("suq.<q>.b32 {R!}, [su];", q="width height channel_order"), each("istypep.<k> {P!}, {L};", k="texref surfref samplerref"))
    for shape, coords in (("1d", 1), ("2d", 2), ("3d", 4), ("a1d", 2), ("a2d", 4)):
        xs = "{" + ",".join(["{R}"] * coords) + "}" if coords > 1 else one
        for m in "trap clamp zero".split():
            add("surface", each(f"suld.b.{shape}.<t>.{m} {{R!}}, [su, {xs}];", t="b8 b32"), f"suld.b.{shape}.v2.b32.{m} {two('R!')}, [su, {xs}];", f"suld.b.{shape}.v4.b32.{m} {four('R!')}, [{{L}}, {xs}];", each(f"sust.b.{shape}.<t>.{m} [su, {xs}], {{R}};", t="b8 b16 b32"), f"sust.b.{shape}.v4.b32.{m} [{{L}}, {xs}], {four('R')};", f"sust.b.{shape}.b64.{m} [su, {xs}], {{L}};")
            if shape in ("1d", "2d", "3d"):
                add("surface", each(f"sured.b.{shape}.<o>.<t>.{m} [su, {xs}], {{R}};", o="add min max", t="u32 s32"), each(f"sured.b.{shape}.<o>.b32.{m} [su, {xs}], {{R}};", o="and or"), f"sust.p.{shape}.v4.b32.{m} [su, {xs}], {four('R')};")
    add("special", each("mov.u32 {R!}, %<s>;", s="tid.x tid.y tid.z ntid.x ctaid.x ctaid.y ctaid.z nctaid.x laneid warpid nwarpid smid nsmid gridid lanemask_eq lanemask_lt lanemask_le lanemask_gt lanemask_ge clock clock_hi pm0 pm1 globaltimer_lo globaltimer_hi dynamic_smem_size total_smem_size clusterid.x nclusterid.x cluster_ctaid.x cluster_nctaid.x cluster_ctarank cluster_nctarank aggr_smem_size reserved_smem_offset_begin envreg0"), each("mov.u64 {L!}, %<s>;", s="clock64 globaltimer gridid"), "mov.pred {P!}, %is_explicit_cluster;", "pmevent 3;", "trap;", "brkpt;")
    return out


def flow():
    """Kernels of control flow, written out: loops, branches that diverge, tables of branches, calls, early exits."""
    head = "ld.param.u64 %g, [pi]; ld.param.u32 %n, [pn]; mov.u32 %t, %tid.x; mov.u32 %a, 0;"
    tail = "st.global.u32 [%g], %a; ret;"
    yield "loop", head + "L0: add.u32 %a, %a, %t; xor.b32 %a, %a, %n; setp.lt.u32 %p, %a, 1000; @%p bra L0;" + tail
    yield "nest", head + "mov.u32 %b, 0; L0: mov.u32 %c, 0; L1: mad.lo.u32 %a, %b, %c, %a; shr.u32 %a, %a, 1; add.u32 %c, %c, 1; setp.lt.u32 %p, %c, %t; @%p bra L1; add.u32 %b, %b, 1; setp.lt.u32 %p, %b, %n; @%p bra L0;" + tail
    yield "diverge", head + "setp.eq.u32 %p, %t, %n; @%p bra L0; ld.global.u32 %a, [%g+4]; bar.sync 0; add.u32 %a, %a, 5; setp.gt.u32 %p, %a, %t; @!%p bra L1; ld.volatile.global.u32 %b, [%g+8]; shfl.sync.bfly.b32 %a, %b, 1, 31, -1; bra L1; L0: ld.volatile.global.u32 %a, [%g+12]; L1:" + tail
    yield "table", head + "and.b32 %b, %t, 7; ts: .branchtargets A, B, C, D, A, C, B, D; brx.idx %b, ts; A: ld.volatile.global.u32 %a, [%g]; bra E; B: ld.volatile.global.u32 %a, [%g+64]; mul.lo.u32 %a, %a, %t; bra E; C: ld.volatile.global.u32 %a, [%g+4]; sub.u32 %a, %a, 3; bra E; D: exit; E:" + tail
    yield "call", head + "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call.uni (y), callee, (x); ld.param.b32 %a, [y]; }" + tail
    yield "indirect", head + "{ .param .b32 x; .param .b32 y; .reg .u64 f; mov.u64 f, callee; st.param.b32 [x], %t; pr: .callprototype (.param .b32 _) _ (.param .b32 _); call (y), f, (x), pr; ld.param.b32 %a, [y]; }" + tail
    yield "exits", head + "setp.gt.u32 %p, %t, %n; @%p exit; setp.eq.u32 %p, %t, 5; @%p trap; ld.volatile.global.u32 %a, [%g]; setp.eq.u32 %p, %a, 0; @%p ret; bar.sync 0;" + tail
    yield "spill", head + " ".join(f"ld.volatile.global.u32 %s{i}, [%g+{4 * i}];" for i in range(90)) + " bar.sync 0; " + " ".join(f"mad.lo.u32 %a, %s{i}, %s{(7 * i) % 90}, %a;" for i in range(90)) + tail


CALLEE = ".func (.param .b32 r) callee (.param .b32 v) { .reg .b32 %x; .reg .f32 %f; ld.param.b32 %x, [v]; cvt.rn.f32.u32 %f, %x; sin.approx.f32 %f, %f; cvt.rzi.u32.f32 %x, %f; vote.sync.ballot.b32 %x, 1, -1; st.param.b32 [r], %x; ret; }\n"


def statements(lines, mode):
    """(text lines) of the statements; `mode` says what the last operand is: loaded, uniform or a literal; with "every" all are uniform."""
    count, uniform, out, loads = collections.Counter(), collections.Counter(), [], []
    for line in lines:
        places = list(PLACE.finditer(line))
        operands = [m for m in places if not m.group(2) and m.group(1) in LITERAL]
        last = operands[-1].start() if operands else -1

        stores = []

        def name(match):
            c, result = match.groups()
            if result:
                count[c] += 1
                register = f"%{c}{count[c]}"
                stores.append((c, register))
                return register
            if c == "P":
                return "%P0"
            if match.start() == last and mode in ("literal", "small") and "[" not in line:
                return (LITERAL if mode == "literal" else SMALL)[c]
            if mode == "every":
                uniform[c] += 1
                return f"%{'uv'[uniform[c] % 2]}{c}"
            if mode == "uniform" and match.start() >= operands[len(operands) // 2].start():
                return f"%u{c}"
            count[c] += 1
            loads.append((c, f"%{c}{count[c]}"))
            return loads[-1][1]

        loads = []
        text = PLACE.sub(name, line)
        block = [f"ld.volatile.global.{CLASSES[c][0]} {r}, [%in+{8 * i}];" for i, (c, r) in enumerate(loads)]
        block.append(text)
        for c, r in stores:
            if c == "P":
                block.append(f"selp.b32 %q, 1, 0, {r}; st.volatile.global.b32 [%out], %q;")
            else:
                block.append(f"st.volatile.global.{CLASSES[c][0]} [%out], {r};")
        out.append(block)
    return out, count


def version(target):
    """The oldest PTX version of this list that has the target."""
    return "9.0" if target.startswith("110") else "8.8"


def kernel(blocks, count, target):
    head = [f".version {version(target)}", f".target sm_{target}", ".address_size 64", ".global .texref tx;", ".global .surfref su;", ".shared .align 128 .b8 sm[8192];"]
    head += [".visible .entry k(.param .u64 pi, .param .u64 po, .param .u32 pn, .param .u64 pl, .param .f32 pf, .param .f64 pd, .param .u16 ph, .param .u32 qn, .param .u64 ql, .param .f32 qf, .param .f64 qd, .param .u16 qh) {", ".local .align 16 .b8 lc[256];"]
    for c, (kind, _) in CLASSES.items():
        head.append(f".reg .{kind} %{c}<{count[c] + 1}>, %u{c}, %v{c};")
    head.append(f".reg .pred %P<{count['P'] + 1}>; .reg .b32 %q, %sh, %lo; .reg .b64 %in, %out, %g;")
    head.append("ld.param.u64 %in, [pi]; ld.param.u64 %out, [po]; ld.param.b32 %uR, [pn]; ld.param.b64 %uL, [pl]; ld.param.f32 %uF, [pf]; ld.param.f64 %uD, [pd]; ld.param.b16 %uH, [ph];")
    head.append("ld.param.b32 %vR, [qn]; ld.param.b64 %vL, [ql]; ld.param.f32 %vF, [qf]; ld.param.f64 %vD, [qd]; ld.param.b16 %vH, [qh];")
    head.append("mov.u32 %sh, sm; mov.u32 %q, %tid.x; mad.wide.u32 %g, %q, 256, %in; shl.b32 %q, %q, 4; add.u32 %sh, %sh, %q; mov.u32 %lo, lc; ld.volatile.global.b32 %q, [%in]; add.u32 %lo, %lo, %q; setp.ne.b32 %P0, %q, 0;")
    return head, [line for block in blocks for line in block]


def assemble(ptxas, target, text, out, extra=()):
    source = out.with_suffix(".ptx")
    source.write_text(text)
    done = subprocess.run(["nice", "-n", "15", ptxas, f"-arch=sm_{target}", *extra, "-o", str(out), str(source)], capture_output=True, text=True)
    source.unlink()
    return done.returncode, done.stderr + done.stdout


def knows(ptxas):
    text = subprocess.run([ptxas, "--help"], capture_output=True, text=True).stdout
    return set(re.findall(r"sm_(\d+[af]?)", text))


def build(ptxas, target, kind, lines, mode, out, extra=()):
    """Assemble what the target takes; (statements kept, statements left out)."""
    blocks, count = statements(lines, mode)
    total = len(blocks)
    for _ in range(40):
        if not blocks:
            return 0, total
        head, _ = kernel(blocks, count, target)
        text, owner, number = head[:], {}, len(head)
        for i, block in enumerate(blocks):
            for line in block:
                number += 1
                owner[number] = i
                text.append(line)
        code, errors = assemble(ptxas, target, "\n".join([*text, "ret; }"]) + "\n", out, extra)
        if code == 0:
            return len(blocks), total - len(blocks)
        bad = {owner[int(n)] for n in re.findall(r"line (\d+)", errors) if int(n) in owner}
        if not bad:
            return 0, total
        blocks = [block for i, block in enumerate(blocks) if i not in bad]
    return 0, total


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("out", type=pathlib.Path)
    cli.add_argument("--sm", default=",".join(TARGETS))
    cli.add_argument("--most", type=int, default=60, help="statements in a kernel")
    cli.add_argument("ptxas", nargs="+")
    args = cli.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    known = [(ptxas, knows(ptxas)) for ptxas in args.ptxas]
    for target in args.sm.split(","):
        ptxas = next((p for p, targets in known if target in targets), None)
        if ptxas is None:
            print(f"sm_{target}: no assembler")
            continue
        cubins = kept = dropped = 0
        for kind, lines in kinds().items():
            lines = list(dict.fromkeys(lines))
            for part in range(0, len(lines), args.most):
                # Each way of operands for arithmetic; memory and the rest have only registers.
                modes = ("loaded", "uniform", "every", "literal", "small") if kind.split("_")[0] in MANY else ("loaded", "uniform") if kind.split("_")[0] in TWO else ("loaded",)
                for mode in modes:
                    out = args.out / f"{kind}{part // args.most}-{mode}.sm_{target}.cubin"
                    good, bad = build(ptxas, target, kind, lines[part : part + args.most], mode, out)
                    kept, dropped, cubins = kept + good, dropped + bad, cubins + (good > 0)
        for name, body in flow():
            regs = ".reg .b32 %n, %t, %a, %b, %c, %s<90>; .reg .pred %p; .reg .b64 %g;"
            text = f".version {version(target)}\n.target sm_{target}\n.address_size 64\n{CALLEE}.visible .entry k(.param .u64 pi, .param .u32 pn) {{\n{regs}\n" + body.replace("; ", ";\n") + "\n}\n"
            for extra in ((), ("-O1",), ("-O0",), ("-g",), ("-maxrregcount", "32")):
                code, errors = assemble(ptxas, target, text, args.out / f"{name}{''.join(extra)}.sm_{target}.cubin", extra)
                cubins += code == 0
                if code:
                    print(name, target, extra, errors[:200])
        print(f"sm_{target}: {cubins} cubins, {kept} statements, {dropped} refused", flush=True)


MANY = {"int", "int16", "int64", "bits", "float", "double", "half", "mixed", "compare", "dot", "carry", "convert", "math"}
TWO = {"video", "warp", "atomic", "reduce", "memory", "bulk", "async", "barrier"}

if __name__ == "__main__":
    main()
