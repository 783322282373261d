//! File access for foreign agents: whole files, without the check that the model has seen them. The
//! agent is responsible for that.

use std::io::Read as _;
use std::sync::Arc;

use scorel_engine::Permit;
use tokio_util::sync::CancellationToken;

use crate::encoded::encoded;
use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_FILE_BYTES;
use crate::pace::Pace;
use crate::running_call::RunningCall;
use crate::session_files::SessionFiles;
use scorel_fs::TextEncoding;

impl SessionFiles {
    /// Reads a text file as it is.
    ///
    /// # Errors
    /// As [`Self::open`]; the file is too large or no UTF-8.
    pub fn read_text(&self, path: &str, permit: &Permit) -> Result<String, ToolError> {
        let file = self.open(path, permit)?;
        let mut bytes = Vec::new();
        let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        let failed = |code, reason: &str| ToolError::new(code, format!("{path} {reason}"));
        read.map_err(|error| failed(ErrorCode::Internal, &format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            let reason = format!("has more than {MAX_FILE_BYTES} bytes");
            return Err(failed(ErrorCode::WriteLimit, &reason));
        }
        String::from_utf8(bytes)
            .map_err(|_| failed(ErrorCode::InvalidArguments, "is no UTF-8 text"))
    }

    /// Creates a file, or replaces its content and keeps its encoding. Not after `cancel`.
    ///
    /// # Errors
    /// The path leads where nothing may be written, or the file cannot be.
    pub fn replace_text(
        self: &Arc<Self>,
        path: &str,
        content: &str,
        (permit, cancel): (&Permit, CancellationToken),
    ) -> Result<(), ToolError> {
        let pace = Pace::new(cancel, self.time_limit);
        let call = RunningCall::new(Arc::clone(self), permit.clone(), pace);
        let (_, write) = self.writing(path);
        let write = write?;
        let location = &write.location;
        if content.len() as u64 > MAX_FILE_BYTES {
            let message = format!("the content has more than {MAX_FILE_BYTES} bytes");
            return Err(ToolError::new(ErrorCode::WriteLimit, message));
        }
        let access = call.write_access(&write.target);
        let (mut destination, original) = call.roots.destination(location, access)?;
        let encoding = match &original {
            Some(original) => original.text(location)?.0,
            None => TextEncoding::Utf8,
        };
        let content = encoding.marked(content);
        let bytes = encoded(&content, encoding, location)?;
        call.check_wanted(location)?;
        destination.put(&bytes, original.as_ref())?;
        Ok(())
    }
}
