//! A line of a command's output.

use std::path::{Path, PathBuf};

/// The separators of a message's words.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\'', '"', '`', '(', ')', '[', ']', '{', '}', ',', ';', '=', '<', '>', '\u{2018}',
    '\u{2019}',
];

/// The number of lines before an error that may name its path.
pub(super) const NEAR: usize = 3;

/// Pairs of quotation marks.
const QUOTES: [(char, char); 4] = [
    ('\'', '\''),
    ('"', '"'),
    ('`', '`'),
    ('\u{2018}', '\u{2019}'),
];

/// A line of the output with those before it.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    lower: String,
    before: &'a [&'a str],
}

impl<'a> Line<'a> {
    pub(super) fn new(lines: &'a [&'a str], index: usize) -> Self {
        Self {
            text: lines[index],
            lower: lines[index].to_lowercase(),
            before: &lines[..index],
        }
    }

    /// Returns whether it has one of these phrases, in whatever case.
    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.lower.contains(phrase))
    }

    /// Returns whether it has one of these phrases as a word of its own.
    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        let is_end = |letter: char| !letter.is_alphanumeric() && letter != '_';
        self.lower.split(is_end).any(|word| words.contains(&word))
    }

    pub(super) fn says_not_permitted(&self) -> bool {
        self.has(&["operation not permitted"]) || self.has_word(&["eperm"])
    }

    pub(super) fn says_denied(&self) -> bool {
        self.has(&["permission denied"]) || self.has_word(&["eacces"])
    }

    pub(super) fn says_busy(&self) -> bool {
        self.has(&["resource busy"]) || self.has_word(&["ebusy"])
    }

    pub(super) fn says_read_only(&self) -> bool {
        self.has(&["read-only file system"]) || self.has_word(&["erofs"])
    }

    /// The last lines before it, the nearest first.
    pub(super) fn before(&self, count: usize) -> impl Iterator<Item = &'a str> {
        self.before.iter().rev().take(count).copied()
    }

    /// Its words between colons, which can be names of the working directory.
    pub(super) fn names(&self) -> impl Iterator<Item = PathBuf> {
        let words = self.text.split(": ").map(str::trim);
        let is_name = |word: &&str| !word.is_empty() && !word.contains(char::is_whitespace);
        words.filter(is_name).map(PathBuf::from)
    }

    /// Possible paths in it.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        paths_in(self.text)
    }
}

/// Possible paths in a text: quoted parts, and words with a slash. The name that a program gives itself at
/// the start is none, if there are others.
pub(super) fn paths_in(text: &str) -> Vec<PathBuf> {
    let words = text.split(SEPARATORS).filter(|word| word.contains('/'));
    let quoted = QUOTES.into_iter().flat_map(|(open, close)| {
        let parts = text.split(open).skip(1);
        parts.filter_map(move |part| part.split(close).next())
    });
    let trimmed = quoted.chain(words).map(|word| {
        let word = word.rsplit_once("://").map_or(word, |(_, path)| path);
        word.trim_start_matches("unix:")
            .trim_end_matches([':', '.', '!', '?'])
    });
    let possible = trimmed.filter(|path| !path.is_empty() && path.len() <= 4096);
    let mut paths: Vec<PathBuf> = possible.map(PathBuf::from).collect();
    let first = text.split_whitespace().next();
    let program = first.and_then(|word| word.strip_suffix(':')).map(Path::new);
    if paths.iter().any(|path| Some(path.as_path()) != program) {
        paths.retain(|path| Some(path.as_path()) != program);
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_names_itself_is_no_path() {
        for text in [
            "/bin/bash: line 1: /tmp/x: Read-only file system",
            "/usr/bin/touch: cannot touch '/tmp/x': Read-only file system",
        ] {
            let found = paths_in(text);
            let is_found = |path: &str| found.contains(&PathBuf::from(path));
            assert!(is_found("/tmp/x"), "{found:?}");
            assert!(
                !is_found("/bin/bash") && !is_found("/usr/bin/touch"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn paths_are_found_in_messages_of_many_programs() {
        for (text, path) in [
            (
                "touch: cannot touch '/etc/x': Read-only file system",
                "/etc/x",
            ),
            ("bash: line 1: /etc/x: Permission denied", "/etc/x"),
            ("/etc/x: Permission denied", "/etc/x"),
            (
                "OSError: [Errno 30] Read-only file system: '/opt/a b'",
                "/opt/a b",
            ),
            (
                "Error: EROFS: read-only file system, open '/etc/x'",
                "/etc/x",
            ),
            (
                "open /home/u/.config/gh/hosts.yml: permission denied",
                "/home/u/.config/gh/hosts.yml",
            ),
            (
                "error: failed to create `/home/u/.cargo/bin`",
                "/home/u/.cargo/bin",
            ),
            (
                "connect to unix:///var/run/docker.sock. Is it",
                "/var/run/docker.sock",
            ),
            (
                "mkdir: cannot create directory \u{2018}/x\u{2019}: no",
                "/x",
            ),
            (
                "socket \"/run/p/.s.PGSQL.5432\" failed",
                "/run/p/.s.PGSQL.5432",
            ),
        ] {
            let found = paths_in(text);
            assert!(
                found.contains(&Path::new(path).to_owned()),
                "{text}: {found:?}"
            );
        }
    }
}
