//! Git under a supervisor, in the sandbox of commands.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use scorel_config::ConfigSource;
use scorel_exec::{CommandLine, CommandOrder, EndCause, PipedRun, RunEnd, ShellExit, Supervisors};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::WorktreeError;
use super::git::{GitOrder, GitOutput, GitProgram, MAX_OUTPUT, TIME_LIMIT, program};
use crate::commands::CommandHost;

/// Git under a supervisor, which ends it with all that it has started; in the sandbox of commands where
/// the kernel has one.
#[derive(Debug)]
pub struct SupervisedGit {
    supervisors: Arc<Supervisors>,
    commands: Arc<CommandHost>,
    config: Arc<ConfigSource>,
}

impl SupervisedGit {
    pub fn new(
        supervisors: Arc<Supervisors>,
        commands: Arc<CommandHost>,
        config: Arc<ConfigSource>,
    ) -> Self {
        Self {
            supervisors,
            commands,
            config,
        }
    }

    fn order(&self, order: &GitOrder) -> Result<CommandOrder, WorktreeError> {
        let config = self.config.current(Some(&order.project));
        let base = self.commands.runner_environment(&config, &order.project);
        let environment = order.environment(&base);
        let sandbox = self.commands.git_sandbox(
            &config,
            &order.project,
            order.worktree.as_deref(),
            order.changes.as_deref(),
        );
        Ok(CommandOrder {
            command: CommandLine::Program {
                program: program(&environment)?,
                arguments: order.arguments.clone(),
            },
            environment,
            sandbox,
            space: None,
            resources: None,
            timeout: Some(TIME_LIMIT),
            umask: Some(self.commands.umask_now(&config, &order.project)),
            spool_dir: None,
        })
    }
}

impl GitProgram for SupervisedGit {
    fn is_confined(&self) -> bool {
        self.commands.has_sandbox()
    }

    fn run(&self, order: &GitOrder) -> Result<GitOutput, WorktreeError> {
        let directory = File::open(&order.directory);
        let directory = directory.map_err(WorktreeError::io(&order.directory))?;
        let command = self.order(order)?;
        let not_started = |error: &dyn ToString| WorktreeError::NotStarted(error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| not_started(&error))?;
        runtime.block_on(async {
            let started = self.supervisors.start_piped(command, directory.as_fd());
            let (end, stdout, stderr) = finish(started.map_err(|error| not_started(&error))?).await;
            output(order, &end, stdout, stderr)
        })
    }
}

/// Waits for the end of the process and of both its output streams.
async fn finish(process: PipedRun) -> (RunEnd, String, String) {
    let PipedRun {
        run,
        stdin,
        stdout,
        stderr,
    } = process;
    drop(stdin);
    tokio::join!(run.wait(), read(stdout), read(stderr))
}

/// The beginning of a stream; the rest is read and dropped, or git would wait.
async fn read(mut stream: impl AsyncRead + Unpin) -> String {
    let mut kept = Vec::new();
    let limit = MAX_OUTPUT as u64;
    let read: io::Result<usize> = (&mut stream).take(limit).read_to_end(&mut kept).await;
    if read.is_ok() {
        let _dropped = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn output(
    order: &GitOrder,
    end: &RunEnd,
    stdout: String,
    stderr: String,
) -> Result<GitOutput, WorktreeError> {
    match &end.cause {
        EndCause::Exited => {}
        EndCause::TimedOut => {
            return Err(WorktreeError::TimedOut {
                command: order.name(),
                seconds: TIME_LIMIT.as_secs(),
            });
        }
        EndCause::NotStarted(reason) => return Err(WorktreeError::NotStarted(reason.clone())),
        EndCause::Stopped | EndCause::SupervisorLost => {
            return Err(WorktreeError::NotStarted("it was stopped".to_owned()));
        }
    }
    let code = match end.exit {
        Some(ShellExit::Code(code)) => Some(code),
        _ => None,
    };
    Ok(GitOutput {
        code,
        stdout,
        stderr,
    })
}
