//! Argument lists and attribute dictionaries.

use std::collections::BTreeMap;

use lowerline_shared::report::Argument;

use super::tokens::{Kind, Token, Tokens};

/// Splits at commas outside brackets.
pub(super) fn split_commas(text: &str) -> impl Iterator<Item = &str> {
    let mut tokens = Tokens::new(text);
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let start = from?;
        let comma = tokens.find(|token| token.kind == Kind::Comma && token.depth == 0);
        from = comma.map(|comma| comma.end());
        text.get(start..comma.map_or(text.len(), |comma| comma.at)).map(str::trim)
    })
}

/// The text between the first bracket of a kind outside brackets and its partner.
pub(super) fn bracketed<'a>(text: &'a str, open: &str) -> Option<&'a str> {
    let mut tokens = Tokens::new(text);
    let first = tokens.find(|token| token.kind == Kind::Open && token.depth == 0 && token.text == open)?;
    let last = tokens.find(|token| token.kind == Kind::Close && token.depth == 0)?;
    text.get(first.end()..last.at)
}

/// `"a-b" = 1 : i32, c, d = {…}`: a unit attribute has an empty value.
pub(super) fn dictionary(text: &str) -> BTreeMap<String, String> {
    let mut entries = BTreeMap::new();
    for entry in split_commas(text).filter(|entry| !entry.is_empty()) {
        let equals = Tokens::new(entry).find(|token| token.kind == Kind::Equals && token.depth == 0);
        let (key, value) = match equals {
            Some(equals) => (entry.get(..equals.at).unwrap_or(""), entry.get(equals.end()..).unwrap_or("")),
            None => (entry, ""),
        };
        entries.insert(key.trim().trim_matches('"').to_owned(), value.trim().to_owned());
    }
    entries
}

/// `%a: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc("a"), %b: i32`.
pub(super) fn arguments(text: &str) -> Vec<Argument> {
    split_commas(text).filter_map(argument).collect()
}

fn argument(text: &str) -> Option<Argument> {
    let mut tokens = Tokens::new(text);
    let name = tokens.next().filter(|token| token.kind == Kind::Value)?;
    let colon = tokens.next().filter(|token| token.kind == Kind::Colon)?;
    let is_end = |token: &Token<'_>| {
        token.depth == 0 && (token.kind == Kind::Location || (token.kind == Kind::Open && token.text == "{"))
    };
    let end = tokens.find(is_end).map_or(text.len(), |token| token.at);
    let rest = text.get(end..).unwrap_or("");
    Some(Argument {
        name: name.text.trim_start_matches('%').to_owned(),
        r#type: text.get(colon.end()..end)?.trim().to_owned(),
        attributes: bracketed(rest, "{").map(dictionary).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_types_and_attributes_apart() {
        let text = "%a: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc(\"a\"(#loc)), \
                    %d.shape.0: !tt.tensordesc<128x64xf16, #ttg.nvmma_shared<{x = 1}>> loc(\"d\"), %n: i32";
        let read = arguments(text);
        assert_eq!(read.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["a", "d.shape.0", "n"]);
        assert_eq!(read[0].attributes["tt.divisibility"], "16 : i32");
        assert_eq!(read[1].r#type, "!tt.tensordesc<128x64xf16, #ttg.nvmma_shared<{x = 1}>>");
        assert_eq!(read[2].r#type, "i32");
    }

    #[test]
    fn keys_may_be_quoted() {
        let read = dictionary("\"ttg.num-ctas\" = 1 : i32, ttg.target = \"cuda:100\", flag");
        assert_eq!(read["ttg.num-ctas"], "1 : i32");
        assert_eq!(read["ttg.target"], "\"cuda:100\"");
        assert_eq!(read["flag"], "");
    }
}
