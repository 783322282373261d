use std::fmt;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use scorel_engine::spawn_blocking;
use scorel_exec::{
    CommandLine, CommandOrder, EndCause, Environment, PipedRun, RunEnd, Sandbox, ShellExit,
    Supervisors, Umask,
};
use scorel_process::{Secrets, StderrLog};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

use super::claude::{HookEffect, answer, last_line};
use super::{ContextPoint, HookEntry, HookFailure, HookFigures};

/// The longest answer, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// The means by which the hooks of a place are run: all but the command.
#[derive(Debug)]
pub struct HookProgram {
    pub supervisors: Arc<Supervisors>,
    /// The directory that they start in; `None` if it cannot be opened.
    pub directory: Option<File>,
    pub environment: Environment,
    /// `None` runs them with all rights of the user.
    pub sandbox: Option<Sandbox>,
    pub umask: Option<Umask>,
    /// Asked before each run; `None` for hooks of the user's own.
    pub admission: Option<Arc<dyn HookAdmission>>,
}

/// Trust in a hook that a project brings.
pub trait HookAdmission: fmt::Debug + Send + Sync {
    /// Returns whether the hook is as it was trusted. Looks at its files; blocks.
    ///
    /// # Errors
    /// The reason why it is inert.
    fn admit(&self) -> Result<(), String>;
}

impl HookProgram {
    /// Runs a hook with this input and returns the meaning of its answer. Dropping the future ends the command with
    /// all that it has started.
    ///
    /// # Errors
    /// It has no answer. The figures count that.
    pub async fn run(
        &self,
        entry: &HookEntry,
        point: Option<ContextPoint>,
        input: &Value,
        limit: Duration,
        figures: &HookFigures,
    ) -> Result<HookEffect, HookFailure> {
        let began = Instant::now();
        figures.begins(input);
        let found = self.answer(entry, point, input, limit, figures).await;
        figures.ran(began.elapsed());
        found.inspect_err(|failure| figures.failed(failure))
    }

    async fn answer(
        &self,
        entry: &HookEntry,
        point: Option<ContextPoint>,
        input: &Value,
        limit: Duration,
        figures: &HookFigures,
    ) -> Result<HookEffect, HookFailure> {
        self.check().await?;
        let order = self.order(entry, limit);
        let no_directory = || HookFailure::Start("its directory is gone".to_owned());
        let directory = self.directory.as_ref().ok_or_else(no_directory)?;
        let started = self
            .supervisors
            .start_piped(order, directory.as_fd())
            .map_err(|error| HookFailure::Start(error.to_string()))?;
        let Ended {
            end,
            stdout,
            stderr,
        } = finish(entry, started, &input.to_string()).await?;
        figures.ended(|run| {
            run.exit = end.exit;
            run.stdout = String::from_utf8_lossy(&stdout).into_owned();
            run.stderr.clone_from(&stderr);
        });
        match (&end.cause, end.exit) {
            (EndCause::TimedOut, _) => Err(HookFailure::TimedOut(entry.timeout.as_secs())),
            (EndCause::NotStarted(reason), _) => Err(HookFailure::Start(reason.clone())),
            (EndCause::Exited, Some(ShellExit::Code(code))) => {
                Ok(answer(entry.event, point, code, &stdout, &stderr)?)
            }
            (EndCause::Exited, Some(ShellExit::Signal(signal))) => Err(HookFailure::Signal {
                signal,
                line: last_line(&stderr),
            }),
            (EndCause::Exited | EndCause::Stopped | EndCause::SupervisorLost, _) => {
                Err(HookFailure::Stopped)
            }
        }
    }

    /// The agent may have changed what the hook runs since its turn began.
    async fn check(&self) -> Result<(), HookFailure> {
        let Some(admission) = self.admission.clone() else {
            return Ok(());
        };
        let checked = spawn_blocking(move || admission.admit()).await;
        let checked = checked.map_err(|error| HookFailure::Start(error.to_string()))?;
        checked.map_err(HookFailure::Inert)
    }

    fn order(&self, entry: &HookEntry, limit: Duration) -> CommandOrder {
        let mut argv = entry.command.argv().into_iter();
        CommandOrder {
            command: CommandLine::Program {
                program: PathBuf::from(argv.next().unwrap_or_default()),
                arguments: argv.collect(),
            },
            environment: self.environment.clone(),
            sandbox: self.sandbox.clone(),
            space: None,
            resources: None,
            timeout: Some(limit),
            umask: self.umask,
            spool_dir: None,
        }
    }
}

/// A command that has ended, with its output.
struct Ended {
    end: RunEnd,
    stdout: Vec<u8>,
    stderr: String,
}

async fn finish(entry: &HookEntry, process: PipedRun, input: &str) -> Result<Ended, HookFailure> {
    let (mut stdin, run) = (process.stdin, process.run);
    let errors = StderrLog::default();
    let write = async move {
        // A command need not read its input.
        let _unread = stdin.write_all(input.as_bytes()).await;
        Ok(())
    };
    let log = async {
        let (name, secrets) = (entry.name.as_str(), Secrets::default());
        errors.read(name, process.stderr, secrets).await;
        Ok(())
    };
    let too_long = HookFailure::TooLong(MAX_ANSWER);
    let (end, (), stdout, ()) = tokio::try_join!(
        async { Ok(run.wait().await) },
        write,
        async { whole(process.stdout).await.ok_or(too_long) },
        log,
    )?;
    Ok(Ended {
        end,
        stdout,
        stderr: errors.text(),
    })
}

/// The whole stream; `None` if it is too long.
async fn whole(stream: impl AsyncRead + Unpin) -> Option<Vec<u8>> {
    let mut kept = Vec::new();
    let mut bounded = stream.take(MAX_ANSWER as u64 + 1);
    // What was written before an error counts.
    let _read = bounded.read_to_end(&mut kept).await;
    (kept.len() <= MAX_ANSWER).then_some(kept)
}
