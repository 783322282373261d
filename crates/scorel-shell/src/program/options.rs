//! Command lines, read by their program's row of the [table](super::table).

use std::collections::HashSet;

use super::facts::Facts;
use super::named;
use super::usage::{Usage, marks, names, values};
use crate::variables::is_harmless_in_shell;
use crate::word::{Word, WordKind};

/// A command line as its program reads it. Indices are those of the arguments.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    pub(super) options: Vec<GivenOption>,
    pub(super) operands: Vec<usize>,
    /// Words that the table does not know, or that may be several.
    pub(super) unclear: Vec<usize>,
    /// The word behind those that were read: of a wrapper, the program that it runs.
    pub(super) end: usize,
}

/// An option as it is given.
#[derive(Debug)]
pub(super) struct GivenOption {
    /// All of its names, without dashes.
    pub(super) names: Vec<String>,
    marks: &'static str,
    pub(super) index: usize,
    /// The index of the word behind it and its values.
    pub(super) end: usize,
    values: Vec<Word>,
    is_unlisted: bool,
}

impl GivenOption {
    pub(super) fn value(&self) -> Option<&Word> {
        self.values.first()
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.names.iter().any(|it| it == name)
    }

    /// The ways to write it, by each of its names.
    pub(super) fn spelled(self) -> impl Iterator<Item = String> {
        self.names
            .into_iter()
            .map(|name| match name.chars().nth(1) {
                _ if name.starts_with('-') => name,
                None => format!("-{name}"),
                Some(_) => format!("--{name}"),
            })
    }

    fn is_special(&self) -> bool {
        self.marks.contains(['!', '>'])
    }
}

impl CommandLine {
    pub(super) fn parse(usage: &Usage, args: &[Word]) -> Self {
        let mut line = Self::default();
        let mut may_be_option = true;
        if let Some(letters) = args.first().and_then(Word::known)
            && usage.has_bundle()
            && !letters.starts_with('-')
        {
            line.letters(letters, 0, usage, args);
            line.end += 1;
        }
        while let Some(word) = args.get(line.end) {
            let is_option =
                |text: &str| text.len() > 1 && text.starts_with('-') || usage.find(text).is_some();
            match word.known() {
                _ if usage.is_complete(line.operands.len()) && !may_be_option => break,
                Some("--") if may_be_option && !usage.ignores_dashes() => may_be_option = false,
                Some(text) if may_be_option && text != "--" && is_option(text) => {
                    line.option(text, usage, args);
                }
                _ if usage.is_complete(line.operands.len()) => break,
                known => {
                    let may_move = word.may_split || usage.has_special() && known.is_none();
                    let is_before = usage.before_program().is_some() && word.may_split;
                    if is_before || may_be_option && word.may_be_option() && may_move {
                        line.unclear.push(line.end);
                    }
                    line.operands.push(line.end);
                    may_be_option &= !usage.is_ordered();
                }
            }
            line.end += 1;
        }
        line
    }

    /// Returns whether an option is given, by any of its names.
    pub(super) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.is(name))
    }

    /// Returns whether a word is an option without a value that the table does not list.
    pub(super) fn is_unlisted(&self, word: &Word) -> bool {
        let name = word.text.trim_start_matches('-');
        let mut options = self.options.iter().filter(|option| option.is_unlisted);
        name.len() < word.text.len() && options.any(|option| option.is(name))
    }

    /// Returns whether an option gives what the first operand is otherwise.
    pub(super) fn gives_first(&self) -> bool {
        self.options
            .iter()
            .any(|option| option.marks.contains('\''))
    }

    fn option(&mut self, text: &str, usage: &Usage, args: &[Word]) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if let Some(token) = usage.find(name) {
            return self.take(token, value.map(Word::literal), args);
        }
        let digits = text[1..].trim_start_matches(['-', '+']);
        if usage.has_numbers() && digits.bytes().all(|it| it.is_ascii_digit()) {
            return self.unlisted(&text[1..], None);
        }
        if let Some(long) = name.strip_prefix("--") {
            return match usage.long(long) {
                Some(token) => self.take(token, value.map(Word::literal), args),
                None if usage.is_lenient() => self.unlisted(long, value),
                None => self.unclear.push(self.end),
            };
        }
        if usage.has_words() {
            return match usage.is_lenient() {
                true => self.unlisted(name.trim_start_matches('-'), value),
                false => self.unclear.push(self.end),
            };
        }
        self.letters(text, 1, usage, args);
    }

    /// A group of short options, from `start` on. The value of one is the rest, or the next word.
    fn letters(&mut self, text: &str, start: usize, usage: &Usage, args: &[Word]) {
        let mut seen = HashSet::new();
        for (index, letter) in text.char_indices().skip(start) {
            // Repeated, it means no more, and a long group costs no more than its letters.
            if !seen.insert(letter) {
                continue;
            }
            let Some(token) = usage.short(letter) else {
                match usage.is_lenient() {
                    true => self.unlisted(letter.encode_utf8(&mut [0; 4]), None),
                    false => return self.unclear.push(self.end),
                }
                continue;
            };
            if values(marks(token)) == 0 && !marks(token).contains('?') {
                self.take(token, None, args);
                continue;
            }
            let rest = &text[index + letter.len_utf8()..];
            let is_bundle = start == 0;
            let value = (!rest.is_empty() && !is_bundle).then(|| Word::literal(rest));
            self.take(token, value, args);
            if !is_bundle {
                return;
            }
        }
    }

    /// An option that the table need not have.
    fn unlisted(&mut self, name: &str, value: Option<&str>) {
        self.options.push(GivenOption {
            names: vec![name.to_owned()],
            marks: if value.is_some() { "<" } else { "" },
            index: self.end,
            end: self.end + 1,
            values: value.map(Word::literal).into_iter().collect(),
            is_unlisted: true,
        });
    }

    fn take(&mut self, token: &'static str, attached: Option<Word>, args: &[Word]) {
        let marks = marks(token);
        let index = self.end;
        let mut wanted = values(marks);
        if marks.contains('?') || attached.is_some() {
            wanted = wanted.saturating_sub(1);
        }
        let mut values: Vec<Word> = attached.into_iter().collect();
        for _ in 0..wanted {
            self.end += 1;
            match args.get(self.end) {
                Some(word) => {
                    if word.may_split || !word.is_known() && !word.is_one {
                        self.unclear.push(self.end);
                    }
                    values.push(word.clone());
                }
                None => self.unclear.push(index),
            }
        }
        self.options.push(GivenOption {
            names: names(token).map(str::to_owned).collect(),
            marks,
            index,
            end: self.end + 1,
            values,
            is_unlisted: false,
        });
    }

    /// The values of special options, and the special operands: of a builtin, what it evaluates.
    pub(super) fn evaluated<'a>(
        &'a self,
        args: &'a [Word],
        start: usize,
        facts: &Facts,
    ) -> impl Iterator<Item = &'a Word> {
        let options = self.options.iter().filter(|option| option.is_special());
        let special: HashSet<usize> = facts.special.iter().copied().collect();
        let operands = self.operands.iter();
        let operands = operands.filter(move |it| special.contains(&(start + **it)));
        let operands = operands.map(|index| &args[*index]);
        options.flat_map(|option| &option.values).chain(operands)
    }

    /// The words that may be values of options which the table does not have.
    fn unclear_values(&self, args: &[Word]) -> Vec<Word> {
        let is_option = |word: &&Word| word.text.starts_with('-') && word.is_known();
        let values = self.unclear.iter().flat_map(|index| {
            let option = args.get(*index).filter(is_option)?;
            let attached = named::option_value(option);
            attached.or_else(|| args.get(index + 1).filter(|it| !is_option(it)).cloned())
        });
        values.collect()
    }

    /// Records what the table says of the words.
    pub(super) fn record(&self, usage: &Usage, args: &[Word], start: usize, facts: &mut Facts) {
        if usage.has_special() {
            let unclear = self.unclear.iter().map(|index| start + index);
            facts.special.extend(unclear);
            for value in self.unclear_values(args) {
                named::add_reads(&value, facts);
                facts.paths.push(value);
            }
        }
        for option in &self.options {
            if option.is_special() {
                facts.special.push(start + option.index);
            }
            for (mark, value) in value_marks(option.marks).zip(&option.values) {
                note(mark, value, facts);
            }
        }
        let mut expected = usage.operands();
        if self.gives_first() {
            expected.retain(|mark| *mark != '=');
        }
        let mut next = 0;
        for index in &self.operands {
            let word = &args[*index];
            let Some(mark) = expected.get(next).or(expected.last()) else {
                return;
            };
            // A word that may be none or several stands for the next operands too.
            let is_moved = word.may_split || word.kind == WordKind::Glob;
            let meant = if is_moved { expected.get(next..) } else { None };
            let meant = meant.unwrap_or_default();
            let is_special = match mark {
                '>' | '!' => true,
                '+' => !word.text.starts_with('+'),
                'v' => !word.known().is_some_and(is_harmless_in_shell),
                _ => meant.contains(&'>'),
            };
            if is_special {
                facts.special.push(start + index);
            }
            if *mark == 'u' {
                facts.addresses.push(start + index);
            }
            note(*mark, word, facts);
            if *mark == '=' && meant.contains(&'<') {
                note('<', word, facts);
            }
            facts.is_writing |= meant.contains(&'>');
            next += usize::from(!is_moved);
        }
    }
}

/// Records a value or an operand that is a file.
fn note(mark: char, word: &Word, facts: &mut Facts) {
    match mark {
        '<' | '>' if word.text != "-" || !word.is_known() => facts.paths.push(word.clone()),
        '@' | 'u' => {
            named::add_reads(word, facts);
            facts.reads.extend((mark == 'u').then(|| word.clone()));
        }
        _ => {}
    }
    facts.is_writing |= mark == '>';
}

fn value_marks(marks: &str) -> impl Iterator<Item = char> {
    marks.chars().filter(|mark| "=<>@".contains(*mark))
}
