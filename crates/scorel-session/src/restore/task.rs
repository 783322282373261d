use std::mem;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::{StopCause, StopSignal};
use scorel_proto::{
    ClientId, FailedFile, FileChange, FilesRestoredBody, OpenRestore, PersistentBody,
    RestoreProgress, TransientBody,
};
use tokio::sync::watch;

use super::cancelled::record_cancel;
use crate::lane::{EventDraft, Job, JobName, Lane, Section};
use crate::{SessionError, blocking};

/// A restore of files that is recorded.
#[derive(Debug)]
pub(super) struct RestoreJob(pub(super) OpenRestore);

impl Job for RestoreJob {
    fn name(&self) -> JobName {
        JobName::Restore(self.0.event_id)
    }

    fn run(self: Box<Self>, lane: Arc<Lane>, stop: StopSignal) -> BoxFuture<'static, ()> {
        run(lane, self.0, stop).boxed()
    }
}

async fn run(lane: Arc<Lane>, open: OpenRestore, stop: StopSignal) {
    let ended = match carry_out(&lane, open, stop).await {
        Ok(failed) => {
            let body = FilesRestoredBody {
                event_id: open.event_id,
                failed,
            };
            lane.persist(move |section| end(section, &body)).await
        }
        Err(error) => Err(error),
    };
    if let Err(error) = ended {
        tracing::error!(session = %lane.id(), %error, "a restore of files has no end");
        lane.abandon_job();
    }
}

fn end(section: &mut Section<'_>, body: &FilesRestoredBody) -> Result<(), SessionError> {
    section.close_job(|section| {
        // It pauses the queue at the end. The end may be here before the cancel's own record.
        record_cancel(section, ClientId::Daemon)?;
        let draft = EventDraft::new(PersistentBody::FilesRestored(body.clone()));
        section.commit(draft).map(drop)
    })
}

async fn carry_out(
    lane: &Arc<Lane>,
    open: OpenRestore,
    stop: StopSignal,
) -> Result<Vec<FailedFile>, SessionError> {
    let event = lane.record(open.seq).await?;
    let files = event.body.restored_files().unwrap_or_default().to_vec();
    let total = files.len() as u64;
    // The files do not wait for the lane: only the newest count is shown.
    let (done, shown) = watch::channel(0);
    let restoring = Arc::clone(lane);
    let restored = blocking(move || match restoring.resources().files() {
        Ok(recorder) => {
            let goes_on = |count| {
                done.send_if_modified(|done| mem::replace(done, count) != count);
                // A daemon that stops does not leave half of it to the next.
                stop.cause() != Some(StopCause::Cancelled)
            };
            recorder.restore(&open.event_id.to_string(), &files, goes_on)
        }
        Err(error) => all_failed(&files, &error.to_string()),
    });
    let progress = |done: usize| {
        TransientBody::RestoreProgress(RestoreProgress {
            event_id: open.event_id,
            done: done as u64,
            total,
        })
    };
    tokio::join!(restored, show(lane, shown, progress)).0
}

async fn show(
    lane: &Arc<Lane>,
    mut done: watch::Receiver<usize>,
    progress: impl Fn(usize) -> TransientBody,
) {
    while done.changed().await.is_ok() {
        let count = *done.borrow_and_update();
        lane.show_progress(progress(count)).await;
    }
}

fn all_failed(files: &[FileChange], error: &str) -> Vec<FailedFile> {
    let failed = |change: &FileChange| FailedFile {
        path: change.path.clone(),
        error: format!("the project's files cannot be used: {error}"),
    };
    files.iter().map(failed).collect()
}
