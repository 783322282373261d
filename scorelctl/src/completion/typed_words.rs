use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The command line that is being completed: the program's name, and the words typed after it.
#[derive(Debug, Clone)]
pub(super) struct TypedWords {
    words: Vec<OsString>,
    /// The word with the cursor, where the shell tells.
    index: Option<usize>,
}

impl TypedWords {
    /// The words that the shell's script passes on behind `--`.
    pub(super) fn of_this_process() -> Self {
        let index = env::var("_CLAP_COMPLETE_INDEX").ok();
        Self {
            words: env::args_os().skip_while(|it| it != "--").skip(1).collect(),
            index: index.and_then(|index| index.parse().ok()),
        }
    }

    #[cfg(test)]
    pub(super) fn typed(line: &str) -> Self {
        Self {
            words: line.split(' ').map(OsString::from).collect(),
            index: None,
        }
    }

    pub(super) const fn index(&self) -> Option<usize> {
        self.index
    }

    pub(super) fn from(&self, at: usize) -> &[OsString] {
        &self.words[at..]
    }

    /// Where the command stands, if it is this one and the cursor is behind it.
    pub(super) fn position_of(&self, command: &str) -> Option<usize> {
        let at = self.command()?;
        let cursor = self.index.unwrap_or(self.words.len().saturating_sub(1));
        (self.words[at] == command && at < cursor).then_some(at)
    }

    /// Returns whether the command is this one.
    pub(super) fn is_of(&self, command: &str) -> bool {
        self.command().is_some_and(|at| self.words[at] == command)
    }

    /// The home directory that the line names.
    pub(super) fn home(&self) -> Option<PathBuf> {
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            if word == "--home" {
                return words.next().map(PathBuf::from);
            }
            let value = word.to_str().and_then(|it| it.strip_prefix("--home="));
            if let Some(value) = value {
                return Some(PathBuf::from(value));
            }
        }
        None
    }

    /// Returns whether the line is for the daemon of another machine.
    pub(super) fn is_remote(&self) -> bool {
        let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"--remote");
        self.words.iter().any(is_option)
    }

    /// The first word that is neither an option nor the value of one.
    fn command(&self) -> Option<usize> {
        let mut at = 1;
        while let Some(word) = self.words.get(at) {
            if word == "--home" || word == "--remote" {
                at += 1;
            } else if !is_option(word) {
                return Some(at);
            }
            at += 1;
        }
        None
    }
}

fn is_option(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_the_first_word_that_is_no_option() {
        let words = TypedWords::typed("scorelctl --remote build --json config set x");
        assert_eq!(words.position_of("config"), Some(4));
        assert!(words.is_remote());
        let words = TypedWords::typed("scorelctl --home /h --json config set x");
        assert_eq!(words.position_of("config"), Some(4));
        assert_eq!(words.from(4).len(), 3);
        assert_eq!(words.home(), Some(PathBuf::from("/h")));
        assert!(words.is_of("config") && !words.is_of("set"));
        let words = TypedWords::typed("scorelctl --home=/x send config");
        assert_eq!(words.position_of("config"), None);
        assert_eq!(words.home(), Some(PathBuf::from("/x")));
        let unfinished = TypedWords::typed("scorelctl config");
        assert_eq!(unfinished.position_of("config"), None, "it may go on");
        assert_eq!(TypedWords::typed("scorelctl --home").home(), None);
    }
}
