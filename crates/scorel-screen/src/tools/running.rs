use scorel_proto::{EventId, counted};
use serde_json::Value;

use super::call::Call;
use super::elapsed::elapsed;
use super::result::{output_row, row};
use crate::layout::Layout;
use crate::line::Line;
use crate::style::Style;

/// The lines of output that are shown of a tool while it runs.
const SHOWN: usize = 3;

/// The bytes at the end of a tool's output that are looked at.
const MAX_OUTPUT: usize = 8 * 1024;

/// A tool that runs.
#[derive(Debug, Clone)]
pub(crate) struct RunningTool {
    /// The event that its result will be.
    pub(crate) event_id: EventId,
    pub(crate) call: Call,
    /// When it began, in milliseconds since 1970; `None` if that is not known.
    pub(crate) since: Option<u64>,
    output: Vec<String>,
    /// The lines before those.
    before: u64,
}

impl RunningTool {
    pub(crate) const fn new(event_id: EventId, call: Call, since: Option<u64>) -> Self {
        Self {
            event_id,
            call,
            since,
            output: Vec::new(),
            before: 0,
        }
    }

    /// Takes the present state of the output: `text` and `lines` of a tool of ours, `output` of a runner's.
    pub(crate) fn update(&mut self, partial: &Value) {
        let text = ["text", "output"]
            .iter()
            .find_map(|name| partial.get(*name)?.as_str());
        let Some(text) = text.or(partial.as_str()) else {
            return;
        };
        let from = text.len().saturating_sub(MAX_OUTPUT);
        let from = (from..=text.len()).find(|at| text.is_char_boundary(*at));
        let end: Vec<&str> = text[from.unwrap_or(0)..].lines().collect();
        let shown = &end[end.len().saturating_sub(SHOWN)..];
        self.output = shown.iter().map(|line| (*line).to_owned()).collect();
        let all = partial.get("lines").and_then(Value::as_u64);
        let all = all.unwrap_or_else(|| text.lines().count() as u64);
        self.before = all.saturating_sub(shown.len() as u64);
    }

    /// The row that says that it runs, for how long, at this moment.
    pub(crate) fn row(&self, now: u64, layout: &Layout) -> Line {
        let time = self
            .since
            .and_then(|since| elapsed(now.saturating_sub(since)));
        row("⋯", Style::Tool, &self.call.title(), time, layout)
    }

    /// The end of its output.
    pub(crate) fn output(&self, layout: &Layout) -> Vec<Line> {
        let lines = self.output.iter();
        let mut lines: Vec<Line> = lines
            .map(|line| output_row(line, Style::Output, layout))
            .collect();
        if self.before > 0 {
            let text = format!("    … {} before", counted(self.before, "line"));
            lines.push(Line::plain(&text, Style::Dim));
        }
        lines
    }
}
