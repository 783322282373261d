//! Media types and character encodings.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// The number of bytes that are searched for a declared encoding, as the HTML standard's prescan does.
const DECLARED_WITHIN: usize = 1024;

/// A parsed `Content-Type` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Media {
    /// Type and subtype in lower case; empty without the header.
    pub(crate) essence: String,
    charset: Option<&'static Encoding>,
}

impl Media {
    pub(crate) fn parse(content_type: &str) -> Self {
        let mut parts = content_type.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches(['"', '\'']))
        });
        Self {
            essence,
            charset: charset.and_then(|label| Encoding::for_label(label.as_bytes())),
        }
    }

    /// Returns whether the type is a text type or is missing.
    pub(crate) fn may_be_text(&self) -> bool {
        let Some((kind, subtype)) = self.essence.split_once('/') else {
            return self.essence.is_empty();
        };
        let suffix = subtype.rsplit_once('+').map(|(_, suffix)| suffix);
        kind == "text"
            || matches!(suffix, Some("json" | "xml" | "yaml"))
            || (kind == "application" && TEXTS.contains(&subtype.trim_start_matches("x-")))
    }

    pub(crate) fn is_html(&self, body: &[u8]) -> bool {
        match self.essence.as_str() {
            "text/html" | "application/xhtml+xml" => true,
            "" => {
                let start = &body[..body.len().min(DECLARED_WITHIN)];
                let start = String::from_utf8_lossy(start)
                    .trim_start()
                    .to_ascii_lowercase();
                start.starts_with("<!doctype html") || start.starts_with("<html")
            }
            _ => false,
        }
    }

    /// Decodes the body; `None` if it is binary.
    pub(crate) fn decode(&self, body: &[u8]) -> Option<String> {
        let said = self.charset.or_else(|| declared(body));
        let is_marked = Encoding::for_bom(body).is_some();
        let encoding = match said {
            Some(encoding) => encoding,
            None if is_marked || is_utf8(body) => UTF_8,
            // The default of browsers for undeclared text that is not UTF-8.
            None => WINDOWS_1252,
        };
        // A byte order mark overrides every declaration (HTML standard).
        let (text, ..) = encoding.decode(body);
        (!text.contains('\0')).then(|| text.into_owned())
    }
}

/// Subtypes of `application/`, with or without `x-`, that are text.
const TEXTS: &[&str] = &[
    "ecmascript",
    "graphql",
    "javascript",
    "json",
    "json5",
    "jsonlines",
    "latex",
    "ndjson",
    "sh",
    "sql",
    "tex",
    "toml",
    "typescript",
    "xml",
    "xml-dtd",
    "yaml",
];

/// Returns whether it is UTF-8, except for a last character that the size limit cut.
fn is_utf8(body: &[u8]) -> bool {
    match std::str::from_utf8(body) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && !body[..error.valid_up_to()].is_ascii(),
    }
}

/// The encoding that the document declares in a `meta` tag or XML declaration.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let start = &body[..body.len().min(DECLARED_WITHIN)];
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    if !start.trim_start().starts_with('<') {
        return None;
    }
    let names = ["charset=", "encoding="];
    let label = names.iter().find_map(|name| start.split_once(name))?.1;
    let label = label.trim_start_matches([' ', '"', '\'']);
    let end = label.find(['"', '\'', ' ', ';', '>', '?', '/']);
    let encoding = Encoding::for_label(&label.as_bytes()[..end?])?;
    // A UTF-16 document could not be read as ASCII up to here, so UTF-8 is meant (HTML standard).
    Some(if encoding.is_ascii_compatible() {
        encoding
    } else {
        UTF_8
    })
}

#[cfg(test)]
mod tests {
    use super::Media;

    #[test]
    fn text_is_distinguished_from_other_types() {
        for text in [
            "",
            "text/html; charset=utf-8",
            "TEXT/Plain",
            "text/x-rust",
            "application/json",
            "application/ld+json",
            "application/vnd.api+json; version=1",
            "application/x-javascript",
            "application/atom+xml",
            "image/svg+xml",
            "application/x-yaml",
        ] {
            assert!(Media::parse(text).may_be_text(), "{text}");
        }
        for other in [
            "image/png",
            "application/octet-stream",
            "application/zip",
            "application/pdf",
            "video/mp4",
            "nonsense",
            "multipart/mixed",
        ] {
            assert!(!Media::parse(other).may_be_text(), "{other}");
        }
    }

    #[test]
    fn text_is_decoded_with_its_character_set() {
        let decode = |kind: &str, body: &[u8]| Media::parse(kind).decode(body);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(decode("text/plain", "é€".as_bytes()), some("é€"));
        assert_eq!(decode("text/plain", b"caf\xe9"), some("café"));
        assert_eq!(decode("text/plain; charset=ISO-8859-1", b"\xe9"), some("é"));
        assert_eq!(decode("text/plain; charset=\"koi8-r\"", b"\xc1"), some("а"));
        assert_eq!(
            decode("text/plain; charset=shift_jis", b"\x82\xa0"),
            some("あ")
        );
        assert_eq!(decode("text/plain; charset=nonsense", b"a"), some("a"));
        assert_eq!(decode("text/plain", b"\xff\xfea\0b\0"), some("ab"));
        assert_eq!(
            decode("text/plain; charset=latin1", b"\xef\xbb\xbf\xc3\xa9"),
            some("é")
        );
        let html = b"<html><meta charset='windows-1251'>\xc0";
        assert!(decode("text/html", html).unwrap().ends_with('А'));
        let xml = b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1";
        assert!(decode("text/xml", xml).unwrap().ends_with('ą'));
        assert_eq!(decode("text/plain", b"a\0b"), None);
        // Cut in the middle of a character.
        assert_eq!(decode("text/plain", b"\xc3\xa9\xc3"), some("é\u{fffd}"));
    }

    #[test]
    fn html_without_a_type_is_known_by_its_beginning() {
        assert!(Media::parse("").is_html(b" <!DOCTYPE html><p>"));
        assert!(!Media::parse("").is_html(b"<xml>"));
        assert!(!Media::parse("text/plain").is_html(b"<html>"));
        assert!(Media::parse("text/html").is_html(b"x"));
    }
}
