//! File names: which stage and form an artifact claims to be, and why another file is left out.

use lowerline_shared::stage::Stage;

/// Text forms of SASS by the word before `.sass`: what `nvdisasm -hex`, `-plr`, `-g`, `cuobjdump` and Triton write.
const SASS_FORMS: [&str; 5] = ["hex", "plr", "lines", "cuobjdump", "triton"];

/// Stage and form of the part of a name behind `<function>.`; `None` when it is no artifact.
pub fn artifact(ending: &str) -> Option<(Stage, &'static str)> {
    if let Some(stage) = Stage::from_id(ending) {
        return Some((stage, ""));
    }
    let form = ending.strip_suffix(".sass")?;
    SASS_FORMS.into_iter().find(|known| *known == form).map(|form| (Stage::Sass, form))
}

/// Why a file is left out: its ending, when that is short enough to be one, or what it lacks.
pub fn skip_reason(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((_, ending)) if Stage::from_id(ending).is_some() => format!(".{ending} without metadata beside it"),
        Some((_, ending)) if ending.len() <= 12 && ending.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            format!(".{ending}")
        }
        _ => "other names".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_name_stage_and_form() {
        assert_eq!(artifact("ptx"), Some((Stage::Ptx, "")));
        assert_eq!(artifact("hex.sass"), Some((Stage::Sass, "hex")));
        assert_eq!(artifact("old.sass"), None);
        assert_eq!(artifact("hex.ptx"), None);
        assert_eq!(artifact("py"), None);
    }
}
