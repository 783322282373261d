//! Commands through the toolbox. The test program is its own supervisor, as the daemon is.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "these are tests, though without the usual harness"
)]

mod background;
mod begun;
mod builds;
#[path = "../../../scorel-convert/tests/it/pdf/document.rs"]
mod document;
mod documents;
mod example;
mod foreground;
mod git;
mod guarded;
mod hidden;
mod home;
mod limits;
mod obeyed;
mod places;
mod registry;
mod runaways;
mod script_tool;
mod session;
#[path = "../../../scorel-exec/tests/it/shapes.rs"]
mod shapes;
mod stopped;
mod unsandboxed;
mod worktrees;

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::Support;
use scorel_testkit::trial_arguments;

/// The time limit of a test. A process that is waited for in vain fails it and does not hang it.
const TIME_LIMIT: Duration = Duration::from_secs(180);

fn main() -> ExitCode {
    if let Some(code) = scorel_exec::run_if_asked().or_else(scorel_convert::run_if_asked) {
        return code;
    }
    let mut trials = foreground::trials();
    trials.extend(background::trials());
    trials.extend(begun::trials());
    trials.extend(builds::trials());
    trials.extend(hidden::trials());
    trials.extend(home::trials());
    trials.extend(worktrees::trials());
    trials.extend(example::trials());
    trials.extend(guarded::trials());
    trials.extend(documents::trials());
    trials.extend(limits::trials());
    trials.extend(git::trials());
    trials.extend(obeyed::trials());
    trials.extend(places::trials());
    trials.extend(registry::trials());
    trials.extend(runaways::trials());
    trials.extend(stopped::trials());
    trials.extend(unsandboxed::trials());
    let support = Support::probe();
    if !support.is_enough() || !support.mounts || !support.spaces {
        println!("skipped: commands in a sandbox: {support:?}");
        let ignored = |trial: Trial| trial.with_ignored_flag(true);
        trials = trials.into_iter().map(ignored).collect();
    }
    libtest_mimic::run(&trial_arguments(), trials).exit_code()
}

/// A test that may wait for things.
fn trial<F>(name: &str, test: impl FnOnce() -> F + Send + 'static) -> Trial
where
    F: Future<Output = ()>,
{
    Trial::test(name, move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().build()?;
        let bounded = async { tokio::time::timeout(TIME_LIMIT, test()).await };
        let ended = runtime.block_on(bounded);
        // What hangs on a blocking thread must not hold up the end.
        runtime.shutdown_background();
        ended.map_err(|_| format!("it did not end within {} s", TIME_LIMIT.as_secs()).into())
    })
}
