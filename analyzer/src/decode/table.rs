//! The committed tables: one decision diagram for all architectures.
//!
//! `tables/sass.bin` is data learnt from pairs (word, printed text); `tables/README.md` says how. A node asks one
//! [`Feature`] of the word; its two edges carry a part of the mnemonic. A path that ends in `REFUSED` is a combination
//! never printed: the word is unknown. One that ends in `BASE` was printed with a placeholder for a modifier.

use std::sync::OnceLock;

use super::{feature::Feature, word::Word};

static BYTES: &[u8] = include_bytes!("../../tables/sass.bin");
const MAGIC: &[u8] = b"LLSASS1\n";
const END: u16 = 0xFFFF;
const REFUSED: u16 = 0xFFFE;
const BASE: u16 = 0xFFFD;
const KEYS: usize = 4096;
/// No path asks more features than this; a longer one would be a cycle in broken data.
const MAX_PATH: usize = 255;
/// Ends a name of which only the first part is known.
const UNCERTAIN: &str = ".?";

#[derive(Debug)]
struct Node {
    feature: Feature,
    text: [u16; 2],
    next: [u16; 2],
}

#[derive(Clone, Copy, Debug)]
struct Root {
    text: u16,
    next: u16,
}

/// All tables.
#[derive(Debug)]
pub struct Tables {
    texts: Vec<&'static str>,
    nodes: Vec<Node>,
    architectures: Vec<Architecture>,
}

/// What one architecture's table knows.
#[derive(Debug)]
pub struct Architecture {
    sm: u32,
    /// By key; 0 is none, else one more than the index into `roots`.
    index: Vec<u16>,
    roots: Vec<Root>,
    /// The bits that decide, by key: words equal in these have one mnemonic.
    masks: Vec<u128>,
}

/// The committed tables, read at first use. `None` only when the committed data is broken, which a test rules out.
pub fn tables() -> Option<&'static Tables> {
    static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| Tables::parse(BYTES)).as_ref()
}

impl Tables {
    /// The table of an architecture (`90` for `sm_90` and `sm_90a`); `None` when there is none.
    pub fn architecture(&self, sm: u32) -> Option<&Architecture> {
        self.architectures.iter().find(|architecture| architecture.sm == sm)
    }

    /// The architectures there are tables for, ascending.
    pub fn known(&self) -> impl Iterator<Item = u32> {
        self.architectures.iter().map(|architecture| architecture.sm)
    }

    /// Number of keys of an architecture.
    pub fn keys(&self, sm: u32) -> usize {
        self.architecture(sm).map_or(0, |architecture| architecture.roots.len())
    }

    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut reader = Reader { bytes: bytes.strip_prefix(MAGIC)? };
        let (text_count, node_count) = (reader.u16()?, reader.u16()?);
        let mut texts = Vec::with_capacity(usize::from(text_count));
        for _ in 0..text_count {
            let length = usize::from(reader.u8()?);
            texts.push(std::str::from_utf8(reader.take(length)?).ok()?);
        }
        let text_known = |text: u16| (text < text_count).then_some(text);
        let node_known = |node: u16| (node < node_count || node >= BASE).then_some(node);
        let mut nodes = Vec::with_capacity(usize::from(node_count));
        for _ in 0..node_count {
            let feature = Feature::from_code(reader.u8()?)?;
            let low = (text_known(reader.u16()?)?, node_known(reader.u16()?)?);
            let high = (text_known(reader.u16()?)?, node_known(reader.u16()?)?);
            nodes.push(Node { feature, text: [low.0, high.0], next: [low.1, high.1] });
        }
        let mut tables = Self { texts, nodes, architectures: Vec::new() };
        let masks = tables.masks();
        for _ in 0..reader.u8()? {
            let sm = u32::from(reader.u8()?);
            let mut architecture = Architecture { sm, index: vec![0; KEYS], roots: Vec::new(), masks: Vec::new() };
            for _ in 0..reader.u16()? {
                let key = usize::from(reader.u16()?);
                let root = Root { text: text_known(reader.u16()?)?, next: node_known(reader.u16()?)? };
                architecture.roots.push(root);
                architecture.masks.push(masks.get(usize::from(root.next)).copied().unwrap_or(0) | 0xFFF);
                *architecture.index.get_mut(key)? = u16::try_from(architecture.roots.len()).ok()?;
            }
            tables.architectures.push(architecture);
        }
        reader.bytes.is_empty().then_some(tables)
    }

    /// For every node the bits that it and its successors ask. Successors come first in the data.
    fn masks(&self) -> Vec<u128> {
        let mut masks: Vec<u128> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let below = |next: u16| masks.get(usize::from(next)).copied().unwrap_or(0);
            let mask = node.feature.mask() | below(node.next[0]) | below(node.next[1]);
            masks.push(mask);
        }
        masks
    }

    /// The mnemonic of a word; `None` when the table has no entry for it. The flag says whether it is whole.
    pub fn mnemonic(&self, architecture: &Architecture, word: Word) -> Option<(String, bool)> {
        let root = architecture.root(word)?;
        let mut name = String::from(*self.texts.get(usize::from(root.text))?);
        let mut at = root.next;
        for _ in 0..MAX_PATH {
            match at {
                END => return (!name.is_empty()).then_some((name, true)),
                BASE => {
                    name.truncate(name.find('.').unwrap_or(name.len()));
                    name.push_str(UNCERTAIN);
                    return Some((name, false));
                }
                REFUSED => return None,
                _ => {}
            }
            let node = self.nodes.get(usize::from(at))?;
            let [low, high] = node.text;
            let [next_low, next_high] = node.next;
            let (text, next) = if node.feature.holds(word) { (high, next_high) } else { (low, next_low) };
            name.push_str(self.texts.get(usize::from(text))?);
            at = next;
        }
        None
    }
}

impl Architecture {
    fn root(&self, word: Word) -> Option<Root> {
        let index = self.index.get(usize::from(word.key()))?.checked_sub(1)?;
        self.roots.get(usize::from(index)).copied()
    }

    /// The bits of `word` that decide its mnemonic.
    pub fn decisive(&self, word: Word) -> u128 {
        let index = self.index.get(usize::from(word.key())).copied().unwrap_or(0);
        let mask = index.checked_sub(1).and_then(|index| self.masks.get(usize::from(index)));
        word.0 & mask.copied().unwrap_or(0xFFF)
    }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_tables_are_whole() {
        let tables = tables().expect("tables parse");
        assert!(tables.known().count() >= 4);
        assert!(BYTES.len() < 512 * 1024);
        for sm in tables.known() {
            assert!(tables.keys(sm) > 150, "sm_{sm}");
        }
    }

    #[test]
    fn successors_stand_before_their_node() {
        let tables = tables().expect("tables parse");
        for (at, node) in tables.nodes.iter().enumerate() {
            for next in node.next {
                assert!(next >= BASE || usize::from(next) < at);
            }
        }
    }

    #[test]
    fn no_entry_is_empty_and_uncertain_ones_are_marked() {
        let tables = tables().expect("tables parse");
        let architecture = tables.architecture(90).expect("sm_90");
        let exit = Word(0x000f_ea00_0380_0000_0000_0000_0000_794d);
        assert_eq!(tables.mnemonic(architecture, exit), Some(("EXIT".to_owned(), true)));
        assert_eq!(tables.mnemonic(architecture, Word(0)), None);
    }
}
