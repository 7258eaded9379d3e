//! As much MessagePack as AMD's metadata note needs, without recursion: values are skipped by counting.

/// One value's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Any integer that fits.
    Integer(i64),
    /// `true` or `false`.
    Bool(bool),
    /// Text or raw bytes.
    Text(&'a [u8]),
    /// So many values follow.
    Array(u32),
    /// So many key–value pairs follow.
    Map(u32),
    /// Nil, a float, or an extension.
    Other,
}

/// Reads values one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// From the first byte on.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(head)
    }

    fn unsigned(&mut self, width: usize) -> Option<u64> {
        Some(self.take(width)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    /// Of a width of 1, 2, 4 or 8 bytes: moved to the top and back, so that the sign is kept.
    fn signed(&mut self, width: usize) -> Option<i64> {
        let shift = 64 - 8 * u32::try_from(width).ok()?;
        Some((self.unsigned(width)? << shift).cast_signed() >> shift)
    }

    fn count(&mut self, width: usize) -> Option<u32> {
        u32::try_from(self.unsigned(width)?).ok()
    }

    fn counted(&mut self, width: usize) -> Option<&'a [u8]> {
        let length = self.length(width)?;
        self.take(length)
    }

    fn length(&mut self, width: usize) -> Option<usize> {
        usize::try_from(self.unsigned(width)?).ok()
    }

    /// The next head; `None` at the end or in the middle of a value.
    pub fn next(&mut self) -> Option<Value<'a>> {
        let tag = *self.take(1)?.first()?;
        Some(match tag {
            0x00..=0x7f => Value::Integer(i64::from(tag)),
            0x80..=0x8f => Value::Map(u32::from(tag & 0x0f)),
            0x90..=0x9f => Value::Array(u32::from(tag & 0x0f)),
            0xa0..=0xbf => Value::Text(self.take(usize::from(tag & 0x1f))?),
            0xc2 | 0xc3 => Value::Bool(tag == 0xc3),
            0xc4 | 0xd9 => Value::Text(self.counted(1)?),
            0xc5 | 0xda => Value::Text(self.counted(2)?),
            0xc6 | 0xdb => Value::Text(self.counted(4)?),
            0xc7..=0xc9 => {
                let length = self.length(1 << (tag - 0xc7))?;
                self.take(length.checked_add(1)?)?;
                Value::Other
            }
            0xca => self.take(4).map(|_| Value::Other)?,
            0xcb => self.take(8).map(|_| Value::Other)?,
            0xcc..=0xcf => {
                let value = self.unsigned(1 << (tag - 0xcc))?;
                i64::try_from(value).map_or(Value::Other, Value::Integer)
            }
            0xd0..=0xd3 => Value::Integer(self.signed(1 << (tag - 0xd0))?),
            0xd4..=0xd8 => self.take((1 << (tag - 0xd4)) + 1).map(|_| Value::Other)?,
            0xdc => Value::Array(self.count(2)?),
            0xdd => Value::Array(self.count(4)?),
            0xde => Value::Map(self.count(2)?),
            0xdf => Value::Map(self.count(4)?),
            0xe0..=0xff => Value::Integer(i64::from(tag.cast_signed())),
            0xc0 | 0xc1 => Value::Other,
        })
    }

    /// Skips what belongs to a head already read. Every value takes a byte at least, so this ends with the input.
    pub fn skip(&mut self, head: Value<'a>) -> Option<()> {
        let children = |head: Value<'_>| match head {
            Value::Array(count) => u64::from(count),
            Value::Map(count) => 2 * u64::from(count),
            _ => 0,
        };
        let mut pending = children(head);
        while pending > 0 {
            let next = self.next()?;
            pending = pending - 1 + children(next);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_values_are_skipped_by_counting() {
        // {"a": [1, {"b": -1}], "c": 300}
        let bytes = [0x82, 0xa1, b'a', 0x92, 1, 0x81, 0xa1, b'b', 0xff, 0xa1, b'c', 0xcd, 1, 44];
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.next(), Some(Value::Map(2)));
        assert_eq!(reader.next(), Some(Value::Text(b"a")));
        let list = reader.next().expect("the list");
        assert_eq!(reader.skip(list), Some(()));
        assert_eq!(reader.next(), Some(Value::Text(b"c")));
        assert_eq!(reader.next(), Some(Value::Integer(300)));
        assert_eq!(reader.next(), None);
    }

    #[test]
    fn signs_are_kept() {
        let mut reader = Reader::new(&[0xd0, 0xfe, 0xd1, 0xff, 0x00, 0xcc, 0xfe]);
        let values: Vec<_> = std::iter::from_fn(|| reader.next()).collect();
        assert_eq!(values, [Value::Integer(-2), Value::Integer(-256), Value::Integer(254)]);
    }

    #[test]
    fn a_claim_of_four_billion_values_ends_with_the_input() {
        let mut reader = Reader::new(&[0xdd, 0xff, 0xff, 0xff, 0xff, 1]);
        let head = reader.next().expect("a head");
        assert_eq!(reader.skip(head), None);
    }
}
