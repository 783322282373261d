//! The daemon between its start and its end.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nix::unistd::{geteuid, getpid};
use scorel_exec::{Supervisors, descends_from};
use scorel_host::{FileProblem, Host, HostParts};
use scorel_rpc::{Caller, DuplicateMethod, InvalidLimits, Service, local_user};
use tokio::net::unix::UCred;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::service::ServiceManager;
use crate::setup::{ListenError, Setup};

/// How long running turns have to come to an end when the daemon stops.
const DRAIN: Duration = Duration::from_secs(8);

/// How long commands in the background have to end when the daemon stops.
const COMMANDS_END: Duration = Duration::from_secs(3);

/// Why the daemon ended by itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// It cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The directory of the sessions cannot be made.
    #[error("cannot make the directory of the sessions")]
    SessionsDir(#[source] io::Error),
    /// The receipts of the host's commands cannot be read.
    #[error(transparent)]
    Receipts(#[from] FileProblem),
    /// Two methods have one name.
    #[error(transparent)]
    Methods(#[from] DuplicateMethod),
    /// Commands could not be kept under control.
    #[error("cannot supervise commands")]
    Supervisors(#[source] io::Error),
    /// A limit makes no sense.
    #[error(transparent)]
    Limits(#[from] InvalidLimits),
}

/// Runs until the end is asked for.
///
/// # Errors
/// The daemon cannot go on.
pub(crate) async fn run(mut setup: Setup) -> Result<(), RunError> {
    make_private_dir(&setup.home.sessions()).map_err(RunError::SessionsDir)?;
    let listener = setup.listen()?;
    let Setup {
        home,
        device,
        projects,
        config,
        secrets,
        readiness,
        service,
        shutdown,
        ..
    } = setup;
    let supervisors = Supervisors::new().map_err(RunError::Supervisors)?;
    let host = Host::open(HostParts {
        home: home.clone(),
        device,
        projects,
        config,
        secrets,
        supervisors: Arc::clone(&supervisors),
        shutdown: shutdown.clone(),
        started_at: readiness.started_at(),
    })?;
    let sessions = Arc::clone(host.sessions());
    host.finish_begun().await;
    let closing = CancellationToken::new();
    let rpc = Service::new(
        scorel_host::methods(Arc::clone(&host))?,
        host.config().rpc.clone(),
        closing.clone(),
    )?;
    host.set_load(rpc.load());
    let housekeeping = tokio::spawn(Arc::clone(&sessions).housekeep(closing.clone()));
    let commands = Arc::clone(&supervisors);
    let listening = tokio::spawn(async move {
        rpc.listen(listener, move |peer: &UCred| admit(&commands, peer))
            .await;
    });
    let _published = readiness.announce(&home);
    let recovering = tokio::spawn(Arc::clone(&sessions).recover());
    let cause = watched(&service, shutdown.begun()).await;
    service.stopping("stopping");
    info!(?cause, "stopping");
    if !sessions.drain(DRAIN).await {
        warn!("some turns did not end in time");
    }
    if !supervisors.close(COMMANDS_END).await {
        warn!("some commands did not end in time");
    }
    // Connections go last: their clients see how the turns ended.
    closing.cancel();
    for task in [listening, housekeeping, recovering] {
        if let Err(error) = task.await {
            warn!(%error, "a task of the daemon failed");
        }
    }
    info!("stopped");
    Ok(())
}

/// Lets in this user, but nobody whom the daemon itself has started: a command of a session could
/// otherwise answer its own questions. While no command runs nobody has to be looked up, which takes
/// a descriptor that there may not be.
fn admit(commands: &Supervisors, peer: &UCred) -> Option<Caller> {
    let own = getpid().as_raw();
    if commands.count() > 0 && peer.pid().is_some_and(|pid| descends_from(pid, own)) {
        warn!("a process that descends from the daemon is not let in");
        return None;
    }
    local_user(geteuid().as_raw())(peer)
}

/// Waits for `end`, and tells the service manager's watchdog in the meantime that the loop which
/// serves everything is alive.
async fn watched<T>(service: &ServiceManager, end: impl Future<Output = T>) -> T {
    match service.watchdog() {
        None => end.await,
        Some(watchdog) => tokio::select! {
            end = end => end,
            () = watchdog.keep_alive(turn_of_the_loop) => unreachable!("it never returns"),
        },
    }
}

/// Ends when the threads that serve everything have taken up new work.
async fn turn_of_the_loop() {
    let turn = tokio::spawn(async {});
    if let Err(error) = turn.await {
        warn!(%error, "the runtime does not run tasks");
    }
}

fn make_private_dir(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::metadata(path).map(|_| ())
        }
        made => made,
    }
}
