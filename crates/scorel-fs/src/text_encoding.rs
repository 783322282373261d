//! Encodings of text files.

use std::borrow::Cow;

use encoding_rs::{UTF_8, WINDOWS_1252};

/// The encoding of a text file, which is kept when the file is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    Utf8,
    /// UTF-8 but for a few bytes, as in logs, patches and mailboxes. Each of these is one character of a
    /// range for private use, and becomes that byte again.
    StrayBytes,
    /// With a byte order mark, which the decoded text begins with.
    Utf16Le,
    Utf16Be,
    /// Latin-1 as it is in use: Windows-1252, which adds letters where Latin-1 has control characters.
    Latin1,
}

/// A character that the encoding does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unencodable {
    pub character: char,
    /// Counted from 1.
    pub line: u64,
}

const MARK: char = '\u{feff}';

/// Plus a byte: the character that stands for it.
const STRAY: u32 = 0x0010_ff00;

/// The text of a file that a person wrote for this program, without a byte order mark. What is no
/// character becomes U+FFFD.
pub fn text_of(content: &[u8]) -> Cow<'_, str> {
    match TextEncoding::decode(content) {
        Some((TextEncoding::Latin1, text)) => text,
        // A mark of UTF-16 counts for more than the name.
        _ => UTF_8.decode(content).0,
    }
}

impl TextEncoding {
    /// The encoding of a content and the content as text; `None` if it is not text.
    pub fn decode(content: &[u8]) -> Option<(Self, Cow<'_, str>)> {
        if let Some(encoding) = Self::by_mark(content) {
            return Some((encoding, encoding.decode_units(content)?.into()));
        }
        if content.contains(&0) {
            return None;
        }
        if let Ok(text) = std::str::from_utf8(content) {
            return Some((Self::Utf8, text.into()));
        }
        if let Some(text) = with_stray_bytes(content) {
            return Some((Self::StrayBytes, text.into()));
        }
        is_latin1(content).then(|| {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(content);
            (Self::Latin1, text)
        })
    }

    /// The encoding that a byte order mark tells. UTF-32 begins like UTF-16, and is not taken for it.
    pub fn by_mark(content: &[u8]) -> Option<Self> {
        match content {
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// For user interfaces and the model; nothing for UTF-8.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::StrayBytes => Some("UTF-8 with stray bytes"),
            Self::Utf16Le => Some("UTF-16LE"),
            Self::Utf16Be => Some("UTF-16BE"),
            Self::Latin1 => Some("Latin-1"),
        }
    }

    /// A text that replaces the whole of a file, with the byte order mark that the encoding needs.
    pub fn marked(self, text: &str) -> Cow<'_, str> {
        let has_mark = matches!(self, Self::Utf16Le | Self::Utf16Be);
        if has_mark && !text.starts_with(MARK) {
            format!("{MARK}{text}").into()
        } else {
            text.into()
        }
    }

    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, Unencodable> {
        Ok(match self {
            Self::Utf8 => text.as_bytes().into(),
            Self::StrayBytes => {
                let mut content = Vec::with_capacity(text.len());
                for char in text.chars() {
                    match stray_byte(char) {
                        Some(byte) => content.push(byte),
                        None => content.extend(char.encode_utf8(&mut [0; 4]).bytes()),
                    }
                }
                content.into()
            }
            Self::Utf16Le => units(text, u16::to_le_bytes).into(),
            Self::Utf16Be => units(text, u16::to_be_bytes).into(),
            Self::Latin1 => {
                let (content, _, is_lossy) = WINDOWS_1252.encode(text);
                if is_lossy {
                    return Err(Unencodable::in_latin1(text));
                }
                content
            }
        })
    }

    fn decode_units(self, content: &[u8]) -> Option<String> {
        let (pairs, []) = content.as_chunks::<2>() else {
            return None;
        };
        let unit = |pair: &[u8; 2]| match self {
            Self::Utf16Be => u16::from_be_bytes(*pair),
            _ => u16::from_le_bytes(*pair),
        };
        let text: String = char::decode_utf16(pairs.iter().map(unit))
            .collect::<Result<_, _>>()
            .ok()?;
        (!text.contains('\0')).then_some(text)
    }
}

impl Unencodable {
    fn in_latin1(text: &str) -> Self {
        let mut buffer = [0; 4];
        let mut is_missing = |char: &char| WINDOWS_1252.encode(char.encode_utf8(&mut buffer)).2;
        let found = text.char_indices().find(|(_, char)| is_missing(char));
        let (at, character) = found.unwrap_or((text.len(), MARK));
        let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u64;
        Self { character, line }
    }
}

fn units(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn stray_byte(char: char) -> Option<u8> {
    let byte = u32::from(char).checked_sub(STRAY)?;
    u8::try_from(byte).ok().filter(|byte| !byte.is_ascii())
}

/// UTF-8 in which some bytes are stray; `None` if most of what is not ASCII is.
fn with_stray_bytes(content: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(content.len());
    let (mut letters, mut strays) = (0_usize, 0_usize);
    for chunk in content.utf8_chunks() {
        // Such a character would come back as a byte.
        if chunk.valid().chars().any(|char| stray_byte(char).is_some()) {
            return None;
        }
        letters += chunk
            .valid()
            .chars()
            .filter(|char| !char.is_ascii())
            .count();
        strays += chunk.invalid().len();
        text.push_str(chunk.valid());
        let invalid = chunk.invalid().iter();
        text.extend(invalid.filter_map(|byte| char::from_u32(STRAY + u32::from(*byte))));
    }
    (letters > 0 && letters >= strays).then_some(text)
}

/// Returns whether bytes that are not UTF-8 are Latin-1: no control characters, none of the codes that
/// Windows-1252 leaves free, and most of it ASCII, as Western European text is. Other single-byte
/// encodings, such as those of Cyrillic, have more above, and words of GBK or Shift_JIS are runs of it: most
/// of what is above is in them. A few are in Latin-1 too, as `ÄÖÜß` in a table.
fn is_latin1(content: &[u8]) -> bool {
    let is_control = |byte: u8| match byte {
        b'\t' | b'\n' | b'\r' | 0x0c | 0x1b => false,
        0x81 | 0x8d | 0x8f | 0x90 | 0x9d => true,
        _ => byte < 0x20 || byte == 0x7f,
    };
    let high = content.iter().filter(|byte| **byte >= 0x80).count();
    let runs = content.chunk_by(|one, next| (*one >= 0x80) == (*next >= 0x80));
    let is_word = |run: &[u8]| {
        let is_long = run.len() >= 4 && run[0] >= 0x80;
        is_long && run.iter().any(|byte| *byte != run[0])
    };
    let in_words: usize = runs.filter(|run| is_word(run)).map(<[u8]>::len).sum();
    high <= content.len() / 2
        && in_words <= high / 2
        && !content.iter().any(|byte| is_control(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_is_encoded_again() {
        for (content, encoding, text) in [
            (&b"plain"[..], TextEncoding::Utf8, "plain"),
            (b"caf\xe9 \x80", TextEncoding::Latin1, "café €"),
            (
                "Größe \u{fffd}".as_bytes(),
                TextEncoding::Utf8,
                "Größe \u{fffd}",
            ),
            (
                b"Gr\xc3\xb6\xc3\x9fe \xff",
                TextEncoding::StrayBytes,
                "Größe \u{10ffff}",
            ),
            (
                b"\xbbSpa\xdf\xab, sch\xf6n",
                TextEncoding::Latin1,
                "»Spaß«, schön",
            ),
            (
                b"Gr\xf6\xdfe, sch\xf6n, f\xfcr; not ASCII: \xc4\xd6\xdc\xdf",
                TextEncoding::Latin1,
                "Größe, schön, für; not ASCII: ÄÖÜß",
            ),
            (b"\xff\xfeh\0\n\0", TextEncoding::Utf16Le, "\u{feff}h\n"),
            (
                b"\xfe\xff\0h\xd8\x3e\xdd\x80",
                TextEncoding::Utf16Be,
                "\u{feff}h🦀",
            ),
        ] {
            let (found, decoded) = TextEncoding::decode(content).unwrap();
            assert_eq!((found, &*decoded), (encoding, text));
            assert_eq!(&*encoding.encode(text).unwrap(), content);
        }
    }

    #[test]
    fn what_is_no_text_is_not_decoded() {
        for content in [
            &b"a\0b"[..],
            b"\xff\xfe\0\0h\0\0\0",
            b"\xff\xfeh",
            b"\xff\xfe\0\xd8a\0",
            b"\xed\xa0\x80",
            b"caf\xe9\x01",
            b"\xcf\xf0\xe8\xe2\xe5\xf2",
            // GBK and Shift_JIS among ASCII.
            b"x = 1; // \xb2\xe2\xca\xd4 and more",
            b"x = 1; // \x83\x65\x83\x58\x83\x67\x82\xf0\x82\xb7\x82\xe9 and more",
        ] {
            assert_eq!(TextEncoding::decode(content), None, "{content:?}");
        }
    }

    #[test]
    fn a_text_for_this_program_is_read_in_any_encoding() {
        for content in [
            "Maß\n".as_bytes(),
            b"\xef\xbb\xbfMa\xc3\x9f\n",
            b"Ma\xdf\n",
            b"\xff\xfeM\0a\0\xdf\0\n\0",
            b"\xfe\xff\0M\0a\0\xdf\0\n",
        ] {
            assert_eq!(text_of(content), "Maß\n", "{content:?}");
        }
        assert_eq!(text_of(b"Ma\xc3\x9f \xff"), "Maß \u{fffd}");
    }

    #[test]
    fn a_character_that_is_missing_is_named_with_its_line() {
        let missing = TextEncoding::Latin1.encode("é\nß 漢").unwrap_err();
        assert_eq!(
            missing,
            Unencodable {
                character: '漢',
                line: 2
            }
        );
    }

    #[test]
    fn a_replacement_keeps_the_byte_order_mark() {
        assert_eq!(TextEncoding::Utf16Le.marked("a"), "\u{feff}a");
        assert_eq!(TextEncoding::Utf16Le.marked("\u{feff}a"), "\u{feff}a");
        assert_eq!(TextEncoding::Utf8.marked("a"), "a");
    }
}
