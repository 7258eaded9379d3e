//! Tensor and memory descriptor types, as text.

use super::{
    arguments::{bracketed, split_commas},
    tokens::{Kind, Tokens},
};

/// `tensor<128x64xf16, #blocked>` or `!ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shaped<'a> {
    /// `tensor`, `ttg.memdesc`, `tt.tensordesc`; `""` where the printer leaves it out.
    pub kind: &'a str,
    /// Extents; a dynamic one (`?`) is `None`.
    pub shape: Vec<Option<u64>>,
    /// Element type.
    pub element: &'a str,
    /// Layout as written, `""` when there is none.
    pub layout: &'a str,
    /// Memory space as written (`#smem`), `""` when there is none.
    pub space: &'a str,
    /// Whether it may be written.
    pub mutable: bool,
}

/// Shaped types of a list such as `!ttg.memdesc<…>, i32 -> tensor<…>`, in order; scalars are left out.
pub fn shaped(text: &str) -> Vec<Shaped<'_>> {
    let mut found = Vec::new();
    let mut tokens = Tokens::new(text);
    let mut kind = "";
    while let Some(token) = tokens.next() {
        match token.kind {
            Kind::Word => kind = token.text,
            Kind::Open if token.text == "<" => {
                let close = tokens.by_ref().find(|close| close.kind == Kind::Close && close.depth == token.depth);
                let end = close.map_or(text.len(), |close| close.at);
                found.extend(text.get(token.end()..end).and_then(|inner| read(kind, inner)));
                kind = "";
            }
            _ => kind = "",
        }
    }
    found
}

fn read<'a>(kind: &'a str, inner: &'a str) -> Option<Shaped<'a>> {
    let mut parts = split_commas(inner);
    let mut rest = parts.next()?;
    let mut shape = Vec::new();
    while let Some((extent, behind)) = rest.split_once('x') {
        let extent = match extent {
            "?" => None,
            digits => Some(digits.parse().ok()?),
        };
        shape.push(extent);
        rest = behind;
        if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '?') {
            break;
        }
    }
    if shape.is_empty() {
        return None;
    }
    let mut found = Shaped { kind, shape, element: rest, layout: "", space: "", mutable: false };
    for part in parts {
        match part {
            "mutable" => found.mutable = true,
            _ if !part.starts_with('#') => {}
            _ if found.layout.is_empty() => found.layout = part,
            _ => found.space = part,
        }
    }
    Some(found)
}

/// What stands behind the last `->` or ` to ` outside brackets.
pub(super) fn behind_arrow(types: &str) -> Option<&str> {
    let arrow = Tokens::new(types)
        .filter(|token| {
            token.depth == 0 && (token.kind == Kind::Arrow || (token.kind == Kind::Word && token.text == "to"))
        })
        .last()?;
    types.get(arrow.end()..).map(str::trim)
}

/// The body of a layout: `#ttg.slice<{dim = 1, parent = #mma}>` → `dim = 1, parent = #mma`. Memory spaces have none.
pub fn layout_body(layout: &str) -> Option<&str> {
    let inner = bracketed(layout, "<")?.trim();
    Some(inner.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner).trim())
}

/// One parameter of a layout's body, as text: `warpsPerCTA` → `[8, 1]`.
pub fn layout_parameter<'a>(layout: &'a str, name: &str) -> Option<&'a str> {
    split_commas(layout_body(layout)?).find_map(|entry| {
        let (key, value) = entry.split_once('=')?;
        (key.trim() == name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_spaces_and_scalars() {
        let text = "!ttg.memdesc<3x128x64xf16, #shared1, #smem, mutable>, i32 -> tensor<128x?x!tt.ptr<f16>, #blocked>";
        let [descriptor, tensor] = &shaped(text)[..] else { panic!("two types") };
        assert_eq!(descriptor.shape, [Some(3), Some(128), Some(64)]);
        assert_eq!((descriptor.layout, descriptor.space, descriptor.mutable), ("#shared1", "#smem", true));
        assert_eq!((descriptor.kind, tensor.kind), ("ttg.memdesc", "tensor"));
        assert_eq!((tensor.shape.as_slice(), tensor.element), (&[Some(128), None][..], "!tt.ptr<f16>"));
        assert_eq!(behind_arrow("tensor<4xf32, #a> to tensor<4xf16, #a>"), Some("tensor<4xf16, #a>"));
    }

    #[test]
    fn parameters_of_layouts() {
        let layout =
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>";
        assert_eq!(layout_parameter(layout, "instrShape"), Some("[16, 64, 16]"));
        assert_eq!(layout_parameter("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64>", "blockN"), Some("64"));
        assert_eq!(layout_body("#ttg.shared_memory"), None);
    }
}
