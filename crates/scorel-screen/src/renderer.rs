use scorel_proto::{
    DisplayPart, DisplayStyle, Event, EventId, InFlight, Message, ModelRetry, OpenBlock,
    PersistentBody, PersistentEvent, RunnerLogStream, ToolResultMessage, TransientBody,
};

use crate::blocks::{lines_of, rule};
use crate::layout::Layout;
use crate::line::Line;
use crate::markup::Markup;
use crate::open_text::OpenText;
use crate::page::{Page, PagePart};
use crate::text_block::TextBlock;
use crate::todos::TodoList;
use crate::tools::{Call, RunningTool, result_lines};
use crate::waits;

/// Makes lines of events as they arrive. A line is given once, when it is certain: a finished line never changes.
/// Of the record of a message only that becomes lines which its deltas have not shown.
#[derive(Debug)]
pub struct Renderer {
    layout: Layout,
    page: Page,
    /// The text of messages that are being generated.
    texts: Vec<OpenText>,
    /// The calls of the turn that have no result yet.
    calls: Vec<Call>,
    running: Vec<RunningTool>,
    todos: TodoList,
    /// The retry that was shown last.
    retry: Option<ModelRetry>,
    /// The present, in milliseconds since 1970.
    now: u64,
}

impl Renderer {
    /// Begins at an empty screen.
    pub const fn new(layout: Layout) -> Self {
        Self {
            page: Page::new(layout.markup),
            layout,
            texts: Vec::new(),
            calls: Vec::new(),
            running: Vec::new(),
            todos: TodoList::EMPTY,
            retry: None,
            now: 0,
        }
    }

    /// Lines from here on are made for so many columns.
    pub const fn resize(&mut self, width: usize) {
        self.layout.width = width;
    }

    /// It is this moment now, in milliseconds since 1970. Events carry theirs; this is for the time between them.
    pub fn tick(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    /// Appends the lines that an event finishes.
    pub fn event(&mut self, event: &Event, out: &mut Vec<Line>) {
        self.tick(event.ts());
        match event {
            Event::Persistent(event) => self.record(event, out),
            Event::Transient(event) => self.transient(&event.body, event.ts, out),
            Event::Unknown(event) if event.prev.is_some() => {
                self.note(&format!("event of unknown type {}", event.type_name), out);
            }
            Event::Unknown(_) => {}
        }
    }

    /// Appends what a snapshot adds to the open messages, and takes over its tools.
    pub fn in_flight(&mut self, now: &InFlight, out: &mut Vec<Line>) {
        let is_open = |id| {
            now.open
                .messages
                .iter()
                .any(|message| message.event_id == id)
        };
        for text in self
            .texts
            .extract_if(.., |text| !is_open(text.message))
            .collect::<Vec<_>>()
        {
            self.end_text(text, out);
        }
        if let Some(retry) = &now.open.retry {
            self.retry(retry, out);
        }
        for message in &now.open.messages {
            for (index, block) in (0..).zip(&message.blocks) {
                let (style, text) = match block {
                    OpenBlock::Text { text } => (DisplayStyle::Assistant, text),
                    OpenBlock::Thinking { text } => (DisplayStyle::Thinking, text),
                    OpenBlock::ToolUse { .. } => continue,
                };
                let shown = self.text((message.event_id, index), style, out);
                let rest = text.strip_prefix(self.texts[shown].text.as_str());
                self.push(shown, rest.unwrap_or_default(), out);
            }
        }
        let known = std::mem::take(&mut self.running);
        self.running.extend(now.open.tools.iter().map(|tool| {
            let since = known.iter().find(|known| known.event_id == tool.event_id);
            let since = since.and_then(|known| known.since);
            let call = Call::new(&tool.tool_call_id, &tool.tool_name, &tool.args);
            let mut running = RunningTool::new(tool.event_id, call, since);
            tool.partial
                .iter()
                .for_each(|partial| running.update(partial));
            running
        }));
    }

    /// Appends a message of this program.
    pub fn note(&mut self, text: &str, out: &mut Vec<Line>) {
        let part = DisplayPart {
            style: DisplayStyle::Note,
            text: text.to_owned(),
        };
        self.part(&part, out);
    }

    /// Appends what is unfinished, as it is. What comes of it later begins a line.
    pub fn flush(&mut self, out: &mut Vec<Line>) {
        for index in 0..self.texts.len() {
            self.finish(index, out);
        }
    }

    /// The last rows of what is unfinished: text, and the tools that run.
    pub fn tail(&self, rows: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        for text in &self.texts {
            lines.extend(text.block.unfinished(&self.layout));
        }
        let alone = self.running.len() == 1;
        for tool in &self.running {
            lines.push(tool.row(self.now, &self.layout));
            if alone {
                lines.extend(tool.output(&self.layout));
            }
        }
        lines.split_off(lines.len().saturating_sub(rows))
    }

    /// The to-do list in a row; `None` if nothing is left to do.
    pub fn todos(&self) -> Option<Line> {
        self.todos.line().map(|line| line.cut(self.layout.row()))
    }

    /// The to-do list.
    pub const fn todo_list(&self) -> &TodoList {
        &self.todos
    }

    /// Returns whether [`Renderer::tail`] has something to show.
    pub fn has_open(&self) -> bool {
        !self.running.is_empty() || self.texts.iter().any(|text| text.block.is_open())
    }

    fn transient(&mut self, body: &TransientBody, ts: u64, out: &mut Vec<Line>) {
        match body {
            TransientBody::TextDelta(delta) => {
                let place = (delta.event_id, delta.block_index);
                let shown = self.text(place, DisplayStyle::Assistant, out);
                self.push(shown, &delta.delta, out);
            }
            TransientBody::ThinkingDelta(delta) => {
                let place = (delta.event_id, delta.block_index);
                let shown = self.text(place, DisplayStyle::Thinking, out);
                self.push(shown, &delta.delta, out);
            }
            TransientBody::MessageCancelled(body) => self.cancelled(body.event_id, out),
            TransientBody::ModelRetry(retry) => self.retry(retry, out),
            TransientBody::RunnerLog(log) if log.stream == RunnerLogStream::Notice => {
                self.note(log.text.trim_end(), out);
            }
            TransientBody::ToolExecutionStart(start) => {
                let call = Call::new(&start.tool_call_id, &start.tool_name, &start.args);
                let tool = RunningTool::new(start.event_id, call, Some(ts));
                if self.layout.announces && self.layout.markup == Markup::Rendered {
                    let row = tool.row(ts, &self.layout);
                    self.page.write(PagePart::Tools, vec![row], out);
                }
                self.running
                    .retain(|known| known.event_id != start.event_id);
                self.running.push(tool);
            }
            TransientBody::ToolExecutionUpdate(update) => {
                let tool = self
                    .running
                    .iter_mut()
                    .find(|tool| tool.event_id == update.event_id);
                tool.into_iter()
                    .for_each(|tool| tool.update(&update.partial));
            }
            _ => {}
        }
    }

    /// Shows a retry, unless a snapshot repeats it.
    fn retry(&mut self, retry: &ModelRetry, out: &mut Vec<Line>) {
        if self.retry.as_ref() != Some(retry) {
            self.retry = Some(retry.clone());
            self.note(&waits::retry(retry, &self.layout.zone), out);
        }
    }

    /// The place of a block of an open message. What stands before a new one is finished.
    fn text(
        &mut self,
        (message, index): (EventId, u32),
        style: DisplayStyle,
        out: &mut Vec<Line>,
    ) -> usize {
        let is_it = |text: &OpenText| (text.message, text.index) == (message, index);
        if let Some(place) = self.texts.iter().position(is_it) {
            return place;
        }
        self.flush(out);
        let text = self.new_text((message, index), style);
        self.texts.push(text);
        self.texts.len() - 1
    }

    fn new_text(&mut self, (message, index): (EventId, u32), style: DisplayStyle) -> OpenText {
        OpenText {
            message,
            index,
            style,
            text: String::new(),
            block: TextBlock::new(style, self.layout.markup),
            number: self.page.number(),
        }
    }

    fn push(&mut self, place: usize, text: &str, out: &mut Vec<Line>) {
        let open = &mut self.texts[place];
        open.text.push_str(text);
        let mut lines = Vec::new();
        open.block.push(text, &self.layout, &mut lines);
        self.page.write(PagePart::Text(open.number), lines, out);
    }

    fn finish(&mut self, place: usize, out: &mut Vec<Line>) {
        let open = &mut self.texts[place];
        let mut lines = Vec::new();
        open.block.finish(&self.layout, &mut lines);
        self.page.write(PagePart::Text(open.number), lines, out);
    }

    fn end_text(&mut self, text: OpenText, out: &mut Vec<Line>) {
        self.texts.push(text);
        self.finish(self.texts.len() - 1, out);
        self.texts.pop();
    }

    /// Removes the blocks of an open message that have shown something, and returns them.
    fn close(&mut self, id: EventId) -> Vec<OpenText> {
        let of_it = self.texts.extract_if(.., |text| text.message == id);
        of_it.filter(|text| !text.text.is_empty()).collect()
    }

    fn cancelled(&mut self, id: EventId, out: &mut Vec<Line>) {
        let shown = self.close(id);
        if !shown.is_empty() {
            shown.into_iter().for_each(|text| self.end_text(text, out));
            self.note("the answer above was discarded", out);
        }
    }

    fn record(&mut self, event: &PersistentEvent, out: &mut Vec<Line>) {
        let shown = self.close(event.id);
        if let Some(todos) = TodoList::of_body(&event.body) {
            self.todos = todos;
        }
        match &event.body {
            PersistentBody::TurnWaiting(body) => {
                self.note(&waits::waiting(body, &self.layout.zone), out);
            }
            PersistentBody::Message(body) if self.layout.markup == Markup::Rendered => {
                match &body.message {
                    Message::ToolResult(message) => self.result(event.id, message, out),
                    message => {
                        self.calls.extend(Call::of(message));
                        self.parts(event, shown, out);
                    }
                }
            }
            PersistentBody::TurnOutcome(_) => {
                self.calls.clear();
                self.running.clear();
                self.parts(event, shown, out);
            }
            _ => self.parts(event, shown, out),
        }
        self.running.retain(|tool| tool.event_id != event.id);
    }

    fn result(&mut self, id: EventId, message: &ToolResultMessage, out: &mut Vec<Line>) {
        let call_id = &message.result().tool_use_id;
        let known = self.calls.iter().position(|call| call.id == *call_id);
        let known = known.map(|place| self.calls.swap_remove(place));
        let running = self.running.iter().find(|tool| tool.event_id == id);
        let known = known.or_else(|| running.map(|tool| tool.call.clone()));
        let call =
            known.unwrap_or_else(|| Call::new(call_id, &message.tool_name, &serde_json::json!({})));
        let figure = TodoList::of_result(message).map(|todos| todos.progress());
        let lines = result_lines(&call, message, figure, &self.layout);
        self.page.write(PagePart::Tools, lines, out);
    }

    /// The parts of a record, without what deltas showed of it.
    fn parts(&mut self, event: &PersistentEvent, shown: Vec<OpenText>, out: &mut Vec<Line>) {
        let mut shown = shown.into_iter().peekable();
        for part in event.body.convert_to_display() {
            let hidden = match part.style {
                DisplayStyle::User => !self.layout.users,
                DisplayStyle::ToolCall => self.layout.markup == Markup::Rendered,
                _ => false,
            };
            if part.text.is_empty() || hidden {
                continue;
            }
            // Streamed blocks have the order of the parts.
            let before = shown.next_if(|text| text.style == part.style);
            match before {
                Some(text) => self.rest(&part, text, out),
                None if is_bridge(&event.body) && self.layout.markup == Markup::Rendered => {
                    let line = rule(&part.text, &self.layout);
                    self.page.write(PagePart::Notes, vec![line], out);
                }
                None => self.part(&part, out),
            }
        }
        shown.for_each(|text| self.end_text(text, out));
    }

    /// Shows what the deltas did not show of a part; all of it, if it is another text than theirs.
    fn rest(&mut self, part: &DisplayPart, mut text: OpenText, out: &mut Vec<Line>) {
        let Some(rest) = part.text.strip_prefix(&text.text) else {
            self.end_text(text, out);
            return self.part(part, out);
        };
        let mut lines = Vec::new();
        text.block.push(rest, &self.layout, &mut lines);
        text.block.finish(&self.layout, &mut lines);
        self.page.write(PagePart::Text(text.number), lines, out);
    }

    fn part(&mut self, part: &DisplayPart, out: &mut Vec<Line>) {
        let place = match part.style {
            DisplayStyle::Assistant | DisplayStyle::Thinking => {
                let number = self.page.number();
                let mut block = TextBlock::new(part.style, self.layout.markup);
                let mut lines = Vec::new();
                block.push(&part.text, &self.layout, &mut lines);
                block.finish(&self.layout, &mut lines);
                return self.page.write(PagePart::Text(number), lines, out);
            }
            DisplayStyle::User => PagePart::User,
            _ => PagePart::Notes,
        };
        // In a pipe all has the order in which it came.
        if self.layout.markup == Markup::Source {
            self.flush(out);
        }
        self.page.write(place, lines_of(part, &self.layout), out);
    }
}

/// Returns whether the conversation goes on elsewhere.
const fn is_bridge(body: &PersistentBody) -> bool {
    matches!(body, PersistentBody::Rewind(_) | PersistentBody::Branch(_))
}

#[cfg(test)]
#[path = "renderer/tests.rs"]
mod tests;

#[cfg(test)]
#[path = "renderer/properties.rs"]
mod properties;

#[cfg(test)]
#[path = "renderer/hostile.rs"]
mod hostile;

#[cfg(test)]
#[path = "renderer/screens.rs"]
mod screens;
