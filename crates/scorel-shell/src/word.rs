//! Words.

/// A word after quote removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text; of an unknown word, its known prefix.
    pub text: String,
    pub kind: WordKind,
    /// True if it certainly expands to one word.
    pub is_one: bool,
    /// True if it may expand to several words of which not all begin with `text`, as `a$x` does for
    /// `x='b -c'`.
    pub may_split: bool,
}

/// The part of a word's text that is known before the shell runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// Exactly its text.
    Literal,
    /// A file name pattern, which expands to matching names or stays as it is.
    Glob,
    /// Known at run time only.
    Unknown,
}

impl Word {
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            kind: WordKind::Literal,
            is_one: true,
            may_split: false,
        }
    }

    pub(crate) fn glob(text: impl Into<String>) -> Self {
        Self {
            kind: WordKind::Glob,
            is_one: false,
            ..Self::literal(text)
        }
    }

    /// A word of which only the beginning is known.
    pub fn unknown(beginning: impl Into<String>) -> Self {
        Self {
            text: beginning.into(),
            kind: WordKind::Unknown,
            is_one: false,
            may_split: true,
        }
    }

    /// An unknown text in place of what follows `position`, which splits no further than this word.
    pub(crate) fn replaced_from(&self, position: usize) -> Self {
        Self {
            is_one: self.is_one,
            may_split: self.may_split,
            ..Self::unknown(&self.text[..position])
        }
    }

    /// Returns whether its text is known.
    pub fn is_known(&self) -> bool {
        self.kind == WordKind::Literal
    }

    /// The text of a literal word.
    pub fn known(&self) -> Option<&str> {
        self.is_known().then_some(self.text.as_str())
    }

    /// Returns whether it could be an option.
    pub(crate) fn may_be_option(&self) -> bool {
        match self.kind {
            WordKind::Literal => self.text.starts_with('-'),
            WordKind::Glob => self.text.starts_with(['-', '*', '?', '[']),
            WordKind::Unknown => {
                self.may_split || self.text.is_empty() || self.text.starts_with('-')
            }
        }
    }

    /// The part of the word from `start` on; `None` if the known prefix is shorter.
    pub(crate) fn after(&self, start: usize) -> Self {
        Self {
            text: self.text.get(start..).unwrap_or_default().to_owned(),
            ..*self
        }
    }
}

/// The parts of a word.
#[derive(Debug)]
pub(crate) enum WordPiece {
    /// Unquoted text, in which wildcards and braces are special.
    Bare(char),
    Quoted(char),
    /// An expansion, which may split into several words.
    Unknown,
    /// A quoted expansion, which stays one word.
    UnknownText,
}

impl Word {
    /// The word of these pieces; `home` replaces `~`.
    pub(crate) fn built_of(mut pieces: Vec<WordPiece>, home: &str) -> Self {
        expand_home(&mut pieces, home);
        let is_one = pieces
            .iter()
            .all(|piece| matches!(piece, WordPiece::Quoted(_) | WordPiece::UnknownText));
        let may_split = pieces
            .iter()
            .any(|piece| matches!(piece, WordPiece::Unknown));
        let unknown = |text: &str| Self {
            is_one,
            may_split,
            ..Self::unknown(text)
        };
        let mut text = String::new();
        let mut is_glob = false;
        // Where the last component begins.
        let mut name = 0;
        let mut pieces = pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            if text.ends_with('/') {
                name = text.len();
            }
            match piece {
                WordPiece::Unknown | WordPiece::UnknownText => {
                    return unknown(&text);
                }
                WordPiece::Quoted(letter) => text.push(*letter),
                WordPiece::Bare('{') => {
                    // `{}` is literal, other braces may expand to several words.
                    if !matches!(pieces.peek(), Some(WordPiece::Bare('}'))) {
                        return unknown(&text);
                    }
                    text.push('{');
                }
                WordPiece::Bare(letter) => {
                    if matches!(letter, '*' | '?' | '[') {
                        // A pattern that starts with a dot can match `..`.
                        if text[name..].starts_with('.') {
                            return unknown(&text);
                        }
                        is_glob = true;
                    }
                    text.push(*letter);
                }
            }
        }
        if !is_glob {
            return Self::literal(text);
        }
        if has_unclear_name(&text) {
            let start = text.find(['*', '?', '[']).unwrap_or_default();
            return unknown(&text[..start]);
        }
        Self::glob(text)
    }
}

fn expand_home(pieces: &mut Vec<WordPiece>, home: &str) {
    match pieces.as_slice() {
        [WordPiece::Bare('~')] | [WordPiece::Bare('~'), WordPiece::Bare('/'), ..] => {
            pieces.splice(..1, home.chars().map(WordPiece::Quoted));
        }
        [WordPiece::Bare('~'), ..] => pieces[0] = WordPiece::Unknown,
        _ => {}
    }
}

/// Returns whether a file name pattern has, after its first wildcard, a component that may match `..`.
fn has_unclear_name(text: &str) -> bool {
    let start = text.find(['*', '?', '[']).unwrap_or_default();
    let start = text[..start].rfind('/').map_or(0, |slash| slash + 1);
    text[start..].split('/').any(|name| name.starts_with('.'))
}
