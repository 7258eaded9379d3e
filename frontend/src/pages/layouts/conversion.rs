//! What moving a tile from one layout to the other costs, both ways.

use leptos::prelude::*;
use lowerline_analyzer::layout::{
    Axis, ConversionClass, LayoutError, LinearLayout, Shape, SharedAccess, classify, satisfies, shared_access,
};

use lowerline_shared::{
    permalink::Page,
    table::{Cell, Table},
};

use super::{
    State,
    card::coordinates,
    model::{Built, Drawn},
};
use crate::parts::export::copy_table;

/// The panel below two layouts; nothing for one.
pub fn panel(state: State, drawn: &Drawn) -> Option<AnyView> {
    let a = drawn.a.as_ref()?.tile.as_ref().ok()?;
    let b = drawn.b.as_ref()?.tile.as_ref().ok()?;
    let body = match (home(a), home(b)) {
        (Home::Registers, Home::Registers) => registers(state, a, b),
        (Home::Registers, Home::Shared) => access(a, b, &drawn.shape),
        (Home::Shared, Home::Registers) => access(b, a, &drawn.shape),
        _ => view! {
            <p class="muted">
                "Costs are known between two register layouts, and between registers and shared memory."
            </p>
        }
        .into_any(),
    };
    Some(
        view! {
            <section class="panel" data-test="conversion">
                <header><h2>"Conversion"</h2><span class="muted">"as Triton 3.7 lowers it"</span></header>
                <div class="body">{body}</div>
            </section>
        }
        .into_any(),
    )
}

/// Heads of the columns.
const HEADS: [&str; 4] = ["Direction", "Class", "What it takes", "Source satisfies destination"];

/// Where a layout puts elements.
enum Home {
    Registers,
    Shared,
    TensorMemory,
}

fn home(built: &Built) -> Home {
    let has = |axis| built.linear.inputs().iter().any(|extent| extent.axis == axis);
    if has(Axis::Offset) {
        Home::Shared
    } else if has(Axis::Register) || has(Axis::Lane) {
        Home::Registers
    } else {
        Home::TensorMemory
    }
}

fn registers(state: State, a: &Built, b: &Built) -> AnyView {
    let page = Page::Layouts(state.query.get_untracked());
    let copy = copy_table(page.clone(), "conversion", export(a, b));
    let one = |name: &'static str, test: &'static str, from: &Built, to: &Built| {
        let class = classify(&from.linear, &to.linear);
        let meets = meets(from, to);
        view! {
            <tr data-test=test>
                <th scope="row">{name}</th>
                <td><b>{class_text(&class)}</b></td>
                <td>{class_meaning(&class)}</td>
                <td>{meets}</td>
            </tr>
        }
    };
    view! {
        <div class="scroll">
            <table>
                <thead>
                    <tr>
                        {HEADS.map(|head| view! { <th scope="col">{head}</th> }).collect_view()}
                    </tr>
                </thead>
                <tbody>{one("A → B", "a-to-b", a, b)} {one("B → A", "b-to-a", b, a)}</tbody>
            </table>
        </div>
        {copy}
        {moves(page, a, b)}
    }
    .into_any()
}

/// Whether every value is where it is wanted already.
fn meets(from: &Built, to: &Built) -> &'static str {
    match satisfies(&from.linear, &to.linear) {
        Ok(true) => "yes: every value is where it is wanted",
        _ => "no",
    }
}

fn export(a: &Built, b: &Built) -> Table {
    let row = |name: &str, from: &Built, to: &Built| {
        let class = classify(&from.linear, &to.linear);
        let cells = [name, &class_text(&class), class_meaning(&class), meets(from, to)];
        cells.map(|text| Cell::Text(text.to_owned())).to_vec()
    };
    Table {
        title: "Conversion, as Triton 3.7 lowers it".to_owned(),
        columns: HEADS.map(str::to_owned).to_vec(),
        rows: vec![row("A → B", a, b), row("B → A", b, a)],
        ..Table::default()
    }
}

fn class_text(class: &Result<ConversionClass, LayoutError>) -> String {
    class.as_ref().map_or_else(|error| format!("not known: {error}"), |class| class.label().to_owned())
}

const fn class_meaning(class: &Result<ConversionClass, LayoutError>) -> &'static str {
    match class {
        Ok(ConversionClass::None) => "nothing: no value moves",
        Ok(ConversionClass::Register) => "nothing at run time: registers are renamed within each thread",
        Ok(ConversionClass::Shuffle) => "warp shuffles, no shared memory",
        Ok(ConversionClass::Shared) => "stores to shared memory, a barrier, loads from it",
        Ok(ConversionClass::Distributed) => "an exchange between the blocks of a cluster",
        Err(_) => "",
    }
}

/// Where each bit of B's index is found in A.
fn moves(page: Page, a: &Built, b: &Built) -> AnyView {
    let moved = match b.linear.invert_and_compose(&a.linear) {
        Ok(moved) => moved,
        Err(error) => {
            return view! { <p class="muted">{format!("The map between them is not known: {error}.")}</p> }.into_any();
        }
    };
    let names: Vec<String> = moved.outputs().iter().map(|extent| extent.axis.to_string()).collect();
    let rows = moved.inputs().iter().flat_map(|extent| {
        moved.bases(extent.axis).into_iter().enumerate().map(|(bit, source)| {
            let stays = stays(&moved, extent.axis, bit, &source);
            let class = if stays { "muted" } else { "chg" };
            view! {
                <tr>
                    <th scope="row">{format!("{} {}", extent.axis, 1_u64 << bit)}</th>
                    <td class="mono"><span class=class>{coordinates(&source)}</span></td>
                </tr>
            }
        })
    });
    let rows = rows.collect_view();
    let lines = moved.inputs().iter().flat_map(|extent| {
        moved.bases(extent.axis).into_iter().enumerate().map(|(bit, source)| {
            vec![Cell::Text(format!("{} {}", extent.axis, 1_u64 << bit)), Cell::Text(coordinates(&source))]
        })
    });
    let table = Table {
        title: "Where each bit of B's index is found in A".to_owned(),
        columns: vec!["Index in B".to_owned(), format!("In A: ({})", names.join(", "))],
        rows: lines.collect(),
        ..Table::default()
    };
    let copy = copy_table(page, "moves", table);
    view! {
        <details data-test="moves">
            <summary>"Where each bit of B's index is found in A"</summary>
            <table>
                <thead><tr><th scope="col">"Index in B"</th><th scope="col">{format!("In A: ({})", names.join(", "))}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
            {copy}
        </details>
    }
    .into_any()
}

/// Whether this bit of B's index is the same bit of A's.
fn stays(moved: &LinearLayout, axis: Axis, bit: usize, source: &[u64]) -> bool {
    moved.outputs().iter().zip(source).all(|(extent, &index)| index == if extent.axis == axis { 1 << bit } else { 0 })
}

fn access(register: &Built, shared: &Built, shape: &Shape) -> AnyView {
    match shared_access(&register.encoding, &shared.encoding, shape, register.bits) {
        Err(error) => {
            view! { <p data-test="access">{format!("How the banks serve this is not known: {error}.")}</p> }.into_any()
        }
        Ok(access) => {
            let SharedAccess { vector_bits, lanes, wavefronts } = access;
            let verdict = access.verdict();
            view! {
                <p data-test="access">
                    <b>{verdict}</b>
                    {format!(
                        ": a lane moves {vector_bits} bits at once, {lanes} lanes are served together, and their busiest bank serves {wavefronts} {}.",
                        if wavefronts == 1 { "word" } else { "words, one after the other" },
                    )}
                </p>
                <p class="small muted">"Plain loads and stores; matrix loads (ldmatrix) are not modelled."</p>
            }
            .into_any()
        }
    }
}
