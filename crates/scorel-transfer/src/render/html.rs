use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest as _, Sha256};

use super::clean::clean;
use super::piece::Piece;

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:50em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
h1{font-size:1.5em}h2{font-size:1em;margin:2em 0 .3em;border-top:1px solid #ccc;padding-top:.6em}\
h2 small,.about{color:#666;font-weight:normal}\
pre,.prose{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}\
pre{background:#f4f4f4;padding:.6em;margin:.4em 0;font-size:.85em}\
.thinking,.note{color:#666}.error{color:#a00}img{max-width:100%}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}pre{background:#262626}\
h2{border-color:#444}h2 small,.about,.thinking,.note{color:#999}.error{color:#f77}}";

/// Writes one HTML file. All text is escaped, and nothing in it is markup: no link, no script. The policy
/// in its head refuses what a browser could fetch or run besides the style and the images in the file.
pub(super) struct Html;

impl Html {
    pub(super) const END: &str = "</body>\n</html>\n";

    pub(super) fn begin(title: &str, about: &str) -> String {
        let (title, about) = (escaped(title), escaped(about));
        let style = BASE64.encode(Sha256::digest(STYLE));
        format!(
            "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'sha256-{style}'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>{title}</h1>\n<p class=\"about\">{about}</p>\n"
        )
    }

    pub(super) fn piece(piece: &Piece) -> String {
        match piece {
            Piece::Speaker { name, at } => {
                format!(
                    "<h2>{} <small>{}</small></h2>\n",
                    escaped(name),
                    escaped(at)
                )
            }
            Piece::Prose(text) => format!("<div class=\"prose\">{}</div>\n", escaped(text.trim())),
            Piece::Thinking(text) => {
                let summary = "<summary>Thinking</summary>";
                let text = escaped(text.trim());
                format!(
                    "<details class=\"thinking\">{summary}<div class=\"prose\">{text}</div></details>\n"
                )
            }
            Piece::Call { name, input } => {
                let (name, input) = (escaped(name), escaped(input));
                format!("<details><summary>{name}</summary><pre>{input}</pre></details>\n")
            }
            Piece::Result { text, is_error } => {
                let summary = if *is_error { "Failed" } else { "Result" };
                let class = if *is_error { " class=\"error\"" } else { "" };
                let text = escaped(text);
                format!("<details{class}><summary>{summary}</summary><pre>{text}</pre></details>\n")
            }
            Piece::Image(address) => {
                format!("<p><img alt=\"\" src=\"{}\"></p>\n", escaped(address))
            }
            Piece::Note(text) => format!("<p class=\"note prose\">{}</p>\n", escaped(text)),
            Piece::Error(text) => format!("<p class=\"error prose\">{}</p>\n", escaped(text)),
        }
    }
}

/// Text that is not markup, in an element or in an attribute in quotes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in clean(text).chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            char => escaped.push(char),
        }
    }
    escaped
}
