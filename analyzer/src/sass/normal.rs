//! The normal digest of SASS text: instructions without addresses, encodings, scheduling text and source lines; labels
//! by first use. Register names are kept: they are the machine's.

use lowerline_shared::ids::Digest;

use crate::{AnalyzeError, Budget, normal::text::Chunks};

/// Equal for texts of one form that differ in label numbers, line information or function order.
pub(super) fn digest(text: &str, budget: &mut Budget) -> Result<Digest, AnalyzeError> {
    let mut chunks = Chunks::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(name) = heading(line) {
            chunks.cut(budget)?;
            chunks.token(name, budget)?;
        } else if let Some(label) = label(line) {
            if !label.starts_with(".text.") {
                chunks.name(b':', label, budget)?;
            }
        } else if let Some(code) = code(line) {
            instruction(code, &mut chunks, budget)?;
        }
    }
    chunks.finish(budget)
}

/// A function begins: its own label comes after `.type name,@function`.
fn heading(line: &str) -> Option<&str> {
    if let Some(name) = line.strip_prefix("Function : ").or_else(|| line.strip_prefix("Function:")) {
        return Some(name.trim());
    }
    let rest = line.strip_prefix(".type")?;
    rest.split("//").next()?.trim().strip_suffix(",@function")
}

fn label(line: &str) -> Option<&str> {
    let code = line.split("//").next()?.trim_end();
    code.strip_suffix(':').filter(|name| !name.contains([' ', '\t']))
}

/// The instruction of a line, without address, control fields, encoding and ruler.
fn code(line: &str) -> Option<&str> {
    let behind = match line.strip_prefix("/*") {
        Some(rest) => {
            let (address, behind) = rest.split_once("*/")?;
            address.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(behind)?
        }
        None => {
            let (control, behind) = line.split_at_checked(10)?;
            super::control::from_text(control.as_bytes())?;
            behind
        }
    };
    let end = behind.find(';')?;
    Some(behind[..end].trim())
}

fn instruction<'a>(code: &'a str, chunks: &mut Chunks<'a>, budget: &mut Budget) -> Result<(), AnalyzeError> {
    for word in code.split([' ', '\t']).filter(|word| !word.is_empty()) {
        let bare = word.trim_end_matches(',');
        let inner = bare.strip_prefix("`(").and_then(|inner| inner.strip_suffix(')'));
        match inner.or_else(|| bare.starts_with("LBB").then_some(bare)) {
            Some(label) => chunks.name(b'`', label, budget)?,
            None => chunks.token(word, budget)?,
        }
    }
    chunks.token(";", budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn of(text: &str) -> Digest {
        digest(text, &mut Budget::new(&Limits::default())).expect("within the limits")
    }

    #[test]
    fn labels_lines_and_encodings_do_not_show() {
        let plain = ".L_x_3:\n /*0010*/  @P0 BRA `(.L_x_3) ;\n /*0020*/  MOV R1, R2 ;\n";
        let other = "\t//## File \"/a.py\", line 3\n.L_x_9:\n /*0010*/  @P0 BRA `(.L_x_9) ; /* 0x0000000000901947 */\n\
            /* 0x000fea0003800000 */\n /*0020*/  MOV R1,  R2 ; // |\n";
        assert_eq!(of(plain), of(other));
        assert_ne!(of(plain), of(&plain.replace("R2", "R3")));
    }
}
