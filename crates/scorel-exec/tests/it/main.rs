//! Real commands under real supervisors. The test program is its own supervisor, as the daemon is.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "these are tests, though without the usual harness"
)]

mod daemon;
mod failing;
mod foreign;
mod limits;
mod metadata;
mod piped;
mod places;
mod processes;
mod runaways;
mod running;
mod sandbox;
mod shapes;
mod spaces;
mod standby;
mod terminals;
mod unix_sockets;

use std::io;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, Environment, Supervisors, Support};
use scorel_testkit::trial_arguments;

/// The soft limit of open files that commands get. Not the usual one, so that it shows.
const OPEN_FILES: u64 = 333;

/// The time limit of a test. A process that is waited for in vain fails it and does not hang it.
const TIME_LIMIT: Duration = Duration::from_secs(180);

fn main() -> ExitCode {
    if let Some(code) = scorel_exec::run_if_asked() {
        return code;
    }
    match std::env::args().nth(1).as_deref() {
        Some(daemon::ARGUMENT) => return daemon::serve(),
        Some(daemon::PIPED) => return daemon::serve_piped(),
        Some(standby::ARGUMENT) => return standby::serve(),
        Some(running::FLOOD) => return running::flood(),
        _ => {}
    }
    let mut trials = running::trials();
    trials.extend(piped::trials());
    trials.extend(places::trials());
    trials.extend(runaways::trials());
    trials.extend(sandbox::trials());
    trials.extend(spaces::trials());
    trials.extend(standby::trials());
    trials.extend(terminals::trials());
    trials.extend(foreign::trials());
    trials.extend(metadata::trials());
    trials.extend(limits::trials());
    trials.extend(unix_sockets::trials());
    trials.extend(failing::trials());
    let support = Support::probe();
    if !support.is_enough() || !support.mounts || !support.spaces {
        println!("skipped: what needs a sandbox: {support:?}");
        let is_without = |trial: Trial| {
            let needs_it = trial.name().contains("sandbox");
            trial.with_ignored_flag(needs_it)
        };
        trials = trials.into_iter().map(is_without).collect();
    }
    libtest_mimic::run(&trial_arguments(), trials).exit_code()
}

/// An asynchronous test.
fn trial<F>(name: impl Into<String>, test: impl FnOnce() -> F + Send + 'static) -> Trial
where
    F: Future<Output = ()>,
{
    Trial::test(name.into(), move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build()?;
        let bounded = async { tokio::time::timeout(TIME_LIMIT, test()).await };
        let ended = runtime.block_on(bounded);
        // What hangs on a blocking thread must not hold up the end.
        runtime.shutdown_background();
        ended.map_err(|_| format!("it did not end within {} s", TIME_LIMIT.as_secs()).into())
    })
}

/// Shared by all tests: there may be only one in a process.
fn supervisors() -> Arc<Supervisors> {
    static SUPERVISORS: OnceLock<Arc<Supervisors>> = OnceLock::new();
    let new = || Supervisors::new(Some(OPEN_FILES)).expect("a subreaper");
    Arc::clone(SUPERVISORS.get_or_init(new))
}

fn order(command: &str) -> CommandOrder {
    CommandOrder {
        command: command.to_owned().into(),
        environment: Environment::scrubbed(std::env::vars_os(), &[]),
        sandbox: None,
        space: None,
        resources: None,
        timeout: None,
        umask: None,
        spool_dir: None,
    }
}

fn open(path: &std::path::Path) -> io::Result<std::os::fd::OwnedFd> {
    std::fs::File::open(path).map(Into::into)
}
