//! What one file of MLIR holds.

use std::collections::{BTreeMap, HashMap};

use lowerline_shared::{ids::Digest, report::Argument};

use super::location::Locations;

/// A layout or memory space that stands before the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias<'a> {
    /// Name without `#`.
    pub name: &'a str,
    /// Dialect and kind without `#`: `ttg.blocked`.
    pub kind: &'a str,
    /// Everything behind the `=`: `#ttg.blocked<{…}>`.
    pub body: &'a str,
}

/// One name given to results or to a block argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition<'a> {
    /// Name without `%`. Names repeat between functions and between isolated regions.
    pub name: &'a str,
    /// The operation whose result it is, or in whose region it is an argument.
    pub operation: u32,
    /// How many results share the name (`%r:3`); 1 for an argument.
    pub results: u32,
    /// Whether it is a block argument (a loop variable, a carried value, a function argument).
    pub argument: bool,
}

/// One use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Index in [`Module::definitions`]; `None` when no name in scope is meant.
    pub definition: Option<u32>,
    /// Which of its results.
    pub result: u32,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation<'a> {
    /// Name with dialect, without quotes: `tt.load`. `module` and other words without a dot have none.
    pub name: &'a str,
    /// Its first line without results and location, from the name on.
    pub head: &'a str,
    /// What stands behind its last region's `}`: attributes and types of operations with regions. Without location.
    pub tail: &'a str,
    /// Its location as written (`loc(#loc12)`), `""` when it has none.
    pub location: &'a str,
    /// The operation whose region it is in.
    pub parent: Option<u32>,
    /// Loops around it inside its function.
    pub loops: u32,
    /// Line of the file, from 1.
    pub line: u32,
    /// First and behind-last index of its results' definitions.
    pub results: (u32, u32),
    /// First and behind-last index of its operands in [`Module::operands`].
    pub operands: (u32, u32),
    /// Regions seen.
    pub regions: u32,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// Name without `@` and quotes.
    pub name: &'a str,
    /// Its operation.
    pub operation: u32,
    /// Whether it is visible outside: a kernel.
    pub public: bool,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// One file.
#[derive(Clone, Debug, Default)]
pub struct Module<'a> {
    /// Layout aliases in file order.
    pub aliases: Vec<Alias<'a>>,
    /// Location definitions.
    pub locations: Locations<'a>,
    /// Attributes of the outermost module.
    pub attributes: BTreeMap<String, String>,
    /// Operations in file order.
    pub operations: Vec<Operation<'a>>,
    /// Names in order of definition.
    pub definitions: Vec<Definition<'a>>,
    /// Operands of all operations, one after the other.
    pub operands: Vec<Operand>,
    /// Functions in file order.
    pub functions: Vec<Function<'a>>,
    /// Attribute kind without dialect (`slice`) → occurrences outside location lines.
    pub layout_kinds: HashMap<&'a str, u64>,
    /// Lines that are neither operation, region, block, alias, location nor comment.
    pub not_understood: u64,
    /// The first of them.
    pub first_not_understood: Option<(u32, &'a str)>,
    /// Branches of `cf` to a block that stands before them: loops that are none of the loop operations.
    pub branches_back: u64,
    /// Identity of meaning.
    pub normal_digest: Option<Digest>,
}

impl<'a> Module<'a> {
    /// Operands of an operation.
    pub fn operands_of(&self, operation: &Operation<'a>) -> &[Operand] {
        self.operands.get(operation.operands.0 as usize..operation.operands.1 as usize).unwrap_or_default()
    }

    /// Definitions of an operation's results.
    pub fn results_of(&self, operation: &Operation<'a>) -> &[Definition<'a>] {
        self.definitions.get(operation.results.0 as usize..operation.results.1 as usize).unwrap_or_default()
    }

    /// The operation that defines what an operand uses; `None` for block arguments and unknown names.
    pub fn producer(&self, operand: Operand) -> Option<&Operation<'a>> {
        let definition = self.definitions.get(operand.definition? as usize)?;
        if definition.argument { None } else { self.operations.get(definition.operation as usize) }
    }

    /// The alias of a name without `#`.
    pub fn alias(&self, name: &str) -> Option<&Alias<'a>> {
        self.aliases.iter().find(|alias| alias.name == name)
    }

    /// The operation around an operation that satisfies a condition, the innermost first.
    pub fn enclosing(&self, index: u32, wanted: impl Fn(&Operation<'a>) -> bool) -> Option<u32> {
        let mut at = self.operations.get(index as usize)?.parent;
        while let Some(parent) = at {
            let operation = self.operations.get(parent as usize)?;
            if wanted(operation) {
                return Some(parent);
            }
            at = operation.parent;
        }
        None
    }
}

impl<'a> Operation<'a> {
    /// The types behind the last `:` outside brackets: of the tail when it has one, else of the head. `""` when none.
    pub fn types(&self) -> &'a str {
        [self.tail, self.head].into_iter().find_map(types_of).unwrap_or("")
    }

    /// The result part of [`Self::types`]: behind `->` or ` to ` where the operation prints both sides.
    pub fn result_types(&self) -> &'a str {
        let types = self.types();
        super::types::behind_arrow(types).unwrap_or(types)
    }
}

fn types_of(text: &str) -> Option<&str> {
    use super::tokens::{Kind, Tokens};
    let colon = Tokens::new(text).filter(|token| token.kind == Kind::Colon && token.depth == 0).last()?;
    text.get(colon.end()..).map(str::trim)
}
