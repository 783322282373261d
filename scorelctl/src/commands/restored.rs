//! The output of commands that restore files.

use std::pin::pin;

use scorel_client::{ClientAnchors, ClientError, SessionStream, StreamItem};
use scorel_proto::{
    Event, FailedFile, Method, PreviewRestore, PreviewRestoreParams, RestoreFilesResult,
    RestoreScope, SessionId, TransientBody, UnwatchedCalls, counted,
};

use crate::cli::Cli;
use crate::daemon::DaemonConnector;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

/// Says what would happen to each file. `all` is the option that restores more of them.
pub(super) async fn preview(
    params: &PreviewRestoreParams,
    all: &str,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let preview = cli.call::<PreviewRestore>(params).await?;
    cli.result(&preview, |output| {
        if preview.files.is_empty() {
            output.line("no file would be restored")?;
            left_out(params.scope.unwrap_or_default(), all, output)?;
        }
        preview.files.iter().try_for_each(|file| {
            output.line(&format!("{:<8}  {}", wire_name(file.action), file.path))
        })?;
        not_watched(preview.unwatched.as_ref(), output)
    })
}

/// Says that more may have changed than is restored.
fn not_watched(calls: Option<&UnwatchedCalls>, output: &mut Output) -> Result<(), std::io::Error> {
    let Some(UnwatchedCalls { calls, reasons }) = calls else {
        return Ok(());
    };
    output.note(&format!(
        "the changes by {} are not known and not restored, since files were not watched: {}",
        counted(*calls, "call"),
        one_line(&reasons.join("; "))
    ))
}

/// Says which files were not looked at, where none was restored.
fn left_out(scope: RestoreScope, all: &str, output: &mut Output) -> Result<(), std::io::Error> {
    match scope {
        RestoreScope::Tools => output.note(&format!(
            "files that commands changed are left out; {all} restores them too"
        )),
        RestoreScope::All => Ok(()),
    }
}

/// Makes a call that restores files of the session `restoring`, if it does, and shows on a terminal how far
/// that is.
pub(super) async fn call<M: Method>(
    restoring: Option<SessionId>,
    params: &M::Params,
    cli: &mut Cli<'_>,
) -> Result<M::Result, Failure> {
    let Some(mut stream) = watched(restoring, cli).await else {
        return cli.call::<M>(params).await.map_err(refused);
    };
    let Cli { daemon, output } = cli;
    let mut answer = pin!(daemon.call::<M>(params));
    let mut width = 0;
    loop {
        let item = tokio::select! {
            answer = &mut answer => {
                output.aside(&format!("\r{:width$}\r", ""))?;
                return answer.map_err(refused);
            }
            Ok(Some(item)) = stream.next() => item,
        };
        if let StreamItem::Event(_, Event::Transient(event)) = item
            && let TransientBody::RestoreProgress(progress) = event.body
        {
            let shown = format!("{} of {}", progress.done, counted(progress.total, "file"));
            width = shown.len();
            output.aside(&format!("\r{shown}"))?;
        }
    }
}

/// The events of the session `restoring`, if there is a terminal to show them. A restore that cannot be watched
/// is carried out all the same.
async fn watched(
    restoring: Option<SessionId>,
    cli: &mut Cli<'_>,
) -> Option<SessionStream<DaemonConnector>> {
    let is_shown = cli.output.err_is_terminal && !cli.output.json;
    let session_id = restoring.filter(|_| is_shown)?;
    let session = cli.session(session_id).await.ok()?;
    let anchors = ClientAnchors::new(session.last_persistent_seq, Some(session.current_seq));
    let stream = SessionStream::open(cli.daemon.link().clone(), session_id, anchors);
    stream.await.ok()
}

/// The error of a call that restores files.
fn refused(error: ClientError) -> Failure {
    let hint = "see which with --dry-run; restore the others with --skip-conflicts";
    Failure::from(error).hint_if(|report| report.details["kind"] == "files", hint)
}

/// Prints how many files were restored. `all` is the option that restores more of them.
pub(super) fn print(
    restored: &RestoreFilesResult,
    scope: RestoreScope,
    all: &str,
    output: &mut Output,
) -> Result<(), std::io::Error> {
    output.line(&format!("{} restored", counted(restored.restored, "file")))?;
    if restored.restored == 0 {
        left_out(scope, all, output)?;
    }
    not_watched(restored.unwatched.as_ref(), output)?;
    restored.failed.iter().try_for_each(|file| {
        output.note(&format!("{} was not restored: {}", file.path, file.error))
    })
}

/// Fails if a file could not be restored.
pub(super) fn check(failed: &[FailedFile]) -> Result<(), Failure> {
    match failed.len() {
        0 => Ok(()),
        count => {
            let text = format!("{} not restored", counted(count, "file"));
            Err(Failure::new(Exit::Internal, "files_not_restored", text))
        }
    }
}
