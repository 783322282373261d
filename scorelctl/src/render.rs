//! Shows a session on the program's output.

use std::io;

use scorel_proto::{Event, InFlight};
use scorel_screen::{Layout, Line, Markup, Renderer, TimeZone};

use crate::output::Output;

/// The stream for everything but the model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsideStream {
    /// Standard output, together with the answer.
    Output,
    /// Standard error, so that standard output holds only the answer.
    Error,
}

/// Writes a session's events as they arrive, each finished line once: rendered on a terminal, as it is in a pipe.
#[derive(Debug)]
pub(crate) struct Transcript {
    renderer: Renderer,
    aside: AsideStream,
    markup: Markup,
}

impl Transcript {
    /// For a session that goes on. Of tool results so many lines are shown.
    pub(crate) fn live(aside: AsideStream, result_lines: usize, output: &Output) -> Self {
        Self::new(aside, result_lines, true, output)
    }

    /// For what has happened.
    pub(crate) fn history(result_lines: usize, output: &Output) -> Self {
        Self::new(AsideStream::Output, result_lines, false, output)
    }

    fn new(aside: AsideStream, result_lines: usize, announces: bool, output: &Output) -> Self {
        let markup = match output.out_is_terminal {
            true => Markup::Rendered,
            false => Markup::Source,
        };
        let layout = Layout {
            markup,
            users: aside == AsideStream::Output,
            result_lines,
            styled: output.styled,
            announces,
            ..Layout::new(output.columns(), TimeZone::system())
        };
        Self {
            renderer: Renderer::new(layout),
            aside,
            markup,
        }
    }

    /// Shows what an event adds.
    pub(crate) fn event(&mut self, event: &Event, output: &mut Output) -> io::Result<()> {
        self.show(output, |renderer, lines| renderer.event(event, lines))
    }

    /// Shows what a snapshot adds to the open messages.
    pub(crate) fn in_flight(&mut self, now: &InFlight, output: &mut Output) -> io::Result<()> {
        self.show(output, |renderer, lines| renderer.in_flight(now, lines))
    }

    /// Shows a message of this program.
    pub(crate) fn note(&mut self, text: &str, output: &mut Output) -> io::Result<()> {
        self.show(output, |renderer, lines| renderer.note(text, lines))
    }

    /// Shows what is unfinished.
    pub(crate) fn flush(&mut self, output: &mut Output) -> io::Result<()> {
        self.show(output, Renderer::flush)
    }

    /// The to-do list as text; `None` if it is empty.
    pub(crate) fn todos(&self) -> Option<String> {
        self.renderer.todo_list().text()
    }

    fn show(
        &mut self,
        output: &mut Output,
        render: impl FnOnce(&mut Renderer, &mut Vec<Line>),
    ) -> io::Result<()> {
        self.renderer.resize(output.columns());
        let mut lines = Vec::new();
        render(&mut self.renderer, &mut lines);
        lines.iter().try_for_each(|line| self.write(line, output))
    }

    fn write(&self, line: &Line, output: &mut Output) -> io::Result<()> {
        let to_error = self.aside == AsideStream::Error && !line.is_answer();
        let text = match self.markup {
            Markup::Rendered => output.theme(to_error).paint(line),
            Markup::Source => line.text(),
        };
        match to_error {
            true => output.aside(&format!("{text}\n")),
            false => output.raw_line(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(terminal: bool, aside: AsideStream) -> (String, String) {
        let (mut output, captured) = Output::captured(terminal);
        let mut transcript = Transcript::live(aside, 2, &output);
        let content = json!([
            {"type": "thinking", "text": "hm"},
            {"type": "text", "text": "**yes** \x1b[2J\n\n- a"},
        ]);
        let event = json!({
            "type": "message", "id": scorel_proto::EventId::generate(), "parentId": null, "seq": 1,
            "sessionId": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV", "clientId": "daemon", "ts": 1,
            "message": {"role": "assistant", "content": content, "model": "m", "stopReason": "end_turn"},
        });
        let event = Event::decode(&event.to_string()).expect("an event");
        transcript.event(&event, &mut output).expect("written");
        transcript.note("noted", &mut output).expect("written");
        (captured.out.text(), captured.err.text())
    }

    #[test]
    fn the_answer_alone_goes_to_standard_output() {
        let (out, err) = shown(false, AsideStream::Error);
        assert_eq!(out, "**yes** \x1b[2J\n\n- a\n");
        assert_eq!(err, "~ hm\n- noted\n");
    }

    #[test]
    fn a_pipe_gets_markdown_as_it_is() {
        let (out, err) = shown(false, AsideStream::Output);
        assert_eq!(out, "~ hm\n**yes** \x1b[2J\n\n- a\n- noted\n");
        assert_eq!(err, "");
    }

    #[test]
    fn a_terminal_gets_it_rendered_and_harmless() {
        let (out, _) = shown(true, AsideStream::Output);
        // Without styles the signs of Markdown stay.
        assert_eq!(out, "~ hm\n\n**yes** ⟨1b⟩[2J\n\n• a\n\n┄ noted\n");
    }
}
