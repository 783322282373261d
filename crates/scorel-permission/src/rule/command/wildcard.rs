//! The words of a command pattern.

use crate::rule::RuleErrorKind;

/// The pattern of one word: literal characters, and wildcards where `*` and `?` are not quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wildcard(Vec<Letter>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letter {
    This(char),
    /// `?`
    One,
    /// `*`
    Many,
}

impl Wildcard {
    pub(super) fn is_any(&self) -> bool {
        self.0 == [Letter::Many]
    }

    /// The text; `None` with a wildcard.
    pub(super) fn literal(&self) -> Option<String> {
        let text = self.0.iter().map(|letter| match letter {
            Letter::This(this) => Some(*this),
            Letter::One | Letter::Many => None,
        });
        text.collect()
    }

    /// For a word that ends with `:*`, the non-empty part before it.
    pub(super) fn before_colon(&self) -> Option<Self> {
        let text = self.0.strip_suffix(&[Letter::This(':'), Letter::Many])?;
        (!text.is_empty()).then(|| Self(text.to_vec()))
    }

    pub(super) fn is_wild(&self) -> bool {
        self.0
            .iter()
            .any(|letter| !matches!(letter, Letter::This(_)))
    }

    /// Returns whether it is this text, without wildcards.
    pub(super) fn is(&self, text: &str) -> bool {
        !self.is_wild() && self.matches(text)
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        // A rule that an answer adds may be as long as the command.
        if !self.is_wild() {
            let letters = self.0.iter().copied();
            return letters.eq(text.chars().map(Letter::This));
        }
        let text: Vec<char> = text.chars().collect();
        let mut reached = vec![false; text.len() + 1];
        reached[0] = true;
        for letter in &self.0 {
            let mut next = vec![false; text.len() + 1];
            for (index, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
                match letter {
                    Letter::Many => next[index..].fill(true),
                    Letter::One if index < text.len() => next[index + 1] = true,
                    Letter::This(this) if text.get(index) == Some(this) => next[index + 1] = true,
                    Letter::One | Letter::This(_) => {}
                }
                if matches!(letter, Letter::Many) {
                    break;
                }
            }
            reached = next;
        }
        reached[text.len()]
    }
}

/// Splits a pattern into words. Errors have their position in it.
pub(super) fn words(pattern: &str) -> Result<Vec<Wildcard>, (usize, RuleErrorKind)> {
    let mut words = Vec::new();
    let mut word: Option<Vec<Letter>> = None;
    let mut letters = pattern.chars().enumerate();
    while let Some((position, letter)) = letters.next() {
        let unended = || (position, RuleErrorKind::Quotation);
        match letter {
            ' ' | '\t' => words.extend(word.take().map(Wildcard)),
            '\\' => {
                let (_, letter) = letters.next().ok_or_else(unended)?;
                word.get_or_insert_default().push(Letter::This(letter));
            }
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    let (_, inner) = letters.next().ok_or_else(unended)?;
                    if inner == letter {
                        break;
                    }
                    word.push(Letter::This(inner));
                }
            }
            '*' => word.get_or_insert_default().push(Letter::Many),
            '?' => word.get_or_insert_default().push(Letter::One),
            _ => word.get_or_insert_default().push(Letter::This(letter)),
        }
    }
    words.extend(word.map(Wildcard));
    Ok(words)
}

/// Quotes a word, so that the pattern matches it only.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_=+:,./@%^~!".contains(letter);
    if word.is_empty() {
        return "''".to_owned();
    }
    let mut quoted = String::new();
    for letter in word.chars() {
        if !is_plain(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted
}
