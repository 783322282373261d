//! Whole blocks: what users said, notes and failures, in both forms.

use scorel_proto::{DisplayPart, DisplayStyle, counted};

use crate::escape::visible;
use crate::layout::Layout;
use crate::line::{Line, Span};
use crate::markup::Markup;
use crate::message::wrapped_message;
use crate::signed::signed;
use crate::style::Style;

/// The most characters of a line of tool output.
const LINE_CHARS: usize = 200;

/// The lines of a part that is whole. Text of a model is not one.
pub(crate) fn lines_of(part: &DisplayPart, layout: &Layout) -> Vec<Line> {
    match layout.markup {
        Markup::Rendered => rendered(part, layout),
        Markup::Source => source(part, layout.result_lines),
    }
}

/// A rule with a word in it: what follows does not go on from what stands above.
pub(crate) fn rule(text: &str, layout: &Layout) -> Line {
    let mut line = Line::plain(&format!("── {text} "), Style::Note).cut(layout.prose());
    let free = layout.prose() - line.width();
    line.spans.push(Span::new("─".repeat(free), Style::Note));
    line
}

fn rendered(part: &DisplayPart, layout: &Layout) -> Vec<Line> {
    let (sign, style) = match part.style {
        DisplayStyle::User => ("❯ ", Style::User),
        DisplayStyle::Error => ("✗ ", Style::Error),
        _ => ("┄ ", Style::Note),
    };
    let text = visible(&part.text);
    let text = match part.style {
        DisplayStyle::User => text.trim_end().to_owned(),
        _ => wrapped_message(text.trim_end(), layout.prose() - 2),
    };
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| crate::width::expanded(line).into_owned())
        .collect();
    signed(
        (sign, "  "),
        &[Span::new(lines.join("\n"), style)],
        layout.prose(),
    )
}

fn source(part: &DisplayPart, most: usize) -> Vec<Line> {
    let (sign, style, text) = match part.style {
        DisplayStyle::User => ("> ", Style::User, part.text.clone()),
        DisplayStyle::Assistant => ("", Style::Text, part.text.clone()),
        DisplayStyle::Thinking => ("", Style::Thinking, part.text.clone()),
        DisplayStyle::ToolCall => ("* ", Style::Tool, shortened(&part.text, 1)),
        DisplayStyle::ToolResult => ("  ", Style::Output, shortened(&part.text, most)),
        DisplayStyle::Error => ("! ", Style::Error, shortened(&part.text, most)),
        DisplayStyle::Note => ("- ", Style::Note, part.text.clone()),
    };
    let lines = text
        .lines()
        .map(|line| Line::raw(format!("{sign}{line}"), style));
    lines.collect()
}

/// The first lines of a text, each cut to a length.
fn shortened(text: &str, most: usize) -> String {
    let mut shown: Vec<String> = text.lines().take(most).map(shortened_line).collect();
    let more = text.lines().count().saturating_sub(most);
    if more > 0 {
        shown.push(format!("... {}", counted(more, "more line")));
    }
    shown.join("\n")
}

pub(crate) fn shortened_line(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_lines_are_cut() {
        let line = "é".repeat(500);
        assert_eq!(shortened(&line, 1).chars().count(), LINE_CHARS + 3);
    }
}
