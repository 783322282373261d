use crate::escape::visible;
use crate::line::Line;
use crate::style::Style;

/// The abilities of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Set to style text; off with `NO_COLOR` and where escape sequences are not understood.
    pub colours: bool,
    /// Set to draw with signs beyond ASCII.
    pub unicode: bool,
    /// Set to write links as such (OSC 8).
    pub links: bool,
}

impl Theme {
    /// Nothing but characters.
    pub const PLAIN: Self = Self {
        colours: false,
        unicode: true,
        links: false,
    };

    /// The bytes that show a line, without a line feed. Whatever the line contains, they hold no control characters
    /// but those of the styles and links, which end with them.
    pub fn paint(&self, line: &Line) -> String {
        let mut painted = String::with_capacity(line.spans.len() * 16);
        let (mut style, mut link) = (None, None);
        for span in line.spans.iter().filter(|span| !span.text.is_empty()) {
            let code = span.style.sgr().filter(|_| self.colours);
            let url = span.link.as_deref();
            let url = url.filter(|url| self.links && is_address(url));
            if style != code {
                painted.push_str(style.map_or("", |_| RESET));
                code.iter()
                    .for_each(|code| painted.push_str(&format!("\x1b[{code}m")));
                style = code;
            }
            if link != url {
                painted.push_str(&format!("\x1b]8;;{}\x1b\\", url.unwrap_or_default()));
                link = url;
            }
            painted.push_str(&self.drawn(&visible(&span.text), span.style));
        }
        painted.push_str(link.map_or("", |_| END_LINK));
        painted.push_str(style.map_or("", |_| RESET));
        painted
    }

    /// The text with the signs that the terminal has.
    fn drawn(&self, text: &str, style: Style) -> String {
        let ours = !style.is_answer() || style == Style::Mark;
        let sign = |char| match char {
            '\n' | '\t' => ' ',
            _ if self.unicode => char,
            '⟨' => '<',
            '⟩' => '>',
            _ if !ours => char,
            '✓' => '+',
            '✗' => '!',
            '⋯' | '…' => '~',
            '❯' | '▸' => '>',
            '•' => '*',
            '│' | '·' => '|',
            '─' | '┄' | '−' => '-',
            '↑' => '^',
            '↓' => 'v',
            '▏' => '_',
            '“' | '”' => '"',
            _ => char,
        };
        text.chars().map(sign).collect()
    }
}

const RESET: &str = "\x1b[0m";
const END_LINK: &str = "\x1b]8;;\x1b\\";

/// The longest URL of a link, in bytes. Terminals ignore longer ones, or worse.
const MAX_ADDRESS: usize = 2000;

/// Returns whether a URL can be written into an escape sequence, and opened by a click without harm.
fn is_address(url: &str) -> bool {
    let schemes = ["https://", "http://", "mailto:"];
    url.len() <= MAX_ADDRESS
        && schemes.iter().any(|scheme| url.starts_with(scheme))
        && url.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Span;

    const FULL: Theme = Theme {
        colours: true,
        unicode: true,
        links: true,
    };

    fn linked(url: &str) -> Line {
        let mut span = Span::new("here", Style::Link);
        span.link = Some(url.to_owned());
        Line { spans: vec![span] }
    }

    #[test]
    fn styles_and_links_end_where_they_should() {
        let url = "https://example.com/a";
        assert_eq!(
            FULL.paint(&linked(url)),
            "\x1b[4m\x1b]8;;https://example.com/a\x1b\\here\x1b]8;;\x1b\\\x1b[0m"
        );
        assert_eq!(Theme::PLAIN.paint(&linked(url)), "here");
    }

    #[test]
    fn an_address_that_is_none_is_no_link() {
        for url in [
            "https://a\x1b\\b",
            "file:///etc/passwd",
            "javascript:x",
            "https://é",
        ] {
            assert_eq!(FULL.paint(&linked(url)), "\x1b[4mhere\x1b[0m", "{url}");
        }
    }

    #[test]
    fn what_is_in_a_span_cannot_leave_it() {
        let line = Line {
            spans: vec![Span::new("\x1b[0m\u{9b}2J\n\u{202e}x", Style::Error)],
        };
        assert_eq!(FULL.paint(&line), "\x1b[31m⟨1b⟩[0m⟨9b⟩2J ⟨202e⟩x\x1b[0m");
    }

    #[test]
    fn without_unicode_the_signs_are_ascii_and_the_words_of_the_model_stay() {
        let theme = Theme {
            unicode: false,
            ..Theme::PLAIN
        };
        let row = Line {
            spans: vec![
                Span::new("✓ Edit ↑", Style::Tool),
                Span::new(" ✓ é", Style::Text),
            ],
        };
        assert_eq!(theme.paint(&row), "+ Edit ^ ✓ é");
    }
}
