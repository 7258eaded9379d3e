//! Families × states. PTX and machine code are two groups of columns and are never added.

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildComparison, FamilyRow, LevelTable},
    comparison::{self, FamilyLine, difference},
    display, needle,
    permalink::PaneRef,
    stage::{Scope, Stage},
};

use super::View;
use crate::parts::marks;

/// Columns of one level: the states, a difference for each later state, the share of the last one. One state alone has
/// nothing to differ from.
const fn columns(states: usize) -> usize {
    if states > 1 { states * 2 } else { 1 }
}

/// The panel.
pub fn panel(view: View, build: &BuildComparison, names: &[String]) -> AnyView {
    if build.levels.is_empty() {
        return view! {
            <section class="panel" data-test="families">
                <header><h2>"Families"</h2></header>
                <p class="body ink2">"No state has instructions to count: neither PTX nor machine code was pushed or could be read."</p>
            </section>
        }
        .into_any();
    }
    let (mut moved, mut still) = comparison::family_lines(&build.levels);
    // Of two vendors, no level has two states: counts stand beside each other, and nothing is said to be equal.
    let is_compared = build.levels.iter().any(|level| level.instructions.iter().flatten().count() > 1);
    if !is_compared {
        moved.append(&mut still);
    }
    let (scope, open) = view.state.with(|(_, query)| (query.scope, query.open.clone()));
    let states = names.len();
    let groups = build.levels.iter().map(|level| {
        let source = comparison::sources(level, &build.states, names);
        view! {
            <th scope="colgroup" colspan=columns(states)>
                {level.stage.label()} " " <span class="muted" data-test=format!("source-{}", level.stage.id())>{source}</span>
            </th>
        }
    });
    let heads = build.levels.iter().map(|_| level_heads(names));
    let rows = moved.iter().map(|line| {
        let is_open = open.iter().any(|id| id == line.family.id());
        family_rows(view, line, &build.levels, states, is_open)
    });
    let counted = match scope {
        Scope::Function => "static instructions in the function",
        Scope::Loop => "static instructions inside any loop",
        Scope::Hot => "static instructions in the hot loop",
    };
    let apart =
        if is_compared || names.len() < 2 { "" } else { "; these states share no level, so nothing is subtracted" };
    let caption = format!("{counted}; PTX and machine code are two levels and are never added{apart}");
    let width = build.levels.len() * columns(states);
    let nothing = moved.is_empty().then(|| {
        view! { <tr class="quiet"><td colspan=width + 1 data-test="equal">"No family moved: the histograms agree."</td></tr> }
    });
    view! {
        <section class="panel" data-test="families">
            {disagreements(&build.levels, names)}
            <div class="scroll">
                <table class="famt">
                    <caption><b>"Families"</b>{caption}</caption>
                    <thead>
                        <tr><th></th>{groups.collect_view()}</tr>
                        <tr><th scope="col">"Family"</th>{heads.collect_view()}</tr>
                    </thead>
                    <tbody>
                        {totals(&build.levels, states)}
                        {quiet(&still, &build.levels, width)}
                        {nothing}
                        {rows.collect_view()}
                    </tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// Where SASS text and cubin of a build count differently: both values, since one of the two is wrong.
fn disagreements(levels: &[LevelTable], names: &[String]) -> Option<AnyView> {
    let all: Vec<_> = levels.iter().flat_map(|level| &level.disagreements).collect();
    let lines = all.iter().map(|one| {
        let name = names.get(one.state).cloned().unwrap_or_default();
        view! {
            <li>
                <code>{one.opcode.clone()}</code>
                {format!(" in {name}: {} in the text, {} in the cubin", display::count(one.text), display::count(one.decoded))}
            </li>
        }
    });
    (!all.is_empty()).then(|| {
        view! {
            <div class="body" data-test="disagreements">
                <p>
                    <span class="badge warn">"!"</span>
                    " SASS text and cubin disagree. The table counts the text. They may be of different compiles, or one was read wrongly."
                </p>
                <ul>{lines.collect_view()}</ul>
            </div>
        }
        .into_any()
    })
}

fn level_heads(names: &[String]) -> impl IntoView + use<> {
    let states = names.iter().enumerate().map(|(n, name)| {
        let class = if n == 0 { "num gl" } else { "num" };
        view! { <th class=class scope="col">{marks::state_head(name)}</th> }.into_any()
    });
    let deltas = (1..names.len())
        .map(|n| view! { <th class="num" scope="col">{marks::difference_head(n, names)}</th> }.into_any());
    let share = (names.len() > 1).then(|| {
        view! {
            <th class="num" scope="col" title="Part of all that moved at this level, last state against the first">"share"</th>
        }
    });
    view! { {states.chain(deltas).collect_view()} {share} }
}

/// The cells of one row at one level. `whole` is what the share is a part of; 0 shows none.
fn cells(counts: &[Option<i64>], whole: u64, test: &str) -> impl IntoView + use<> {
    let first = counts.first().copied().flatten();
    let values = counts.iter().enumerate().map(|(n, value)| {
        let class = if n == 0 { "num gl" } else { "num" };
        let inner = match n {
            0 => "",
            // Not known is no change.
            _ if value.is_none() || first.is_none() => "",
            _ if *value == first => "same",
            _ => "chg",
        };
        let test = format!("{test}-{n}");
        view! { <td class=class data-test=test><span class=inner>{marks::count(*value)}</span></td> }.into_any()
    });
    let deltas =
        counts.iter().skip(1).map(|value| view! { <td class="num">{marks::delta(first, *value)}</td> }.into_any());
    let part = difference(counts, counts.len().saturating_sub(1)).map_or(0, i64::unsigned_abs);
    let share = if whole == 0 || part == 0 { String::new() } else { display::share(part, whole) };
    let share = (counts.len() > 1).then(|| view! { <td class="num pct">{share}</td> });
    view! { {values.chain(deltas).collect_view()} {share} }
}

fn totals(levels: &[LevelTable], states: usize) -> impl IntoView + use<> {
    let cells = levels.iter().map(|level| {
        let mut counts = level.instructions.clone();
        counts.resize(states, None);
        cells(&counts, 0, &format!("all-{}", level.stage.id()))
    });
    view! {
        <tr data-test="family-all"><th scope="row" class="strong">"All instructions"</th>{cells.collect_view()}</tr>
    }
}

/// What did not move is evidence: every control with its count at each level, in one quiet row.
fn quiet(still: &[FamilyLine<'_>], levels: &[LevelTable], width: usize) -> impl IntoView + use<> {
    if still.is_empty() {
        return ().into_any();
    }
    let count = |row: Option<&FamilyRow>| marks::count(row.and_then(|row| row.counts.iter().copied().flatten().next()));
    let texts = still.iter().map(|line| {
        let counts: Vec<String> = line.rows.iter().copied().map(count).collect();
        format!("{} {}", line.family.info().short.to_lowercase(), counts.join(" | "))
    });
    let text = texts.collect::<Vec<_>>().join(" · ");
    let names: Vec<&str> = levels.iter().map(|level| level.stage.label()).collect();
    view! {
        <tr class="quiet" data-test="did-not-move">
            <th scope="row">"Did not move"<br/><span class="small">{names.join(" | ")}</span></th>
            <td class="gl" colspan=width><span class="wrap">{text}</span></td>
        </tr>
    }
    .into_any()
}

fn family_rows(
    view: View,
    line: &FamilyLine<'_>,
    levels: &[LevelTable],
    states: usize,
    is_open: bool,
) -> impl IntoView + use<> {
    let family = line.family;
    let last = states.saturating_sub(1);
    let level_cells = line.rows.iter().zip(levels).map(|(row, level)| match row {
        Some(row) => {
            let test = format!("{}-{}", family.id(), level.stage.id());
            cells(&row.counts, comparison::level_change(level, last), &test).into_any()
        }
        None => {
            let text = format!("none in {}", level.stage.label());
            view! { <td class="gl muted" colspan=columns(states)>{text}</td> }.into_any()
        }
    });
    let toggle = move |_| {
        view.replace(|_, query| match query.open.iter().position(|id| id == family.id()) {
            Some(n) => {
                query.open.remove(n);
            }
            None => query.open.push(family.id().to_owned()),
        });
    };
    let opcodes = is_open.then(|| opcode_rows(view, line, levels, states));
    view! {
        <tr class:open=is_open data-test=format!("family-{}", family.id())>
            <th scope="row">
                <button
                    class="tw"
                    type="button"
                    aria-expanded=if is_open { "true" } else { "false" }
                    aria-label=format!("Opcodes of {}", family.info().short)
                    on:click=toggle
                >
                    {if is_open { "▾" } else { "▸" }}
                </button>
                {marks::family_name(family)}
            </th>
            {level_cells.collect_view()}
        </tr>
        {opcodes}
    }
}

/// The text that holds what a level counts: of code decoded in every state, our disassembly.
fn text_of(level: &LevelTable) -> Stage {
    let is_decoded = level.sources.iter().flatten().all(|source| source == "decoded");
    if level.stage == Stage::Sass && is_decoded { Stage::Cubin } else { level.stage }
}

/// Two texts that show where an opcode stands: of several states those that differ most. Two states are aligned instead.
fn panes_of(counts: &[Option<i64>], stage: Stage) -> Option<(PaneRef, PaneRef)> {
    let (first, other) = comparison::farthest(counts)?;
    let pane = |state: usize| Some(PaneRef { state: u8::try_from(state).ok()?, stage });
    if counts.len() == 2 && first != other { None } else { pane(first).zip(pane(other)) }
}

/// The opcodes of a family, a block per level: which PTX opcode became which SASS opcode is not known, so they are not
/// put on one line.
fn opcode_rows(view: View, line: &FamilyLine<'_>, levels: &[LevelTable], states: usize) -> impl IntoView + use<> {
    let width = columns(states);
    let blocks = line.rows.iter().enumerate().map(|(place, row)| {
        let Some(row) = row else { return ().into_any() };
        let Some(level) = levels.get(place) else { return ().into_any() };
        let stage = level.stage.id();
        let text = text_of(level);
        let rows = row.opcodes.iter().map(|opcode| {
            let before = (place > 0).then(|| view! { <td class="gl" colspan=place * width></td> });
            let left = levels.len().saturating_sub(place + 1);
            let after = (left > 0).then(|| view! { <td class="gl" colspan=left * width></td> });
            let test = format!("opcode-{stage}-{}", opcode.opcode);
            let cells = cells(&opcode.counts, 0, &test);
            let find = needle::of_opcode(text, &opcode.opcode);
            let panes = panes_of(&opcode.counts, text);
            let href = move || {
                view.state.track();
                view.page(|_, query| {
                    query.stage = Some(text);
                    query.panes = panes;
                    query.find = Some(find.clone());
                })
                .path()
            };
            let title = format!("Its lines in {}", text.label());
            view! {
                <tr class="sub" data-test=test.clone()>
                    <th scope="row"><a class="quietlink" href=href title=title>{opcode.opcode.clone()}</a></th>
                    {before}{cells}{after}
                </tr>
            }
        });
        rows.collect_view().into_any()
    });
    blocks.collect_view()
}
