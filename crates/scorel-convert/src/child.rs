//! The child process.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::panic;
use std::process::ExitCode;

use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::dup2_stdout;

use crate::conversion::Conversion;
use crate::limits::MAX_TIME;
use crate::{html, pdf};

/// Converts the document on standard input.
pub(crate) fn run(conversion: Conversion) -> ExitCode {
    match give_up_and_convert(conversion) {
        Ok(code) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn give_up_and_convert(conversion: Conversion) -> io::Result<ExitCode> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let seconds = MAX_TIME.as_secs();
    setrlimit(Resource::RLIMIT_CPU, seconds, seconds + 1)?;
    setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
    // Not enforced on macOS, which has no such limit.
    let memory = conversion.max_memory();
    let limited = setrlimit(Resource::RLIMIT_AS, memory, memory);
    if cfg!(target_os = "linux") {
        limited?;
    }
    // Libraries print what they find odd; their panics say nothing to anyone here.
    let answer = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    panic::set_hook(Box::new(|_| {}));
    let mut input = Vec::new();
    io::stdin()
        .lock()
        .take(conversion.max_input() + 1)
        .read_to_end(&mut input)?;
    match conversion {
        Conversion::Pdf => pdf::convert(&input, answer),
        Conversion::Html => html::convert(input, answer),
    }
}
