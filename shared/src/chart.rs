//! A trend as a picture that stands alone: small multiples in SVG, measures down, targets across, as the page has them.
//!
//! Counts are steps with a ring at each change; metrics are points, because they have noise; failed builds are marked.
//! Every value written is a value of the answer.

use std::{fmt::Write as _, str::FromStr};

use crate::{
    api::{Series, TrendResponse},
    display,
    ids::{TargetName, shown},
    measure::Measure,
    plot::{Plot, fraction_of, labelled, plot},
};

/// Pixels of one chart, its title included.
const CELL: (f64, f64) = (250.0, 122.0);
/// Pixels around the whole, and above the first row.
const MARGIN: f64 = 16.0;
const HEAD: f64 = 46.0;
/// Pixels of a chart left for its title and its axis.
const TITLE: f64 = 20.0;
const AXIS: f64 = 16.0;
/// Charts in one picture, by measure and by target; what is beyond is counted in the head.
const MEASURES: usize = 12;
const TARGETS: usize = 12;
/// Labels below an axis, and changes with their value beside them.
const LABELS: u32 = 5;
const LABELLED: usize = 9;
/// Room above the largest value, in parts of it.
const HEADROOM: f64 = 1.36;

/// The colours of a picture: a page is read in one of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on near black.
    Dark,
}

/// Colours by what they are for.
struct Colours {
    paper: &'static str,
    ink: &'static str,
    faint: &'static str,
    line: &'static str,
    ground: &'static str,
}

const LIGHT: Colours =
    Colours { paper: "#ffffff", ink: "#1d2529", faint: "#5d6b73", line: "#256389", ground: "#c9d2d7" };
const DARK: Colours =
    Colours { paper: "#151a21", ink: "#e8ebf0", faint: "#8b95a3", line: "#5b93b8", ground: "#3a4350" };

impl Theme {
    /// Stable id, as in an address.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    const fn colours(self) -> &'static Colours {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

impl FromStr for Theme {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Light, Self::Dark].into_iter().find(|theme| theme.id() == text).ok_or("`light` or `dark`")
    }
}

/// Text of an element or attribute.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The name of a measure in a head.
pub fn measure_name(measure: &Measure) -> String {
    match measure {
        Measure::Family(family, _) => family.info().short.to_owned(),
        Measure::Instructions(_) => "Instructions".to_owned(),
        Measure::Resource(resource) => resource.label().to_owned(),
        Measure::Decision(decision) => decision.label().to_owned(),
        Measure::Metric(name) => shown(name),
        Measure::Opcode(..) => shown(&measure.to_string()),
    }
}

/// One chart's place and axis.
struct Frame {
    x: f64,
    y: f64,
    first: u32,
    last: u32,
    top: f64,
    colours: &'static Colours,
}

impl Frame {
    fn at(&self, position: u32) -> f64 {
        self.x + fraction_of(position, self.first, self.last) * (CELL.0 - MARGIN)
    }

    fn value(&self, value: f64) -> f64 {
        let height = CELL.1 - TITLE - AXIS;
        self.y + TITLE + height - (value / (self.top * HEADROOM)).clamp(0.0, 1.0) * height
    }

    fn ground(&self) -> f64 {
        self.value(0.0)
    }
}

fn text(out: &mut String, at: (f64, f64), anchor: &str, colour: &str, content: &str) {
    let (x, y) = at;
    let content = escape(content);
    let _ =
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{content}</text>");
}

/// The picture of an answer. `link` is where it came from; empty for none.
pub fn svg(answer: &TrendResponse, link: &str, theme: Theme) -> String {
    let colours = theme.colours();
    let mut measures: Vec<&Measure> = Vec::new();
    let mut targets: Vec<&TargetName> = Vec::new();
    for series in &answer.series {
        if !measures.contains(&&series.measure) {
            measures.push(&series.measure);
        }
        if !targets.contains(&&series.target) {
            targets.push(&series.target);
        }
    }
    let drawn = |series: &&Series| {
        let row = measures.iter().position(|measure| **measure == series.measure).filter(|n| *n < MEASURES)?;
        let column = targets.iter().position(|target| **target == series.target).filter(|n| *n < TARGETS)?;
        Some((row, column))
    };
    let left_out = answer.left_out + answer.series.iter().filter(|series| drawn(series).is_none()).count() as u64;
    let (rows, columns) = (measures.len().clamp(1, MEASURES), targets.len().clamp(1, TARGETS));
    let width = (columns as f64).mul_add(CELL.0, 2.0 * MARGIN);
    let height = (rows as f64).mul_add(CELL.1, HEAD + MARGIN);
    let name = shown(answer.kernel.name.as_str());
    let head = format!("{name} · {} · {}", shown(&answer.config), answer.scope.id());
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"system-ui, sans-serif\" font-size=\"11\" role=\"img\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>",
        escape(&head),
        colours.paper
    );
    text(&mut out, (MARGIN, 18.0), "start", colours.ink, &head);
    let more =
        if left_out > 0 { format!("{} not drawn. ", display::plural(left_out, "more line")) } else { String::new() };
    text(&mut out, (MARGIN, 34.0), "start", colours.faint, &format!("{more}{link}"));
    if answer.series.is_empty() {
        text(&mut out, (MARGIN, HEAD + TITLE), "start", colours.faint, "Nothing is built that this asks for.");
    }
    for series in &answer.series {
        let Some((row, column)) = drawn(&series) else { continue };
        let same_measure = answer.series.iter().filter(|other| other.measure == series.measure);
        // Charts of one row share their axis, so that targets can be compared.
        let top = same_measure.map(|other| plot(other).top).fold(0.0_f64, f64::max);
        let frame = Frame {
            x: (column as f64).mul_add(CELL.0, MARGIN),
            y: (row as f64).mul_add(CELL.1, HEAD),
            first: answer.positions.0,
            last: answer.positions.1,
            top: if top > 0.0 { top } else { 1.0 },
            colours,
        };
        chart(&mut out, series, &frame);
        axis(&mut out, answer, &frame);
    }
    out.push_str("</svg>\n");
    out
}

fn chart(out: &mut String, series: &Series, frame: &Frame) {
    let Colours { paper, ink, faint, line, .. } = frame.colours;
    let stage = series.stage.map(|stage| format!(" in {}", stage.label())).unwrap_or_default();
    let title = format!("{}{stage}", measure_name(&series.measure));
    text(out, (frame.x, frame.y + 11.0), "start", ink, &title);
    text(out, (frame.x + CELL.0 - MARGIN, frame.y + 11.0), "end", faint, series.target.as_str());
    let drawn = plot(series);
    failed(out, &drawn, frame);
    if matches!(series.measure, Measure::Metric(_)) {
        points(out, &drawn, frame);
        return;
    }
    for run in &drawn.runs {
        let mut path = String::new();
        for (n, &(at, value)) in run.corners.iter().enumerate() {
            let (x, y) = (frame.at(at), frame.value(value));
            let _ = if n == 0 { write!(path, "M{x:.1} {y:.1}") } else { write!(path, "H{x:.1}V{y:.1}") };
        }
        // A value holds through its commit, so a run of one commit has a length too.
        let end = f64::midpoint(frame.at(run.to), frame.at(run.to.saturating_add(1)));
        let _ = writeln!(out, "<path d=\"{path}H{end:.1}\" fill=\"none\" stroke=\"{line}\" stroke-width=\"1.75\"/>");
        let is_change = |at: u32| drawn.changes.iter().any(|change| change.at == at);
        if let Some(&(at, value)) = run.corners.first().filter(|corner| !is_change(corner.0)) {
            text(out, (frame.at(at), frame.value(value) - 5.0), "start", faint, &drawn.value_text(value));
        }
    }
    for (n, change) in drawn.changes.iter().enumerate() {
        let (x, y) = (frame.at(change.at), frame.value(change.now));
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{paper}\" stroke=\"{line}\" stroke-width=\"1.75\"/>"
        );
        if drawn.changes.len() <= LABELLED || n + 1 == drawn.changes.len() {
            text(out, (x, y - 7.0), "middle", ink, &drawn.value_text(change.now));
        }
    }
}

fn points(out: &mut String, drawn: &Plot, frame: &Frame) {
    let faint = frame.colours.faint;
    for &(at, value) in drawn.runs.iter().flat_map(|run| &run.corners) {
        let (x, y) = (frame.at(at), frame.value(value));
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{faint}\"/>");
        text(out, (x, y - 6.0), "middle", faint, &drawn.value_text(value));
    }
}

fn failed(out: &mut String, drawn: &Plot, frame: &Frame) {
    for &(from, to) in &drawn.failed {
        let x = f64::midpoint(frame.at(from), frame.at(to));
        text(out, (x, frame.ground() - 4.0), "middle", frame.colours.faint, "✕");
    }
}

fn axis(out: &mut String, answer: &TrendResponse, frame: &Frame) {
    let Colours { faint, ground, .. } = frame.colours;
    let y = frame.ground();
    let (from, to) = (frame.x, frame.x + CELL.0 - MARGIN);
    let _ = writeln!(out, "<path d=\"M{from:.1} {y:.1}H{to:.1}\" stroke=\"{ground}\"/>");
    for at in labelled(frame.first, frame.last, LABELS) {
        let commit = answer.commits.iter().find(|commit| commit.position == at);
        let name = commit.map_or_else(|| at.to_string(), |commit| commit.name().to_owned());
        text(out, (frame.at(at), y + 12.0), "middle", faint, &name);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        api::{Coverage, CoverageRun, KernelSummary, Step},
        stage::{Scope, Stage},
    };

    fn answer(name: &str) -> TrendResponse {
        let series = Series {
            target: "sm_100a".parse().expect("a target"),
            config: "c".to_owned(),
            measure: "fragment_staging".parse().expect("a measure"),
            stage: Some(Stage::Sass),
            source: None,
            names: Vec::new(),
            steps: vec![Step { at: 1, value: Some(0.0) }, Step { at: 3, value: Some(1_020.0) }],
            coverage: vec![
                CoverageRun { from: 0, to: 0, state: Coverage::Failed },
                CoverageRun { from: 1, to: 6, state: Coverage::Built },
            ],
            failures: BTreeMap::new(),
        };
        TrendResponse {
            kernel: KernelSummary {
                name: name.parse().expect("a kernel"),
                key: "k".to_owned(),
                targets: Vec::new(),
                configs: Vec::new(),
            },
            config: "c".to_owned(),
            scope: Scope::Function,
            positions: (0, 6),
            commits: Vec::new(),
            series: vec![series],
            left_out: 3,
        }
    }

    #[test]
    fn changes_failed_builds_and_what_is_not_drawn_are_there() {
        let picture = svg(&answer("flex_attention"), "https://lowerline.example/p/triton/trends", Theme::Light);
        for part in [">1,020</text>", ">✕</text>", "3 more lines not drawn", "Fragment staging in SASS", ">sm_100a<"]
        {
            assert!(picture.contains(part), "{part}: {picture}");
        }
        assert_eq!(picture.matches("<circle").count(), 1, "one change");
        assert!(picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>\n"));
    }

    #[test]
    fn foreign_names_stay_text() {
        let picture = svg(&answer("\"><script>alert(1)</script>&"), "", Theme::Light);
        assert!(!picture.contains("<script"), "{picture}");
        assert!(picture.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;"), "{picture}");
    }

    /// Colours that stand out from white are lost on near black: a theme shares none with the other.
    #[test]
    fn a_theme_has_colours_of_its_own() {
        let colours = |theme| {
            let picture = svg(&answer("k"), "", theme);
            let found = picture.split('"').filter(|part| part.starts_with('#') && part.len() == 7);
            found.map(str::to_owned).collect::<std::collections::BTreeSet<String>>()
        };
        let (light, dark) = (colours(Theme::Light), colours(Theme::Dark));
        assert_eq!((light.len(), dark.len()), (5, 5));
        assert!(light.is_disjoint(&dark), "{light:?} {dark:?}");
        assert_eq!("dark".parse(), Ok(Theme::Dark));
        assert!("Dark".parse::<Theme>().is_err());
    }

    #[test]
    fn an_answer_without_lines_says_so() {
        let mut empty = answer("k");
        empty.series.clear();
        empty.left_out = 0;
        assert!(svg(&empty, "", Theme::Light).contains("Nothing is built"));
    }
}
