use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::inline::Inline;
use super::look::MarkdownLook;
use super::table::Table;
use crate::escape::visible;
use crate::line::{Line, Span};
use crate::style::Style;
use crate::width::expanded;
use crate::wrap::{Margins, wrap_within};

/// The lines of a block of Markdown, `indent` columns in.
pub(super) fn write_block(block: &str, indent: usize, look: &MarkdownLook) -> Vec<Line> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = BlockWriter::new(indent, look);
    for event in Parser::new_ext(block, options) {
        writer.event(event);
    }
    writer.end_paragraph();
    writer.lines
}

struct BlockWriter<'a> {
    look: &'a MarkdownLook,
    lines: Vec<Line>,
    inline: Inline,
    margins: Vec<Margin>,
    /// The number of the next item of each open list; `None` in one with dots.
    numbers: Vec<Option<u64>>,
    table: Option<Table>,
    in_code: bool,
    /// Set if an empty line stands before what is next in a quote.
    gap: bool,
}

/// The prefix that a block around the text gives to its rows.
struct Margin {
    /// Before the first row, once.
    first: Option<String>,
    rest: String,
}

impl Margin {
    fn same(text: impl Into<String>) -> Self {
        Self {
            first: None,
            rest: text.into(),
        }
    }
}

impl<'a> BlockWriter<'a> {
    fn new(indent: usize, look: &'a MarkdownLook) -> Self {
        Self {
            look,
            lines: Vec::new(),
            inline: Inline::new(look),
            margins: vec![Margin::same(" ".repeat(indent))],
            numbers: Vec::new(),
            table: None,
            in_code: false,
            gap: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.inline.begin(Style::Heading);
                if !self.look.styled {
                    let signs = format!("{} ", "#".repeat(level as usize));
                    self.inline.event(&Event::Text(signs.into()));
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                self.end_paragraph();
                self.inline.end();
                self.gap = true;
            }
            Event::End(TagEnd::Paragraph) => {
                self.end_paragraph();
                self.gap = true;
            }
            Event::Start(Tag::CodeBlock(_)) => {
                self.end_paragraph();
                self.in_code = true;
            }
            Event::End(TagEnd::CodeBlock) => {
                self.in_code = false;
                self.gap = true;
            }
            Event::Text(text) if self.in_code => self.code(&text),
            Event::Html(html) => {
                self.inline.event(&Event::Text(html));
                self.end_paragraph();
            }
            Event::Start(Tag::BlockQuote(_)) => {
                self.end_paragraph();
                self.enter(Margin::same("│ "));
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => {
                self.end_paragraph();
                self.leave();
            }
            Event::Start(Tag::List(number)) => {
                self.end_paragraph();
                self.gap = false;
                self.numbers.push(number);
            }
            Event::End(TagEnd::List(_)) => {
                self.numbers.pop();
            }
            Event::Start(Tag::Item) => self.item(),
            Event::Rule => {
                let columns = self.look.prose.saturating_sub(self.taken()).max(1);
                let rule = Span::new("─".repeat(columns), Style::Mark);
                self.write(&[rule], self.look.row);
            }
            Event::Start(Tag::Table(alignments)) => {
                self.end_paragraph();
                self.table = Some(Table::new(alignments));
            }
            Event::End(TagEnd::TableCell) => {
                let cell = self.inline.take();
                self.table.iter_mut().for_each(|table| table.cell(&cell));
            }
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => {
                self.table.iter_mut().for_each(Table::end_row);
            }
            Event::End(TagEnd::Table) => self.end_table(),
            event => self.inline.event(&event),
        }
    }

    /// An item begins: its sign stands before its first row.
    fn item(&mut self) {
        self.end_paragraph();
        self.gap = false;
        let sign = match self.numbers.last_mut() {
            Some(Some(number)) => {
                let sign = format!("{number}. ");
                *number = number.saturating_add(1);
                sign
            }
            _ => "• ".to_owned(),
        };
        self.enter(Margin {
            rest: " ".repeat(sign.chars().count()),
            first: Some(sign),
        });
    }

    /// Deeper than half of the width, blocks are not set off further.
    fn enter(&mut self, margin: Margin) {
        let is_deep = self.taken() + margin.rest.len() > self.look.prose / 2;
        self.margins.push(match is_deep {
            true => Margin::same(""),
            false => margin,
        });
    }

    fn leave(&mut self) {
        // An item without text has its sign all the same.
        if self
            .margins
            .last()
            .is_some_and(|margin| margin.first.is_some())
        {
            self.write(&[], self.look.prose);
        }
        self.margins.pop();
    }

    fn taken(&self) -> usize {
        let margins = self.margins.iter();
        margins.map(|margin| margin.rest.chars().count()).sum()
    }

    fn end_paragraph(&mut self) {
        if !self.inline.is_empty() {
            let spans = self.inline.take();
            self.write(&spans, self.look.prose);
        }
    }

    fn code(&mut self, text: &str) {
        for line in text.lines() {
            let code = visible(&expanded(line)).into_owned();
            self.write(&[Span::new(code, Style::Code)], self.look.row);
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else {
            return;
        };
        let room = self.look.row.saturating_sub(self.taken());
        for row in table.rows(room) {
            self.write(&row.spans, self.look.row);
        }
        self.gap = true;
    }

    fn write(&mut self, spans: &[Span], columns: usize) {
        let gap = std::mem::take(&mut self.gap) && !self.lines.is_empty();
        let rest: String = self
            .margins
            .iter()
            .map(|margin| margin.rest.as_str())
            .collect();
        if gap {
            self.lines.push(Line::raw(rest.trim_end(), Style::Mark));
        }
        let first = self.margins.iter_mut();
        let first: String = first
            .map(|margin| margin.first.take().unwrap_or_else(|| margin.rest.clone()))
            .collect();
        let margin = |text: String| match text.is_empty() {
            true => Vec::new(),
            false => vec![Span::new(text, Style::Mark)],
        };
        let margins = Margins {
            first: margin(first),
            rest: margin(rest),
        };
        self.lines.extend(wrap_within(spans, &margins, columns));
    }
}
