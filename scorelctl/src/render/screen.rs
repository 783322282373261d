use std::io;

use scorel_proto::{DisplayPart, DisplayStyle, counted};

use crate::escape::visible;
use crate::output::Output;

/// The stream for everything but the model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsideStream {
    /// Standard output, together with the answer.
    Output,
    /// Standard error, so that standard output holds only the answer.
    Error,
}

/// Writes a session as styled blocks of text, one below the other.
#[derive(Debug)]
pub(crate) struct Screen {
    aside: AsideStream,
    /// The maximum number of lines of a tool result or an error.
    result_lines: usize,
    /// The style of the unfinished line, if there is one.
    open: Option<DisplayStyle>,
}

impl Screen {
    pub(crate) const fn new(aside: AsideStream, result_lines: usize) -> Self {
        Self {
            aside,
            result_lines,
            open: None,
        }
    }

    /// Appends a chunk of streamed text.
    pub(crate) fn stream(
        &mut self,
        style: DisplayStyle,
        text: &str,
        output: &mut Output,
    ) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if self.open.is_some_and(|open| open != style) {
            self.end_line(output)?;
        }
        match style {
            DisplayStyle::Thinking => self.write(style, &self.marked(text), output)?,
            _ => self.write(style, text, output)?,
        }
        self.open = (!text.ends_with('\n')).then_some(style);
        Ok(())
    }

    /// Reasoning, with a mark in front of each line that tells it from the answer where no style does.
    fn marked(&self, text: &str) -> String {
        let mut begins = self.open.is_none();
        let lines = text.split_inclusive('\n').map(|line| {
            let mark = if begins { "~ " } else { "" };
            begins = line.ends_with('\n');
            format!("{mark}{line}")
        });
        lines.collect()
    }
    pub(crate) fn end_line(&mut self, output: &mut Output) -> io::Result<()> {
        match self.open.take() {
            Some(style) => self.write(style, "\n", output),
            None => Ok(()),
        }
    }

    /// Writes a complete block.
    pub(crate) fn part(&mut self, part: &DisplayPart, output: &mut Output) -> io::Result<()> {
        self.end_line(output)?;
        let text = self.decorated(part);
        self.stream(part.style, &text, output)?;
        self.end_line(output)
    }

    fn decorated(&self, part: &DisplayPart) -> String {
        match part.style {
            DisplayStyle::User => indented("> ", &part.text),
            DisplayStyle::Assistant | DisplayStyle::Thinking => part.text.clone(),
            DisplayStyle::ToolCall => format!("* {}", shortened(&part.text, 1)),
            DisplayStyle::ToolResult => indented("  ", &shortened(&part.text, self.result_lines)),
            DisplayStyle::Error => indented("! ", &shortened(&part.text, self.result_lines)),
            DisplayStyle::Note => indented("- ", &part.text),
        }
    }

    fn write(&self, style: DisplayStyle, text: &str, output: &mut Output) -> io::Result<()> {
        let to_error = self.aside == AsideStream::Error && style != DisplayStyle::Assistant;
        let terminal = if to_error {
            output.err_is_terminal
        } else {
            output.out_is_terminal
        };
        let styled = terminal && output.styled && text != "\n";
        let code = if styled { escape_code(style) } else { None };
        let shown = if terminal { visible(text) } else { text.into() };
        let shown = match style {
            DisplayStyle::Note if terminal => output.wrapped(&shown).into(),
            _ => shown,
        };
        let shown = match code {
            Some(code) => format!("\x1b[{code}m{shown}\x1b[0m").into(),
            None => shown,
        };
        if to_error {
            output.aside(&shown)
        } else {
            output.raw(&shown)
        }
    }
}

const fn escape_code(style: DisplayStyle) -> Option<&'static str> {
    match style {
        DisplayStyle::User => Some("1"),
        DisplayStyle::Assistant => None,
        DisplayStyle::Thinking | DisplayStyle::ToolResult | DisplayStyle::Note => Some("2"),
        DisplayStyle::ToolCall => Some("36"),
        DisplayStyle::Error => Some("31"),
    }
}

fn indented(prefix: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{prefix}{line}")).collect();
    lines.join("\n")
}

/// The maximum length of a line of tool output, in characters.
const LINE_CHARS: usize = 200;

/// The first `lines` lines, each truncated to [`LINE_CHARS`].
fn shortened(text: &str, lines: usize) -> String {
    let mut shown: Vec<String> = text.lines().take(lines).map(shortened_line).collect();
    let more = text.lines().count().saturating_sub(lines);
    if more > 0 {
        shown.push(format!("... {}", counted(more, "more line")));
    }
    shown.join("\n")
}

fn shortened_line(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(style: DisplayStyle, text: &str) -> DisplayPart {
        DisplayPart {
            style,
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_line_that_is_not_finished_ends_before_something_else_begins() {
        let (mut output, captured) = Output::captured(false);
        let mut screen = Screen::new(AsideStream::Output, 2);
        for (style, text) in [
            (DisplayStyle::Thinking, "hm"),
            (DisplayStyle::Thinking, "m"),
            (DisplayStyle::Assistant, "one "),
            (DisplayStyle::Assistant, "two\n"),
        ] {
            screen.stream(style, text, &mut output).expect("written");
        }
        let result = part(DisplayStyle::ToolResult, "a\nb\nc\nd");
        screen.part(&result, &mut output).expect("written");
        let call = part(DisplayStyle::ToolCall, "Read {}");
        screen.part(&call, &mut output).expect("written");
        assert_eq!(
            captured.out.text(),
            "~ hmm\none two\n  a\n  b\n  ... 2 more lines\n* Read {}\n"
        );
    }

    #[test]
    fn the_answer_alone_goes_to_standard_output() {
        let (mut output, captured) = Output::captured(false);
        let mut screen = Screen::new(AsideStream::Error, 2);
        screen
            .part(&part(DisplayStyle::Note, "noted"), &mut output)
            .expect("written");
        screen
            .part(&part(DisplayStyle::Assistant, "yes"), &mut output)
            .expect("written");
        screen
            .part(&part(DisplayStyle::Error, "no"), &mut output)
            .expect("written");
        assert_eq!(captured.out.text(), "yes\n");
        assert_eq!(captured.err.text(), "- noted\n! no\n");
    }

    #[test]
    fn text_of_a_model_cannot_leave_its_style_on_a_terminal() {
        let (mut output, captured) = Output::captured(true);
        output.styled = true;
        let mut screen = Screen::new(AsideStream::Output, 2);
        let thinking = part(DisplayStyle::Thinking, "\x1b[0mloud");
        screen.part(&thinking, &mut output).expect("written");
        assert_eq!(captured.out.text(), "\x1b[2m~ ^[[0mloud\x1b[0m\n");
    }

    #[test]
    fn every_line_of_reasoning_is_marked_once_however_it_comes() {
        let (mut output, captured) = Output::captured(false);
        let mut screen = Screen::new(AsideStream::Output, 2);
        for piece in ["a", "b\nc", "\n", "d\n\n", "e"] {
            screen
                .stream(DisplayStyle::Thinking, piece, &mut output)
                .expect("written");
        }
        screen
            .part(&part(DisplayStyle::Assistant, "f"), &mut output)
            .expect("written");
        assert_eq!(captured.out.text(), "~ ab\n~ c\n~ d\n~ \n~ e\nf\n");
    }

    #[test]
    fn endless_lines_are_cut() {
        let line = "é".repeat(500);
        assert_eq!(shortened(&line, 1).chars().count(), LINE_CHARS + 3);
    }
}
