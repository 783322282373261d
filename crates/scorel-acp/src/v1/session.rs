use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use scorel_proto::SessionId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::v1::prompts::Prompts;

/// A session that the editor has open.
#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) id: SessionId,
    pub(super) work_dir: PathBuf,
    pub(super) prompts: Prompts,
    /// Wakes the task that cancels. It holds one request, however many come.
    pub(super) cancel: Notify,
    /// Wakes the task that tells usage, title, options and commands.
    pub(super) changed: Notify,
    pub(super) told_of_mcp: AtomicBool,
    /// Ends the tasks of the session.
    pub(super) end: CancellationToken,
}

impl OpenSession {
    pub(super) fn new(id: SessionId, work_dir: PathBuf) -> Self {
        Self {
            id,
            work_dir,
            prompts: Prompts::default(),
            cancel: Notify::new(),
            changed: Notify::new(),
            told_of_mcp: AtomicBool::new(false),
            end: CancellationToken::new(),
        }
    }
}
