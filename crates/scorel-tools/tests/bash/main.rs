//! Commands through the toolbox. The test program is its own supervisor, as the daemon is.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "these are tests, though without the usual harness"
)]

mod background;
mod example;
mod foreground;
mod guarded;
mod registry;
mod runaways;
mod script_tool;
mod session;
#[path = "../../../scorel-exec/tests/it/shapes.rs"]
mod shapes;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use scorel_exec::Support;

fn main() -> ExitCode {
    if let Some(code) = scorel_exec::run_if_asked() {
        return code;
    }
    let mut trials = foreground::trials();
    trials.extend(background::trials());
    trials.extend(example::trials());
    trials.extend(guarded::trials());
    trials.extend(registry::trials());
    trials.extend(runaways::trials());
    let support = Support::probe();
    if !support.is_enough() {
        println!("skipped: commands in a sandbox: {support:?}");
        trials.clear();
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test that may wait for things.
fn trial<F>(name: &str, test: impl FnOnce() -> F + Send + 'static) -> Trial
where
    F: Future<Output = ()>,
{
    Trial::test(name, move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().build()?;
        runtime.block_on(test());
        Ok(())
    })
}
