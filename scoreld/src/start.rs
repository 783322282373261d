//! From the command line to a running daemon, and back to an exit code.
//!
//! The order is fixed by what each step forbids later. `LISTEN_FDS` must be taken and the process
//! forked while there is one thread: both change what all threads share. The home is claimed after
//! the fork, since the lock belongs to the process that holds it open. The log is opened after the
//! claim, so that a second daemon does not write into the first one's.

mod error;

use std::io::{self, Write};
use std::os::unix::net::UnixListener;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Parser;
use nix::sys::stat::{Mode, umask};
use nix::unistd::getppid;
use scorel_config::{ConfigError, ConfigSource};
use scorel_exec::{Supervisors, SupportMemory, Umask};
use scorel_home::{Device, Home, HomeLock, HomeSource, ProjectRegistry, SecretStore};
use scorel_host::{HostParts, Shutdown, TurnParts};
use scorel_proto::{DaemonManager, ErrorChain};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tracing::{error, info, warn};

pub(crate) use error::DaemonError;

use crate::activation;
use crate::args::{Args, DaemonCommand};
use crate::completion;
use crate::config::{self, ConfigExit};
use crate::daemon;
use crate::daemonize::{Side, daemonize};
use crate::doctor::{self, DoctorExit};
use crate::exit::DaemonExit;
use crate::fsck::{self, FsckExit};
use crate::instance::{Instance, READY_TIMEOUT, Takeover};
use crate::logging::Logging;
use crate::manual;
use crate::open_files::OpenFiles;
use crate::readiness::Readiness;
use crate::service::ServiceManager;
use crate::setup::Setup;
use crate::signals;
use crate::unit::UnitKind;

/// Upper bound of async worker threads: they wait for disks, sockets and models, and a larger
/// machine does not make those faster.
const MAX_WORKERS: usize = 8;

/// Upper bound of threads for blocking work (files, tools, configuration). `run_in_place` counts on 64.
const MAX_BLOCKING_THREADS: usize = 64;

/// How long blocking work may go on after the drain; a thread in a system call cannot be cancelled.
const LAST_WORK: Duration = Duration::from_secs(2);

/// The `scoreld` program: parses the command line, runs the command, returns the exit code.
pub fn main() -> ExitCode {
    if let Some(code) = scorel_exec::run_if_asked().or_else(scorel_convert::run_if_asked) {
        return code;
    }
    match completion::complete_if_asked() {
        Ok(false) => {}
        Ok(true) => return DaemonExit::Ok.into(),
        // No message: the shell shows any output as a part of the line.
        Err(_) => return DaemonExit::Io.into(),
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return not_parsed(&error),
    };
    match &args.command {
        Some(DaemonCommand::Fsck(args)) => fsck::run(args).into(),
        Some(DaemonCommand::Doctor(args)) => doctor::run(args).into(),
        Some(DaemonCommand::Config(args)) => config::run(args).into(),
        Some(DaemonCommand::Man { directory }) => manual::write(directory).into(),
        None => start(args).into(),
    }
}

/// Prints clap's message. `--help` and `--version` arrive as errors too and exit with 0.
fn not_parsed(error: &clap::Error) -> ExitCode {
    let command = std::env::args_os().nth(1);
    let is = |name: &str| command.as_deref().is_some_and(|command| command == name);
    let exit = if !error.use_stderr() {
        DaemonExit::Ok.code()
    } else if is("fsck") {
        FsckExit::Usage as u8
    } else if is("config") {
        ConfigExit::Usage as u8
    } else if is("doctor") {
        DoctorExit::Usage as u8
    } else {
        DaemonExit::Usage.code()
    };
    // `--json` cannot be taken from arguments that did not parse, so they are searched for it.
    let json = error.use_stderr() && std::env::args_os().any(|argument| argument == "--json");
    // If the stream is closed, no other channel is left to report that on.
    let _ignored: io::Result<()> = if json {
        let text = error.render().to_string();
        let line =
            json!({ "error": { "code": "usage", "message": text.trim(), "exitCode": exit } });
        writeln!(io::stderr().lock(), "{line}")
    } else {
        error.print()
    };
    ExitCode::from(exit)
}

fn start(args: Args) -> DaemonExit {
    // Before anything large is freed, and before the fork, which takes it along.
    scorel_memory::fix_thresholds();
    // Before the first file is created: everything in the home is for this user only.
    let inherited = Umask::new(umask(Mode::from_bits_truncate(0o077)).bits());
    match prepare(args, inherited) {
        Ok(Next::Exit(exit, text)) => {
            say(&text);
            exit
        }
        Ok(Next::Serve(begin)) => begin.serve(),
        Err(error) => {
            say(&ErrorChain(&error).to_string());
            error.exit()
        }
    }
}

/// What `prepare` leaves to do.
enum Next {
    Exit(DaemonExit, String),
    Serve(Box<Begin>),
}

/// The configuration, which is being read.
type ReadConfig = JoinHandle<Result<ConfigSource, ConfigError>>;

/// A process that is about to claim the home and serve it.
struct Begin {
    args: Args,
    home: Home,
    adopted: Option<UnixListener>,
    readiness: Readiness,
    service: ServiceManager,
    /// The umask that this process was started with.
    umask: Umask,
}

/// Everything that must happen while the process has one thread.
fn prepare(args: Args, umask: Umask) -> Result<Next, DaemonError> {
    if let Some(unit) = args.print_unit {
        print_unit(unit)?;
        return Ok(Next::Exit(DaemonExit::Ok, String::new()));
    }
    let adopted = activation::take_listener()?;
    let home = HomeSource::from_environment(args.home.clone()).open()?;
    let pipe = if args.daemonize {
        match daemonize(Path::new("/"))? {
            Side::Caller(exit, text) => return Ok(Next::Exit(exit, text)),
            Side::Daemon(pipe) => Some(pipe),
        }
    } else {
        None
    };
    let service = ServiceManager::from_environment();
    let readiness = Readiness::new(pipe, service.clone());
    Ok(Next::Serve(Box::new(Begin {
        args,
        home,
        adopted,
        readiness,
        service,
        umask,
    })))
}

fn print_unit(unit: UnitKind) -> Result<(), DaemonError> {
    let program = std::env::current_exe().map_err(DaemonError::Program)?;
    let text = unit.render(&program)?;
    io::stdout()
        .lock()
        .write_all(text.as_bytes())
        .map_err(DaemonError::Print)
}

impl Begin {
    fn serve(self) -> DaemonExit {
        let readiness = self.readiness.clone();
        match self.run() {
            Ok(()) => {
                readiness.served();
                DaemonExit::Ok
            }
            Err(failure) => {
                let text = ErrorChain(&failure).to_string();
                say(&text);
                readiness.failed(failure.exit(), &text);
                failure.exit()
            }
        }
    }

    fn run(self) -> Result<(), DaemonError> {
        let config = self.read_config().map_err(DaemonError::Runtime)?;
        // Lives until the process has drained: the next daemon must not open the logs before.
        let Some(lock) = self.claim()? else {
            return Ok(());
        };
        let (logs, read_only) = (self.home.logs(), self.home.is_read_only());
        let dir = (!read_only).then_some(&*logs);
        let logging = Logging::start(dir, self.args.log_level, !self.args.daemonize)?;
        let version = env!("CARGO_PKG_VERSION");
        info!(version, home = %self.home.root().display(), "starting");
        if read_only {
            warn!(
                "the home is on a read-only file system: it is served for reading, and no log file is written"
            );
        }
        let result = self.run_until_drained(&lock, config);
        // While the log is still open: in the background it is the only place where the reason stays.
        if let Err(failure) = &result {
            error!("{}", ErrorChain(failure));
        }
        if logging.dropped_lines() > 0 {
            info!(lines = logging.dropped_lines(), "log lines were dropped");
        }
        result
    }

    /// Begins to read the configuration: parsing a hundred servers takes a tenth of a start.
    fn read_config(&self) -> io::Result<ReadConfig> {
        let path = self.home.config();
        let thread = thread::Builder::new().name("config".to_owned());
        thread.spawn(move || ConfigSource::open(&path))
    }

    fn run_until_drained(self, lock: &HomeLock, config: ReadConfig) -> Result<(), DaemonError> {
        let runtime = runtime().map_err(DaemonError::Runtime)?;
        let result = runtime.block_on(async {
            daemon::run(self.setup(config)?, lock)
                .await
                .map_err(Into::into)
        });
        // Dropping the runtime would wait for blocking threads without limit.
        runtime.shutdown_timeout(LAST_WORK);
        result
    }

    /// Takes the home's lock; `None` if another daemon serves the home.
    fn claim(&self) -> Result<Option<HomeLock>, DaemonError> {
        if self.manager() != DaemonManager::None {
            let takeover = Takeover::new(&self.home, &self.service, self.adopted.is_some());
            return Ok(Some(takeover.take()?));
        }
        match Instance::claim(&self.home, READY_TIMEOUT)? {
            Instance::Ours(lock) => Ok(Some(lock)),
            Instance::Other { pid } => {
                let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
                let home = self.home.root().display();
                say(&format!("scoreld is already running{pid} in {home}"));
                Ok(None)
            }
        }
    }

    /// The manager that this process is a service of. One that goes to the background is of none, even if
    /// what started it is. launchd does not tell, but its children are those of process 1.
    fn manager(&self) -> DaemonManager {
        let is_launchd = cfg!(target_os = "macos") && getppid().as_raw() == 1;
        if self.adopted.is_some() || (self.service.is_there() && !self.args.daemonize) {
            DaemonManager::Systemd
        } else if is_launchd && !self.args.daemonize {
            DaemonManager::Launchd
        } else {
            DaemonManager::None
        }
    }

    /// The umask that this process was started with, unless a service manager chose it.
    fn user_umask(&self) -> Option<Umask> {
        (self.manager() == DaemonManager::None).then_some(self.umask)
    }

    fn setup(self, config: ReadConfig) -> Result<Setup, DaemonError> {
        let (manager, umask) = (self.manager(), self.user_umask());
        let home = self.home;
        let shutdown = Shutdown::default();
        signals::listen(shutdown.clone()).map_err(DaemonError::Signals)?;
        let files = OpenFiles::raise();
        let memory = SupportMemory::new(home.sandbox_support(), home.config());
        let supervisors = Supervisors::remembering(Some(files.commands), Some(memory));
        Ok(Setup {
            adopted: self.adopted,
            service: self.service,
            parts: HostParts {
                device: Device::load_or_create(&home.device())?,
                projects: ProjectRegistry::open(&home.projects())?,
                config: config.join().unwrap_or_else(|panic| resume_unwind(panic))?,
                secrets: SecretStore::new(home.env()),
                supervisors: supervisors.map_err(DaemonError::Supervisors)?,
                shutdown,
                umask,
                manager,
                descriptors: files.daemon,
                started_at: self.readiness.started_at(),
                home,
                features: Vec::new(),
                turns: TurnParts::default(),
                listeners: Vec::new(),
            },
            readiness: self.readiness,
        })
    }
}

fn runtime() -> io::Result<Runtime> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Builder::new_multi_thread()
        .worker_threads(cores.min(MAX_WORKERS))
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .thread_name("scoreld")
        .enable_all()
        .build()
}

fn say(text: &str) {
    if !text.is_empty() {
        // stderr is closed: no other channel is left to report that on.
        let _ignored: io::Result<()> = writeln!(io::stderr().lock(), "scoreld: {text}");
    }
}
