//! Turns `families.toml` into a static table, so that the browser module carries no TOML parser.

use std::{env, fmt::Write as _, fs, path::Path};

#[derive(serde::Deserialize)]
struct Taxonomy {
    version: u32,
    canonical: Canonical,
    operand_rules: Vec<OperandRule>,
    family: Vec<Family>,
    meta_family: Vec<MetaFamily>,
}

#[derive(serde::Deserialize)]
struct Canonical {
    ptx_alias: Vec<[String; 2]>,
    ptx_untyped_ops: Vec<String>,
    amdgcn_drop_suffix: Vec<String>,
    amdgcn_alias: Vec<[String; 2]>,
}

#[derive(serde::Deserialize)]
struct OperandRule {
    isa: String,
    mnemonic: String,
    #[serde(default)]
    operands: String,
    #[serde(default)]
    comment: String,
    family: String,
}

#[derive(serde::Deserialize)]
struct Family {
    id: String,
    short: String,
    palette: String,
    label: String,
    group: String,
    direction: String,
    description: String,
    #[serde(default = "yes")]
    in_total: bool,
    #[serde(default)]
    equal_across_builds: bool,
    #[serde(default)]
    width_histogram: bool,
    ptx: Vec<String>,
    sass: Vec<String>,
    amdgcn: Vec<String>,
}

#[derive(serde::Deserialize)]
struct MetaFamily {
    id: String,
    label: String,
    stages: Vec<String>,
    families: Vec<String>,
    note: String,
}

fn yes() -> bool {
    true
}

fn pascal(word: &str) -> String {
    word.split('_')
        .map(|part| {
            let mut letters = part.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect()
}

fn main() {
    println!("cargo::rerun-if-changed=families.toml");
    let text = fs::read_to_string("families.toml").expect("families.toml lies beside build.rs");
    let taxonomy: Taxonomy = toml::from_str(&text).expect("families.toml has the documented form");
    let mut out = String::new();
    let ids: Vec<&str> = taxonomy.family.iter().map(|family| family.id.as_str()).chain(["unknown"]).collect();

    out.push_str("/// A group of opcodes across vendors, in the order of `families.toml`.\n");
    out.push_str(
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u8)]\npub enum Family {\n",
    );
    for id in &ids {
        let _ = writeln!(out, "    /// `{id}`.\n    {},", pascal(id));
    }
    out.push_str("}\n\nimpl Family {\n    /// Every family in file order, `unknown` last.\n");
    let _ = writeln!(out, "    pub const ALL: [Self; {}] = [", ids.len());
    for id in &ids {
        let _ = writeln!(out, "        Self::{},", pascal(id));
    }
    out.push_str("    ];\n}\n\n/// Version of `families.toml`; part of what makes a report stale.\n");
    let _ = writeln!(out, "pub const TAXONOMY_VERSION: u32 = {};", taxonomy.version);

    let _ = writeln!(out, "pub(crate) static INFO: [FamilyInfo; {}] = [", ids.len());
    for f in &taxonomy.family {
        let _ = writeln!(
            out,
            "    FamilyInfo {{ id: {:?}, short: {:?}, label: {:?}, palette: Palette::{}, group: {:?}, direction: Direction::{}, description: {:?}, in_total: {}, equal_across_builds: {}, width_histogram: {}, ptx: &{:?}, sass: &{:?}, amdgcn: &{:?} }},",
            f.id,
            f.short,
            f.label,
            pascal(&f.palette),
            f.group,
            pascal(&f.direction),
            f.description,
            f.in_total,
            f.equal_across_builds,
            f.width_histogram,
            f.ptx,
            f.sass,
            f.amdgcn
        );
    }
    out.push_str("    FamilyInfo { id: \"unknown\", short: \"Unknown\", label: \"Unknown opcode\", palette: Palette::Overhead, group: \"unknown\", direction: Direction::Neutral, description: \"No pattern of the taxonomy matches. Shown, never dropped: a new opcode is news.\", in_total: true, equal_across_builds: false, width_histogram: false, ptx: &[], sass: &[], amdgcn: &[] },\n];\n");

    out.push_str("/// Rules that look at operands or comments; tried before the families.\npub static OPERAND_RULES: &[OperandRule] = &[\n");
    for r in &taxonomy.operand_rules {
        let _ = writeln!(
            out,
            "    OperandRule {{ isa: {:?}, mnemonic: {:?}, operands: {:?}, comment: {:?}, family: Family::{} }},",
            r.isa,
            r.mnemonic,
            r.operands,
            r.comment,
            pascal(&r.family)
        );
    }
    out.push_str("];\n/// Saved views that sum families over stages. They are the only sums across stages.\npub static META_FAMILIES: &[MetaFamily] = &[\n");
    for m in &taxonomy.meta_family {
        let families: Vec<String> = m.families.iter().map(|id| format!("Family::{}", pascal(id))).collect();
        let stages: Vec<String> = m.stages.iter().map(|id| format!("Stage::{}", pascal(id))).collect();
        let _ = writeln!(
            out,
            "    MetaFamily {{ id: {:?}, label: {:?}, stages: &[{}], families: &[{}], note: {:?} }},",
            m.id,
            m.label,
            stages.join(", "),
            families.join(", "),
            m.note
        );
    }
    out.push_str("];\n");
    let pairs = |list: &[[String; 2]]| {
        let items: Vec<String> = list.iter().map(|[from, to]| format!("({from:?}, {to:?})")).collect();
        format!("&[{}]", items.join(", "))
    };
    let c = &taxonomy.canonical;
    let _ = writeln!(
        out,
        "/// Spellings that share one trend key.\npub static CANONICAL: Canonical = Canonical {{ ptx_alias: {}, ptx_untyped_ops: &{:?}, amdgcn_drop_suffix: &{:?}, amdgcn_alias: {} }};",
        pairs(&c.ptx_alias),
        c.ptx_untyped_ops,
        c.amdgcn_drop_suffix,
        pairs(&c.amdgcn_alias)
    );
    let dir = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&dir).join("families.rs"), out).expect("OUT_DIR is writable");
}
