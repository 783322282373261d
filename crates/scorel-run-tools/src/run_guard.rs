use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use jiff::Timestamp;
use scorel_journal::{FileStorage, replace_unsynced};
use scorel_tools::{DocumentGuard, ErrorCode, SessionFiles, ToolError};
use scorel_workflow::{Guard, GuardedDocument, OutputCheck};

use crate::bound_run::BoundRun;
use crate::document::{DOCUMENT, parsed, refused};
use crate::run_policy::RunPolicy;

/// The copy of the document as it was last written here, beside the state's directory.
const LAST_GOOD: &str = "last-good.md";

/// Lets the run's document become only what its workflow allows.
#[derive(Debug)]
pub(crate) struct RunGuard {
    run: Arc<BoundRun>,
    policy: Arc<RunPolicy>,
    outputs: RunOutputs,
    /// The change that is under way, or was made last. Calls that change files run one after the other.
    change: Mutex<Option<GuardedDocument>>,
}

/// The files that nodes have to write, as the session sees them. Its files have the guard, which therefore does not
/// keep them.
#[derive(Debug)]
struct RunOutputs(Weak<SessionFiles>);

impl RunGuard {
    pub(crate) fn new(
        run: Arc<BoundRun>,
        policy: Arc<RunPolicy>,
        files: &Arc<SessionFiles>,
    ) -> Self {
        Self {
            run,
            policy,
            outputs: RunOutputs(Arc::downgrade(files)),
            change: Mutex::default(),
        }
    }

    /// The last change, for the result of the call that made it.
    pub(crate) fn take_change(&self) -> Option<GuardedDocument> {
        let mut change = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        change.take()
    }

    fn judged(&self, before: Option<&[u8]>, after: Vec<u8>) -> Result<GuardedDocument, ToolError> {
        let missing = || {
            let message = "the run's document is missing; a person has to restore it";
            ToolError::new(ErrorCode::NotFound, message)
        };
        let before = before.ok_or_else(missing)?;
        let before = parsed(&String::from_utf8_lossy(before))?;
        let after = String::from_utf8(after).map_err(|_| {
            let message = "the document is a text in UTF-8";
            ToolError::new(ErrorCode::InvalidFrontmatter, message)
        })?;
        let workflow = self.run.workflow().ok_or_else(|| {
            ToolError::internal("the run's package does not have its workflow any more")
        })?;
        let guard = Guard {
            workflow,
            outputs: &self.outputs,
        };
        let now = Timestamp::now().to_string();
        guard
            .replace(&before, after, &now)
            .map_err(|error| refused(&error))
    }
}

impl DocumentGuard for RunGuard {
    fn admit(
        &self,
        path: &Path,
        before: Option<&[u8]>,
        after: Vec<u8>,
    ) -> Result<Vec<u8>, ToolError> {
        if path != Path::new(DOCUMENT) {
            return Ok(after);
        }
        let change = self.judged(before, after)?;
        let content = change.document.text().as_bytes().to_vec();
        *self.change.lock().unwrap_or_else(PoisonError::into_inner) = Some(change);
        Ok(content)
    }

    fn written(&self, path: &Path, content: &[u8]) {
        if path != Path::new(DOCUMENT) {
            return;
        }
        let change = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(change) = &*change {
            self.policy.follow(&change.document);
        }
        let copy = self.run.run_dir.join(LAST_GOOD);
        // The document is written, and durable: a copy that is older is no reason to say that it was not. Two more syncs would
        // not pay: what a failure of power leaves of the copy, the next turn makes good from the document.
        if let Err(error) = replace_unsynced(&FileStorage, &copy, content) {
            tracing::warn!(%error, path = %copy.display(), "the copy of a run's document was not written");
        }
    }
}

impl OutputCheck for RunOutputs {
    fn is_written(&self, path: &str) -> bool {
        self.0
            .upgrade()
            .is_some_and(|files| files.has_content(path))
    }
}
