//! Git without a supervisor, where there is none.

use std::env;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use scorel_exec::Environment;

use super::error::WorktreeError;
use super::git::{GitOrder, GitOutput, GitProgram, MAX_OUTPUT, TIME_LIMIT, program};

/// How often it is looked at whether git has ended.
const INTERVAL: Duration = Duration::from_millis(5);

/// Git without a supervisor and without a sandbox: supervisors exist on Linux only.
#[derive(Debug)]
pub(crate) struct PlainGit;

impl GitProgram for PlainGit {
    fn is_confined(&self) -> bool {
        false
    }

    fn run(&self, order: &GitOrder) -> Result<GitOutput, WorktreeError> {
        let environment = order.environment(&Environment::scrubbed(env::vars_os(), &[]));
        let mut child = Command::new(program(&environment)?)
            .args(&order.arguments)
            .current_dir(&order.directory)
            .env_clear()
            .envs(environment.iter())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| WorktreeError::NotStarted(error.to_string()))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            let stdout = scope.spawn(|| read(stdout));
            let stderr = scope.spawn(|| read(stderr));
            let code = wait(&mut child, order)?;
            Ok(GitOutput {
                code,
                stdout: stdout.join().unwrap_or_default(),
                stderr: stderr.join().unwrap_or_default(),
            })
        })
    }
}

fn wait(child: &mut Child, order: &GitOrder) -> Result<Option<i32>, WorktreeError> {
    let failed = |error: io::Error| WorktreeError::NotStarted(error.to_string());
    let deadline = Instant::now() + TIME_LIMIT;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status.code());
        }
        if Instant::now() > deadline {
            // It may have ended by itself.
            let _ended = child.kill();
            child.wait().map_err(failed)?;
            return Err(WorktreeError::TimedOut {
                command: order.name(),
                seconds: TIME_LIMIT.as_secs(),
            });
        }
        thread::sleep(INTERVAL);
    }
}

/// The beginning of a stream; the rest is read and dropped, or git would wait.
fn read(stream: Option<impl Read>) -> String {
    let mut kept = Vec::new();
    if let Some(mut stream) = stream {
        let read = (&mut stream).take(MAX_OUTPUT as u64).read_to_end(&mut kept);
        if read.is_ok() {
            let _dropped = io::copy(&mut stream, &mut io::sink());
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}
