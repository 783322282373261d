//! Changes of files by the hash of what they replace.

use scorel_exec::Umask;
use scorel_files::hash_of;
use scorel_fs::TextEncoding;
use scorel_proto::{BlobHash, FileChange};
use serde_json::Value;

use crate::encoded::encoded;
use crate::error::{ErrorCode, ToolError};
use crate::lazy::Lazy;
use crate::root::RootName;
use crate::roots::{Location, Original, WriteAccess};
use crate::running_call::RunningCall;
use crate::seen_files::Coverage;
use crate::session_files::PlannedWrite;

/// A file that a call has created or changed.
#[derive(Debug)]
pub struct ReplacedFile {
    pub location: Location,
    /// Absent for a new file.
    pub sha256_before: Option<BlobHash>,
    pub sha256_after: BlobHash,
    /// The content, as it is on the disk.
    pub content: Vec<u8>,
    /// For the records of the session.
    pub recorded: Vec<FileChange>,
}

impl RunningCall {
    /// Gives a file the text that `change` makes of the one that it has; of none if there is no file. What is there
    /// must be what `expected` names, or else what the model has seen last.
    ///
    /// # Errors
    /// The file has another content ([`ErrorCode::PreconditionFailed`], with both hashes), `change` or the run's guard
    /// refuses, or the system does. The file is as it was then.
    pub fn replace(
        &self,
        write: PlannedWrite,
        expected: Option<&BlobHash>,
        change: impl FnOnce(Option<&str>) -> Result<String, ToolError>,
    ) -> Result<ReplacedFile, ToolError> {
        let PlannedWrite {
            location, target, ..
        } = write.clone();
        self.check_wanted(&location)?;
        // Files in the daemon's home get the narrow permissions of the process.
        let private = Lazy::<Option<Umask>>::default();
        let access = match location.root {
            RootName::State => WriteAccess {
                umask: &private,
                ..self.write_access(&target)
            },
            _ => self.write_access(&target),
        };
        let (mut destination, original) = self.roots.destination(&location, access)?;
        self.check_expected(&location, expected, original.as_ref())?;
        write.check(original.as_ref()).map_err(as_precondition)?;
        let before = original.as_ref().map(|it| it.text(&location)).transpose()?;
        let (encoding, before) = match before {
            Some((encoding, text)) => (encoding, Some(text)),
            None => (TextEncoding::Utf8, None),
        };
        let text = change(before.as_deref())?;
        let text = encoding.marked(&text);
        let mut content = encoded(&text, encoding, &location)?.into_owned();
        let guard = match location.root {
            RootName::State => self.roots.run_mounts().guard(),
            _ => None,
        };
        if let Some(guard) = &guard {
            let before = original.as_ref().map(Original::content);
            content = guard.admit(&location.path, before, content)?;
        }
        destination
            .put(&content, original.as_ref())
            .map_err(as_precondition)?;
        if let Some(guard) = &guard {
            guard.written(&location.path, &content);
        }
        let sha256_after = hash_of(&content);
        let whole = Coverage::from(0..content.len() as u64);
        self.files.seen.add(&location, sha256_after.clone(), whole);
        Ok(ReplacedFile {
            sha256_before: original.map(|it| it.hash),
            recorded: self.files.written(write, &content),
            sha256_after,
            content,
            location,
        })
    }

    fn check_expected(
        &self,
        location: &Location,
        expected: Option<&BlobHash>,
        original: Option<&Original>,
    ) -> Result<(), ToolError> {
        let last_seen = self.files.seen.last(location);
        let known = expected.or(last_seen.as_ref());
        let is_met = match original {
            Some(original) => known == Some(&original.hash),
            None => expected.is_none(),
        };
        if is_met {
            return Ok(());
        }
        let reason = match (known, original) {
            (_, None) => "does not exist any more",
            (None, _) => "exists and was not read; read it first",
            (Some(_), _) => "has another content than was expected; read it again",
        };
        let hash = |it: Option<&BlobHash>| it.map_or(Value::Null, |it| it.to_string().into());
        let refused = location.refused(ErrorCode::PreconditionFailed, reason);
        Err(refused
            .with("expected", hash(known))
            .with("actual", hash(original.map(|it| &it.hash))))
    }
}

/// For a call that has named the content, another one is a condition that does not hold.
fn as_precondition(error: ToolError) -> ToolError {
    match error.code {
        ErrorCode::Stale => ToolError {
            code: ErrorCode::PreconditionFailed,
            ..error
        },
        _ => error,
    }
}
