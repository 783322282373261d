//! A process that runs a command and can be killed.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

use tokio::io::AsyncReadExt as _;

use scorel_exec::{Guard, GuardRule, GuardedPlace, Sandbox};

use crate::{open, order, supervisors};

pub(crate) const ARGUMENT: &str = "--daemon";

pub(crate) const PIPED: &str = "--piped-daemon";

/// Runs the command in the first line of standard input and forwards its output. If the second line is
/// a directory, the command runs in a shared space and a sandbox that may write there, with the file
/// `guarded` guarded.
pub(crate) fn serve() -> ExitCode {
    let mut lines = io::stdin().lock().lines().map_while(Result::ok);
    let mut order = order(&lines.next().unwrap());
    let directory = lines.next().unwrap();
    order.sandbox = (!directory.is_empty()).then(|| Sandbox {
        writable: vec![PathBuf::from(&directory)],
        guard: Some(Guard {
            root: PathBuf::from(&directory),
            places: vec![GuardedPlace {
                path: PathBuf::from("guarded"),
                anchor: PathBuf::new(),
                rule: GuardRule::Unchanged,
            }],
            ..Guard::default()
        }),
        ..Sandbox::default()
    });
    let space = order.sandbox.is_some() && supervisors().support().spaces;
    order.space = space.then(|| supervisors().make_space().unwrap());
    let run = supervisors()
        .start(order, borrow(&open("/".as_ref()).unwrap()))
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut shown = 0;
    runtime.block_on(async {
        loop {
            run.wait_for_output(shown).await;
            let section = run.section(shown, 4096);
            if forward(&section.bytes).is_err() {
                return ExitCode::FAILURE;
            }
            shown += section.bytes.len() as u64;
            if section.bytes.is_empty() {
                std::future::pending::<()>().await;
            }
        }
    })
}

/// Runs the command in the first line of standard input with pipes, and forwards its output.
pub(crate) fn serve_piped() -> ExitCode {
    let script = io::stdin().lock().lines().map_while(Result::ok).next();
    let order = order(&script.unwrap());
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_io().build().unwrap().block_on(async {
        let directory = open("/".as_ref()).unwrap();
        let started = supervisors().start_piped(order, borrow(&directory));
        let mut piped = started.unwrap();
        let mut chunk = [0; 4096];
        loop {
            let count = piped.stdout.read(&mut chunk).await.unwrap();
            if forward(&chunk[..count]).is_err() {
                return ExitCode::FAILURE;
            }
        }
    })
}

/// Fails once the test has ended, which may have been killed.
fn forward(output: &[u8]) -> io::Result<()> {
    io::stdout().write_all(output)?;
    io::stdout().flush()
}

fn borrow(fd: &std::os::fd::OwnedFd) -> std::os::fd::BorrowedFd<'_> {
    std::os::fd::AsFd::as_fd(fd)
}

/// Starts the process and waits until its command has printed `ready`.
pub(crate) fn start(command: &str, sandbox: Option<&str>) -> Child {
    launch(
        ARGUMENT,
        &format!("{command}\n{}\n", sandbox.unwrap_or_default()),
    )
}

/// The same with pipes to the command.
pub(crate) fn start_piped(command: &str) -> Child {
    launch(PIPED, &format!("{command}\n"))
}

fn launch(role: &str, input: &str) -> Child {
    let mut child = Command::new("/proc/self/exe")
        .arg(role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    // It stays open: without a reader the process would end by itself.
    let mut output = BufReader::new(child.stdout.as_mut().unwrap()).bytes();
    let mut said = Vec::new();
    while !said.ends_with(b"ready") {
        said.push(output.next().unwrap().unwrap());
    }
    child
}
