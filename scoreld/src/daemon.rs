//! The daemon between start and exit: open the host, serve it, drain it.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use nix::unistd::{geteuid, getpid};
use scorel_exec::{Supervisors, Support, descends_from};
use scorel_home::{FileProblem, Home, HomeLock};
use scorel_host::{Host, HostParts, Shutdown, ShutdownCause};
use scorel_rpc::{Caller, DuplicateMethod, InvalidLimits, Listener, Service, local_user};
use tokio::net::unix::UCred;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::home_watch::watch_home;
use crate::idle_exit::exit_when_idle;
use crate::service::ManagerWatchdog;
use crate::setup::{ListenError, Setup};
use crate::watchdog::{Watchdog, WatchedPlace};

/// Grace period for running turns.
const TURNS_GRACE: Duration = Duration::from_secs(8);

/// Grace period for background commands, after the turns.
const COMMANDS_GRACE: Duration = Duration::from_secs(3);

/// For what follows: open connections, housekeeping, the runtime. Generous, since the service manager
/// kills everything when it is over.
const LAST_STEPS: Duration = Duration::from_secs(10);

/// Why the daemon stopped without being asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("cannot create the sessions directory")]
    SessionsDir(#[source] io::Error),
    /// `receipts.jsonl` cannot be read. The daemon does not start without it: a command that it
    /// records could be applied twice.
    #[error(transparent)]
    Receipts(#[from] FileProblem),
    #[error(transparent)]
    Methods(#[from] DuplicateMethod),
    #[error("cannot start the threads of the watchdog")]
    Watchdog(#[source] io::Error),
    #[error(transparent)]
    Limits(#[from] InvalidLimits),
    #[error(
        "the home {home}, or {lock} in it, was deleted or replaced while the daemon ran; it has stopped, and what it wrote since is lost"
    )]
    HomeLost { home: PathBuf, lock: PathBuf },
}

/// The tasks that run beside the connections until the daemon closes.
struct Tasks {
    host: Arc<Host>,
    supervisors: Arc<Supervisors>,
    /// Cancelled last: it ends connections and housekeeping.
    closing: CancellationToken,
    running: Vec<JoinHandle<()>>,
}

/// Serves the home until shutdown begins, then drains. `lock` is the home's.
pub(crate) async fn run(mut setup: Setup, lock: &HomeLock) -> Result<(), RunError> {
    let (home, shutdown) = (setup.parts.home.clone(), setup.parts.shutdown.clone());
    let made = DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(home.sessions());
    made.map_err(RunError::SessionsDir)?;
    // Before this process writes a temporary file of its own.
    let started = home.disk_time().ok();
    let listener = setup.listen()?;
    let (readiness, service) = (setup.readiness, setup.service);
    let mut tasks = Tasks::open(setup.parts)?;
    // Before the first connection: a client that repeats a command finds its receipt ended.
    tasks.host.finish_begun().await;
    let (socket, replaced) = (Arc::clone(listener.bell()), listener.replaced().clone());
    let watch = tasks.host.watch(&home, socket, tasks.closing.clone());
    tasks.serve(listener)?;
    let mut published = readiness.announce(&home);
    // After the announcement, as all that clients need not wait for.
    tasks.running.push(tokio::spawn(watch));
    tasks.housekeep();
    tasks.find_support();
    // After the announcement: clients need not wait until every unfinished session is loaded.
    tasks.recover(home.clone(), started, shutdown.clone());
    tasks.schedule();
    let watchdog = tasks.watchdog(service.watchdog(), shutdown.clone())?;
    let cause = begun(&shutdown, lock, &replaced).await;
    let within = tasks.stop_time(cause);
    watchdog.stopping(within);
    service.stopping("stopping", within);
    // In a home that was replaced, the file is another daemon's.
    if let Some(published) = published
        .as_mut()
        .filter(|_| cause != ShutdownCause::HomeLost)
    {
        published.stopping(within);
    }
    info!(?cause, "stopping");
    tasks.close(cause).await;
    info!("stopped");
    match cause {
        ShutdownCause::HomeLost => Err(RunError::HomeLost {
            home: home.root().to_owned(),
            lock: home.lock(),
        }),
        ShutdownCause::Terminate
        | ShutdownCause::Interrupt
        | ShutdownCause::Request
        | ShutdownCause::Park
        | ShutdownCause::Idle
        | ShutdownCause::SocketReplaced => Ok(()),
    }
}

/// Waits until shutdown begins, which it does at the latest when the home or the socket is lost.
async fn begun(
    shutdown: &Shutdown,
    lock: &HomeLock,
    replaced: &CancellationToken,
) -> ShutdownCause {
    let unreachable = async {
        replaced.cancelled().await;
        shutdown.begin(ShutdownCause::SocketReplaced);
    };
    let token = shutdown.token();
    tokio::join!(
        token.run_until_cancelled(watch_home(lock, shutdown)),
        token.run_until_cancelled(unreachable),
        shutdown.begun(),
    )
    .2
}

/// Says what commands have to do without on this kernel; the fallbacks have these names in the manual.
fn report_fallbacks(support: Support) {
    if support.is_enough() && !support.spaces {
        warn!(
            fallback = "no loopback",
            "commands cannot use localhost and /dev/shm"
        );
    }
    if support.is_enough() && !support.mounts {
        warn!(
            fallback = "Landlock only",
            "commands can read files in the project that rules deny to read"
        );
    }
}

impl Tasks {
    fn open(parts: HostParts) -> Result<Self, RunError> {
        let supervisors = Arc::clone(&parts.supervisors);
        let host = Host::open(parts)?;
        Ok(Self {
            host,
            supervisors,
            closing: CancellationToken::new(),
            running: Vec::new(),
        })
    }

    /// Accepts connections from now on.
    fn serve(&mut self, listener: Listener) -> Result<(), RunError> {
        let rpc = Service::new(
            scorel_host::methods(Arc::clone(&self.host))?.build(),
            self.host.config().rpc.clone(),
            self.closing.clone(),
        )?;
        self.host.set_load(rpc.load());
        let commands = Arc::clone(&self.supervisors);
        let listener = listener.with_documents(Arc::clone(&self.host) as _);
        self.running.push(tokio::spawn(async move {
            rpc.listen(listener, move |peer: &UCred| admit(&commands, peer))
                .await;
        }));
        Ok(())
    }

    /// Empties the trash, and unloads idle sessions.
    fn housekeep(&mut self) {
        let sessions = Arc::clone(self.host.sessions());
        let housekeeping = sessions.housekeep(self.closing.clone());
        self.running.push(tokio::spawn(housekeeping));
    }

    /// Sends the messages of schedules.
    fn schedule(&mut self) {
        let schedules = self.host.run_schedules(self.closing.clone());
        self.running.push(tokio::spawn(schedules));
    }

    /// Finds out what the kernel supports. A turn that needs it before waits for it.
    fn find_support(&mut self) {
        let commands = Arc::clone(&self.supervisors);
        let find = move || report_fallbacks(commands.support());
        self.running.push(tokio::task::spawn_blocking(find));
    }

    /// Recovers sessions, then removes temporary files from before `started`, if that is known, and from
    /// then on ends a daemon that has nothing to do.
    fn recover(&mut self, home: Home, started: Option<SystemTime>, shutdown: Shutdown) {
        let (host, commands) = (Arc::clone(&self.host), Arc::clone(&self.supervisors));
        self.running.push(tokio::spawn(async move {
            host.recover().await;
            if let Some(started) = started {
                let tidied = tokio::task::spawn_blocking(move || home.remove_temporary(started));
                if let Err(error) = tidied.await {
                    warn!(%error, "temporary files were not removed");
                }
            }
            // An idle daemon needs little of what its start has used.
            let _given_back = tokio::task::spawn_blocking(scorel_memory::give_back_program).await;
            let idle = exit_when_idle(&host, &commands, &shutdown);
            shutdown.token().run_until_cancelled(idle).await;
        }));
    }

    /// Ends the process if it hangs, from now on.
    fn watchdog(
        &self,
        manager: Option<ManagerWatchdog>,
        shutdown: Shutdown,
    ) -> Result<Watchdog, RunError> {
        let sessions = Arc::clone(self.host.sessions());
        let try_locks = move |at: &dyn Fn(WatchedPlace)| {
            sessions.try_locks(|id| {
                at(id.map_or(WatchedPlace::SessionMap, WatchedPlace::Session));
            });
        };
        // Read now: the thread that asks for it must not wait for a file.
        let within = self.stop_time(ShutdownCause::Terminate);
        let stop_time = move || shutdown.cause().map(|_| within);
        Watchdog::start(manager, &Handle::current(), try_locks, stop_time)
            .map_err(RunError::Watchdog)
    }

    /// How long [`Tasks::close`] and what follows it may take.
    fn stop_time(&self, cause: ShutdownCause) -> Duration {
        let park = if cause.parks() {
            self.host.config().service.park
        } else {
            Duration::ZERO
        };
        park + TURNS_GRACE + COMMANDS_GRACE + LAST_STEPS
    }

    /// Parks turns if the daemon is to start again, and drains the others, then commands, then closes
    /// connections: a turn may still be waiting for its command, and clients are to see how their turns
    /// end.
    async fn close(self, cause: ShutdownCause) {
        if cause.parks() && !self.host.park().await {
            warn!("some turns did not reach a step boundary in time");
        }
        if !self.host.sessions().drain(TURNS_GRACE).await {
            warn!("some turns did not end in time");
        }
        // Before the commands: one that is ended there would look like one that has failed.
        self.host.stop_programs().await;
        if !self.supervisors.close(COMMANDS_GRACE).await {
            warn!("some commands did not end in time");
        }
        self.closing.cancel();
        for task in self.running {
            if let Err(error) = task.await {
                warn!(%error, "a task of the daemon failed");
            }
        }
    }
}

/// Admits processes of this user, except descendants of the daemon: a session's command could
/// otherwise answer its own permission requests.
///
/// Walking a peer's ancestry reads `/proc`, which needs a file descriptor, so it is skipped while no
/// command runs: a daemon that is out of descriptors still accepts its user.
fn admit(commands: &Supervisors, peer: &UCred) -> Option<Caller> {
    let own = getpid().as_raw();
    if commands.count() > 0 && peer.pid().is_some_and(|pid| descends_from(pid, own)) {
        warn!("refused a connection from a descendant of the daemon");
        return None;
    }
    local_user(geteuid().as_raw())(peer)
}
