//! Matrix instructions: shape, who issues one, and how much one computes.
//!
//! PTX ISA 9.0: `mma.sync` is issued by a warp, `wgmma` by a group of four warps, `tcgen05.mma` by one thread for the block; the K of
//! `tcgen05.mma` is 256 bits of the kind's element (section 9.7.16.2), its M and N are in a descriptor that the text does not show.
//! SASS: `HMMA.16816` is m16n8k16, `HGMMA.64x128x16` m64n128k16. AMD Instinct ISA: `v_mfma_<result>_MxNxK…`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who issues one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Issuer {
    /// Each warp (wave).
    Warp,
    /// Each group of four warps.
    WarpGroup,
    /// One thread for the block.
    Block,
}

impl Issuer {
    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Warp => "warp",
            Self::WarpGroup => "4 warps",
            Self::Block => "block",
        }
    }

    /// Issuers in a block of so many warps.
    pub const fn in_block(self, warps: i64) -> i64 {
        match self {
            Self::Warp => warps,
            Self::WarpGroup => warps / 4,
            Self::Block => 1,
        }
    }
}

/// A matrix instruction with its shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixInstruction {
    /// Name without modifiers: `mma.sync`, `HGMMA`, `v_mfma`.
    pub name: String,
    /// M, N, K.
    pub shape: [u32; 3],
    /// Who issues it.
    pub issuer: Issuer,
}

impl MatrixInstruction {
    /// Multiply-adds of one instruction: m·n·k.
    pub const fn work(&self) -> i64 {
        self.shape[0] as i64 * self.shape[1] as i64 * self.shape[2] as i64
    }
}

impl fmt::Display for MatrixInstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, n, k] = self.shape;
        write!(f, "{} m{m}n{n}k{k}", self.name)
    }
}

/// Reads an opcode. `tile` is what TTGIR says of a `tcgen05.mma` (`tcgen05.mma m128n128`), whose own text names no shape. `None` where
/// the shape is not known.
pub fn instruction(opcode: &str, tile: Option<&str>) -> Option<MatrixInstruction> {
    let made = |name: &str, shape, issuer| Some(MatrixInstruction { name: name.to_owned(), shape, issuer });
    let mut parts = opcode.split('.');
    match parts.next()? {
        "mma" => made("mma.sync", parts.find_map(named_shape)?, Issuer::Warp),
        "wgmma" => made("wgmma", parts.find_map(named_shape)?, Issuer::WarpGroup),
        "tcgen05" => {
            let k = kind_k(opcode.split('.').find(|part| part.starts_with("kind::"))?)?;
            let rows_and_columns = tile?.strip_prefix("tcgen05.mma m")?;
            let (m, n) = rows_and_columns.split_once('n')?;
            made("tcgen05.mma", [m.parse().ok()?, n.parse().ok()?, k], Issuer::Block)
        }
        base @ ("HMMA" | "IMMA" | "DMMA" | "QMMA" | "BMMA") => made(base, parts.find_map(digit_shape)?, Issuer::Warp),
        base @ ("HGMMA" | "IGMMA" | "QGMMA" | "BGMMA") => made(base, parts.find_map(by_x)?, Issuer::WarpGroup),
        base => {
            let name = ["v_mfma", "v_smfmac", "v_wmma"].into_iter().find(|name| base.starts_with(name))?;
            made(name, base.split('_').find_map(by_x)?, Issuer::Warp)
        }
    }
}

/// `m64n128k16`.
fn named_shape(part: &str) -> Option<[u32; 3]> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

/// `64x128x16`, `32x32x8f16`.
fn by_x(part: &str) -> Option<[u32; 3]> {
    let mut sides = part.splitn(3, 'x');
    let (m, n, k) = (sides.next()?, sides.next()?, sides.next()?);
    let digits = k.find(|c: char| !c.is_ascii_digit()).unwrap_or(k.len());
    Some([m.parse().ok()?, n.parse().ok()?, k[..digits].parse().ok()?])
}

/// `16816`: M is 16 or 8, N is 8, K is the rest.
fn digit_shape(part: &str) -> Option<[u32; 3]> {
    let (m, rest) = match part.strip_prefix("16") {
        Some(rest) => (16, rest),
        None => (8, part.strip_prefix('8')?),
    };
    Some([m, 8, rest.strip_prefix('8')?.parse().ok()?])
}

/// K of `tcgen05.mma` by the kind of its operands.
fn kind_k(kind: &str) -> Option<u32> {
    Some(match kind {
        "kind::f16" => 16,
        "kind::tf32" => 8,
        "kind::f8f6f4" | "kind::i8" | "kind::mxf8f6f4" => 32,
        "kind::mxf4" | "kind::mxf4nvf4" => 64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(opcode: &str, tile: Option<&str>) -> Option<(String, i64)> {
        instruction(opcode, tile).map(|found| (found.to_string(), found.work()))
    }

    #[test]
    fn opcodes_of_the_corpus_have_their_shapes() {
        for (opcode, text, work) in [
            ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sync m16n8k16", 2_048),
            ("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", "wgmma m64n128k16", 131_072),
            ("HMMA.16816.F32", "HMMA m16n8k16", 2_048),
            ("HMMA.1688.F32.TF32", "HMMA m16n8k8", 1_024),
            ("HGMMA.64x128x16.F32", "HGMMA m64n128k16", 131_072),
            ("v_mfma_f32_32x32x8f16", "v_mfma m32n32k8", 8_192),
            ("v_mfma_f32_32x32x16_f16", "v_mfma m32n32k16", 16_384),
        ] {
            assert_eq!(shown(opcode, None), Some((text.to_owned(), work)), "{opcode}");
        }
    }

    #[test]
    fn a_descriptor_hides_the_tile() {
        let opcode = "tcgen05.mma.cta_group::1.kind::f16";
        assert_eq!(shown(opcode, None), None);
        let seen = shown(opcode, Some("tcgen05.mma m128n128"));
        assert_eq!(seen, Some(("tcgen05.mma m128n128k16".to_owned(), 262_144)));
        assert_eq!(shown("UTCHMMA", Some("tcgen05.mma m128n128")), None);
    }

    #[test]
    fn one_iteration_is_the_same_work_on_every_target() {
        // 128×128×64 with 8 warps, as `matmul_census` at 3.7.1 counts them: 64 mma.sync, 4 wgmma.
        let block = |opcode: &str, count: i64| {
            let found = instruction(opcode, None).expect("a shape");
            count * found.work() * found.issuer.in_block(8)
        };
        let tile = 128 * 128 * 64;
        assert_eq!(block("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 64), tile);
        assert_eq!(block("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 4), tile);
    }
}
