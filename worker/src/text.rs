//! Artifacts as text, and what each line is.

use std::collections::BTreeMap;

use lowerline_analyzer::{
    Budget, Limits,
    annotate::{Annotations, annotate, file_name},
    decode, layout, mlir,
};
use lowerline_shared::{
    stage::Stage,
    worker::{LineNote, PlaceNote, SourceCount, TextNotes},
};

/// The stage whose syntax the text of a stage has: our disassembly of a cubin is SASS.
pub const fn shown_as(stage: Stage) -> Stage {
    match stage {
        Stage::Cubin => Stage::Sass,
        other => other,
    }
}

/// The text of an artifact; of a cubin, our disassembly.
pub fn plain(stage: Stage, bytes: Vec<u8>) -> Result<String, String> {
    match stage {
        Stage::Cubin => {
            let mut budget = Budget::new(&Limits::default());
            decode::cubin_disassembly(&bytes, &mut budget).map_err(|error| error.to_string())
        }
        Stage::Hsaco => Err("an hsaco is binary, and its code is not decoded: look at AMDGCN".to_owned()),
        _ => {
            Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
        }
    }
}

/// Text, what is known of it, and the packed notes of its lines.
pub fn read(stage: Stage, bytes: Vec<u8>) -> Result<(String, TextNotes, Vec<u32>), String> {
    let annotations = annotate(stage, &bytes, &Limits::default());
    let text = plain(stage, bytes)?;
    Ok(match annotations {
        Ok(annotations) if stage == Stage::Cubin => {
            let annotations = annotations.by_line(&text);
            with_notes(text, &annotations)
        }
        Ok(annotations) if stage == Stage::Ttgir => {
            let layouts = mlir::parse(&text, stage, &mut Budget::new(&Limits::default()))
                .map(|module| layout::notes(&text, &module))
                .unwrap_or_default();
            let (text, notes, lines) = with_notes(text, &annotations);
            (text, TextNotes { layouts, ..notes }, lines)
        }
        Ok(annotations) => with_notes(text, &annotations),
        Err(why) => (text, TextNotes { warning: Some(why.to_string()), ..TextNotes::default() }, Vec::new()),
    })
}

fn with_notes(text: String, annotations: &Annotations) -> (String, TextNotes, Vec<u32>) {
    let mut lines = vec![LineNote::default(); text.lines().count()];
    let mut sources: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
    for row in &annotations.rows {
        let depth = annotations.innermost(row).map_or(0, |around| around.depth);
        if let Some(place) = row.place.and_then(|place| annotations.places.get(place as usize)) {
            let (count, in_loop) = sources.entry((place.file, place.line)).or_default();
            *count += 1;
            *in_loop += u32::from(depth > 0);
        }
        let Some(line) = lines.get_mut((row.at as usize).wrapping_sub(1)) else { continue };
        let block = annotations.block(row);
        // Of several instructions on one line, the first speaks for it.
        if line.function.is_none() && line.place.is_none() {
            *line = LineNote {
                place: row.place,
                family: row.family,
                depth,
                hot: block.is_some_and(|block| block.hot),
                function: block.and_then(|block| block.function),
            };
        }
    }
    let notes = TextNotes {
        files: annotations.files.iter().map(|path| file_name(path).to_owned()).collect(),
        places: annotations
            .places
            .iter()
            .map(|place| PlaceNote { file: place.file, line: place.line, column: place.column, caller: place.caller })
            .collect(),
        functions: annotations.functions.iter().map(|function| function.name.clone()).collect(),
        sources: sources
            .into_iter()
            .map(|((file, line), (count, in_loop))| SourceCount { file, line, count, in_loop })
            .collect(),
        ..TextNotes::default()
    };
    (text, notes, lines.into_iter().flat_map(LineNote::pack).collect())
}
