//! `decode SM FILE`: names every word of a raw code file, a line each. The coverage measurement reads it.

use std::io::Write as _;

use lowerline_analyzer::decode::{Decoder, instructions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(sm), Some(path)) = (arguments.next(), arguments.next()) else { return Err("decode SM FILE".into()) };
    let code = std::fs::read(path)?;
    let mut decoder = Decoder::new(sm.parse()?);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for instruction in instructions(&mut decoder, &code, 0) {
        let name = decoder.opcode(instruction.opcode).map_or("", |opcode| opcode.name.as_str());
        writeln!(out, "{name}\t{}\t{:?}", instruction.operands(name), instruction.flow)?;
    }
    Ok(())
}
