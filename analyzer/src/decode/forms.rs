//! How operands print: the committed forms.
//!
//! `tables/forms.bin` is data learnt from pairs (word, printed text) by `tables/derive/forms.py`. A form is a template for the
//! words of one key that agree in all bits outside the fields it prints. A word with a value never seen there has no form,
//! and its operands stay unknown: nothing is generalised over bits whose meaning was not seen.
//!
//! Little-endian: magic `LLFORM1\n`; architectures (count u8, numbers u8); masks (count u16, 12 bytes from bit 16 on each);
//! templates (count u16; length u8, bytes: text, or a byte from 0x80 on with kind in its low bits, first bit, width and
//! scale of a field behind it); forms (count u16; key u16, mask u16, value of 12 bytes from bit 16 on, template u16, conditions
//! u16, architectures u16 as one bit each). Conditions have two bits for each distinct field in order: 1 where the field
//! was seen without its special value, 2 with it.

use std::{collections::BTreeMap, fmt::Write as _, sync::OnceLock};

use super::word::Word;

static BYTES: &[u8] = include_bytes!("../../tables/forms.bin");
const MAGIC: &[u8] = b"LLFORM1\n";
/// Marks a field in a template.
const FIELD: u8 = 0x80;
/// First bit a form looks at: key and guard lie below.
const FIRST: u32 = 16;
/// Bytes of a mask or value.
const WIDE: usize = 12;

/// A place in the word and how it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Field {
    kind: Kind,
    at: u8,
    width: u8,
    scale: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Register,
    Uniform,
    Predicate,
    UniformPredicate,
    Barrier,
    Scoreboard,
    Hex,
    Signed,
    Float,
    /// Prints alike signed and unsigned as long as its top bit is clear; set, it was never seen.
    Small,
}

#[derive(Debug)]
enum Piece {
    Text(&'static str),
    Field(Field),
}

#[derive(Debug)]
struct Template {
    pieces: Vec<Piece>,
    /// Distinct fields in the order the conditions have.
    fields: Vec<Field>,
}

#[derive(Clone, Copy, Debug)]
struct Form {
    template: u16,
    conditions: u16,
    architectures: u16,
}

/// All forms.
#[derive(Debug)]
struct Forms {
    architectures: Vec<u32>,
    templates: Vec<Template>,
    /// Masks by key.
    masks: BTreeMap<u16, Vec<u128>>,
    /// By key, mask and value.
    by_word: BTreeMap<(u16, u128, u128), Vec<Form>>,
}

fn forms() -> Option<&'static Forms> {
    static FORMS: OnceLock<Option<Forms>> = OnceLock::new();
    FORMS.get_or_init(|| Forms::parse(BYTES)).as_ref()
}

/// The operands of a word as a disassembler prints them, without `.reuse`; `None` where they are not known.
pub fn printed(sm: u32, word: Word) -> Option<String> {
    let forms = forms()?;
    let at = forms.architectures.iter().position(|known| *known == sm)?;
    let mut found: Option<String> = None;
    for &mask in forms.masks.get(&word.key())? {
        let fixed = (word.0 & LOOKED_AT) & !mask;
        for form in forms.by_word.get(&(word.key(), mask, fixed)).into_iter().flatten() {
            if form.architectures >> at & 1 == 0 {
                continue;
            }
            let template = forms.templates.get(usize::from(form.template))?;
            if !template.holds(form.conditions, word) {
                continue;
            }
            let text = template.text(word)?;
            if found.as_ref().is_some_and(|other| *other != text) {
                return None;
            }
            found = Some(text);
        }
    }
    found
}

/// Bits 16 to 104.
const LOOKED_AT: u128 = ((1 << 105) - 1) & !0xFFFF;

impl Forms {
    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut reader = Reader { bytes: bytes.strip_prefix(MAGIC)? };
        let count = usize::from(reader.u8()?);
        let architectures = reader.take(count)?.iter().map(|&sm| u32::from(sm)).collect();
        let mut masks = Vec::new();
        for _ in 0..reader.u16()? {
            masks.push(reader.wide()?);
        }
        let mut templates = Vec::new();
        for _ in 0..reader.u16()? {
            let length = usize::from(reader.u8()?);
            templates.push(Template::parse(reader.take(length)?)?);
        }
        let mut all = Self { architectures, templates, masks: BTreeMap::new(), by_word: BTreeMap::new() };
        for _ in 0..reader.u16()? {
            let (key, mask) = (reader.u16()?, *masks.get(usize::from(reader.u16()?))?);
            let value = reader.wide()?;
            let form = Form { template: reader.u16()?, conditions: reader.u16()?, architectures: reader.u16()? };
            let of_key = all.masks.entry(key).or_default();
            if !of_key.contains(&mask) {
                of_key.push(mask);
            }
            all.by_word.entry((key, mask, value)).or_default().push(form);
        }
        reader.bytes.is_empty().then_some(all)
    }
}

impl Template {
    fn parse(mut bytes: &'static [u8]) -> Option<Self> {
        let mut pieces = Vec::new();
        while let Some((&first, rest)) = bytes.split_first() {
            if first >= FIELD {
                let (&[at, width, scale], rest) = rest.split_first_chunk::<3>()?;
                let inside = width > 0 && width <= 64 && u32::from(at) + u32::from(width) <= u128::BITS;
                let field = inside.then_some(Field { kind: Kind::from_code(first & !FIELD)?, at, width, scale })?;
                pieces.push(Piece::Field(field));
                bytes = rest;
            } else {
                let end = bytes.iter().position(|byte| *byte >= FIELD).unwrap_or(bytes.len());
                let (text, rest) = bytes.split_at(end);
                pieces.push(Piece::Text(std::str::from_utf8(text).ok()?));
                bytes = rest;
            }
        }
        let fields =
            pieces.iter().filter_map(|piece| if let Piece::Field(field) = piece { Some(*field) } else { None });
        let mut fields: Vec<Field> = fields.collect();
        fields.sort_unstable();
        fields.dedup();
        Some(Self { pieces, fields })
    }

    /// Whether each field's value is special only where that was seen, and plain only where that was.
    fn holds(&self, conditions: u16, word: Word) -> bool {
        let mut left = conditions;
        self.fields.iter().all(|field| {
            let seen = left & 3;
            left >>= 2;
            seen & if field.is_special(word) { 2 } else { 1 } != 0
        })
    }

    fn text(&self, word: Word) -> Option<String> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Field(field) => field.show(word, &mut out)?,
            }
        }
        Some(out)
    }
}

impl Kind {
    const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Register,
            2 => Self::Uniform,
            3 => Self::Predicate,
            4 => Self::UniformPredicate,
            5 => Self::Barrier,
            6 => Self::Scoreboard,
            7 => Self::Hex,
            8 => Self::Signed,
            9 => Self::Float,
            10 => Self::Small,
            _ => return None,
        })
    }

    /// Name of a register file, and of its last register where that has one.
    const fn file(self) -> Option<(&'static str, Option<&'static str>)> {
        Some(match self {
            Self::Register => ("R", Some("RZ")),
            Self::Uniform => ("UR", Some("URZ")),
            Self::Predicate => ("P", Some("PT")),
            Self::UniformPredicate => ("UP", Some("UPT")),
            Self::Barrier => ("B", None),
            Self::Scoreboard => ("SB", None),
            Self::Hex | Self::Signed | Self::Float | Self::Small => return None,
        })
    }
}

impl Field {
    const fn value(self, word: Word) -> u64 {
        word.bits(self.at as u32, self.width as u32)
    }

    const fn last(self) -> u64 {
        u64::MAX >> (64 - self.width as u32)
    }

    /// RZ, URZ, PT, UPT, or zero.
    fn is_special(self, word: Word) -> bool {
        let named = self.kind.file().is_some_and(|(_, last)| last.is_some());
        self.value(word) == if named { self.last() } else { 0 }
    }

    fn show(self, word: Word, out: &mut String) -> Option<()> {
        let value = self.value(word);
        if let Some((name, last)) = self.kind.file() {
            match last {
                Some(last) if value == self.last() => out.push_str(last),
                _ => write!(out, "{name}{value}").ok()?,
            }
            return Some(());
        }
        let negative = value >> (self.width - 1) == 1;
        match self.kind {
            Kind::Float => out.push_str(&decimal(u32::try_from(value).ok()?)?),
            Kind::Small if negative => return None,
            Kind::Signed if negative => write!(out, "-{:#x}", (self.last() - value).checked_add(1)?).ok()?,
            _ => write!(out, "{:#x}", value.checked_mul(u64::from(self.scale))?).ok()?,
        }
        Some(())
    }
}

/// A 32-bit float with at most twenty significant digits; `None` where the printed form was not seen: exponents, minus
/// zero, infinities and what is no number.
fn decimal(bits: u32) -> Option<String> {
    /// Digits before the first that is cut.
    const DIGITS: usize = 20;
    let number = f64::from(f32::from_bits(bits));
    let size = number.abs();
    if !number.is_finite() || size >= 1e15 || (size > 0.0 && size < 1e-4) || bits == 1 << 31 {
        return None;
    }
    if bits == 0 {
        return Some("0".to_owned());
    }
    // `d.ddd…e±x` has the digits correctly rounded; places behind the point follow from the exponent.
    let scientific = format!("{number:.*e}", DIGITS - 1);
    let exponent: i32 = scientific.split_once('e')?.1.parse().ok()?;
    let places = usize::try_from(19 - exponent).unwrap_or(0);
    let plain = format!("{number:.places$}");
    let short = if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.') } else { &plain };
    Some(short.to_owned())
}

struct Reader {
    bytes: &'static [u8],
}

impl Reader {
    fn take(&mut self, count: usize) -> Option<&'static [u8]> {
        let (head, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    /// Bits from [`FIRST`] on.
    fn wide(&mut self) -> Option<u128> {
        let mut bytes = [0; 16];
        bytes[..WIDE].copy_from_slice(self.take(WIDE)?);
        Some(u128::from_le_bytes(bytes) << FIRST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_forms_are_whole() {
        let forms = forms().expect("forms parse");
        assert!(forms.by_word.len() > 100);
        for form in forms.by_word.values().flatten() {
            let template = &forms.templates[usize::from(form.template)];
            assert!(template.fields.len() <= 8, "conditions of a form have room for eight fields");
        }
    }

    #[test]
    fn floats_print_with_twenty_digits() {
        for (value, text) in [
            (0x3FB8_AA3B, "1.4426950216293334961"),
            (0x3DB5_04F3, "0.08838834613561630249"),
            (0x3E80_0000, "0.25"),
            (0xC2FC_0000, "-126"),
            (0, "0"),
        ] {
            assert_eq!(decimal(value).as_deref(), Some(text));
        }
        assert_eq!(decimal(0x7E80_0000), None);
    }
}
