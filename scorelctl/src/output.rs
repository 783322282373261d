use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;

use crate::failure::{Failure, FailureReport};
use crate::pager::Pager;
use scorel_screen::{Theme, visible, wrapped_message};

/// The columns of a terminal that does not say how many it has.
const USUAL_WIDTH: usize = 80;

/// The program's output: results on standard output, messages on standard error.
pub(crate) struct Output {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    /// True if standard output is a terminal.
    pub(crate) out_is_terminal: bool,
    /// True if standard error is a terminal.
    pub(crate) err_is_terminal: bool,
    /// Set to write JSON.
    pub(crate) json: bool,
    /// Set to style text on a terminal; off if `NO_COLOR` is set (<https://no-color.org>), and on one that
    /// knows no styles.
    pub(crate) styled: bool,
    /// Set if the terminal shows more than ASCII.
    unicode: bool,
    /// The program that shows standard output on the terminal.
    pager: Option<BufWriter<Pager>>,
    /// The columns of the terminal at standard error.
    width: Option<usize>,
    /// Set while the last line of the terminal is a prompt.
    prompting: bool,
}

impl Output {
    pub(crate) fn standard(json: bool) -> Self {
        let out = io::stdout();
        let err = io::stderr();
        Self {
            out_is_terminal: out.is_terminal(),
            err_is_terminal: err.is_terminal(),
            out: Box::new(BufWriter::with_capacity(64 * 1024, out.lock())),
            err: Box::new(err.lock()),
            json,
            styled: env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && !is_dumb(),
            unicode: is_unicode(),
            pager: None,
            width: terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| width.0.into()),
            prompting: false,
        }
    }

    /// Shows what follows on standard output page by page, if that is a terminal. Returns whether it does.
    pub(crate) fn page(&mut self) -> io::Result<bool> {
        if !self.out_is_terminal || self.json || is_dumb() {
            return Ok(false);
        }
        self.flush()?;
        self.pager = Pager::start()?.map(BufWriter::new);
        Ok(self.pager.is_some())
    }

    /// Waits until the user has left the pager.
    pub(crate) fn end_page(&mut self) -> io::Result<()> {
        let flushed = self.flush();
        let Some(pager) = self.pager.take() else {
            return flushed;
        };
        // A failed write has been reported; dropping the pager closes its input.
        let (pager, _) = pager.into_parts();
        pager.wait()?;
        flushed
    }

    fn out(&mut self) -> &mut dyn Write {
        match &mut self.pager {
            Some(pager) => pager,
            None => &mut self.out,
        }
    }

    /// The columns of the terminal at standard output, which may change at any time.
    pub(crate) fn columns(&self) -> usize {
        let size = terminal_size::terminal_size_of(io::stdout());
        size.map_or(USUAL_WIDTH, |(width, _)| width.0.into())
    }

    /// The abilities of the terminal at standard output or standard error. A pager need not know links.
    pub(crate) fn theme(&self, of_error: bool) -> Theme {
        let is_terminal = match of_error {
            true => self.err_is_terminal,
            false => self.out_is_terminal,
        };
        Theme {
            colours: self.styled && is_terminal,
            unicode: self.unicode,
            links: self.styled && is_terminal && self.pager.is_none(),
        }
    }

    #[cfg(test)]
    pub(crate) fn captured(terminal: bool) -> (Self, tests::Captured) {
        let captured = tests::Captured::default();
        let output = Self {
            out: Box::new(captured.out.clone()),
            err: Box::new(captured.err.clone()),
            out_is_terminal: terminal,
            err_is_terminal: terminal,
            json: false,
            styled: false,
            unicode: true,
            pager: None,
            width: terminal.then_some(80),
            prompting: false,
        };
        (output, captured)
    }

    /// Writes to standard output without escaping.
    pub(crate) fn raw(&mut self, text: &str) -> io::Result<()> {
        if self.out_is_terminal {
            self.end_prompt()?;
        }
        self.out().write_all(text.as_bytes())
    }

    /// Writes a line to standard output without escaping.
    pub(crate) fn raw_line(&mut self, text: &str) -> io::Result<()> {
        self.raw(text)?;
        self.raw("\n")
    }

    /// Writes text from models, tools or users to standard output; on a terminal, control
    /// characters are escaped.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        if self.out_is_terminal {
            self.raw(&visible(text))
        } else {
            self.raw(text)
        }
    }

    /// Writes a line as [`Output::text`] does.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.text(text)?;
        self.raw("\n")
    }

    /// Writes lines as [`Output::line`] does.
    pub(crate) fn lines(
        &mut self,
        lines: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> io::Result<()> {
        let mut lines = lines.into_iter();
        lines.try_for_each(|line| self.line(line.as_ref()))
    }

    /// Writes a value as a line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        // To a `Vec`, as requests are: the compiler makes a copy of all serialisation for each writer.
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.out().write_all(&line)
    }

    /// Writes a result: as JSON with `--json`, otherwise with `human`.
    pub(crate) fn result(
        &mut self,
        value: &impl Serialize,
        human: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> Result<(), Failure> {
        Ok(if self.json {
            self.json(value)
        } else {
            human(self)
        }?)
    }

    /// Writes a list: with `--json` one value a line, otherwise with `human`.
    pub(crate) fn results(
        &mut self,
        values: &[impl Serialize],
        human: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> Result<(), Failure> {
        Ok(match self.json {
            true => values.iter().try_for_each(|value| self.json(value)),
            false => human(self),
        }?)
    }

    /// Writes to standard error, after flushing standard output, so that both appear in order on a
    /// terminal.
    pub(crate) fn aside(&mut self, text: &str) -> io::Result<()> {
        self.flush()?;
        self.end_prompt()?;
        self.err.write_all(text.as_bytes())
    }

    /// Writes a message to standard error, except with `--json`.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let line = format!("{}\n", self.wrapped(&visible(text)));
        self.aside(&line)
    }

    /// As [`Output::note`], for a line with text of a model. It is not broken: a part of it would be a line that
    /// seems to be this program's.
    pub(crate) fn note_whole(&mut self, line: &str) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        self.aside(&format!("{}\n", visible(line)))
    }

    /// A message for people, broken at words where the terminal is too narrow.
    pub(crate) fn wrapped(&self, text: &str) -> String {
        match self.width {
            Some(width) => wrapped_message(text, width),
            None => text.to_owned(),
        }
    }

    /// Asks for a line. Whatever is written next begins below the prompt.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        // The terminal has echoed what was typed too early.
        let over = if self.err_is_terminal { "\r" } else { "" };
        let text = self.wrapped(text);
        self.aside(&format!("{over}{text}"))?;
        self.prompting = true;
        Ok(())
    }

    /// Returns whether there is a user to ask.
    pub(crate) fn can_ask(&self) -> bool {
        !self.json && self.err_is_terminal && io::stdin().is_terminal()
    }

    /// Returns whether a prompt is the last that was written.
    pub(crate) const fn is_prompting(&self) -> bool {
        self.prompting
    }

    /// An answer has come; `ended` says whether with Enter, which a terminal echoes.
    pub(crate) fn answered(&mut self, ended: bool) {
        self.prompting &= !(ended && io::stdin().is_terminal());
    }

    fn end_prompt(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.prompting) {
            self.err.write_all(b"\n")?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        // The kind stays: a closed pipe is not a failure.
        self.out().flush().map_err(|error| {
            let message = format!("cannot write to standard output: {error}");
            io::Error::new(error.kind(), message)
        })
    }

    /// Reports a failure on standard error, which may be that standard output cannot be written.
    pub(crate) fn report(&mut self, report: &FailureReport) -> io::Result<()> {
        let flushed = self.flush().and_then(|()| self.end_prompt());
        let text = if self.json {
            format!("{}\n", report.to_json())
        } else {
            let line = |text: &str| format!("{}\n", self.wrapped(&visible(text)));
            let hint = report.hint.as_ref();
            let hint = hint.map(|hint| line(&format!("hint: {hint}")));
            let message = line(&format!("error: {}", report.message));
            format!("{message}{}", hint.unwrap_or_default())
        };
        self.err.write_all(text.as_bytes())?;
        flushed
    }
}

/// Returns whether the user's locale is one of UTF-8.
fn is_unicode() -> bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| {
        let value = env::var(name).unwrap_or_default();
        (!value.is_empty()).then_some(value)
    });
    let locale = named.unwrap_or_default().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Returns whether the terminal understands no escape sequences.
fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("json", &self.json)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    #[derive(Clone, Default)]
    pub(crate) struct Buffer(Rc<RefCell<Vec<u8>>>);

    impl Buffer {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.borrow().clone()).expect("text")
        }
    }

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[derive(Clone, Default)]
    pub(crate) struct Captured {
        pub(crate) out: Buffer,
        pub(crate) err: Buffer,
    }

    #[test]
    fn only_a_terminal_gets_escaped_text() {
        for (terminal, expected) in [(true, "⟨1b⟩[2J\n"), (false, "\x1b[2J\n")] {
            let (mut output, captured) = Output::captured(terminal);
            output.line("\x1b[2J").expect("written");
            assert_eq!(captured.out.text(), expected);
        }
    }

    #[test]
    fn messages_are_broken_at_the_width_of_the_terminal() {
        let (mut output, captured) = Output::captured(true);
        output.width = Some(12);
        output.note("a note of two lines").expect("written");
        output.line("a result of one line").expect("written");
        let Failure::Report(report) = Failure::usage("no such thing").hint("look again") else {
            panic!("a report")
        };
        output.report(&report).expect("written");
        let expected = "a note of\n  two lines\nerror: no\n  such thing\nhint: look\n  again\n";
        assert_eq!(captured.err.text(), expected);
        assert_eq!(captured.out.text(), "a result of one line\n");
    }

    #[test]
    fn programs_get_failures_as_json_and_no_remarks() {
        let (mut output, captured) = Output::captured(false);
        output.json = true;
        output.note("nothing for you").expect("written");
        let Failure::Report(report) = Failure::usage("what?").hint("say more") else {
            panic!("a report")
        };
        output.report(&report).expect("written");
        let value: serde_json::Value =
            serde_json::from_str(&captured.err.text()).expect("one JSON object");
        assert_eq!(value["error"]["code"], "usage");
        assert_eq!(value["error"]["hint"], "say more");
    }
}
