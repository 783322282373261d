//! Here-documents.

use tree_sitter::Node;

use super::cursor::Cursor;
use super::grammar::children;
use crate::variables::has_name_letters;

impl Cursor<'_> {
    /// The text of a here-document, as it is written.
    pub(super) fn heredoc_text(&self, node: Node<'_>) -> Option<String> {
        let body = children(node)
            .into_iter()
            .find(|it| it.kind() == "heredoc_body");
        body.map(|body| self.text(body).to_owned())
    }

    /// A here-document. Its bounds are found again by the shell's own rule: where the grammar and the shell
    /// differ, commands would pass for text.
    pub(super) fn heredoc(&mut self, node: Node<'_>) {
        let mut start = None;
        let mut body = None;
        let mut end = None;
        let mut removes_tabs = false;
        for child in children(node) {
            match child.kind() {
                "heredoc_start" if start.is_none() => start = Some(child),
                "heredoc_body" if body.is_none() => body = Some(child),
                "heredoc_end" if end.is_none() => end = Some(child),
                "<<" | "&&" | "||" | "|" | "|&" | "file_descriptor" | "\n" => {}
                "<<-" => removes_tabs = true,
                "file_redirect" | "herestring_redirect" => self.redirect(child),
                "heredoc_start" | "heredoc_body" | "heredoc_end" | "heredoc_redirect" | "ERROR" => {
                    self.not_understood(child);
                }
                // What follows in a pipe reads what the first command passes on.
                _ if child.is_named() => {
                    self.input = self.heredoc_text(node);
                    self.statement(child);
                    self.input = None;
                }
                _ => self.not_understood(child),
            }
        }
        let (Some(start), Some(end)) = (start, end) else {
            return self.not_understood(node);
        };
        let Some((delimiter, is_literal)) = delimiter(self.text(start)) else {
            return self.not_understood(start);
        };
        let Some((first, last)) = lines(self.source, start.end_byte(), delimiter, removes_tabs)
        else {
            return self.not_understood(start);
        };
        let ends_there = self.source[last..end.start_byte().max(last)]
            .bytes()
            .all(|byte| byte == b'\t')
            && end.end_byte()
                == self.source[last..]
                    .find('\n')
                    .map_or(self.source.len(), |line| last + line);
        let begins_there = body
            .is_none_or(|body| body.start_byte() >= first && body.end_byte() <= end.start_byte());
        if !ends_there || !begins_there {
            return self.not_understood(start);
        }
        if is_literal {
            return;
        }
        let text = &self.source[first..last];
        if text.contains("\\\n") {
            return self.not_understood(start);
        }
        let is_covered = match body {
            Some(body) => self.quoted(body, first, last, &mut Vec::new(), &['$', '`', '\\']),
            None => first == last,
        };
        if !is_covered {
            self.not_understood(start);
        }
    }
}

/// The delimiter, and whether the text is literal; `None` for unusual quoting.
fn delimiter(text: &str) -> Option<(&str, bool)> {
    let unquoted = ['\'', '"']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let name = unquoted.unwrap_or(text);
    let is_name = !name.is_empty() && has_name_letters(name);
    is_name.then_some((name, unquoted.is_some()))
}

/// The offsets of the document's first line and of the line that ends it; the delimiter's operator is
/// before `position`.
fn lines(
    source: &str,
    position: usize,
    delimiter: &str,
    removes_tabs: bool,
) -> Option<(usize, usize)> {
    let first = position + source[position..].find('\n')? + 1;
    let mut start = first;
    for line in source[first..].split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let text = if removes_tabs {
            text.trim_start_matches('\t')
        } else {
            text
        };
        if text == delimiter {
            return Some((first, start));
        }
        start += line.len();
    }
    None
}
