use scorel_proto::{Block, ToolResultMessage, counted};

use super::call::Call;
use super::diff::FileDiff;
use super::elapsed::elapsed;
use crate::blocks::shortened_line;
use crate::layout::Layout;
use crate::line::{Line, Span};
use crate::style::Style;

/// The most lines of a failure.
const FAILURE_LINES: usize = 8;

/// The row of a call that has ended, and what is shown of its result. `figure` stands behind the row, if the result
/// has none of its own.
pub(crate) fn result_lines(
    call: &Call,
    message: &ToolResultMessage,
    figure: Option<String>,
    layout: &Layout,
) -> Vec<Line> {
    let result = message.result();
    let diff = FileDiff::of(result.details.as_ref()).filter(|_| !result.is_error);
    let (sign, style) = match result.is_error {
        true => ("✗", Style::Error),
        false => ("✓", Style::Tool),
    };
    let figures = match &diff {
        _ if result.is_error => Some("failed".to_owned()),
        Some(diff) => Some(diff.figures()),
        None => figure.or_else(|| elapsed(message.duration_ms)),
    };
    let mut lines = vec![row(sign, style, &call.title(), figures, layout)];
    let text = Block::plain_text_of(&result.content);
    match diff {
        Some(diff) => lines.extend(diff.lines(layout)),
        None if result.is_error => lines.extend(output(&text, FAILURE_LINES, Style::Error, layout)),
        None => lines.extend(output(&text, layout.result_lines, Style::Output, layout)),
    }
    lines
}

/// A row with its figures. A title that is too long is cut, the figures are not.
pub(super) fn row(
    sign: &str,
    style: Style,
    title: &str,
    figures: Option<String>,
    layout: &Layout,
) -> Line {
    let figures = figures.map_or_else(String::new, |figures| format!("  {figures}"));
    let room = layout.row().saturating_sub(figures.chars().count()).max(4);
    let mut line = Line::plain(&format!("{sign} {title}"), style).cut(room);
    if !figures.is_empty() {
        line.spans.push(Span::new(figures, Style::Dim));
    }
    line.cut(layout.row())
}

/// The first lines of a text, each cut to a row.
fn output(text: &str, most: usize, style: Style, layout: &Layout) -> Vec<Line> {
    if most == 0 {
        return Vec::new();
    }
    let rows = text.trim_end().lines();
    let mut lines: Vec<Line> = rows
        .clone()
        .take(most)
        .map(|line| output_row(line, style, layout))
        .collect();
    let more = rows.count().saturating_sub(most);
    if more > 0 {
        let text = format!("    … {}", counted(more, "more line"));
        lines.push(Line::plain(&text, Style::Dim));
    }
    lines
}

pub(super) fn output_row(line: &str, style: Style, layout: &Layout) -> Line {
    Line::plain(&format!("    {}", shortened_line(line)), style).cut(layout.row())
}
