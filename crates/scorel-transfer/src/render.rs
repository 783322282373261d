//! A conversation as a document for people: Markdown, or one HTML file.
//!
//! In: the events of the active path, with the blobs that they name. Out: text, piece by piece, so that a
//! long conversation is never in memory as a whole.

mod clean;
mod date;
mod html;
mod markdown;
mod piece;

use std::io::{self, Write};

use scorel_proto::{PersistentEvent, Session};

pub use piece::BlobContents;

use date::date;
use html::Html;
use markdown::Markdown;
use piece::pieces;

/// The language of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    Markdown,
    /// One file without scripts and without anything that is fetched.
    Html,
}

/// A document that is being written.
#[derive(Debug)]
pub struct DocumentWriter<W> {
    out: W,
    format: DocumentFormat,
}

impl<W: Write> DocumentWriter<W> {
    /// Begins the document with what the session is.
    ///
    /// # Errors
    ///
    /// What writing to `out` fails with.
    pub fn new(mut out: W, format: DocumentFormat, session: &Session) -> io::Result<Self> {
        let id = session.session_id.to_string();
        let title = session.title.as_deref().unwrap_or(&id);
        let about = format!("{id}, {}", date(session.created_at));
        let text = match format {
            DocumentFormat::Markdown => Markdown::begin(title, &about),
            DocumentFormat::Html => Html::begin(title, &about),
        };
        out.write_all(text.as_bytes())?;
        Ok(Self { out, format })
    }

    /// Adds an event of the conversation.
    ///
    /// # Errors
    ///
    /// What writing fails with.
    pub fn event(&mut self, event: &PersistentEvent, blobs: &BlobContents) -> io::Result<()> {
        for piece in pieces(event, blobs) {
            let text = match self.format {
                DocumentFormat::Markdown => Markdown::piece(&piece),
                DocumentFormat::Html => Html::piece(&piece),
            };
            self.out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// Ends the document and returns what it was written to.
    ///
    /// # Errors
    ///
    /// What writing fails with.
    pub fn finish(mut self) -> io::Result<W> {
        if self.format == DocumentFormat::Html {
            self.out.write_all(Html::END.as_bytes())?;
        }
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests;
