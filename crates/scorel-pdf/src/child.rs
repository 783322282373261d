//! The child process.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::panic;
use std::process::ExitCode;

use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::dup2_stdout;

use crate::extract::extract;
use crate::limits::{MAX_DOCUMENT, MAX_MEMORY, MAX_TIME};

/// Reads the document on standard input.
pub(crate) fn run() -> ExitCode {
    match give_up_and_read() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn give_up_and_read() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let seconds = MAX_TIME.as_secs();
    setrlimit(Resource::RLIMIT_CPU, seconds, seconds + 1)?;
    setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
    // Not enforced on macOS, which has no such limit.
    let limited = setrlimit(Resource::RLIMIT_AS, MAX_MEMORY, MAX_MEMORY);
    if cfg!(target_os = "linux") {
        limited?;
    }
    // The library prints what it finds odd; its panics say nothing to anyone here.
    let mut answers = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    panic::set_hook(Box::new(|_| {}));
    let mut content = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_DOCUMENT + 1)
        .read_to_end(&mut content)?;
    extract(&content, &mut |message| {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        answers.write_all(&line)
    })
}
