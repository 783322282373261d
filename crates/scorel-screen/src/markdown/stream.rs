use super::block_writer::write_block;
use super::line_kind::{Fence, ItemMarker, LineKind};
use super::look::MarkdownLook;
use crate::escape::visible;
use crate::line::{Line, Span};
use crate::line_buffer::{LineBuffer, MAX_BLOCK};
use crate::style::Style;
use crate::width::{expanded, width};
use crate::wrap::{Margins, wrap_within};

/// Turns Markdown into lines while it comes, and keeps only the block that is not finished. The lines depend on the
/// text alone, not on the pieces in which it comes.
#[derive(Debug, Clone, Default)]
pub(crate) struct MarkdownStream {
    /// The line without an end.
    line: LineBuffer,
    /// The lines of the unfinished block, without the indentation that they have in common.
    block: String,
    /// The columns before the block.
    indent: usize,
    is_quote: bool,
    /// The block of code that is open.
    code: Option<OpenCode>,
    lists: Vec<OpenItem>,
    /// Set if an empty line stands before the next block.
    gap: bool,
    /// Set once something was written.
    begun: bool,
}

#[derive(Debug, Clone, Copy)]
struct OpenCode {
    fence: Fence,
    /// The columns of the text before the fence, which its lines need not have.
    indent: usize,
}

/// A list item that further blocks may belong to.
#[derive(Debug, Clone, Copy)]
struct OpenItem {
    /// The columns before its text as written, and as shown.
    written: usize,
    shown: usize,
}

impl MarkdownStream {
    /// Takes the next piece of text.
    pub(crate) fn push(&mut self, mut text: &str, look: &MarkdownLook, out: &mut Vec<Line>) {
        while let Some(line) = self.line.next(&mut text) {
            self.take_line(&line, look, out);
        }
    }

    /// Writes what is left: the text has ended.
    pub(crate) fn finish(&mut self, look: &MarkdownLook, out: &mut Vec<Line>) {
        if !self.line.is_empty() {
            let line = self.line.take();
            self.take_line(&line, look, out);
        }
        self.commit(look, out);
        *self = Self::default();
    }

    /// Returns whether there is an unfinished block.
    pub(crate) fn is_open(&self) -> bool {
        !self.line.is_empty() || !self.block.is_empty()
    }

    fn take_line(&mut self, line: &str, look: &MarkdownLook, out: &mut Vec<Line>) {
        match self.code {
            Some(code) if code.fence.is_closed_by(line) => {
                self.code = None;
                self.gap = true;
            }
            Some(code) => self.write_code(without_indent(line, code.indent), 0, look, out),
            None => self.take_markdown(line, look, out),
        }
    }

    fn take_markdown(&mut self, line: &str, look: &MarkdownLook, out: &mut Vec<Line>) {
        let text = line.trim_start_matches([' ', '\t']);
        let indent = width(&line[..line.len() - text.len()]);
        let in_paragraph = !self.block.is_empty() && !self.is_quote;
        let over = indent.saturating_sub(self.lists.last().map_or(0, |item| item.written));
        let kind = LineKind::of(text);
        if over >= 4 && self.block.is_empty() && kind != LineKind::Blank && !self.is_nested(kind) {
            let outer = self.lists.last().map_or(0, |item| item.written);
            return self.write_code(without_indent(line, outer + 4), self.shown(), look, out);
        }
        match kind {
            LineKind::Blank => {
                self.commit(look, out);
                self.gap = true;
            }
            LineKind::Fence(fence) => {
                self.commit(look, out);
                self.code = Some(OpenCode { fence, indent });
                self.gap = true;
            }
            LineKind::Item(marker)
                if !in_paragraph || marker.interrupts || !self.lists.is_empty() =>
            {
                self.begin_item(text, indent, marker, look, out);
            }
            LineKind::Underline if in_paragraph => {
                self.append(text, look, out);
                self.commit(look, out);
            }
            LineKind::Heading | LineKind::Rule | LineKind::Underline => {
                self.commit(look, out);
                self.gap = true;
                self.begin(text, indent, look, out);
                self.commit(look, out);
                self.gap = true;
            }
            LineKind::Quote if !self.is_quote => {
                self.commit(look, out);
                self.is_quote = true;
                self.begin(text, indent, look, out);
            }
            LineKind::Definition if self.block.is_empty() => {
                let span = [Span::new(shown(text), Style::Text)];
                self.write(wrap_within(&span, &Margins::default(), look.prose), out);
            }
            _ if self.block.is_empty() => self.begin(text, indent, look, out),
            _ => self.append(text, look, out),
        }
    }

    /// Returns whether a line that is far in is an item of an inner list, and not code.
    fn is_nested(&self, kind: LineKind) -> bool {
        matches!(kind, LineKind::Item(_) | LineKind::Fence(_)) && !self.lists.is_empty()
    }

    fn begin_item(
        &mut self,
        text: &str,
        indent: usize,
        marker: ItemMarker,
        look: &MarkdownLook,
        out: &mut Vec<Line>,
    ) {
        self.commit(look, out);
        self.leave_items(indent);
        let before = self.shown().min(look.prose / 2);
        self.lists.push(OpenItem {
            written: indent + marker.bytes,
            shown: before + marker.shown,
        });
        let content = &text[marker.bytes.min(text.len())..];
        if let LineKind::Fence(fence) = LineKind::of(content) {
            let indent = indent + marker.bytes;
            self.put(&text[..marker.bytes], before, look, out);
            self.commit(look, out);
            self.code = Some(OpenCode { fence, indent });
            return;
        }
        self.put(text, before, look, out);
    }

    /// A line begins a block of the innermost item that it is within.
    fn begin(&mut self, text: &str, indent: usize, look: &MarkdownLook, out: &mut Vec<Line>) {
        self.leave_items(indent);
        let shown = self.shown().min(look.prose / 2);
        self.put(text, shown, look, out);
    }

    fn leave_items(&mut self, indent: usize) {
        while self.lists.last().is_some_and(|item| indent < item.written) {
            self.lists.pop();
        }
    }

    fn shown(&self) -> usize {
        self.lists.last().map_or(0, |item| item.shown)
    }

    fn put(&mut self, text: &str, indent: usize, look: &MarkdownLook, out: &mut Vec<Line>) {
        self.indent = indent;
        self.append(text, look, out);
    }

    fn append(&mut self, text: &str, look: &MarkdownLook, out: &mut Vec<Line>) {
        self.block.push_str(text);
        self.block.push('\n');
        if self.block.len() >= MAX_BLOCK {
            self.commit(look, out);
        }
    }

    /// Writes the block, which is whole.
    fn commit(&mut self, look: &MarkdownLook, out: &mut Vec<Line>) {
        let block = std::mem::take(&mut self.block);
        self.is_quote = false;
        if !block.is_empty() {
            self.write(write_block(&block, self.indent, look), out);
        }
    }

    fn write_code(&mut self, line: &str, indent: usize, look: &MarkdownLook, out: &mut Vec<Line>) {
        let code = [Span::new(shown(line), Style::Code)];
        let margin = vec![Span::new(" ".repeat(indent), Style::Mark)];
        let margins = match indent {
            0 => Margins::default(),
            _ => Margins {
                first: margin.clone(),
                rest: margin,
            },
        };
        self.write(wrap_within(&code, &margins, look.row), out);
    }

    fn write(&mut self, lines: Vec<Line>, out: &mut Vec<Line>) {
        if std::mem::take(&mut self.gap) && self.begun {
            out.push(Line::raw("", Style::Text));
        }
        self.begun = true;
        out.extend(lines);
    }
}

fn shown(text: &str) -> String {
    visible(&expanded(text)).into_owned()
}

/// The line without so many columns of its indentation, or with less if it has less.
fn without_indent(line: &str, columns: usize) -> &str {
    let mut left = columns;
    for (at, char) in line.char_indices() {
        let wide = match char {
            ' ' => 1,
            '\t' => 4,
            _ => return &line[at..],
        };
        if wide > left {
            return &line[at..];
        }
        left -= wide;
    }
    if left == columns { line } else { "" }
}
