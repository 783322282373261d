//! Encodings of text files.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// The encoding of a text file, which is kept when the file is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    Utf8,
    /// With a byte order mark, which the decoded text begins with.
    Utf16Le,
    Utf16Be,
    /// Latin-1 as it is in use: Windows-1252, which adds letters where Latin-1 has control characters.
    Latin1,
}

/// A character that the encoding does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unencodable {
    pub(crate) character: char,
    /// Counted from 1.
    pub(crate) line: u64,
}

const MARK: char = '\u{feff}';

impl TextEncoding {
    /// The encoding of a content and the content as text; `None` if it is no text.
    pub(crate) fn decode(content: &[u8]) -> Option<(Self, Cow<'_, str>)> {
        if let Some(encoding) = Self::by_mark(content) {
            return Some((encoding, encoding.decode_units(content)?.into()));
        }
        if content.contains(&0) {
            return None;
        }
        if let Ok(text) = std::str::from_utf8(content) {
            return Some((Self::Utf8, text.into()));
        }
        is_latin1(content).then(|| {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(content);
            (Self::Latin1, text)
        })
    }

    /// The encoding that a byte order mark tells. UTF-32 begins like UTF-16, and is not taken for it.
    pub(crate) fn by_mark(content: &[u8]) -> Option<Self> {
        match content {
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// For user interfaces and the model; nothing for UTF-8.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::Utf16Le => Some("UTF-16LE"),
            Self::Utf16Be => Some("UTF-16BE"),
            Self::Latin1 => Some("Latin-1"),
        }
    }

    /// A text that replaces the whole of a file, with the byte order mark that the encoding needs.
    pub(crate) fn marked(self, text: &str) -> Cow<'_, str> {
        let has_mark = matches!(self, Self::Utf16Le | Self::Utf16Be);
        if has_mark && !text.starts_with(MARK) {
            format!("{MARK}{text}").into()
        } else {
            text.into()
        }
    }

    pub(crate) fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, Unencodable> {
        Ok(match self {
            Self::Utf8 => text.as_bytes().into(),
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

/// Whether bytes that are not UTF-8 are Latin-1: no control characters, none of the codes that
/// Windows-1252 leaves free, and most of it ASCII, as Western European text is. Other single-byte
/// encodings, such as those of Cyrillic, have more above.
fn is_latin1(content: &[u8]) -> bool {
    let is_control = |byte: u8| match byte {
        b'\t' | b'\n' | b'\r' | 0x0c | 0x1b => false,
        0x81 | 0x8d | 0x8f | 0x90 | 0x9d => true,
        _ => byte < 0x20 || byte == 0x7f,
    };
    let high = content.iter().filter(|byte| **byte >= 0x80).count();
    high <= content.len() / 2 && !content.iter().any(|byte| is_control(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_is_encoded_again() {
        for (content, encoding, text) in [
            (&b"plain"[..], TextEncoding::Utf8, "plain"),
            (b"caf\xe9 \x80", TextEncoding::Latin1, "café €"),
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
        ] {
            assert_eq!(TextEncoding::decode(content), None, "{content:?}");
        }
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
