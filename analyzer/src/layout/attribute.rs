//! The text of an MLIR layout attribute as a small tree: `#ttg.slice<{dim = 1, parent = #mma}>`.
//!
//! Reads what Triton's printers write, in both spellings of the dialect (`triton_gpu.` of 3.2, `ttg.` since). Knows no
//! layout; [`super::encoding`] gives the fields their meaning.

use std::collections::BTreeMap;

use super::error::LayoutError;

/// How deep attributes may nest, aliases included. Triton's own nest three deep (slice of slice of an alias).
pub const DEPTH: u32 = 16;
/// Values of one attribute, those of its aliases counted each time they are used: aliases that name each other several
/// times over would grow without bound otherwise. A linear layout of 24 bits in five dimensions has 150.
const VALUES: u32 = 4_096;

/// Alias → attribute text (`mma1` → `#ttg.nvidia_mma<{…}>`), names without `#`.
pub type Aliases<'a> = BTreeMap<&'a str, &'a str>;

/// Definitions (`#mma = #ttg.nvidia_mma<{…}>`, one a line, as in the head of a module) and the layout behind them; without
/// one, the last that is defined.
pub fn definitions(text: &str) -> (Aliases<'_>, &str) {
    let mut aliases = Aliases::new();
    let mut rest = text.trim();
    let mut last = "";
    while let Some((name, body)) = definition(rest) {
        let (body, behind) = body.split_once('\n').unwrap_or((body, ""));
        last = body.trim();
        aliases.insert(name, last);
        rest = behind.trim_start();
    }
    (aliases, if rest.is_empty() { last } else { rest })
}

/// Name and all behind `=`.
fn definition(text: &str) -> Option<(&str, &str)> {
    let (name, body) = text.strip_prefix('#')?.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, body))
}

/// An attribute with its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Kind without the dialect: `blocked` for both `#ttg.blocked` and `#triton_gpu.blocked`.
    pub kind: &'a str,
    /// Fields by name.
    pub fields: BTreeMap<&'a str, Value<'a>>,
    /// Pairs of `[interval:+padding, …]`, for padded shared layouts.
    pub pads: Vec<(u64, u64)>,
}

/// Value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number without sign.
    Number(u64),
    /// `true` or `false`.
    Bool(bool),
    /// `[…]`.
    List(Vec<Value<'a>>),
    /// `{name = value, …}`.
    Fields(BTreeMap<&'a str, Value<'a>>),
    /// A nested attribute.
    Attribute(Attribute<'a>),
}

impl<'a> Attribute<'a> {
    /// Reads one attribute (`#ttg.blocked<{…}>`, or an alias) and demands that nothing follows it.
    pub fn parse(text: &'a str, aliases: &Aliases<'a>) -> Result<Self, LayoutError> {
        let mut reader = Reader { text, at: 0, aliases, depth: 0, left: VALUES };
        let attribute = reader.attribute()?;
        reader.spaces();
        if reader.at == text.len() { Ok(attribute) } else { Err(reader.expected("the end of the attribute")) }
    }

    /// Reads the attribute a text starts with and returns it with the rest of the text.
    pub fn parse_prefix(text: &'a str, aliases: &Aliases<'a>) -> Result<(Self, &'a str), LayoutError> {
        let mut reader = Reader { text, at: 0, aliases, depth: 0, left: VALUES };
        let attribute = reader.attribute()?;
        Ok((attribute, reader.rest()))
    }
}

struct Reader<'a, 'b> {
    text: &'a str,
    at: usize,
    aliases: &'b Aliases<'a>,
    depth: u32,
    left: u32,
}

impl<'a> Reader<'a, '_> {
    fn attribute(&mut self) -> Result<Attribute<'a>, LayoutError> {
        self.demand("#")?;
        let name = self.name()?;
        if self.depth >= DEPTH {
            return Err(LayoutError::TooDeep);
        }
        let Some((_, kind)) = name.rsplit_once('.') else {
            let text = *self.aliases.get(name).ok_or_else(|| LayoutError::unknown_alias(name))?;
            let mut meant = Reader { text, at: 0, aliases: self.aliases, depth: self.depth + 1, left: self.left };
            let attribute = meant.attribute()?;
            self.left = meant.left;
            return Ok(attribute);
        };
        let mut attribute = Attribute { kind, ..Attribute::default() };
        if self.take("<") {
            self.depth += 1;
            self.body(&mut attribute)?;
            self.depth -= 1;
        }
        Ok(attribute)
    }

    /// The part between `<` and `>`.
    fn body(&mut self, attribute: &mut Attribute<'a>) -> Result<(), LayoutError> {
        loop {
            if self.take(">") {
                return Ok(());
            }
            if self.take("[") {
                self.pads(&mut attribute.pads)?;
            } else if self.take("{") {
                attribute.fields.append(&mut self.fields()?);
            } else {
                let (name, value) = self.entry()?;
                attribute.fields.insert(name, value);
            }
            self.take(",");
        }
    }

    fn pads(&mut self, pads: &mut Vec<(u64, u64)>) -> Result<(), LayoutError> {
        while !self.take("]") {
            self.left = self.left.checked_sub(1).ok_or(LayoutError::TooDeep)?;
            let interval = self.number()?;
            self.demand(":+")?;
            pads.push((interval, self.number()?));
            self.take(",");
        }
        Ok(())
    }

    /// Entries up to `}`, behind `{`.
    fn fields(&mut self) -> Result<BTreeMap<&'a str, Value<'a>>, LayoutError> {
        let mut fields = BTreeMap::new();
        while !self.take("}") {
            let (name, value) = self.entry()?;
            fields.insert(name, value);
            self.take(",");
        }
        Ok(fields)
    }

    fn entry(&mut self) -> Result<(&'a str, Value<'a>), LayoutError> {
        let name = self.name()?;
        self.demand("=")?;
        Ok((name, self.value()?))
    }

    fn value(&mut self) -> Result<Value<'a>, LayoutError> {
        if self.depth >= DEPTH {
            return Err(LayoutError::TooDeep);
        }
        self.left = self.left.checked_sub(1).ok_or(LayoutError::TooDeep)?;
        self.depth += 1;
        self.spaces();
        let value = match self.rest().bytes().next() {
            Some(b'#') => Value::Attribute(self.attribute()?),
            Some(b'[') => Value::List(self.list()?),
            Some(b'{') => {
                self.demand("{")?;
                Value::Fields(self.fields()?)
            }
            Some(b'0'..=b'9') => Value::Number(self.number()?),
            _ if self.take("true") => Value::Bool(true),
            _ if self.take("false") => Value::Bool(false),
            _ => return Err(self.expected("a number, true, false, a list or an attribute")),
        };
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self) -> Result<Vec<Value<'a>>, LayoutError> {
        self.demand("[")?;
        let mut list = Vec::new();
        while !self.take("]") {
            list.push(self.value()?);
            self.take(",");
        }
        Ok(list)
    }

    /// A number, with the `: i32` behind it when there is one.
    fn number(&mut self) -> Result<u64, LayoutError> {
        self.spaces();
        let digits = self.span(|byte| byte.is_ascii_digit());
        let number = digits.parse().map_err(|_| self.expected("a number"))?;
        if self.rest().trim_start().starts_with(": i") {
            self.demand(": i")?;
            self.span(|byte| byte.is_ascii_digit());
        }
        Ok(number)
    }

    fn name(&mut self) -> Result<&'a str, LayoutError> {
        self.spaces();
        let name = self.span(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'));
        if name.is_empty() { Err(self.expected("a name")) } else { Ok(name) }
    }

    fn span(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| !wanted(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn spaces(&mut self) {
        self.span(|byte| byte.is_ascii_whitespace());
    }

    fn take(&mut self, token: &str) -> bool {
        self.spaces();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn demand(&mut self, token: &'static str) -> Result<(), LayoutError> {
        if self.take(token) { Ok(()) } else { Err(self.expected(token)) }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    const fn expected(&self, expected: &'static str) -> LayoutError {
        LayoutError::Syntax { at: self.at, expected }
    }
}
