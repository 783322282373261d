//! The walk over a command's syntax tree.

use std::path::{Path, PathBuf};

use tree_sitter::Node;

use super::grammar::{DEEPEST, children, is_intricate, is_reserved, splits_letters, tree};
use crate::normal_path::normal;
use crate::program::{self, Inner};
use crate::script::{ShellScript, SimpleCommand};
use crate::spelled::spelled;
use crate::word::Word;

/// The longest command that is parsed, in bytes. A longer one is asked about.
const LONGEST: usize = 32 * 1024;

/// The greatest number of changes of the directory in a command.
const MOST_CHANGES: usize = 40;

/// The greatest number of possible working directories, and of their letters together: each simple command has them.
const MOST_DIRECTORIES: usize = 16;
const MOST_DIRECTORY_LETTERS: usize = 8 * 1024;

/// The characters that may stand beside a reserved word.
const WORD_EDGES: [char; 11] = [' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>', '`'];

/// The greatest number of words of all simple commands together. Of nested ones, as in `env env ls`, each has those of the
/// next.
const MOST_WORDS: usize = 40_000;

pub(super) struct Cursor<'a> {
    pub(super) source: &'a str,
    pub(super) home: &'a Path,
    pub(super) script: &'a mut ShellScript,
    /// The possible working directories of the shell.
    pub(super) directories: Vec<PathBuf>,
    /// The working directories if the command before succeeded, and has a `cd` that changed them.
    pub(super) entered: Option<Vec<PathBuf>>,
    /// True if the next simple command gets a here-document.
    pub(super) has_heredoc: bool,
    /// The text that the next simple command reads, if it stands in the command.
    pub(super) input: Option<String>,
    /// The index of the part that runs this script; `None` at the top.
    pub(super) within: Option<usize>,
    pub(super) depth: usize,
    /// The nesting depth of substitutions.
    pub(super) substitutions: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor over a script that nothing else runs.
    pub(super) fn new(
        source: &'a str,
        home: &'a Path,
        directories: Vec<PathBuf>,
        script: &'a mut ShellScript,
    ) -> Self {
        Self {
            source,
            home,
            script,
            directories,
            entered: None,
            has_heredoc: false,
            input: None,
            within: None,
            depth: 0,
            substitutions: 0,
        }
    }

    /// Parses the source, and records what it runs and opens.
    pub(super) fn read(mut self) {
        let source = self.source;
        if source.len() > LONGEST {
            return self.doubt("the command is too long to be understood");
        }
        if source
            .chars()
            .any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'))
        {
            self.doubt("it contains control characters");
        }
        if is_intricate(source) {
            return self.doubt("it is too intricate to be understood");
        }
        let Some(tree) = tree(source) else {
            return self.doubt("the shell's grammar cannot be used");
        };
        let root = tree.root_node();
        if splits_letters(source, root) {
            return self.doubt("its letters are not understood");
        }
        if root.has_error() {
            self.doubt("its syntax is not understood");
        }
        self.blank(0, root.start_byte(), true);
        self.blank(root.end_byte(), source.len(), true);
        self.statement(root);
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        &self.source[node.byte_range()]
    }

    pub(super) fn doubt(&mut self, reason: impl Into<String>) {
        self.script.doubt(reason);
    }

    /// Records a doubt about `node`.
    pub(super) fn not_understood(&mut self, node: Node<'_>) {
        let text: String = self.text(node).chars().take(40).collect();
        self.doubt(format!("`{}` is not understood", spelled(&text)));
    }

    pub(super) fn understood_if(&mut self, is_understood: bool, node: Node<'_>) {
        if !is_understood {
            self.not_understood(node);
        }
    }

    /// Runs `walk` one nesting level deeper; returns false, with a doubt and without the walk, at the limit.
    pub(super) fn nested(&mut self, walk: impl FnOnce(&mut Self)) -> bool {
        self.depth += 1;
        let is_in_bounds = self.depth <= DEEPEST;
        if is_in_bounds {
            walk(self);
        } else {
            self.doubt("it is nested too deeply");
        }
        self.depth -= 1;
        is_in_bounds
    }

    /// Checks that only white space separates the children of a node, so that the tree accounts for every
    /// byte of the source, and that its reserved words are whole words. A line feed ends a command and is
    /// accepted only with `may_have_lines`.
    pub(super) fn no_gaps(&mut self, node: Node<'_>, may_have_lines: bool) {
        let mut end = node.start_byte();
        for child in children(node) {
            self.blank(end, child.start_byte(), may_have_lines);
            self.understood_if(!is_reserved(child, node) || self.is_word(child), child);
            end = child.end_byte();
        }
        if node.child_count() > 0 {
            self.blank(end, node.end_byte(), may_have_lines);
        }
    }

    /// Returns whether `node` is a word to a shell as well: to the grammar, `case$x` begins with `case`.
    fn is_word(&self, node: Node<'_>) -> bool {
        let before = self.source[..node.start_byte()].chars().next_back();
        let after = self.source[node.end_byte()..].chars().next();
        let is_edge = |letter: Option<char>| letter.is_none_or(|it| WORD_EDGES.contains(&it));
        is_edge(before) && is_edge(after)
    }

    fn blank(&mut self, start: usize, end: usize, may_have_lines: bool) {
        let gap = self.source.get(start..end).unwrap_or("?");
        let is_continued = gap.contains("\\\n");
        let rest = gap.replace("\\\n", "");
        let has_line = rest.contains('\n') && !may_have_lines;
        let is_blank = rest
            .bytes()
            .all(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
        // A line continuation without white space joins two words.
        let joins = is_continued && rest.is_empty();
        if !is_blank || has_line || joins {
            self.doubt("its lines or spaces are not understood");
        }
    }

    /// Records a simple command: assignments, program, arguments.
    pub(super) fn call(&mut self, words: Vec<Word>, program: usize) {
        self.nested(|cursor| cursor.called(words, program));
    }

    fn called(&mut self, words: Vec<Word>, program: usize) {
        self.script.words += words.len();
        if self.script.words > MOST_WORDS {
            return self.doubt("it is too intricate to be understood");
        }
        let facts = program::describe(&words, program, self.home);
        if let Some(reason) = &facts.obscure {
            self.script.doubt(reason.clone());
        }
        let runs = facts.runs.clone();
        let directory = facts.changes_directory.clone();
        let inside = facts.runs_in.as_deref().map(|inside| self.below(inside));
        self.script.parts.push(SimpleCommand {
            words,
            program,
            has_heredoc: std::mem::take(&mut self.has_heredoc),
            input: self.input.take(),
            facts,
            directories: self.directories.clone(),
            within: self.within,
        });
        self.entered = None;
        if let Some(directory) = directory {
            self.change_directory(&directory);
        }
        let has_inner = !runs.is_empty();
        let within = self.within.replace(self.script.parts.len() - 1);
        let outside = inside.map(|inside| std::mem::replace(&mut self.directories, inside));
        for inner in runs {
            match inner {
                Inner::Words { words, program } => self.call(words, program),
                Inner::Script(source) => {
                    let directories = self.directories.clone();
                    Cursor {
                        within: self.within,
                        depth: self.depth,
                        ..Cursor::new(&source, self.home, directories, self.script)
                    }
                    .read();
                }
            }
        }
        self.within = within;
        if let Some(outside) = outside {
            self.directories = outside;
        }
        // An inner `cd` may be another process's, and says nothing about this shell's directory.
        if has_inner {
            self.entered = None;
        }
    }

    /// After a `cd`, which may have failed: both directories are possible.
    fn change_directory(&mut self, directory: &str) {
        self.script.directory_changes += 1;
        if self.script.directory_changes > MOST_CHANGES {
            return self.doubt("it changes its directory too often");
        }
        let new = self.below(directory);
        if letters(&new) > MOST_DIRECTORY_LETTERS {
            return self.doubt("the names of its directories are too long");
        }
        self.add_directories(&new);
        self.entered = Some(new);
    }

    /// The paths that `directory` stands for, one for each possible working directory.
    fn below(&self, directory: &str) -> Vec<PathBuf> {
        let all = self.directories.iter();
        all.map(|old| normal(&old.join(directory))).collect()
    }

    pub(super) fn add_directories(&mut self, directories: &[PathBuf]) {
        for directory in directories {
            if !self.directories.contains(directory) {
                self.directories.push(directory.clone());
            }
        }
        if self.directories.len() > MOST_DIRECTORIES
            || letters(&self.directories) > MOST_DIRECTORY_LETTERS
        {
            self.doubt("it changes its directory too often");
            self.directories.truncate(1);
        }
    }
}

fn letters(paths: &[PathBuf]) -> usize {
    paths.iter().map(|path| path.as_os_str().len()).sum()
}
