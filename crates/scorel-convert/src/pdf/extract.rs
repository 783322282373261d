//! Reading a document, in the child process.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

use super::message::Message;
use crate::limits::{MAX_PAGE_TEXT, MAX_PAGES, MAX_TEXT};

/// Extracts a document's text and passes it on, page by page.
pub(crate) fn extract(
    content: &[u8],
    tell: &mut dyn FnMut(&Message) -> io::Result<()>,
) -> io::Result<()> {
    let document = match catch_unwind(|| open(content)) {
        Ok(Ok(document)) => document,
        Ok(Err(problem)) => return tell(&problem),
        Err(_) => return tell(&Message::Damaged),
    };
    let count = u32::try_from(document.get_pages().len()).unwrap_or(u32::MAX);
    if count == 0 {
        // Of an encrypted document whose method is unknown nothing is found.
        let is_encrypted = document.trailer.has(b"Encrypt");
        return tell(if is_encrypted {
            &Message::Encrypted
        } else {
            &Message::Damaged
        });
    }
    tell(&Message::Opened(count))?;
    let mut bytes = 0;
    for number in 1..=count.min(MAX_PAGES) {
        let text = page(&document, number);
        bytes += text.as_ref().map_or(0, String::len);
        tell(&Message::Page(text))?;
        if bytes >= MAX_TEXT {
            break;
        }
    }
    tell(&Message::End)
}

fn open(content: &[u8]) -> Result<Document, Message> {
    let mut document = Document::load_mem(content).map_err(|_| Message::Damaged)?;
    // Many documents are encrypted with an empty password, only to forbid printing.
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(Message::Encrypted);
    }
    Ok(document)
}

/// The text of a page, up to where it cannot be read; nothing if none of it can.
fn page(document: &Document, number: u32) -> Option<String> {
    let mut text = PageText::default();
    let read = catch_unwind(AssertUnwindSafe(|| {
        let writer: &mut dyn Write = &mut text;
        output_doc_page(document, &mut PlainTextOutput::new(writer), number).is_ok()
    }));
    let is_whole = matches!(read, Ok(true));
    let text = String::from_utf8_lossy(&text.bytes).into_owned();
    (is_whole || !text.trim().is_empty()).then_some(text)
}

/// The text of one page, which fails when it is full.
#[derive(Default)]
struct PageText {
    bytes: Vec<u8>,
}

impl Write for PageText {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + part.len() > MAX_PAGE_TEXT {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
