//! Showing the lines of an opened file.

use std::fs::File;

use super::header::FileHeader;
use super::lines::LineWindow;
use super::rendered::{Rendered, whole};
use super::report::{ShownFile, report};
use super::text::{TextFile, failed};
use crate::content_hash::ContentHash;
use crate::error::{ErrorCode, ToolError};
use crate::roots::Location;
use crate::running_call::RunningCall;
use crate::tool_output::ToolOutput;
use scorel_fs::TextEncoding;

/// A file that was opened and is not a picture.
#[derive(Debug)]
pub(super) struct OpenedText<'a> {
    pub(super) call: &'a RunningCall,
    pub(super) location: &'a Location,
    pub(super) header: &'a FileHeader,
}

impl OpenedText<'_> {
    /// Shows another form of the file. It does not count as read: the model has not seen what it would
    /// change.
    pub(super) fn rendered(&self, rendered: Rendered, mut window: LineWindow) -> ToolOutput {
        window.push(&rendered.text);
        window.finish();
        let shown = ShownFile {
            bytes: self.header.file_size,
            is_complete: true,
            shown_as: Some(rendered.kind),
            note: rendered.note,
            ..ShownFile::default()
        };
        report(self.location, &shown, &window)
    }

    /// Shows the file as UTF-8, or in the encoding that it seems to have.
    pub(super) fn text(&self, file: &File, window: LineWindow) -> Result<ToolOutput, ToolError> {
        if self.header.is_utf16() {
            let decoded = self.decoded(file, window.clone())?;
            return decoded.map_or_else(|| self.utf8(file, window), Ok);
        }
        match self.utf8(file, window.clone()) {
            Err(error) if error.code == ErrorCode::Binary => {
                self.decoded(file, window)?.ok_or(error)
            }
            shown => shown,
        }
    }

    fn utf8(&self, file: &File, mut window: LineWindow) -> Result<ToolOutput, ToolError> {
        let file = file
            .try_clone()
            .map_err(|error| failed(self.location, &error))?;
        let mut file = TextFile::new(file, self.header, self.location, &self.call.pace);
        while !(window.has_more() && file.is_large()) {
            match file.next()? {
                Some(text) => window.push(text),
                None => {
                    window.finish();
                    break;
                }
            }
        }
        let shown = ShownFile {
            bytes: file.bytes(),
            hash: file.hash(),
            is_complete: file.is_complete(),
            ..ShownFile::default()
        };
        Ok(self.seen(&shown, &window))
    }

    /// Shows the file in another encoding; `None` if it is not text in one, or too large.
    fn decoded(
        &self,
        file: &File,
        mut window: LineWindow,
    ) -> Result<Option<ToolOutput>, ToolError> {
        let Some(content) = whole(file, self.location)? else {
            return Ok(None);
        };
        let Some((encoding, text)) = TextEncoding::decode(&content) else {
            return Ok(None);
        };
        window.push(&text);
        window.finish();
        let note = |name| format!("The file is in {name}, which Edit and Write keep.");
        let shown = ShownFile {
            bytes: content.len() as u64,
            hash: Some(ContentHash::of(&content)),
            is_complete: true,
            encoding: encoding.name(),
            note: encoding.name().map(note),
            ..ShownFile::default()
        };
        Ok(Some(self.seen(&shown, &window)))
    }

    fn seen(&self, shown: &ShownFile, window: &LineWindow) -> ToolOutput {
        if let Some(hash) = shown.hash {
            let seen = &self.call.files.seen;
            seen.add(self.location, hash, window.seen.clone());
        }
        report(self.location, shown, window)
    }
}
