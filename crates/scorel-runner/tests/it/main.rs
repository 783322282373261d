//! Real processes as runners: recorded streams, hostile peers, and the programs themselves. The test
//! program is its own supervisor, as the daemon is.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "these are tests, though without the usual harness"
)]

mod claude;
mod cli;
mod clock;
mod commands;
mod floods;
mod gate;
mod handshakes;
mod hostile;
mod probe;
mod processes;
mod programs;
mod replay;
mod scripted;
mod turn;

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::Supervisors;
use scorel_testkit::trial_arguments;

/// The time limit of a test. A process that is waited for in vain fails it and does not hang it.
const TIME_LIMIT: Duration = Duration::from_secs(240);

fn main() -> ExitCode {
    if let Some(code) = scorel_exec::run_if_asked() {
        return code;
    }
    let mut trials = replay::trials();
    trials.extend(claude::trials());
    trials.extend(commands::trials());
    trials.extend(floods::trials());
    trials.extend(handshakes::trials());
    trials.extend(hostile::trials());
    trials.extend(programs::trials());
    libtest_mimic::run(&trial_arguments(), trials).exit_code()
}

/// An asynchronous test, on a thread of its own: one that never yields must not hang the others.
fn trial<F>(name: impl Into<String>, test: impl FnOnce() -> F + Send + 'static) -> Trial
where
    F: Future<Output = ()>,
{
    Trial::test(name.into(), move || {
        let (ended, end) = mpsc::channel();
        let running = thread::spawn(move || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            let runtime = builder.enable_all().build().unwrap();
            runtime.block_on(test());
            // What hangs on a blocking thread must not hold up the end.
            runtime.shutdown_background();
            let _waited: Result<(), _> = ended.send(());
        });
        match end.recv_timeout(TIME_LIMIT) {
            Ok(()) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => resume_unwind(running.join().unwrap_err()),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("it did not end within {} s", TIME_LIMIT.as_secs()).into())
            }
        }
    })
}

/// Shared by all tests: there may be only one in a process.
fn supervisors() -> Arc<Supervisors> {
    static SUPERVISORS: OnceLock<Arc<Supervisors>> = OnceLock::new();
    let new = || Supervisors::new(None).expect("a subreaper");
    Arc::clone(SUPERVISORS.get_or_init(new))
}
