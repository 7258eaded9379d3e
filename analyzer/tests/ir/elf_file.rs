//! Writes ELF files, well-formed unless told otherwise.

/// One section to be written.
#[derive(Clone)]
pub struct Section {
    pub name: &'static str,
    pub kind: u32,
    pub flags: u64,
    pub link: u32,
    pub data: Vec<u8>,
}

pub fn section(name: &'static str, kind: u32, data: &[u8]) -> Section {
    Section { name, kind, flags: 0, link: 0, data: data.to_vec() }
}

pub const NVIDIA: u16 = 190;
pub const AMD: u16 = 224;
const HEADER: usize = 64;

/// A file: header, section data, section table. The names table comes last.
pub fn file(machine: u16, sections: &[Section]) -> Vec<u8> {
    let mut sections = sections.to_vec();
    sections.insert(0, section("", 0, &[]));
    let mut names = vec![0];
    let mut name_at = vec![0];
    for found in &sections[1..] {
        name_at.push(names.len() as u32);
        names.extend_from_slice(found.name.as_bytes());
        names.push(0);
    }
    name_at.push(names.len() as u32);
    names.extend_from_slice(b".shstrtab\0");
    sections.push(section(".shstrtab", 3, &names));

    let mut bytes = vec![0; HEADER];
    let mut table = Vec::new();
    for (found, name) in sections.iter().zip(name_at) {
        table.extend_from_slice(&name.to_le_bytes());
        table.extend_from_slice(&found.kind.to_le_bytes());
        table.extend_from_slice(&found.flags.to_le_bytes());
        table.extend_from_slice(&0_u64.to_le_bytes());
        table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        table.extend_from_slice(&(found.data.len() as u64).to_le_bytes());
        table.extend_from_slice(&found.link.to_le_bytes());
        table.extend_from_slice(&[0; 20]);
        bytes.extend_from_slice(&found.data);
    }
    let table_at = bytes.len() as u64;
    bytes.extend_from_slice(&table);
    bytes[..9].copy_from_slice(b"\x7fELF\x02\x01\x01\x33\x07");
    if machine == AMD {
        bytes[7..9].copy_from_slice(&[0x40, 3]);
    }
    bytes[16] = 2;
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes[20] = 1;
    bytes[40..48].copy_from_slice(&table_at.to_le_bytes());
    bytes[48..52].copy_from_slice(&0x5a_0d5a_u32.to_le_bytes());
    bytes[52] = 64;
    bytes[58] = 64;
    bytes[60..62].copy_from_slice(&(sections.len() as u16).to_le_bytes());
    bytes[62..64].copy_from_slice(&(sections.len() as u16 - 1).to_le_bytes());
    bytes
}

/// A symbol of type function with the entry mark.
pub fn function(name: u32, section: u16, value: u64) -> Vec<u8> {
    let mut bytes = name.to_le_bytes().to_vec();
    bytes.extend_from_slice(&[0x12, 0x10]);
    bytes.extend_from_slice(&section.to_le_bytes());
    bytes.extend_from_slice(&value.to_le_bytes());
    bytes.extend_from_slice(&0_u64.to_le_bytes());
    bytes
}
