//! What stands outside instructions: versions, files, launch bounds.

use crate::{AnalyzeError, Budget, stream::Stream};

/// Facts of the whole file.
#[derive(Debug, Default)]
pub(crate) struct Header<'a> {
    /// `.target`, first word.
    pub target: Option<&'a str>,
    /// `.version`.
    pub version: Option<&'a str>,
    /// Threads per block: the product of `.reqntid`, the largest of the kernels that have it.
    pub threads: Option<i64>,
}

impl<'a> Header<'a> {
    /// Takes a directive that ends with its line.
    pub fn line(
        &mut self,
        word: &str,
        rest: &'a str,
        stream: &mut Stream<'a>,
        budget: &mut Budget,
    ) -> Result<(), AnalyzeError> {
        let first = rest.split([',', ' ', '\t', '/']).find(|word| !word.is_empty());
        match word {
            ".version" => self.version = self.version.or(first),
            ".target" => self.target = self.target.or(first),
            ".file" => {
                let mut parts = rest.splitn(2, '"');
                let index = parts.next().and_then(|index| index.trim().parse().ok());
                let name = parts.next().and_then(|name| name.split('"').next());
                if let (Some(index), Some(name)) = (index, name) {
                    stream.places.number(index, name, budget)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the directives between a kernel's parameters and its body (`.reqntid 256, 1, 1`).
    pub fn bounds(&mut self, text: &str) {
        let Some((_, values)) = text.split_once(".reqntid") else { return };
        let numbers = values.split(['\n', '.', '{']).next().unwrap_or_default();
        let product = numbers
            .split(',')
            .map(|number| number.trim().parse::<i64>().ok())
            .try_fold(1_i64, |all, one| all.checked_mul(one?));
        self.threads = self.threads.max(product);
    }
}

/// The first number behind a directive (`.maxnreg 128`).
pub(super) fn number_behind(text: &str, directive: &str) -> Option<u32> {
    let (_, rest) = text.split_once(directive)?;
    rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
