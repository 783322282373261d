use std::io;
use std::time::{Duration, SystemTime};

use clap::Args;
use scorel_client::{Backoff, ClientError};
use scorel_proto::{DaemonManager, GetStatus, NoParams, Phase, Status, counted};
use tokio::time::{Instant, sleep};

use super::sessions::{age, phase};
use super::size_text::size_text;
use super::stall::stall_text;
use super::upgrade_notice::upgrade_notice;
use crate::daemon::{DaemonClient, DaemonConnector, LocalDaemon};
use crate::daemon_lock::DaemonLock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// One line: for prompts and status bars
    #[arg(long)]
    pub(crate) short: bool,
}

/// The time that a daemon that holds its lock may take to listen: it may have just been started, or make a
/// deleted socket again.
const PATIENCE: Duration = Duration::from_secs(10);

/// From how many events on a client that follows a session is told as slow. One that reads is a few
/// behind at any moment.
const FAR_BEHIND: u64 = 1000;

pub(super) async fn run(
    args: &StatusArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<(), Failure> {
    if let Some(local) = link.local() {
        check_socket(local).await?;
    }
    let is_local = link.local().is_some();
    let control = DaemonClient::connect(link.never_starting()).await?;
    let status = control.call::<GetStatus>(&NoParams {}).await?;
    output.result(&status, |output| {
        if args.short {
            output.line(&summary(&status))
        } else {
            describe(&status, output)
        }
    })?;
    // The other machine's programs are not here to be asked.
    if is_local && let Some(notice) = upgrade_notice(&status).await {
        output.note(&notice)?;
    }
    Ok(())
}

/// Fails if a daemon runs that cannot be reached by its socket. Another one could not be started.
async fn check_socket(link: &LocalDaemon) -> Result<(), Failure> {
    let lock = DaemonLock::new(link.home().daemon_lock());
    let deadline = Instant::now() + PATIENCE;
    let mut backoff = Backoff::default();
    loop {
        let reached = link.starter().connect().await;
        if !matches!(reached, Err(ClientError::Unreachable { .. })) || !lock.is_held()? {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(without_socket(link, &lock)?);
        }
        let (_, pause) = backoff.pause();
        sleep(pause).await;
    }
}

fn without_socket(link: &LocalDaemon, lock: &DaemonLock) -> Result<Failure, Failure> {
    let socket = link.home().socket_path().map_err(ClientError::from)?;
    let holder = lock.holder()?;
    let process = holder.map_or_else(String::new, |pid| format!(" (process {pid})"));
    let message = format!(
        "scoreld{process} holds {} and cannot be reached by its socket, {}",
        lock.path().display(),
        socket.display()
    );
    let failure = Failure::new(Exit::Unreachable, "unreachable", message);
    Ok(failure.hint("`scorelctl stop` ends it"))
}

/// The state in a few words, as a prompt has room for. Sessions that wait for an answer come first.
fn summary(status: &Status) -> String {
    let active = status.active.iter();
    let asking = active.filter(|it| it.phase == Phase::AwaitingPermission);
    let asking = asking.count();
    let running = status.active.len() - asking;
    let mut parts = Vec::new();
    for (count, what) in [(asking, "asking"), (running, "running")] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if status.config_problem.is_some() {
        parts.push("configuration invalid".to_owned());
    }
    match parts.as_slice() {
        [] => "idle".to_owned(),
        parts => parts.join(", "),
    }
}

fn describe(status: &Status, output: &mut Output) -> io::Result<()> {
    let state = if status.draining {
        "stopping"
    } else {
        "running"
    };
    let up = age(status.started_at, SystemTime::now());
    output.line(&format!("scoreld {} is {state}", status.version))?;
    output.line(&format!("process   {}, up {up}", status.pid))?;
    output.line(&format!("home      {}", status.home))?;
    output.line(&format!(
        "device    {} ({})",
        status.display_name, status.device_id
    ))?;
    output.line(&format!("model     {}", status.default_model))?;
    // Not the connection of this command.
    let others = counted(status.connections.saturating_sub(1), "other connection");
    let sessions = counted(status.loaded_sessions, "loaded session");
    output.line(&format!("open      {others}, {sessions}"))?;
    describe_use(status, output)?;
    for session in &status.active {
        output.line(&format!(
            "active    {} {}",
            session.session_id,
            phase(session.phase)
        ))?;
        if session.phase == Phase::AwaitingPermission {
            let id = session.session_id;
            output.line(&format!(
                "asking    `scorelctl approve --session {id}` lists its questions"
            ))?;
        }
        if let (Some(problem), Phase::Failed) = (&session.problem, session.phase) {
            output.line(&format!("failed    {problem}"))?;
        }
        if let (Some(problem), Some(stall)) = (&session.problem, &session.storage_stalled) {
            output.line(&format!("stalled   {}", stall_text(problem, stall)))?;
        }
    }
    match &status.config_problem {
        Some(problem) => output.line(&format!("problem   {problem}")),
        None => Ok(()),
    }
}

/// The resources that the daemon uses, and the work that waits. Lines that say nothing to act upon are left
/// out.
fn describe_use(status: &Status, output: &mut Output) -> io::Result<()> {
    if status.manager != DaemonManager::None {
        output.line(&format!("manager   {}", status.manager.name()))?;
    }
    let memory = status
        .resident_bytes
        .map(|bytes| format!("{} of memory", size_text(bytes)));
    let disk = status
        .storage
        .free_bytes
        .map(|bytes| format!("{} free on disk", size_text(bytes)));
    let used: Vec<_> = memory.into_iter().chain(disk).collect();
    if !used.is_empty() {
        output.line(&format!("uses      {}", used.join(", ")))?;
    }
    if status.dropped_hook_runs > 0 {
        let dropped = status.dropped_hook_runs;
        output.line(&format!(
            "hooks     {dropped} runs were dropped, since too many waited"
        ))?;
    }
    if status.questions > 0 {
        let open = counted(status.questions, "open question");
        output.line(&format!("asking    {open}"))?;
    }
    for follower in status
        .subscribers
        .iter()
        .filter(|it| it.lag_events >= FAR_BEHIND)
    {
        let behind = counted(follower.lag_events, "event");
        let session = follower.session_id;
        output.line(&format!("slow      a client is {behind} behind {session}"))?;
    }
    match &status.search.problem {
        Some(problem) => output.line(&format!("search    the index cannot be written: {problem}")),
        None => Ok(()),
    }
}
