use crate::escape::visible;
use crate::style::Style;
use crate::width::{expanded, width};

/// A piece of a line that looks the same throughout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text, on one line.
    pub text: String,
    /// Its role.
    pub style: Style,
    /// The URL that it leads to.
    pub link: Option<String>,
}

impl Span {
    /// A span without a link.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self {
            text: text.into(),
            style,
            link: None,
        }
    }
}

/// One row of a terminal: wrapped, and free of control characters. Of a pipe: one line as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The pieces, from left to right.
    pub spans: Vec<Span>,
}

impl Line {
    /// A line of one span. Controls are made visible; line breaks become spaces.
    pub fn plain(text: &str, style: Style) -> Self {
        Self::raw(visible(&expanded(&text.replace('\n', " "))), style)
    }

    /// A line of one span with exactly this text.
    pub(crate) fn raw(text: impl Into<String>, style: Style) -> Self {
        Self {
            spans: vec![Span::new(text, style)],
        }
    }

    /// The text without its looks.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width(&span.text)).sum()
    }

    /// Returns whether it belongs to the model's answer.
    pub fn is_answer(&self) -> bool {
        let first = self.spans.first();
        first.is_some_and(|span| span.style.is_answer())
    }

    /// The line, cut with a sign so that it has at most `columns`.
    #[must_use]
    pub fn cut(mut self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns.saturating_sub(1);
        let mut style = Style::Dim;
        for span in &mut self.spans {
            style = span.style;
            let kept = crate::width::fitting(&span.text, left);
            let is_cut = kept < span.text.len();
            span.text.truncate(kept);
            left -= width(&span.text);
            if is_cut {
                left = 0;
            }
        }
        self.spans.retain(|span| !span.text.is_empty());
        self.spans.push(Span::new("…", style));
        self
    }
}
