use pulldown_cmark::{Event, Tag, TagEnd};

use super::look::MarkdownLook;
use crate::escape::visible;
use crate::line::Span;
use crate::style::Style;

/// Collects the styled text of a paragraph, heading or cell.
#[derive(Debug)]
pub(super) struct Inline {
    styled: bool,
    spans: Vec<Span>,
    /// The style of plain text: that of the block, then of what is inside it.
    styles: Vec<Style>,
    link: Option<OpenLink>,
}

#[derive(Debug)]
struct OpenLink {
    url: String,
    /// The text so far.
    text: String,
}

impl Inline {
    pub(super) fn new(look: &MarkdownLook) -> Self {
        Self {
            styled: look.styled,
            spans: Vec::new(),
            styles: vec![Style::Text],
            link: None,
        }
    }

    /// Text from here on has this style.
    pub(super) fn begin(&mut self, style: Style) {
        self.styles.push(style);
    }

    pub(super) fn end(&mut self) {
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    pub(super) fn take(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.spans)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Takes an event, unless it is about blocks.
    pub(super) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text(text, None);
            }
            Event::Code(text) => {
                self.mark("`", Style::Code);
                self.text(text, Some(Style::Code));
                self.mark("`", Style::Code);
            }
            Event::SoftBreak => self.text(" ", None),
            Event::HardBreak => self.push("\n".to_owned(), None),
            Event::TaskListMarker(done) => self.text(if *done { "[x] " } else { "[ ] " }, None),
            Event::Start(Tag::Strong) => self.open("**", Style::Strong),
            Event::End(TagEnd::Strong) => self.close("**"),
            Event::Start(Tag::Emphasis) => self.open("*", Style::Emphasis),
            Event::End(TagEnd::Emphasis) => self.close("*"),
            Event::Start(Tag::Strikethrough) => self.open("~~", Style::Struck),
            Event::End(TagEnd::Strikethrough) => self.close("~~"),
            Event::Start(Tag::Link { dest_url, .. }) => self.open_link(dest_url),
            Event::Start(Tag::Image { dest_url, .. }) => {
                self.text("image: ", None);
                self.open_link(dest_url);
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.close_link(),
            _ => {}
        }
    }

    fn open(&mut self, sign: &str, style: Style) {
        self.begin(style);
        self.mark(sign, style);
    }

    fn close(&mut self, sign: &str) {
        self.mark(sign, Style::Text);
        self.end();
    }

    /// The sign of Markdown, where the style cannot be seen.
    fn mark(&mut self, sign: &str, style: Style) {
        if !self.styled {
            self.push(sign.to_owned(), Some(style));
        }
    }

    fn open_link(&mut self, url: &str) {
        self.begin(Style::Link);
        self.link = Some(OpenLink {
            url: url.to_owned(),
            text: String::new(),
        });
    }

    /// The URL stands behind its text: a terminal may show no links, and a text may lie about where it leads.
    fn close_link(&mut self) {
        self.end();
        let Some(link) = self.link.take() else { return };
        let address = link.url.strip_prefix("mailto:").unwrap_or(&link.url);
        if address != link.text && !address.is_empty() {
            self.text(&format!(" ({address})"), None);
        }
    }

    fn text(&mut self, text: &str, style: Option<Style>) {
        if let Some(link) = &mut self.link {
            link.text.push_str(text);
        }
        let text = text.replace(['\t', '\n', '\r'], " ");
        self.push(visible(&text).into_owned(), style);
    }

    /// Adds to the last span if it looks the same, so that no word is cut where the parser cut it.
    fn push(&mut self, text: String, style: Option<Style>) {
        let style = style.unwrap_or(*self.styles.last().unwrap_or(&Style::Text));
        let link = self.link.as_ref().map(|link| link.url.clone());
        match self.spans.last_mut() {
            Some(last) if last.style == style && last.link == link => last.text.push_str(&text),
            _ => self.spans.push(Span { text, style, link }),
        }
    }
}
