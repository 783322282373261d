//! A program's row of the [table](super::table).

/// The rows of one program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage(pub(super) [&'static str; 2]);

const MARKS: [char; 7] = ['=', '<', '>', '@', '!', '?', '\''];

/// The names of an option.
pub(super) fn names(token: &'static str) -> impl Iterator<Item = &'static str> {
    token.trim_end_matches(MARKS).split(',')
}

/// The marks of an option in the table.
pub(super) fn marks(token: &'static str) -> &'static str {
    &token[token.trim_end_matches(MARKS).len()..]
}

/// The number of values that an option with these marks has.
pub(super) fn values(marks: &str) -> usize {
    marks.matches(['=', '<', '>', '@']).count()
}

impl Usage {
    fn words(&self) -> impl Iterator<Item = &'static str> {
        let rows = self.0.into_iter();
        rows.flat_map(|row| row.split_ascii_whitespace().take_while(|word| *word != "|"))
    }

    fn has(&self, mark: &str) -> bool {
        self.word_with(mark, |word| word == mark).is_some()
    }

    fn named(&self, name: &str) -> Option<&'static str> {
        self.word_with(name, |word| names(word).any(|it| it == name))
    }

    /// The first word that contains a text and is the one. A row may have hundreds of words, of which few do.
    fn word_with(&self, text: &str, is_it: impl Fn(&'static str) -> bool) -> Option<&'static str> {
        let word = |row: &'static str, index: usize| {
            let start = row[..index].rfind(' ').map_or(0, |space| space + 1);
            row[start..].split(' ').next().unwrap_or_default()
        };
        self.0.into_iter().find_map(|row| {
            let options = row.split_once('|').map_or(row, |(options, _)| options);
            let places = options.match_indices(text).map(|(index, _)| index);
            places
                .map(|index| word(options, index))
                .find(|word| is_it(word))
        })
    }

    /// The option that is this whole word. Programs whose options are words take a second dash too.
    pub(super) fn find(&self, word: &str) -> Option<&'static str> {
        let is_one = |word: &str| word.starts_with('-').then(|| self.named(word)).flatten();
        is_one(word).or_else(|| is_one(word.strip_prefix('-').filter(|_| self.has_words())?))
    }

    pub(super) fn short(&self, letter: char) -> Option<&'static str> {
        self.named(letter.encode_utf8(&mut [0; 4]))
    }

    /// The long option of this name, or the one that begins with it.
    pub(super) fn long(&self, name: &str) -> Option<&'static str> {
        let is_long = |it: &&str| it.len() > 1;
        let is_it = |word: &&'static str| names(word).filter(is_long).any(|it| it == name);
        let begins = |it: &str| it.len() > 1 && it.starts_with(name);
        let is_meant = |word: &&'static str| names(word).any(begins);
        self.words().find(is_it).or_else(|| {
            let meant: Vec<&'static str> = self.words().filter(is_meant).collect();
            // The program may know only some of them, so that the name is not ambiguous to it.
            let special = meant.iter().find(|word| marks(word).contains(['!', '>']));
            special
                .or(meant.first().filter(|_| meant.len() == 1))
                .copied()
        })
    }

    pub(super) fn is_lenient(&self) -> bool {
        self.has("*")
    }

    /// Returns whether an argument may make the program do something else.
    pub(super) fn has_special(&self) -> bool {
        let mut rows = self.0.into_iter();
        !self.is_lenient() || rows.any(|row| row.contains(['!', '>']))
    }

    /// Returns whether the options go on behind the word `--`.
    pub(super) fn ignores_dashes(&self) -> bool {
        self.has("^")
    }

    pub(super) fn has_numbers(&self) -> bool {
        self.has("#")
    }

    pub(super) fn has_bundle(&self) -> bool {
        self.has("~")
    }

    pub(super) fn has_words(&self) -> bool {
        let is_word = |word: &str| word.len() > 1 && word.starts_with('-');
        self.word_with("-", is_word).is_some()
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.word_with("+", |word| word.starts_with('+')).is_some()
    }

    /// Returns whether the next operand is the program that it runs, after so many others.
    pub(super) fn is_complete(&self, operands: usize) -> bool {
        self.before_program() == Some(operands)
    }

    /// The number of operands that precede the program that it runs.
    pub(super) fn before_program(&self) -> Option<usize> {
        let word = self.word_with("+", |word| word.starts_with("+") && word.len() > 1)?;
        word[1..].parse().ok()
    }

    /// The marks of the operands.
    pub(super) fn operands(&self) -> Vec<char> {
        let marks = self.0[0].split_once('|').map_or("", |(_, marks)| marks);
        marks.chars().filter(|mark| *mark != ' ').collect()
    }
}
