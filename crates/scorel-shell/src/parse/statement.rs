//! Commands, pipelines and compound commands.

use tree_sitter::Node;

use super::cursor::Cursor;
use super::grammar::{children, fields};
use crate::variables::{has_name_letters, is_harmless_for_programs, is_harmless_in_shell};
use crate::word::Word;

/// The separators in a compound command.
const JOINTS: [&str; 31] = [
    "\n", "!", "&", "&&", "(", ")", ";", ";&", ";;", ";;&", "{", "|", "|&", "||", "}", "case",
    "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "until", "while", "\n\n",
];

/// Reserved words.
const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "until", "while", "{", "}", "((",
];

impl<'a> Cursor<'a> {
    pub(super) fn statement(&mut self, node: Node<'_>) {
        self.nested(|cursor| cursor.walk(node));
    }

    fn walk(&mut self, node: Node<'_>) {
        self.entered = None;
        match node.kind() {
            "command" => self.simple(node),
            "list" => self.list(node),
            "subshell" => self.apart(|cursor| cursor.compound(node)),
            "program" | "pipeline" | "compound_statement" | "do_group" | "if_statement"
            | "elif_clause" | "else_clause" | "negated_command" => self.compound(node),
            "while_statement" | "for_statement" | "function_definition" => self.repeated(node),
            "case_statement" | "case_item" => self.case(node),
            "redirected_statement" => self.redirected(node),
            "variable_assignment" | "variable_assignments" => self.assignments(node),
            "declaration_command" => self.declaration(node),
            "unset_command" => self.unset(node),
            "test_command" => self.test(node),
            "comment" => self.comment(node),
            _ => self.salvage(node),
        }
    }

    /// Runs `walk` as in a subshell: changes of the working directory end with it.
    pub(super) fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let directories = self.directories.clone();
        walk(self);
        self.directories = directories;
        self.entered = None;
    }

    fn compound(&mut self, node: Node<'_>) {
        self.no_gaps(node, true);
        for child in children(node) {
            if child.is_named() {
                self.statement(child);
            } else if !JOINTS.contains(&self.text(child)) {
                self.not_understood(child);
            }
        }
        self.entered = None;
    }

    fn list(&mut self, node: Node<'_>) {
        self.no_gaps(node, true);
        let mut before = None;
        let mut may_be_skipped = false;
        for child in children(node) {
            match self.text(child) {
                _ if child.is_named() => self.statement(child),
                // After `&&` the `cd` has succeeded.
                "&&" => {
                    if let Some(entered) = self.entered.take() {
                        before = Some(std::mem::replace(&mut self.directories, entered));
                    }
                }
                "||" => may_be_skipped = true,
                _ => self.not_understood(child),
            }
        }
        // What follows `&&` knows that the whole list succeeded, and with it every `cd` in it.
        let succeeded = self
            .entered
            .take()
            .or_else(|| before.as_ref().map(|_| self.directories.clone()));
        self.entered = succeeded.filter(|_| !may_be_skipped);
        if let Some(before) = before {
            self.add_directories(&before);
        }
    }

    /// Commands that may run several times, or later, as in loops and functions.
    fn repeated(&mut self, node: Node<'_>) {
        self.no_gaps(node, true);
        let directories = self.directories.len();
        let is_function = node.kind() == "function_definition";
        for (field, child) in fields(node) {
            match (field, child.kind()) {
                (Some("variable"), _) => self.shell_variable(self.text(child)),
                (Some("value"), _) => {
                    self.word(child);
                }
                (Some("name"), "word") if is_function => self.function_name(child),
                (Some("redirect"), _) => self.redirect(child),
                _ if child.is_named() => self.statement(child),
                _ if JOINTS.contains(&self.text(child)) => {}
                _ => self.not_understood(child),
            }
        }
        if self.directories.len() != directories {
            self.doubt("it changes its directory in a loop or a function");
        }
    }

    /// The name in a function definition. It may be that of a program, but not of a builtin that this walk
    /// interprets.
    fn function_name(&mut self, node: Node<'_>) {
        let name = self.word(node);
        let is_plain = name.known().is_some_and(|name| {
            has_name_letters(name)
                && ![
                    "cd", "pushd", "popd", "exit", "return", "set", "exec", "command", "builtin",
                ]
                .contains(&name)
        });
        if !is_plain {
            self.not_understood(node);
        }
    }

    fn case(&mut self, node: Node<'_>) {
        self.no_gaps(node, true);
        for (field, child) in fields(node) {
            match child.kind() {
                "extglob_pattern" => {
                    if self
                        .text(child)
                        .contains(['$', '`', '(', '\'', '"', '\\', '\n', ';'])
                    {
                        self.not_understood(child);
                    }
                }
                _ if field == Some("value") => {
                    self.word(child);
                }
                _ if child.is_named() => self.statement(child),
                _ if JOINTS.contains(&self.text(child)) => {}
                _ => self.not_understood(child),
            }
        }
    }

    fn redirected(&mut self, node: Node<'_>) {
        self.no_gaps(node, true);
        let is_heredoc = |child: &Node<'_>| child.kind() == "heredoc_redirect";
        let heredoc = children(node).into_iter().find(is_heredoc);
        for child in children(node) {
            match child.kind() {
                "file_redirect" | "heredoc_redirect" | "herestring_redirect" => {
                    self.redirect(child);
                }
                _ => {
                    self.has_heredoc = heredoc.is_some() && child.kind() == "command";
                    self.input = heredoc.and_then(|it| self.heredoc_text(it));
                    self.statement(child);
                    self.has_heredoc = false;
                    self.input = None;
                }
            }
        }
    }

    fn comment(&mut self, node: Node<'_>) {
        let before = self.source[..node.start_byte()].chars().next_back();
        let starts_a_word = before.is_none_or(|letter| matches!(letter, ' ' | '\t' | '\n' | ';'));
        let text = self.text(node);
        if !starts_a_word || text.contains(['`', '\n']) || self.substitutions > 0 {
            self.not_understood(node);
        }
    }

    /// A simple command with assignments and redirections.
    fn simple(&mut self, node: Node<'_>) {
        self.no_gaps(node, false);
        // Taken now, since the words may run other commands.
        let has_heredoc = std::mem::take(&mut self.has_heredoc);
        let mut input = self.input.take();
        let mut assignments = Vec::new();
        let mut words = Vec::new();
        for child in children(node) {
            match child.kind() {
                "variable_assignment" if words.is_empty() => {
                    assignments.extend(self.assignment(child));
                }
                "command_name" => match children(child).as_slice() {
                    [name] if child.byte_range() == name.byte_range() => {
                        words.push(self.word(*name));
                        if RESERVED.contains(&self.text(child)) {
                            self.not_understood(child);
                        }
                    }
                    _ => self.not_understood(child),
                },
                "herestring_redirect" => input = self.herestring(child).or(input),
                "file_redirect" => self.redirect(child),
                _ => words.push(self.word(child)),
            }
        }
        let is_read = words.first().and_then(Word::known) == Some("read");
        assignments
            .retain(|(name, _)| !(is_harmless_for_programs(name) || is_read && *name == "IFS"));
        let program = assignments.len();
        let mut all: Vec<Word> = assignments
            .into_iter()
            .map(|(name, value)| Word {
                kind: value.kind,
                ..Word::literal(format!("{name}={}", value.text))
            })
            .collect();
        all.extend(words);
        if program < all.len() {
            self.has_heredoc = has_heredoc;
            self.input = input;
            self.call(all, program);
        } else if program > 0 {
            self.not_understood(node);
        }
    }

    fn assignments(&mut self, node: Node<'_>) {
        let parts = if node.kind() == "variable_assignments" {
            self.no_gaps(node, false);
            children(node)
        } else {
            vec![node]
        };
        for part in parts {
            if let Some((name, _)) = self.assignment(part) {
                self.shell_variable(name);
            }
        }
    }

    fn shell_variable(&mut self, name: &str) {
        self.declared(name, false);
    }

    fn declared(&mut self, name: &str, is_export: bool) {
        let is_harmless = if is_export {
            is_harmless_for_programs(name)
        } else {
            is_harmless_in_shell(name)
        };
        if !is_harmless {
            self.doubt(format!("`{name}` may change what programs do"));
        }
    }

    /// The name and value of an assignment; `None`, with a doubt, if its target is not a plain name.
    fn assignment(&mut self, node: Node<'_>) -> Option<(&'a str, Word)> {
        self.no_gaps(node, false);
        let parts = children(node);
        let (name, rest) = parts.split_first()?;
        let operator = rest.first().map(|node| self.text(*node));
        if node.kind() != "variable_assignment"
            || name.kind() != "variable_name"
            || !matches!(operator, Some("=" | "+="))
            || rest.len() > 2
        {
            self.salvage(node);
            return None;
        }
        let name = self.text(*name);
        let value = match rest.get(1) {
            None => Word::literal(""),
            Some(value) if value.kind() == "array" => {
                self.no_gaps(*value, true);
                for element in children(*value) {
                    if element.is_named() {
                        self.word(element);
                    } else if !["(", ")"].contains(&self.text(element)) {
                        self.not_understood(element);
                    }
                }
                Word::unknown("")
            }
            Some(value) => self.word(*value),
        };
        self.evaluated(&value.text);
        Some((name, value))
    }

    /// `export`, `local` and the like.
    fn declaration(&mut self, node: Node<'_>) {
        self.no_gaps(node, false);
        let mut is_export = false;
        for child in children(node) {
            match (child.kind(), self.text(child)) {
                ("export", _) => is_export = true,
                ("local" | "readonly" | "declare" | "typeset", _) => {}
                ("word", "-r") => {}
                ("variable_name", name) => self.declared(name, is_export),
                ("variable_assignment", _) => {
                    if let Some((name, _)) = self.assignment(child) {
                        self.declared(name, is_export);
                    }
                }
                _ => self.salvage(child),
            }
        }
    }

    fn unset(&mut self, node: Node<'_>) {
        self.no_gaps(node, false);
        for child in children(node) {
            match child.kind() {
                "unset" => {}
                "variable_name" => self.shell_variable(self.text(child)),
                _ => self.salvage(child),
            }
        }
    }

    /// Walks the parts of something that is not understood: rules may deny one of them.
    pub(super) fn salvage(&mut self, node: Node<'_>) {
        self.not_understood(node);
        if matches!(node.kind(), "raw_string" | "string" | "ansi_c_string") {
            self.evaluated(self.text(node).trim_matches(['$', '\'', '"']));
        }
        for child in children(node) {
            if child.is_named() {
                self.statement(child);
            }
        }
    }

    /// Records a text that may be evaluated where it is used.
    pub(super) fn evaluated(&mut self, text: &str) {
        if text.contains(['(', '`']) {
            let text = (text.to_owned(), self.directories.clone());
            self.script.evaluated.push(text);
        }
    }
}
