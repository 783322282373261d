//! Waits for a session without printing it.

use std::time::Duration;

use clap::{Args, ValueEnum};
use scorel_client::{ClientAnchors, SessionStream, StreamItem};
use scorel_proto::{Event, Phase, RunPhase, Session, SessionId, SyncMarker, TransientBody};
use tokio::time::timeout;

use super::sessions::phase;
use super::stream_end::stream_end;
use crate::args::{TargetArgs, seconds};
use crate::cli::Cli;
use crate::daemon::{DaemonClient, DaemonConnector, StartDaemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::target;

#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The event to wait for
    #[arg(long = "for", value_name = "WHAT", default_value = "idle")]
    pub(crate) wait_for: WaitFor,
    /// Stop waiting after so many seconds, with exit code 8
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WaitFor {
    /// No turn runs, and none is going to: the queue is empty or paused
    Idle,
    /// The session, or a session that works for it, asks for permission
    Question,
}

/// The time that a daemon gets at least to answer, or to start: with a shorter time limit no message would be
/// accepted. Less than a handshake may take (10 s), whose error does not name the time limit.
pub(super) const LEAST_PATIENCE: Duration = Duration::from_secs(8);

pub(super) async fn run(
    args: &WaitArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let limit = args.timeout.unwrap_or(Duration::MAX);
    let waiting = async {
        let choosing = async {
            let mut cli = Cli::connect(link, output).await?;
            let session_id = cli.session_id(&args.target).await?;
            Ok::<_, Failure>((cli, session_id))
        };
        let chosen = timeout(limit.max(LEAST_PATIENCE), choosing).await;
        let (mut cli, session_id) = chosen.map_err(|_| no_answer("its sessions go on"))??;
        let reached = timeout(limit, until(args.wait_for, session_id, &mut cli.daemon)).await;
        let session = reached.map_err(|_| timed_out(session_id))??;
        cli.result(&session, |output| output.line(phase(session.phase)))?;
        Ok(Exit::Success)
    };
    tokio::select! {
        ended = waiting => ended,
        () = interrupts.next() => Ok(Exit::Interrupted),
    }
}

/// The time limit of a command was reached.
pub(super) fn timed_out(session_id: SessionId) -> Failure {
    let message = "timed out; the session continues";
    Failure::new(Exit::TimedOut, "timeout", message)
        .hint(format!("`scorelctl tail --session {session_id}` shows it"))
}

/// The time limit of a command was reached before the daemon has answered. `rest` says what that means.
pub(super) fn no_answer(rest: &str) -> Failure {
    let message = format!("the time is over, and the daemon has not answered; {rest}");
    Failure::new(Exit::TimedOut, "timeout", message)
        .hint("`scorelctl status` shows whether it responds, `scorelctl stop` ends one that hangs")
}

/// Looks at the session whenever an event may have changed the awaited state. The stream has every record
/// since the first look.
async fn until(
    wanted: WaitFor,
    session_id: SessionId,
    control: &mut DaemonClient,
) -> Result<Session, Failure> {
    let session = target::get(control, session_id).await?;
    if is_reached(wanted, &session) {
        return Ok(session);
    }
    let anchors = ClientAnchors::new(session.last_persistent_seq, Some(session.current_seq));
    let mut link = control.link().clone();
    if link.start == StartDaemon::Always {
        // Waiting is not a reason to start a stopped daemon.
        link.start = StartDaemon::AsService;
    }
    let mut stream = SessionStream::open(link, session_id, anchors).await?;
    let mut is_due = false;
    while let Some(item) = stream.next().await? {
        if let StreamItem::Marker(marker) = &item
            && let SyncMarker::End { reason, .. } = &**marker
        {
            stream_end(*reason, &mut stream).map_err(lost)?;
        }
        is_due |= may_change_the_phase(&item);
        // Once for all that has come.
        if is_due && !stream.is_ready() {
            is_due = false;
            let session = target::get(control, session_id).await?;
            if is_reached(wanted, &session) {
                return Ok(session);
            }
        }
    }
    Err(lost("the session no longer exists"))
}

fn may_change_the_phase(item: &StreamItem) -> bool {
    match item {
        StreamItem::Event(_, Event::Persistent(_)) => true,
        StreamItem::Event(_, Event::Transient(event)) => matches!(
            event.body,
            TransientBody::TurnEnd(_) | TransientBody::RuntimeEnd(_)
        ),
        // The end of a resync stands for the events that were missed.
        StreamItem::Marker(marker) => matches!(**marker, SyncMarker::SyncEnd { .. }),
        StreamItem::Event(..) | StreamItem::Reconnecting { .. } => false,
    }
}

fn lost(why: &str) -> Failure {
    Failure::new(Exit::WaitFailed, "wait_failed", why)
}

fn is_reached(wanted: WaitFor, session: &Session) -> bool {
    match wanted {
        WaitFor::Idle => {
            let is_resting = matches!(session.phase, Phase::Idle | Phase::Failed);
            // A turn's end comes before the decision of its run, which may go on by itself.
            let run = session.run.as_ref();
            let is_decided = run.is_none_or(|run| run.phase != RunPhase::Running);
            is_resting && is_decided && (session.queue.is_empty() || session.queue_paused)
        }
        WaitFor::Question => {
            session.phase == Phase::AwaitingPermission || !session.child_questions.is_empty()
        }
    }
}
