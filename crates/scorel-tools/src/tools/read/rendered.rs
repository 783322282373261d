//! Files that are shown in another form than they have: documents and notebooks.

use std::io::{self, Read as _, Seek as _};

use scorel_convert::{PdfError, PdfPage, PdfText, read_pdf};

use super::notebook::cells;
use super::opened_file::OpenedFile;
use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_FILE_BYTES;
use crate::pace::{Interruption, Pace};
use crate::roots::Location;
use scorel_fs::text_of;

/// A file in the form that it is shown in.
#[derive(Debug)]
pub(super) struct Rendered {
    /// For user interfaces.
    pub(super) kind: &'static str,
    pub(super) text: String,
    /// For the model: what it does not see.
    pub(super) note: Option<String>,
}

/// The text of a PDF document, page by page.
pub(super) fn pdf(opened: &OpenedFile<'_>, pace: &Pace) -> Result<Rendered, ToolError> {
    let mut interruption = None;
    let file = opened.file.try_clone();
    let read = read_pdf(file.map_err(|error| opened.failed(&error))?, &mut || {
        interruption = pace.check().err();
        interruption.is_none()
    });
    let document = read.map_err(|error| refused(opened.location, &error, interruption))?;
    let mut text = String::new();
    for (number, page) in (1..).zip(&document.pages) {
        text.push_str(&format!("[page {number}]\n"));
        match page {
            PdfPage::Text(page) if page.trim().is_empty() => text.push_str("[no text]\n"),
            PdfPage::Text(page) => {
                text.push_str(page.trim_matches('\n'));
                text.push('\n');
            }
            PdfPage::Unreadable => text.push_str("[cannot be read]\n"),
        }
    }
    Ok(Rendered {
        kind: "pdf",
        text,
        note: pages_note(&document),
    })
}

fn pages_note(document: &PdfText) -> Option<String> {
    let (shown, total) = (document.pages.len(), document.total_pages);
    (!document.is_whole).then(|| format!("Only pages 1 to {shown} of {total} were read."))
}

fn refused(location: &Location, error: &PdfError, interruption: Option<Interruption>) -> ToolError {
    let code = match (error, interruption) {
        (PdfError::Stopped, Some(Interruption::Cancelled)) => ErrorCode::Cancelled,
        (PdfError::Encrypted, _) => ErrorCode::Encrypted,
        (PdfError::NoText { .. }, _) => ErrorCode::NoText,
        (PdfError::Damaged, _) => ErrorCode::Binary,
        (PdfError::Process(_), _) => ErrorCode::Internal,
        _ => ErrorCode::ReadLimit,
    };
    let reason = format!("is a PDF document that cannot be shown: {error}");
    location.refused(code, reason)
}

/// The cells of a notebook; `None` if the file is not one, whatever its name says. The file stays at
/// its beginning.
pub(super) fn notebook(opened: &OpenedFile<'_>) -> Result<Option<Rendered>, ToolError> {
    let extension = opened.location.path.extension();
    if extension.is_none_or(|it| it != "ipynb") {
        return Ok(None);
    }
    let Some(content) = opened.whole()? else {
        return Ok(None);
    };
    let rendered = cells(&text_of(&content));
    Ok(rendered.map(|text| Rendered {
        kind: "notebook",
        text,
        note: Some(
            "These are the notebook's cells; to change it, Read it with `raw` first.".to_owned(),
        ),
    }))
}

impl OpenedFile<'_> {
    /// The content of the file from its beginning, and the file at its beginning again; `None` if it is too
    /// large.
    pub(super) fn whole(&self) -> Result<Option<Vec<u8>>, ToolError> {
        let mut content = Vec::new();
        let mut file = &self.file;
        let mut read = || -> io::Result<bool> {
            if file.metadata()?.len() > MAX_FILE_BYTES {
                return Ok(false);
            }
            file.rewind()?;
            let count = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content)?;
            file.rewind()?;
            Ok(count as u64 <= MAX_FILE_BYTES)
        };
        let is_whole = read().map_err(|error| self.failed(&error))?;
        Ok(is_whole.then_some(content))
    }
}
