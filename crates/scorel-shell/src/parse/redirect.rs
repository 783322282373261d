//! Redirections.

use tree_sitter::Node;

use super::cursor::Cursor;
use super::grammar::children;
use crate::script::{FileAccess, Opened};
use crate::word::{Word, WordKind};

/// Devices that store nothing, so that opening them needs no permission.
pub const STREAMS: [&str; 4] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

impl Cursor<'_> {
    pub(super) fn redirect(&mut self, node: Node<'_>) {
        match node.kind() {
            "file_redirect" => self.file_redirect(node),
            "herestring_redirect" => {
                self.herestring(node);
            }
            "heredoc_redirect" => self.heredoc(node),
            _ => self.salvage(node),
        }
    }

    /// A here-string; returns its text as far as it is known.
    pub(super) fn herestring(&mut self, node: Node<'_>) -> Option<String> {
        self.no_gaps(node, false);
        let mut text = None;
        for child in children(node) {
            if child.is_named() && child.kind() != "file_descriptor" {
                text = Some(self.word(child).text);
            } else if !child.is_named() && self.text(child) != "<<<" {
                self.not_understood(child);
            }
        }
        text
    }

    fn file_redirect(&mut self, node: Node<'_>) {
        self.no_gaps(node, false);
        let mut operator = "";
        let mut targets = Vec::new();
        for child in children(node) {
            match child.kind() {
                "file_descriptor" => {}
                _ if !child.is_named() && operator.is_empty() => operator = self.text(child),
                _ => targets.push(self.word(child)),
            }
        }
        let access = match operator {
            "<" => Some(FileAccess::Read),
            ">" | ">>" | ">|" | "&>" | "&>>" => Some(FileAccess::Write),
            "<&" | ">&" => None,
            "<&-" | ">&-" if targets.is_empty() => return,
            _ => return self.not_understood(node),
        };
        // The grammar parses arguments after a redirection as further targets.
        let [target] = targets.as_slice() else {
            return self.not_understood(node);
        };
        let is_descriptor = |text: &str| {
            let digits = text.strip_suffix('-').unwrap_or(text);
            text == "-" || !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        match (access, target.known()) {
            (None, Some(text)) if is_descriptor(text) => {}
            // `>&file` without a number redirects standard output and error.
            (None, Some(_)) if operator == ">&" => self.open(target, FileAccess::Write),
            (Some(access), _) => self.open(target, access),
            (None, _) => self.not_understood(node),
        }
    }

    fn open(&mut self, target: &Word, access: FileAccess) {
        if target.kind == WordKind::Literal {
            if STREAMS.contains(&target.text.as_str()) {
                return;
            }
            if ["/dev/tcp", "/dev/udp"]
                .iter()
                .any(|device| target.text.starts_with(device))
            {
                self.doubt("it opens a connection");
            }
            if target.text.is_empty() {
                self.doubt("it opens a file without a name");
            }
        }
        self.script.opened.push(Opened {
            word: target.clone(),
            access,
            directories: self.directories.clone(),
        });
    }
}
