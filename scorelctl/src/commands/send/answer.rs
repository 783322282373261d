use std::io;

use scorel_proto::{DisplayPart, DisplayStyle, Event, InFlight, PersistentBody, TransientBody};

use scorel_screen::{TimeZone, waits};

use crate::output::Output;
use crate::render::{AsideStream, Transcript};

/// The maximum number of lines of a tool result: the answer is what counts here.
const RESULT_LINES: usize = 3;

/// The presentation of the answer.
pub(super) enum AnswerView {
    /// On a terminal: the whole turn, streamed.
    Live(Box<Transcript>),
    /// In a pipe: the last text of the model, once the turn has ended.
    Final(Option<String>),
    /// With `--json`: nothing, since the events themselves are printed.
    Json,
}

impl AnswerView {
    pub(super) fn new(output: &Output) -> Self {
        if output.json {
            Self::Json
        } else if output.out_is_terminal {
            let transcript = Transcript::live(AsideStream::Error, RESULT_LINES, output);
            Self::Live(Box::new(transcript))
        } else {
            Self::Final(None)
        }
    }

    pub(super) fn event(&mut self, event: &Event, output: &mut Output) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.event(event, output),
            Self::Final(text) => {
                if let Some(said) = said(event) {
                    *text = Some(said);
                }
                match aside(event).filter(|_| output.err_is_terminal) {
                    Some(text) => output.note(&text),
                    None => Ok(()),
                }
            }
            Self::Json => Ok(()),
        }
    }

    /// Shows what a snapshot adds to the open messages.
    pub(super) fn in_flight(&mut self, open: &InFlight, output: &mut Output) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.in_flight(open, output),
            Self::Final(_) | Self::Json => Ok(()),
        }
    }

    /// Shows a message of this program, if a terminal is watching.
    pub(super) fn note(&mut self, text: &str, output: &mut Output) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.note(text, output),
            Self::Final(_) if output.err_is_terminal => output.note(text),
            Self::Final(_) | Self::Json => Ok(()),
        }
    }

    /// Shows what is unfinished of the answer.
    pub(super) fn flush(&mut self, output: &mut Output) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.flush(output),
            Self::Final(_) | Self::Json => Ok(()),
        }
    }

    /// Ends the presentation. `outcome` is empty for a completed turn.
    pub(super) fn finish(
        &mut self,
        outcome: &[DisplayPart],
        output: &mut Output,
    ) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.flush(output),
            Self::Final(text) => {
                if let Some(text) = text.take() {
                    output.line(text.trim_end_matches('\n'))?;
                }
                outcome.iter().try_for_each(|part| match part.style {
                    DisplayStyle::Error => output.note(&format!("error: {}", part.text)),
                    _ => output.note(&part.text),
                })
            }
            Self::Json => Ok(()),
        }
    }
}

/// The text that accompanies the answer: why the turn makes no progress, or a notice.
fn aside(event: &Event) -> Option<String> {
    match event {
        Event::Transient(event) => match &event.body {
            TransientBody::ModelRetry(retry) => Some(waits::retry(retry, &TimeZone::system())),
            _ => None,
        },
        Event::Persistent(event) => match &event.body {
            PersistentBody::TurnWaiting(body) => Some(waits::waiting(body, &TimeZone::system())),
            PersistentBody::Notice(body) => Some(body.text.clone()),
            _ => None,
        },
        Event::Unknown(_) => None,
    }
}

/// The text of an assistant message, without reasoning.
fn said(event: &Event) -> Option<String> {
    let Event::Persistent(event) = event else {
        return None;
    };
    let PersistentBody::Message(_) = &event.body else {
        return None;
    };
    let parts = event.body.convert_to_display();
    let texts: Vec<String> = parts
        .into_iter()
        .filter(|part| part.style == DisplayStyle::Assistant && !part.text.is_empty())
        .map(|part| part.text)
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
