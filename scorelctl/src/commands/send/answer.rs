use std::io;

use scorel_proto::{DisplayPart, DisplayStyle, Event, InFlight, PersistentBody};

use crate::output::Output;
use crate::render::{Aside, Screen, Transcript};

/// How many lines of a tool's result are shown.
const RESULT_LINES: usize = 3;

/// How the answer is shown.
pub(super) enum Answer {
    /// On a terminal: everything as it comes.
    Live(Transcript),
    /// In a pipe: the last thing that the model said, when the turn is over.
    Final(Option<String>),
    /// To a program: the events themselves.
    Json,
}

impl Answer {
    pub(super) const fn new(output: &Output) -> Self {
        if output.json {
            Self::Json
        } else if output.out_is_terminal {
            Self::Live(Transcript::new(
                Screen::new(Aside::Error, RESULT_LINES),
                false,
            ))
        } else {
            Self::Final(None)
        }
    }

    /// Shows an event of the turn.
    pub(super) fn event(&mut self, event: &Event, output: &mut Output) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.event(event, output),
            Self::Final(text) => {
                if let Some(said) = said(event) {
                    *text = Some(said);
                }
                Ok(())
            }
            Self::Json => Ok(()),
        }
    }

    /// Shows what of the open messages was not shown yet.
    pub(super) fn in_flight(&mut self, open: &InFlight, output: &mut Output) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.in_flight(open, output),
            Self::Final(_) | Self::Json => Ok(()),
        }
    }

    /// Shows a remark of this program where a person watches.
    pub(super) fn note(&mut self, text: &str, output: &mut Output) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.note(text, output),
            Self::Final(_) if output.err_is_terminal => output.note(text),
            Self::Final(_) | Self::Json => Ok(()),
        }
    }

    /// The turn is over. `outcome` says how, if there is anything to say.
    pub(super) fn finish(
        &mut self,
        outcome: &[DisplayPart],
        output: &mut Output,
    ) -> io::Result<()> {
        match self {
            Self::Live(transcript) => transcript.end_line(output),
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

/// What the model says in an event, thinking aside.
fn said(event: &Event) -> Option<String> {
    let Event::Persistent(event) = event else {
        return None;
    };
    let PersistentBody::Message(_) = &event.body else {
        return None;
    };
    let parts = event.body.handler().convert_to_display();
    let texts: Vec<String> = parts
        .into_iter()
        .filter(|part| part.style == DisplayStyle::Assistant && !part.text.is_empty())
        .map(|part| part.text)
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
