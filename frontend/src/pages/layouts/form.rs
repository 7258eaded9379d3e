//! Shape, element, the two texts, and what colours the tile. Every field is a parameter of the address.

use leptos::prelude::*;

use super::{State, colour::By, model};
use crate::parts::chips::ChoiceChip;

/// Examples to begin with, as compilers write them: name, shape, bits, first and second layout.
const EXAMPLES: [(&str, &str, u32, &str, &str); 8] = [
    ("global load, blocked", model::SHAPE, 16, model::TEXT, ""),
    (
        "flex attention: the conversion before tmem_store",
        "128x64",
        16,
        "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], warp = [[32, 0], [64, 0], [16, 0]], block = []}>",
        "#ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 2], order = [0, 1]}>",
    ),
    (
        "Ampere operand in registers, from blocked",
        "64x32",
        16,
        "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
        "#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>\n#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>",
    ),
    (
        "Hopper accumulator and a row of it",
        "128x128",
        32,
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>",
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>",
    ),
    (
        "store to shared memory, swizzled for wgmma",
        "128x64",
        16,
        model::TEXT,
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
    ),
    (
        "store to shared memory without swizzle",
        "64x64",
        16,
        "#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>",
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
    ),
    (
        "CDNA3 accumulator and rotating shared memory",
        "128x64",
        16,
        "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>",
        "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>",
    ),
    (
        "tensor memory of Blackwell",
        "128x128",
        32,
        "#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>",
        "",
    ),
];

/// The fields.
#[component]
pub fn Form(state: State) -> impl IntoView {
    let query = state.query;
    let field = move |read: fn(&lowerline_shared::permalink::LayoutsQuery) -> &str, default: &'static str| {
        Signal::derive(move || {
            query.with(|query| {
                let text = read(query);
                if text.is_empty() { default.to_owned() } else { text.to_owned() }
            })
        })
    };
    let (shape, a, b) = (field(|q| &q.shape, model::SHAPE), field(|q| &q.a, model::TEXT), field(|q| &q.b, ""));
    let bits = Signal::derive(move || query.with(|query| query.bits.unwrap_or(model::BITS)).to_string());
    let sizes = [8, 16, 32, 64].map(|bits: u32| (bits.to_string(), format!("{bits} bits"))).to_vec();
    let choices = Signal::derive(move || {
        let drawn = query.with(model::drawn);
        let sides = drawn.ok().map(|drawn| [drawn.a, drawn.b]);
        let mut choices: Vec<(String, String)> = Vec::new();
        for built in sides.into_iter().flatten().flatten().filter_map(|side| side.tile.ok()) {
            for by in By::choices(&built).into_iter().map(By::id) {
                if !choices.iter().any(|(known, _)| *known == by) {
                    choices.push((by.clone(), by));
                }
            }
        }
        choices
    });
    let by = Signal::derive(move || {
        let named = query.with(|query| query.by.clone());
        if named.is_empty() {
            choices
                .with(|all| all.iter().find(|(id, _)| id == "lane").or(all.first()).map(|(id, _)| id.clone()))
                .unwrap_or_default()
        } else {
            named
        }
    });
    let example = move |event| {
        let Some((_, shape, bits, a, b)) = event_target_value(&event).parse().ok().and_then(|n: usize| EXAMPLES.get(n))
        else {
            return;
        };
        state.change(|query| {
            *query = lowerline_shared::permalink::LayoutsQuery {
                shape: (*shape).to_owned(),
                bits: Some(*bits),
                a: (*a).to_owned(),
                b: (*b).to_owned(),
                ..Default::default()
            };
        });
    };
    let examples =
        EXAMPLES.iter().enumerate().map(|(n, (name, ..))| view! { <option value=n.to_string()>{*name}</option> });
    view! {
        <div class="plink" role="group" aria-label="Page state, as in the URL">
            <span class="path">"/layouts?"</span>
            <label class="chip">
                <i>"shape="</i>
                <input
                    size="10"
                    aria-label="Shape of the tensor"
                    data-test="shape"
                    prop:value=move || shape.get()
                    on:change=move |event| state.change(|query| { query.shape = event_target_value(&event); query.at = None; })
                />
            </label>
            <ChoiceChip key="bits" value=bits choices=sizes choose=Callback::new(move |bits: String| state.change(|query| query.bits = bits.parse().ok()))/>
            <ChoiceChip key="by" value=by choices=choices choose=Callback::new(move |by| state.change(|query| query.by = by))/>
            <label class="chip">
                <i>"example="</i>
                <select aria-label="Start from an example" data-test="example" on:change=example>
                    <option value="">"choose"</option>
                    {examples.collect_view()}
                </select>
            </label>
        </div>
        <div class="sides">
            {text_field(state, "A", a, |query, text| query.a = text)}
            {text_field(state, "B, optional", b, |query, text| query.b = text)}
        </div>
    }
}

fn text_field(
    state: State,
    name: &'static str,
    value: Signal<String>,
    put: fn(&mut lowerline_shared::permalink::LayoutsQuery, String),
) -> impl IntoView {
    let test = if name == "A" { "text-a" } else { "text-b" };
    view! {
        <label class="layouttext">
            <span class="small muted">{name} " · a layout as TTGIR has it; lines #name = … before it define aliases"</span>
            <textarea
                rows="3"
                spellcheck="false"
                data-test=test
                prop:value=move || value.get()
                on:change=move |event| state.change(|query| put(query, event_target_value(&event).replace('\r', "")))
            ></textarea>
        </label>
    }
}
