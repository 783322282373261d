//! Showing the lines of an opened file.

use scorel_engine::ToolOutcome;
use scorel_files::hash_of;

use super::lines::LineWindow;
use super::opened_file::OpenedFile;
use super::rendered::Rendered;
use super::report::{ShownFile, report};
use super::text::TextFile;
use crate::error::{ErrorCode, ToolError};
use crate::running_call::RunningCall;
use scorel_fs::TextEncoding;

impl OpenedFile<'_> {
    /// Shows another form of the file. It does not count as read: the model has not seen what it would
    /// change.
    pub(super) fn rendered(&self, rendered: Rendered, mut window: LineWindow) -> ToolOutcome {
        window.push(&rendered.text);
        window.finish();
        let shown = ShownFile {
            bytes: self.size,
            is_complete: true,
            shown_as: Some(rendered.kind),
            note: rendered.note,
            ..ShownFile::default()
        };
        report(self.location, &shown, &window)
    }

    /// Shows the file as UTF-8, or in the encoding that it seems to have.
    pub(super) fn text(
        &self,
        call: &RunningCall,
        window: LineWindow,
    ) -> Result<ToolOutcome, ToolError> {
        if self.is_utf16() {
            let decoded = self.decoded(call, window.clone())?;
            return decoded.map_or_else(|| self.utf8(call, window), Ok);
        }
        match self.utf8(call, window.clone()) {
            Err(error) if error.code == ErrorCode::Binary => {
                self.decoded(call, window)?.ok_or(error)
            }
            shown => shown,
        }
    }

    fn utf8(&self, call: &RunningCall, mut window: LineWindow) -> Result<ToolOutcome, ToolError> {
        let mut file = TextFile::new(self, &call.pace);
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
            is_complete: file.is_complete,
            ..ShownFile::default()
        };
        Ok(self.seen(call, &shown, &window))
    }

    /// Shows the file in another encoding; `None` if it is not text in one, or too large.
    fn decoded(
        &self,
        call: &RunningCall,
        mut window: LineWindow,
    ) -> Result<Option<ToolOutcome>, ToolError> {
        let Some(content) = self.whole()? else {
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
            hash: Some(hash_of(&content)),
            is_complete: true,
            encoding: encoding.name(),
            note: encoding.name().map(note),
            ..ShownFile::default()
        };
        Ok(Some(self.seen(call, &shown, &window)))
    }

    fn seen(&self, call: &RunningCall, shown: &ShownFile, window: &LineWindow) -> ToolOutcome {
        if let Some(hash) = &shown.hash {
            let seen = window.seen.clone();
            call.files.seen.add(self.location, hash.clone(), seen);
        }
        report(self.location, shown, window)
    }
}
