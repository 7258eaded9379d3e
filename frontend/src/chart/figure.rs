//! A chart in plotly's words. Colours come in as values: they are read from the style sheet when a chart is drawn.

use lowerline_shared::plot::{Change, Plot};
use serde_json::{Value, json};

/// Height of a chart in pixels.
pub const HEIGHT: u32 = 86;
/// Pixels below the ground line.
const BOTTOM: f64 = 2.0;
/// Changes that get their value written beside them; more would run into each other.
const LABELLED: usize = 9;
/// Room above the largest value for labels, and below 0 for the axis line, in parts of the range.
const HEADROOM: f64 = 1.36;
const FOOTROOM: f64 = -0.04;

/// Colours and type as the style sheet has them now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// The line.
    pub line: String,
    /// Inside of a change ring.
    pub panel: String,
    /// Text of changes.
    pub ink: String,
    /// Text of first values.
    pub ink_2: String,
    /// Hatching of failed builds.
    pub hatch: String,
    /// Axis.
    pub axis: String,
    /// Band of the selected commit.
    pub select: String,
    /// Font family.
    pub font: String,
}

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Exact counts: steps with a ring at each change.
    Steps,
    /// Controls and resources: steps without the area.
    Line,
    /// Measured numbers have noise: points and no change marks.
    Points,
}

/// One figure: traces and layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// For `Plotly.react`.
    pub data: Value,
    /// For `Plotly.react`.
    pub layout: Value,
}

/// `#rrggbb` with an alpha byte; anything else as it is.
fn faint(colour: &str) -> String {
    if colour.len() == 7 && colour.starts_with('#') { format!("{colour}1a") } else { colour.to_owned() }
}

/// Above the line where it rises; where it falls, beside the drop, which the line leaves free.
fn label_place(change: &Change, last: u32, top: f64) -> &'static str {
    let falls = change.now < change.before;
    let low = change.now < top * 0.3;
    match (falls, low, change.at == last) {
        (true, false, _) => "bottom left",
        (true, true, false) => "top right",
        (_, _, true) => "top left",
        _ => "top center",
    }
}

fn line_traces(plot: &Plot, kind: Kind, colours: &Palette, last: u32) -> Vec<Value> {
    let traces = plot.runs.iter().map(|run| {
        let mut xs: Vec<f64> = run.corners.iter().map(|corner| f64::from(corner.0)).collect();
        let mut ys: Vec<f64> = run.corners.iter().map(|corner| corner.1).collect();
        if let Some(value) = ys.last().copied() {
            // A value holds through its commit, so a run of one commit has a length too.
            xs.push(f64::from(run.to) + if run.to == last { 0.42 } else { 1.0 });
            ys.push(value);
        }
        let mut trace = json!({
            "type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip",
            "line": { "shape": "hv", "width": 1.75, "color": colours.line },
        });
        if kind == Kind::Steps {
            trace["fill"] = json!("tozeroy");
            trace["fillcolor"] = json!(faint(&colours.line));
        }
        trace
    });
    traces.collect()
}

fn point_traces(plot: &Plot, colours: &Palette) -> Vec<Value> {
    let corners: Vec<(u32, f64)> = plot.runs.iter().flat_map(|run| run.corners.iter().copied()).collect();
    vec![json!({
        "type": "scatter", "mode": "lines+markers+text", "hoverinfo": "skip",
        "x": corners.iter().map(|corner| corner.0).collect::<Vec<_>>(),
        "y": corners.iter().map(|corner| corner.1).collect::<Vec<_>>(),
        "text": corners.iter().map(|corner| plot.value_text(corner.1)).collect::<Vec<_>>(),
        "textposition": "top center", "cliponaxis": false,
        "textfont": { "color": colours.ink_2, "size": 11, "family": colours.font },
        "line": { "width": 1.25, "dash": "dot", "color": colours.ink_2 },
        "marker": { "size": 5, "color": colours.ink_2 },
    })]
}

fn change_trace(plot: &Plot, colours: &Palette, last: u32) -> Value {
    let written = |n: usize| plot.changes.len() <= LABELLED || n + 1 == plot.changes.len();
    let text: Vec<String> = plot
        .changes
        .iter()
        .enumerate()
        .map(|(n, change)| if written(n) { plot.value_text(change.now) } else { String::new() })
        .collect();
    json!({
        "type": "scatter", "mode": "markers+text", "hoverinfo": "skip", "cliponaxis": false,
        "x": plot.changes.iter().map(|change| change.at).collect::<Vec<_>>(),
        "y": plot.changes.iter().map(|change| change.now).collect::<Vec<_>>(),
        "text": text,
        "textposition": plot.changes.iter().map(|change| label_place(change, last, plot.top)).collect::<Vec<_>>(),
        "textfont": { "color": colours.ink, "size": 11, "weight": 650, "family": colours.font },
        "marker": { "size": 7, "color": colours.panel, "line": { "width": 1.75, "color": colours.line } },
    })
}

/// Failed builds: a hatched column with a cross, in full height.
fn failed_trace(plot: &Plot, colours: &Palette, ceiling: f64) -> Value {
    let spans = &plot.failed;
    let middle = |span: &(u32, u32)| f64::midpoint(f64::from(span.0), f64::from(span.1));
    json!({
        "type": "bar", "hoverinfo": "skip", "textposition": "inside", "insidetextanchor": "start", "textangle": 0,
        "x": spans.iter().map(middle).collect::<Vec<_>>(),
        "y": spans.iter().map(|_| ceiling * 0.82).collect::<Vec<_>>(),
        "width": spans.iter().map(|span| f64::from(span.1 - span.0) + 0.92).collect::<Vec<_>>(),
        "text": spans.iter().map(|_| "✕").collect::<Vec<_>>(),
        "textfont": { "color": colours.ink, "size": 12, "family": colours.font },
        "constraintext": "none", "cliponaxis": false,
        "marker": {
            "color": "rgba(0,0,0,0)", "line": { "width": 0 },
            "pattern": { "shape": "/", "size": 5, "solidity": 0.28, "fgcolor": colours.hatch, "bgcolor": "rgba(0,0,0,0)" },
        },
    })
}

/// The first value, written at its place.
fn first_value(plot: &Plot, colours: &Palette) -> Option<Value> {
    let (at, value) = *plot.runs.first()?.corners.first()?;
    Some(json!({
        "type": "scatter", "mode": "text", "hoverinfo": "skip", "cliponaxis": false,
        "x": [f64::from(at) - 0.06], "y": [value], "text": [plot.value_text(value)], "textposition": "top right",
        "textfont": { "color": colours.ink_2, "size": 11, "family": colours.font },
    }))
}

/// The figure of one cell. `axis` is the first and last position, `at` the selected one.
pub fn figure(plot: &Plot, kind: Kind, colours: &Palette, axis: (u32, u32), at: Option<u32>, width: u32) -> Figure {
    let (first, last) = axis;
    let top = if plot.top > 0.0 { plot.top } else { 1.0 };
    let ceiling = top * HEADROOM;
    let mut data = Vec::new();
    if !plot.failed.is_empty() {
        data.push(failed_trace(plot, colours, ceiling));
    }
    if kind == Kind::Points {
        data.extend(point_traces(plot, colours));
    } else {
        data.extend(line_traces(plot, kind, colours, last));
        data.extend(first_value(plot, colours));
        if !plot.changes.is_empty() {
            data.push(change_trace(plot, colours, last));
        }
    }
    let band = at.map(|at| {
        json!({
            "type": "rect", "layer": "below", "line": { "width": 0 }, "fillcolor": colours.select,
            "xref": "x", "yref": "paper", "y0": 0, "y1": 1,
            "x0": f64::from(at) - 0.5, "x1": f64::from(at) + 0.5,
        })
    });
    let axis_style = json!({ "visible": false, "fixedrange": true });
    let mut x_axis = axis_style.clone();
    x_axis["range"] = json!([f64::from(first) - 0.5, f64::from(last) + 0.5]);
    let mut y_axis = axis_style;
    y_axis["range"] = json!([ceiling * FOOTROOM, ceiling]);
    let ground = json!({
        "type": "line", "layer": "below", "line": { "width": 1, "color": colours.axis },
        "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": 0, "y1": 0,
    });
    let layout = json!({
        "width": width, "height": HEIGHT, "margin": { "l": 0, "r": 0, "t": 0, "b": BOTTOM },
        "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": false, "hovermode": false, "dragmode": false, "xaxis": x_axis, "yaxis": y_axis,
        "shapes": band.into_iter().chain([ground]).collect::<Vec<_>>(),
        "font": { "family": colours.font, "size": 11 },
    });
    Figure { data: Value::Array(data), layout }
}

/// Pixels from the top of a chart to a value, `top` being the largest one.
pub fn pixels_from_top(value: f64, top: f64) -> f64 {
    let (ceiling, floor) = (top * HEADROOM, top * HEADROOM * FOOTROOM);
    (f64::from(HEIGHT) - BOTTOM) * (ceiling - value) / (ceiling - floor)
}
