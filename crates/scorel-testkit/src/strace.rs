//! Runs a process under `strace`: records its system calls and injects faults into them.

mod trace;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

pub use trace::{Trace, TracedCall};

/// The traced calls: those that change files, and those that send to clients.
const CALLS: &str = "write,writev,pwrite64,sendto,sendmsg,fdatasync,fsync,ftruncate,openat,rename,\
                     renameat,renameat2,unlink,unlinkat,mkdir,mkdirat";

/// One run of a process with its threads and children under `strace`. The process is not a child of
/// `strace`, so it can be signalled and waited for as usual.
#[derive(Debug)]
pub struct Strace {
    options: Vec<String>,
    pipe: PathBuf,
    output: JoinHandle<String>,
}

impl Strace {
    /// The reason why `strace` does not work here, such as missing ptrace permission.
    pub fn unavailable() -> Option<String> {
        let probe = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "true"])
            .output();
        match probe {
            Err(error) => Some(format!("cannot run strace: {error}")),
            Ok(output) if !output.status.success() => {
                let message = String::from_utf8_lossy(&output.stderr);
                Some(format!("strace does not work here: {}", message.trim()))
            }
            Ok(_) => None,
        }
    }

    /// Prepares a run. `options` are added to the command, such as `-e inject=…`. The output pipe is
    /// created in `dir`.
    ///
    /// # Panics
    ///
    /// If the pipe cannot be created.
    pub fn new(dir: &Path, options: &[String]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let pipe = dir.join(format!("strace-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).expect("a pipe");
        let path = pipe.clone();
        // `open` blocks until `strace` opens the other end, and the read ends when it exits.
        let output = std::thread::spawn(move || {
            let bytes = fs::read(path).expect("a readable pipe");
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self {
            options: options.to_vec(),
            pipe,
            output,
        }
    }

    /// The wrapper for [`DaemonUnderTest::run_under`](crate::DaemonUnderTest::run_under).
    pub fn command(&self) -> Vec<String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut dirs = std::env::split_paths(&path).map(|dir| dir.join("strace"));
        let program = dirs
            .find(|path| path.is_file())
            .expect("strace, which was found before");
        let mut command = vec![program.display().to_string()];
        let fixed = [
            "-D",
            "-f",
            "-y",
            "-v",
            "-s",
            "1000000",
            "-e",
            "signal=none",
            "-o",
        ];
        command.extend(fixed.map(str::to_owned));
        command.push(self.pipe.display().to_string());
        command.extend(["-e".to_owned(), format!("trace={CALLS}")]);
        command.extend(self.options.iter().cloned());
        command
    }

    /// Waits for the end of the run and parses its output. The process must have exited.
    ///
    /// # Panics
    ///
    /// If the output cannot be read.
    pub fn finish(self) -> Trace {
        let text = self.output.join().expect("the output of strace");
        Trace::parse(&text)
    }
}
