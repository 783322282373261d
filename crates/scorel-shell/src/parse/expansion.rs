//! Words and expansions.

use tree_sitter::Node;

use super::cursor::Cursor;
use super::grammar::children;
use crate::variables::has_name_letters;
use crate::word::{Word, WordPiece};

impl Cursor<'_> {
    /// The word of a node. Records commands that its substitutions run.
    pub(super) fn word(&mut self, node: Node<'_>) -> Word {
        let mut pieces = Vec::new();
        self.pieces(node, &mut pieces);
        Word::built_of(pieces, &self.home.to_string_lossy())
    }

    fn pieces(&mut self, node: Node<'_>, pieces: &mut Vec<WordPiece>) {
        if !self.nested(|cursor| cursor.nested_pieces(node, pieces)) {
            pieces.push(WordPiece::Unknown);
        }
    }

    fn nested_pieces(&mut self, node: Node<'_>, pieces: &mut Vec<WordPiece>) {
        match node.kind() {
            "concatenation" => {
                let mut end = node.start_byte();
                for child in children(node) {
                    if child.start_byte() != end {
                        self.not_understood(node);
                    }
                    end = child.end_byte();
                    self.pieces(child, pieces);
                }
                if end != node.end_byte() {
                    self.not_understood(node);
                }
            }
            "word"
            | "number"
            | "variable_name"
            | "brace_expression"
            | "test_operator"
            | "special_variable_name" => self.bare(node, pieces),
            "raw_string" => {
                let text = self.text(node);
                let inner = text
                    .strip_prefix('\'')
                    .and_then(|text| text.strip_suffix('\''));
                match inner {
                    Some(inner) if !inner.contains('\'') => {
                        pieces.extend(inner.chars().map(WordPiece::Quoted));
                    }
                    _ => self.unclear(node, pieces),
                }
            }
            "ansi_c_string" => match unescaped(self.text(node)) {
                Some(text) => pieces.extend(text.chars().map(WordPiece::Quoted)),
                None => self.unclear(node, pieces),
            },
            "string" => self.string(node, pieces),
            "simple_expansion"
            | "expansion"
            | "arithmetic_expansion"
            | "command_substitution"
            | "process_substitution" => {
                self.expansion(node);
                pieces.push(WordPiece::Unknown);
            }
            _ if !node.is_named() => self.bare(node, pieces),
            _ => {
                pieces.push(WordPiece::Unknown);
                self.salvage(node);
            }
        }
    }

    fn unclear(&mut self, node: Node<'_>, pieces: &mut Vec<WordPiece>) {
        self.not_understood(node);
        pieces.push(WordPiece::Unknown);
    }

    /// Unquoted text, where a backslash makes the next character literal.
    fn bare(&mut self, node: Node<'_>, pieces: &mut Vec<WordPiece>) {
        let mut letters = self.text(node).chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some(escaped) if escaped != '\n' => pieces.push(WordPiece::Quoted(escaped)),
                    _ => return self.unclear(node, pieces),
                },
                '$' | '`' | '\'' | '"' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | ' ' | '\t'
                | '\n' => return self.unclear(node, pieces),
                _ => pieces.push(WordPiece::Bare(letter)),
            }
        }
    }

    fn string(&mut self, node: Node<'_>, pieces: &mut Vec<WordPiece>) {
        let text = self.text(node);
        if text.len() < 2 || !text.starts_with('"') || !text.ends_with('"') {
            return self.unclear(node, pieces);
        }
        let (start, end) = (node.start_byte() + 1, node.end_byte() - 1);
        if !self.quoted(node, start, end, pieces, &['$', '`', '"', '\\']) {
            self.unclear(node, pieces);
        }
    }

    /// Text between `start` and `end`, in which only expansions are special, and a backslash before one of
    /// `escapable`. Returns false if the tree does not account for all of it.
    pub(super) fn quoted(
        &mut self,
        node: Node<'_>,
        start: usize,
        end: usize,
        pieces: &mut Vec<WordPiece>,
        escapable: &[char],
    ) -> bool {
        let mut position = start;
        let is_expansion = |child: &Node<'_>| {
            child.kind().ends_with("expansion") || child.kind() == "command_substitution"
        };
        let expansions = children(node).into_iter().filter(is_expansion);
        let mut expansions = expansions.peekable();
        while position < end {
            if let Some(expansion) = expansions.next_if(|next| next.start_byte() <= position) {
                if expansion.start_byte() < position {
                    return false;
                }
                self.expansion(expansion);
                // `"$@"` expands to one word per argument.
                let is_one = expansion.kind() == "command_substitution"
                    || !self.text(expansion).contains('@');
                pieces.push(if is_one {
                    WordPiece::UnknownText
                } else {
                    WordPiece::Unknown
                });
                position = expansion.end_byte();
                continue;
            }
            let rest = &self.source[position..end];
            let mut letters = rest.chars();
            let Some(letter) = letters.next() else { break };
            let next = letters.next();
            position += letter.len_utf8();
            match (letter, next) {
                ('\\', Some('\n')) => position += 1,
                ('\\', Some(escaped)) if escapable.contains(&escaped) => {
                    pieces.push(WordPiece::Quoted(escaped));
                    position += escaped.len_utf8();
                }
                ('`', _) => return false,
                ('"', _) if escapable.contains(&'"') => return false,
                ('$', Some(next)) if next.is_alphanumeric() || "_{([?#!@*$-'\"".contains(next) => {
                    return false;
                }
                _ => pieces.push(WordPiece::Quoted(letter)),
            }
        }
        position == end && expansions.peek().is_none()
    }

    /// An expansion or substitution.
    fn expansion(&mut self, node: Node<'_>) {
        let text = self.text(node);
        match node.kind() {
            "simple_expansion" if is_variable(&text[1..]) => {}
            "expansion" if is_plain_expansion(text) => {}
            "arithmetic_expansion" if is_constant(text) => {}
            "command_substitution" | "process_substitution" => self.substitution(node),
            _ => self.salvage(node),
        }
    }

    fn substitution(&mut self, node: Node<'_>) {
        let text = self.text(node);
        if text.starts_with('`') && text.contains('\\') {
            self.not_understood(node);
        }
        self.no_gaps(node, true);
        self.substitutions += 1;
        self.apart(|cursor| {
            for child in children(node) {
                match child.kind() {
                    "file_redirect" => cursor.redirect(child),
                    "$(" | "`" | ")" | "<(" | ">(" | ";" | "&" | "\n" => {}
                    _ if child.is_named() => cursor.statement(child),
                    _ => cursor.not_understood(child),
                }
            }
        });
        self.substitutions -= 1;
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && has_name_letters(text)
}

/// The name of a parameter: a variable's, or one character for a special or positional one.
fn is_variable(text: &str) -> bool {
    is_name(text) || text.len() == 1 && "?#$!@*-0123456789".contains(text)
}

/// Returns whether a `${…}` is plain: `${name}`, `${#name}`, or an operator whose text contains no expansion.
fn is_plain_expansion(text: &str) -> bool {
    let Some(inner) = text
        .strip_prefix("${")
        .and_then(|text| text.strip_suffix('}'))
    else {
        return false;
    };
    if is_variable(inner) || inner.strip_prefix('#').is_some_and(is_name) {
        return true;
    }
    let end = inner.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let (name, rest) = inner.split_at(end.unwrap_or(inner.len()));
    let text = ["##", "#", "%%", "%", ":-", ":+"]
        .iter()
        .find_map(|operator| rest.strip_prefix(operator));
    is_variable(name)
        && text.is_some_and(|text| {
            text.chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "._*/-+=, ".contains(letter))
        })
}

/// Returns whether arithmetic has only numbers: the shell evaluates a variable's value, which can contain a
/// command substitution.
fn is_constant(text: &str) -> bool {
    let inner = text
        .strip_prefix("$((")
        .and_then(|text| text.strip_suffix("))"));
    inner.is_some_and(|inner| {
        inner
            .chars()
            .all(|letter| letter.is_ascii_digit() || "+-*/% ()".contains(letter))
    })
}

/// The text of `$'…'`; `None` for rare escapes.
fn unescaped(text: &str) -> Option<String> {
    let inner = text.strip_prefix("$'")?.strip_suffix('\'')?;
    let mut result = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        result.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                't' => '\t',
                escaped @ ('\\' | '\'' | '"') => escaped,
                _ => return None,
            },
            '\'' => return None,
            letter => letter,
        });
    }
    Some(result)
}
