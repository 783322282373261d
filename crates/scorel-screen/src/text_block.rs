use scorel_proto::DisplayStyle;

use crate::escape::visible;
use crate::layout::Layout;
use crate::line::{Line, Span};
use crate::line_buffer::LineBuffer;
use crate::markdown::{MarkdownLook, MarkdownStream};
use crate::markup::Markup;
use crate::signed::signed;
use crate::style::Style;
use crate::width::expanded;

/// A block of text or reasoning that comes in pieces.
#[derive(Debug, Clone)]
pub(crate) enum TextBlock {
    /// An answer, rendered.
    Markdown(MarkdownStream),
    /// Reasoning, rendered: a mark tells it from the answer where no style does.
    Thinking(LineBuffer),
    /// Either as it is.
    Source(SourceLine),
}

/// The line that has no end yet, and what stands before each.
#[derive(Debug, Clone)]
pub(crate) struct SourceLine {
    style: Style,
    text: String,
}

impl TextBlock {
    pub(crate) fn new(style: DisplayStyle, markup: Markup) -> Self {
        let is_thinking = style == DisplayStyle::Thinking;
        match markup {
            Markup::Source => Self::Source(SourceLine {
                style: if is_thinking {
                    Style::Thinking
                } else {
                    Style::Text
                },
                text: String::new(),
            }),
            Markup::Rendered if is_thinking => Self::Thinking(LineBuffer::default()),
            Markup::Rendered => Self::Markdown(MarkdownStream::default()),
        }
    }

    pub(crate) fn push(&mut self, mut text: &str, layout: &Layout, out: &mut Vec<Line>) {
        match self {
            Self::Markdown(stream) => stream.push(text, &look(layout), out),
            Self::Thinking(line) => {
                while let Some(line) = line.next(&mut text) {
                    out.extend(reasoning(&line, layout));
                }
            }
            Self::Source(line) => {
                while let Some((end, rest)) = text.split_once('\n') {
                    line.text.push_str(end);
                    out.push(line.take());
                    text = rest;
                }
                line.text.push_str(text);
            }
        }
    }

    /// The text ends here, or goes on in another place.
    pub(crate) fn finish(&mut self, layout: &Layout, out: &mut Vec<Line>) {
        match self {
            Self::Markdown(stream) => stream.finish(&look(layout), out),
            Self::Thinking(line) if line.is_empty() => {}
            Self::Thinking(line) => out.extend(reasoning(&line.take(), layout)),
            Self::Source(line) if line.text.is_empty() => {}
            Self::Source(line) => out.push(line.take()),
        }
    }

    /// The lines of the part that is not finished, as far as it goes.
    pub(crate) fn unfinished(&self, layout: &Layout) -> Vec<Line> {
        let mut lines = Vec::new();
        self.clone().finish(layout, &mut lines);
        lines
    }

    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Markdown(stream) => stream.is_open(),
            Self::Thinking(line) => !line.is_empty(),
            Self::Source(line) => !line.text.is_empty(),
        }
    }
}

impl SourceLine {
    fn take(&mut self) -> Line {
        let text = std::mem::take(&mut self.text);
        match self.style {
            Style::Thinking => Line::raw(format!("~ {text}"), Style::Thinking),
            style => Line::raw(text, style),
        }
    }
}

fn look(layout: &Layout) -> MarkdownLook {
    MarkdownLook {
        row: layout.row(),
        prose: layout.prose(),
        styled: layout.styled,
    }
}

fn reasoning(line: &str, layout: &Layout) -> Vec<Line> {
    let text = visible(&expanded(line)).into_owned();
    signed(
        ("~ ", "~ "),
        &[Span::new(text, Style::Thinking)],
        layout.prose(),
    )
}
