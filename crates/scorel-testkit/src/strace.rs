//! A process under `strace`: what it asked of the system, and faults in what it got.

mod trace;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

pub use trace::{Trace, TracedCall};

/// The calls that change files, and those that tell somebody about it.
const CALLS: &str = "write,writev,pwrite64,sendto,sendmsg,fdatasync,fsync,ftruncate,openat,rename,\
                     renameat,renameat2,unlink,unlinkat,mkdir,mkdirat";

/// One run of a process under `strace`, which follows its threads and children.
///
/// The process itself is not a child of `strace`: it can be signalled and waited for as ever.
#[derive(Debug)]
pub struct Strace {
    options: Vec<String>,
    pipe: PathBuf,
    output: JoinHandle<String>,
}

impl Strace {
    /// Why `strace` cannot be used here, if it cannot.
    #[must_use]
    pub fn unavailable() -> Option<String> {
        let probe = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "true"])
            .output();
        match probe {
            Err(error) => Some(format!("strace cannot be run: {error}")),
            Ok(output) if !output.status.success() => {
                let said = String::from_utf8_lossy(&output.stderr);
                Some(format!("strace does not work here: {}", said.trim()))
            }
            Ok(_) => None,
        }
    }

    /// Prepares a run. `options` are further ones, such as `-e inject=…`; files of the run's own
    /// go to `dir`.
    ///
    /// # Panics
    ///
    /// If no pipe can be made there.
    #[must_use]
    pub fn new(dir: &Path, options: &[String]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let pipe = dir.join(format!("strace-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).expect("a pipe");
        let path = pipe.clone();
        // Opening and reading it wait for `strace`; the end of the text is the end of the run.
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

    /// The command that takes a program and its arguments at its end and becomes it.
    #[must_use]
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

    /// What was traced. The process must have ended.
    ///
    /// # Panics
    ///
    /// If the text cannot be read.
    #[must_use]
    pub fn finish(self) -> Trace {
        let text = self.output.join().expect("the output of strace");
        Trace::parse(&text)
    }
}
