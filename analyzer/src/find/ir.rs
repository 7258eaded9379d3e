//! What tells configs apart in MLIR text: argument types and attributes, tile shapes.
//!
//! Triton's metadata holds no constexpr and no argument attribute. Both can be read from TTIR in a form that does not
//! depend on the release: types and divisibility of the arguments in order, the shape of the first matrix product, and
//! the lengths of index ranges. Argument names and SSA names are not among it: releases differ in them.

use std::collections::BTreeSet;

/// The public function's arguments, its tile and its constants.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// One code an argument: `pf16@16`, `i32`, `td128x64xf16`.
    pub arguments: Vec<String>,
    /// `MxNxK` of the first `tt.dot`, else distinct range lengths by first appearance; empty without either.
    pub tile: String,
    /// Distinct scalar constants, as spelled: where constexprs such as a group size leave their trace. Not steady enough
    /// over releases for every label, but good to tell two configs of one release apart.
    pub constants: BTreeSet<String>,
}

/// Parts of a list between commas outside brackets and quotes.
fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0_u32, false);
    let mut before = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if before != b'\\' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            // `->` closes nothing.
            b'>' if before != b'-' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
        before = byte;
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The text inside the bracket that opens `text`; `None` when it does not close.
fn bracketed(text: &str) -> Option<&str> {
    let (mut depth, mut quoted, mut before) = (0_u32, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if before != b'\\' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(1..at);
                }
            }
            _ => {}
        }
        before = byte;
    }
    None
}

/// `pf16@16` of `%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc("a_ptr"(#loc))`.
fn argument(text: &str) -> Option<String> {
    let kind = text.split_once(':')?.1.trim();
    let kind = kind.split(" loc(").next()?;
    let (kind, attributes) = kind.split_once(" {").unwrap_or((kind, ""));
    let mut code = match kind.trim() {
        pointer if pointer.starts_with("!tt.ptr<") => {
            // `!tt.ptr<f16, 1>`: the address space was written by early releases only.
            let inner = pointer.strip_prefix("!tt.ptr<")?.trim_end_matches('>');
            format!("p{}", inner.split(',').next()?.trim())
        }
        descriptor if descriptor.starts_with("!tt.tensordesc<") => {
            // Released both as `tensordesc<tensor<64x64xf16, #l>>` and as `tensordesc<64x64xf16, #l>`.
            let inner = descriptor.strip_prefix("!tt.tensordesc<")?;
            let inner = inner.strip_prefix("tensor<").unwrap_or(inner).trim_end_matches('>');
            format!("td{}", inner.split(',').next()?.trim())
        }
        other => other.to_owned(),
    };
    if let Some((_, divisibility)) = attributes.split_once("tt.divisibility = ") {
        let digits: String = divisibility.chars().take_while(char::is_ascii_digit).collect();
        code = format!("{code}@{digits}");
    }
    Some(code.chars().map(|c| if c.is_ascii_alphanumeric() || c == '@' { c } else { '-' }).collect())
}

/// `128x64` of `tensor<128x64xf16, …>`.
fn dimensions(tensor: &str) -> Option<Vec<&str>> {
    let inner = tensor.split_once("tensor<")?.1;
    let inner = inner.split([',', '>']).next()?;
    let parts: Vec<&str> = inner.split('x').collect();
    let (_, sizes) = parts.split_last()?;
    sizes.iter().all(|size| !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit())).then(|| sizes.to_vec())
}

/// `MxNxK` of the line of a `tt.dot`.
fn product(line: &str) -> Option<String> {
    let (operands, result) = line.rsplit_once("->")?;
    let (left, _) = operands.split_once(" * ")?;
    let k = dimensions(left.get(left.rfind("tensor<")?..)?)?;
    let mut sizes = dimensions(result)?;
    sizes.push(k.last()?);
    Some(sizes.join("x"))
}

fn tile(body: &str) -> String {
    if let Some(shape) = body.lines().filter(|line| line.contains("tt.dot")).find_map(product) {
        return shape;
    }
    let mut sizes: Vec<&str> = Vec::new();
    for (_, behind) in body.match_indices("tt.make_range {end = ").map(|(at, found)| (at, body.get(at + found.len()..)))
    {
        let Some(size) = behind.and_then(|behind| behind.split(|c: char| !c.is_ascii_digit()).next()) else { continue };
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    sizes.truncate(6);
    sizes.join("x")
}

/// `8` of `%c8_i32 = arith.constant 8 : i32`; dense and tensor constants are none.
fn constants(body: &str) -> BTreeSet<String> {
    const KEY: &str = "arith.constant ";
    let scalar = |behind: &str| {
        let value = behind.split([' ', '\n']).next()?;
        let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        (plain && !value.is_empty() && value.len() <= 24).then(|| value.to_owned())
    };
    body.match_indices(KEY).filter_map(|(at, _)| scalar(body.get(at + KEY.len()..)?)).collect()
}

/// Reads TTIR, TTGIR or Gluon text; `None` when it has no public function that can be read.
pub fn read(text: &str) -> Option<Shape> {
    let at = text.find("tt.func public @")?;
    let behind = text.get(at..)?;
    let open = behind.get(behind.find('(')?..)?;
    let arguments = bracketed(open)?;
    let body = open.get(arguments.len()..)?;
    Some(Shape {
        arguments: split_list(arguments).into_iter().map(argument).collect::<Option<_>>()?,
        tile: tile(body),
        constants: constants(body),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_does_not_depend_on_names_or_locations() {
        let old = "module { tt.func public @k(%arg0: !tt.ptr<f16> {tt.divisibility = 8 : i32} loc(\"/a,b).py\":1:0), \
                   %arg1: i32 loc(\"x\")) attributes {noinline = false} { } }";
        let new = "tt.func public @k(%a_ptr: !tt.ptr<f16> {tt.divisibility = 8 : i32} loc(\"a_ptr\"(#loc)), %n: i32) {";
        assert_eq!(read(old), read(new));
        assert_eq!(read(old).expect("a function").arguments, ["pf16@8", "i32"]);
    }

    #[test]
    fn descriptors_of_both_spellings_are_one() {
        let spelling = |inner: &str| read(&format!("tt.func public @k(%d: !tt.tensordesc<{inner}>) {{")).expect("one");
        assert_eq!(spelling("tensor<128x64xf16, #shared>").arguments, ["td128x64xf16"]);
        assert_eq!(spelling("tensor<128x64xf16, #shared>"), spelling("128x64xf16, #shared"));
    }

    #[test]
    fn constants_are_scalars_as_spelled() {
        let text = "tt.func public @k() {\n %c8_i32 = arith.constant 8 : i32\n %cst = arith.constant dense<0.0> : tensor<4xf32>\n \
                    %s = arith.constant 1.250000e-01 : f32\n %t = arith.constant true\n";
        let constants = read(text).expect("a function").constants;
        assert_eq!(constants.iter().map(String::as_str).collect::<Vec<_>>(), ["1.250000e-01", "8", "true"]);
    }

    #[test]
    fn a_tile_is_that_of_the_first_product() {
        let text = "tt.func public @k() { \n %3 = tt.make_range {end = 64 : i32, start = 0 : i32}\n %9 = tt.dot %1, %2, %4, \
                    inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32> loc(#l)\n";
        assert_eq!(read(text).expect("a function").tile, "128x256x64");
    }

    #[test]
    fn cut_text_is_nothing_or_less_but_no_panic() {
        let text = "tt.func public @k(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc(\"é\"(#loc))) { tt.make_range {end = 64";
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let _ = read(&text[..at]);
        }
    }
}
