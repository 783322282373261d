//! Command patterns.

mod unmatched;
mod wildcard;

use self::wildcard::Wildcard;
use super::RuleErrorKind;
use scorel_shell::{Word, WordKind};

/// A command pattern, matched word by word.
#[derive(Debug, Clone)]
pub(crate) struct CommandPattern {
    words: Vec<WordPattern>,
}

#[derive(Debug, Clone)]
enum WordPattern {
    /// `*`: any number of words, including none.
    Any,
    One(Wildcard),
    /// `text:*` at the end: the word `text`, or one that begins with `text:`.
    Begun(Wildcard, Wildcard),
}

/// The certainty that a pattern matches a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    No,
    /// It depends on a word that is only known at run time.
    Perhaps,
    Yes,
}

impl CommandPattern {
    pub(crate) fn parse(pattern: Option<&str>) -> Result<Self, (usize, RuleErrorKind)> {
        let pattern = pattern.unwrap_or("*");
        let mut written = wildcard::words(pattern)?;
        unmatched::check(pattern, &written)?;
        // `Bash(touch:*)` is how some write `Bash(touch *)`.
        let begun = written.last().and_then(Wildcard::before_colon);
        let last = begun.and_then(|text| Some((text, written.pop()?)));
        let mut words: Vec<_> = written
            .into_iter()
            .map(|word| {
                if word.is_any() {
                    WordPattern::Any
                } else {
                    WordPattern::One(word)
                }
            })
            .collect();
        if let Some((text, whole)) = last {
            words.extend([WordPattern::Begun(text, whole), WordPattern::Any]);
        }
        Ok(Self { words })
    }

    /// The pattern that matches these words only.
    pub(crate) fn exactly(words: &[Word]) -> String {
        let words: Vec<String> = words
            .iter()
            .map(|word| wildcard::quoted(&word.text))
            .collect();
        words.join(" ")
    }

    /// The pattern that matches commands which begin with these words.
    pub(crate) fn beginning(words: &[Word]) -> String {
        format!("{} *", Self::exactly(words))
    }

    /// The commands that the pattern matches, as words; what a wildcard stands for is unknown.
    pub(crate) fn words(&self) -> Vec<Word> {
        let word = |pattern: &WordPattern| match pattern {
            WordPattern::Any => Word::unknown(""),
            WordPattern::One(word) | WordPattern::Begun(word, _) => match word.literal() {
                Some(text) => Word::literal(text),
                None => Word::unknown(""),
            },
        };
        self.words.iter().map(word).collect()
    }

    /// The program that the pattern names.
    pub(crate) fn program(&self) -> Option<String> {
        match self.words.first()? {
            WordPattern::Any => None,
            WordPattern::One(word) | WordPattern::Begun(word, _) => word.literal(),
        }
    }

    /// Returns whether an allowing rule with this pattern matches. `*` does not match the `special` words; with
    /// `is_exact` wildcards match nothing. Errs towards no.
    pub(crate) fn allows(&self, words: &[Word], special: &[usize], is_exact: bool) -> bool {
        if is_exact && self.words.iter().any(WordPattern::is_wild) {
            return false;
        }
        let covers = |pattern: &WordPattern, word: &Word| match word.kind {
            WordKind::Literal => pattern.matches(&word.text),
            WordKind::Glob => pattern.is(&word.text),
            WordKind::Unknown => false,
        };
        // Up to the first `*` each word has its own pattern. A rule that an answer adds may be as long as the
        // command, and has no `*`.
        let patterns = self.words.iter();
        let leading = patterns.take_while(|pattern| !matches!(pattern, WordPattern::Any));
        let leading = leading.count();
        if leading > words.len() {
            return false;
        }
        let (own, others) = self.words.split_at(leading);
        if !own
            .iter()
            .zip(words)
            .all(|(pattern, word)| covers(pattern, word))
        {
            return false;
        }
        let mut is_special = vec![false; words.len() + 1];
        for index in special {
            if let Some(is_special) = is_special.get_mut(*index) {
                *is_special = true;
            }
        }
        spans(others, &words[leading..], &is_special[leading..], covers)
    }

    /// Returns whether a denying or asking rule with this pattern matches. Errs towards yes.
    pub(crate) fn touches(&self, words: &[Word]) -> Likeness {
        if !self.may_begin_with(words.first()) {
            return Likeness::No;
        }
        let mut rows = vec![vec![Likeness::No; words.len() + 1]; self.words.len() + 1];
        rows[0][0] = Likeness::Yes;
        for i in 0..=self.words.len() {
            for j in 0..=words.len() {
                let here = rows[i][j];
                if here == Likeness::No {
                    continue;
                }
                let mut reach = |i: usize, j: usize, likeness: Likeness| {
                    if let Some(cell) = rows.get_mut(i).and_then(|row| row.get_mut(j)) {
                        *cell = (*cell).max(here.min(likeness));
                    }
                };
                let pattern = self.words.get(i);
                let word = words.get(j);
                if matches!(pattern, Some(WordPattern::Any)) {
                    reach(i + 1, j, Likeness::Yes);
                    reach(i, j + 1, Likeness::Yes);
                }
                // An unknown word may expand to none, one or several.
                if word.is_some_and(|word| word.kind != WordKind::Literal) {
                    reach(i, j + 1, Likeness::Perhaps);
                    reach(i + 1, j, Likeness::Perhaps);
                    reach(i + 1, j + 1, Likeness::Perhaps);
                }
                if let (Some(pattern), Some(word)) = (pattern, word)
                    && word.kind != WordKind::Unknown
                    && pattern.matches(&word.text)
                {
                    reach(i + 1, j + 1, Likeness::Yes);
                }
            }
        }
        rows[self.words.len()][words.len()]
    }

    /// A quick answer for most rules, which name another program.
    pub(crate) fn may_begin_with(&self, word: Option<&Word>) -> bool {
        match (self.words.first(), word.and_then(Word::known)) {
            (Some(WordPattern::Any) | None, _) | (_, None) => true,
            (Some(pattern), Some(text)) => pattern.matches(text),
        }
    }
}

impl WordPattern {
    fn is_wild(&self) -> bool {
        match self {
            Self::Any | Self::Begun(..) => true,
            Self::One(pattern) => pattern.is_wild(),
        }
    }

    /// Returns whether it matches this one word. `*` stands for words and not for one.
    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Any => false,
            Self::One(pattern) => pattern.matches(text),
            Self::Begun(word, rest) => word.matches(text) || rest.matches(text),
        }
    }

    /// Returns whether it is this text, without wildcards.
    fn is(&self, text: &str) -> bool {
        match self {
            Self::Any => false,
            Self::One(pattern) | Self::Begun(pattern, _) => pattern.is(text),
        }
    }
}

/// Returns whether the patterns match all of the words, where `*` matches none that `is_special`.
fn spans(
    patterns: &[WordPattern],
    words: &[Word],
    is_special: &[bool],
    covers: impl Fn(&WordPattern, &Word) -> bool,
) -> bool {
    let mut reached = vec![false; words.len() + 1];
    reached[0] = true;
    for pattern in patterns {
        let mut next = vec![false; words.len() + 1];
        match pattern {
            WordPattern::Any => {
                let mut is_open = false;
                for (index, reached) in reached.iter().enumerate() {
                    is_open |= reached;
                    next[index] = is_open;
                    is_open &= !is_special[index];
                }
            }
            WordPattern::One(_) | WordPattern::Begun(..) => {
                for (index, word) in words.iter().enumerate() {
                    next[index + 1] = reached[index] && covers(pattern, word);
                }
            }
        }
        reached = next;
    }
    reached[words.len()]
}
