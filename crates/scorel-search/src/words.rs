//! Defines a word, for the index, for queries and for comparing a record with a query.
//!
//! A word is a run of letters and digits. Case, the accents of Latin, Greek and Cyrillic letters, and
//! full width forms make no difference. In scripts without spaces between words each character is a word
//! of its own, and so is each symbol such as an emoji; a query has them side by side as a phrase.
//!
//! The database gets ready-made words and only splits at spaces. Its own tokenizer knows the letters of
//! Unicode 6.1 and no emoji, and snippets need the positions of matches by the same rules.

use std::ops::{Range, RangeInclusive};

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use crate::limits::MAX_WORD_LETTERS;

/// Calls `visit` with each word of a text, as it is compared, and with its place in the text in bytes.
pub(crate) fn for_each_word(text: &str, mut visit: impl FnMut(&str, Range<usize>)) {
    let mut word = OpenWord::default();
    for (at, char) in text.char_indices() {
        match CharKind::of(char) {
            CharKind::Letter => word.push(at, char),
            CharKind::Mark => word.extend(at, char),
            CharKind::Single => {
                word.end(&mut visit);
                word.push(at, char);
                word.end(&mut visit);
            }
            CharKind::Gap => word.end(&mut visit),
        }
    }
    word.end(&mut visit);
}

/// Returns whether a word can begin with this character.
pub(crate) fn begins_word(char: char) -> bool {
    matches!(CharKind::of(char), CharKind::Letter | CharKind::Single)
}

/// A word that is being read.
#[derive(Default)]
struct OpenWord {
    letters: String,
    count: usize,
    range: Range<usize>,
}

impl OpenWord {
    fn push(&mut self, at: usize, char: char) {
        if self.count == 0 {
            self.range.start = at;
        }
        self.range.end = at + char.len_utf8();
        self.count += 1;
        if self.count <= MAX_WORD_LETTERS {
            fold(char, &mut self.letters);
        }
    }

    /// A mark belongs to the letter before it. Accents make no difference.
    fn extend(&mut self, at: usize, char: char) {
        if self.count == 0 {
            return;
        }
        self.range.end = at + char.len_utf8();
        if !is_accent(char) && self.count <= MAX_WORD_LETTERS {
            self.letters.push(char);
        }
    }

    fn end(&mut self, visit: &mut impl FnMut(&str, Range<usize>)) {
        if self.count > 0 {
            visit(&self.letters, self.range.clone());
            self.letters.clear();
            self.count = 0;
        }
    }
}

/// Appends a letter without what makes no difference. Never nothing: a word would vanish.
fn fold(char: char, letters: &mut String) {
    if char.is_ascii() {
        letters.push(char.to_ascii_lowercase());
        return;
    }
    let char = match char {
        '\u{ff01}'..='\u{ff5e}' => half_width(char),
        'ς' => 'σ',
        _ => char,
    };
    let lower = char.to_lowercase().filter(|lower| !is_accent(*lower));
    letters.extend(lower.map(without_accent));
}

fn half_width(char: char) -> char {
    char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char)
}

/// The letter that an accented one of these alphabets is made of. In other scripts a mark can make
/// another letter, as in the Japanese か and が.
fn without_accent(char: char) -> char {
    let mut base = char;
    if matches!(char, '\u{c0}'..='\u{52f}' | '\u{1e00}'..='\u{1fff}') {
        let mut parts = 0;
        decompose_canonical(char, |part| {
            if parts == 0 {
                base = part;
            }
            parts += 1;
        });
    }
    base
}

const fn is_accent(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Letter,
    /// A word of its own.
    Single,
    /// Belongs to the letter before it.
    Mark,
    Gap,
}

impl CharKind {
    fn of(char: char) -> Self {
        if char.is_ascii() {
            return if char.is_ascii_alphanumeric() {
                Self::Letter
            } else {
                Self::Gap
            };
        }
        let is_mark = is_combining_mark(char);
        if is_in(char, SPACELESS) && (is_mark || char.is_alphanumeric()) || is_in(char, SYMBOLS) {
            Self::Single
        } else if is_mark {
            Self::Mark
        } else if char.is_alphanumeric() {
            Self::Letter
        } else {
            Self::Gap
        }
    }
}

fn is_in(char: char, ranges: &[RangeInclusive<char>]) -> bool {
    let after = ranges.partition_point(|range| *range.start() <= char);
    after > 0 && ranges[after - 1].contains(&char)
}

/// Scripts that are written without spaces between words, in ascending order.
const SPACELESS: &[RangeInclusive<char>] = &[
    // Thai and Lao.
    '\u{e00}'..='\u{eff}',
    // Tibetan and Myanmar.
    '\u{f00}'..='\u{109f}',
    // Khmer.
    '\u{1780}'..='\u{17ff}',
    // Limbu is between; Tai Le, New Tai Lue, Khmer symbols, Tai Tham.
    '\u{1950}'..='\u{19ff}',
    '\u{1a20}'..='\u{1aaf}',
    // Radicals, kana, Bopomofo and ideographs; Hangul has spaces, its compatibility letters as well.
    '\u{2e80}'..='\u{2fdf}',
    '\u{3005}'..='\u{3007}',
    '\u{3021}'..='\u{3029}',
    '\u{3031}'..='\u{3035}',
    '\u{3038}'..='\u{303c}',
    '\u{3041}'..='\u{312f}',
    '\u{31a0}'..='\u{31ff}',
    '\u{3400}'..='\u{4dbf}',
    '\u{4e00}'..='\u{9fff}',
    // Yi.
    '\u{a000}'..='\u{a4cf}',
    // Javanese and more of Myanmar, Tai Viet.
    '\u{a980}'..='\u{a9ff}',
    '\u{aa60}'..='\u{aadf}',
    '\u{f900}'..='\u{faff}',
    // Katakana of half width.
    '\u{ff66}'..='\u{ff9f}',
    '\u{1aff0}'..='\u{1b16f}',
    '\u{20000}'..='\u{3ffff}',
];

/// Emoji and other symbols that people look for, in ascending order. Lines of boxes are not among them.
const SYMBOLS: &[RangeInclusive<char>] = &[
    // Arrows and mathematical operators.
    '\u{2190}'..='\u{22ff}',
    // Technical signs, such as ⌘ and ⏳.
    '\u{2300}'..='\u{23ff}',
    // Shapes, signs and dingbats.
    '\u{25a0}'..='\u{27bf}',
    '\u{2b00}'..='\u{2bff}',
    // Emoji.
    '\u{1f000}'..='\u{1faff}',
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word, _| words.push(word.to_owned()));
        words
    }

    #[test]
    fn text_is_cut_into_words_and_characters() {
        for (text, expected) in [
            ("", vec![]),
            ("Hello, World!", vec!["hello", "world"]),
            (
                "snake_case std::vec a.b(c)",
                vec!["snake", "case", "std", "vec", "a", "b", "c"],
            ),
            (
                "Café CAFE\u{301} Ångström",
                vec!["cafe", "cafe", "angstrom"],
            ),
            ("ΣΊΣΥΦΟΣ Σίσυφος", vec!["σισυφοσ", "σισυφοσ"]),
            ("İstanbul ß", vec!["istanbul", "ß"]),
            ("ＡＢＣ１", vec!["abc1"]),
            ("解析器x2です", vec!["解", "析", "器", "x2", "で", "す"]),
            ("か が", vec!["か", "が"]),
            ("한국어 검색", vec!["한국어", "검색"]),
            ("ไทย", vec!["ไ", "ท", "ย"]),
            ("go 🚀🚀 →x", vec!["go", "🚀", "🚀", "→", "x"]),
            ("👩\u{200d}💻", vec!["👩", "💻"]),
            ("हिन्दी", vec!["हिन्दी"]),
            ("a\0b\u{301}\u{301} \u{301}", vec!["a", "b"]),
            ("│ a │", vec!["a"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_is_where_it_says() {
        let text = "  Cafe\u{301}s, 解x";
        let mut found = Vec::new();
        for_each_word(text, |_, range| found.push(&text[range]));
        assert_eq!(found, ["Cafe\u{301}s", "解", "x"]);
    }

    #[test]
    fn the_end_of_a_very_long_word_makes_no_difference() {
        let long = "x".repeat(MAX_WORD_LETTERS);
        for end in ["yy", &"z".repeat(100_000)] {
            assert_eq!(words(&format!("{long}{end}")).concat(), long);
        }
    }

    #[test]
    fn ranges_are_in_order() {
        for ranges in [SPACELESS, SYMBOLS] {
            assert!(
                ranges
                    .windows(2)
                    .all(|pair| pair[0].end() < pair[1].start())
            );
        }
    }
}
