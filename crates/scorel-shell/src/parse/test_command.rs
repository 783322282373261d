//! `[ … ]` and `[[ … ]]`.

use tree_sitter::Node;

use super::cursor::Cursor;
use super::grammar::children;
use crate::word::{Word, WordKind};

/// Numeric comparisons, whose operands `[[ ]]` evaluates as arithmetic.
const NUMERIC: [&str; 6] = ["-eq", "-ge", "-gt", "-le", "-lt", "-ne"];

/// The operators between the words of `[ ]`. There, any other one, such as `|` or `>`, is the shell's: the
/// grammar reads on to the bracket, the shell does not.
const OF_BRACKET: [&str; 6] = ["[", "]", "!", "=", "==", "!="];

/// The operators of `[[ ]]`, which the shell parses itself.
const OF_DOUBLE_BRACKET: [&str; 13] = [
    "[[", "]]", "!", "=", "==", "!=", "=~", "<", ">", "&&", "||", "(", ")",
];

impl Cursor<'_> {
    /// A test, which runs nothing but its substitutions.
    pub(super) fn test(&mut self, node: Node<'_>) {
        let text = self.text(node);
        let computes = text.starts_with("[[");
        if !has_own_brackets(text) {
            return self.not_understood(node);
        }
        self.nested(|cursor| cursor.condition(node, computes));
    }

    fn condition(&mut self, node: Node<'_>, computes: bool) {
        self.no_gaps(node, computes);
        let is_numeric = children(node)
            .iter()
            .any(|child| NUMERIC.contains(&self.text(*child)));
        for child in children(node) {
            match child.kind() {
                "unary_expression" | "binary_expression" | "parenthesized_expression" => {
                    self.nested(|cursor| cursor.condition(child, computes));
                }
                "test_operator" => {
                    // `-v` and the like evaluate an array index as arithmetic.
                    if matches!(self.text(child), "-v" | "-R" | "-o") {
                        self.not_understood(child);
                    }
                }
                "regex" | "extglob_pattern" => {
                    let text = self.text(child);
                    let is_shells = text.contains(['|', '(', ')', '<', '>']);
                    let is_plain = !text.contains(['$', '`', ';', '&', '\n']);
                    self.understood_if(is_plain && (computes || !is_shells), child);
                }
                _ if child.is_named() => {
                    let word = self.word(child);
                    self.evaluated(&word.text);
                    let is_number = word.known().is_some_and(|text| text.parse::<i64>().is_ok());
                    let is_count = matches!(self.text(child).trim_matches('"'), "$?" | "$#");
                    let is_open = if computes {
                        is_numeric
                    } else {
                        may_be_operator(&word)
                    };
                    if is_open && !is_number && !is_count {
                        self.not_understood(child);
                    }
                }
                operator => {
                    let is_known = match computes {
                        true => OF_DOUBLE_BRACKET.contains(&operator),
                        false => OF_BRACKET.contains(&operator),
                    };
                    self.understood_if(is_known, child);
                }
            }
        }
    }
}

/// Returns whether a word of `[ ]` may expand to several, with `-v` among them.
fn may_be_operator(word: &Word) -> bool {
    let is_pattern = word.kind == WordKind::Glob && word.may_be_option();
    word.may_split || is_pattern && !word.text.contains(['.', '/'])
}

/// Returns whether the brackets are words of their own. To a shell `[[$x` is the name of a program, and a
/// newline after it ends the command; the grammar reads on to the `]]`.
fn has_own_brackets(test: &str) -> bool {
    let inner = test
        .strip_prefix("[[")
        .and_then(|rest| rest.strip_suffix("]]"))
        .or_else(|| test.strip_prefix('[')?.strip_suffix(']'));
    let is_blank = |edge: Option<char>| matches!(edge, Some(' ' | '\t'));
    inner.is_some_and(|inner| is_blank(inner.chars().next()) && is_blank(inner.chars().last()))
}
