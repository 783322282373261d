//! What runners leave to the daemon: files and terminals, as the session's own tools would do it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::{
    Effect, Gatekeeper, Permit, RunnerServices, ServiceReply, ServiceRequest, Verdict,
    spawn_blocking,
};
use scorel_tools::{Commands, PlannedCommand, SessionFiles, Terminal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Terminals of a turn at a time.
const MAX_TERMINALS: usize = 16;

/// The most of a terminal's output that is given at a time, in bytes: the end of an output that is in memory
/// without a gap.
const MAX_OUTPUT: usize = 256 * 1024;

/// Serves the runner of one turn.
#[derive(Debug, Clone)]
pub(crate) struct ProjectServices {
    files: Arc<SessionFiles>,
    commands: Option<Arc<Commands>>,
    /// Judges as it does the session's own tools, since these do the work.
    gate: Arc<dyn Gatekeeper>,
    terminals: Arc<Mutex<Terminals>>,
    /// One for each terminal that may be open.
    places: Arc<Semaphore>,
    /// Cancelled when the turn ends, so that no file is written after it.
    ended: CancellationToken,
}

#[derive(Debug, Default)]
struct Terminals {
    last: u64,
    open: HashMap<String, OpenTerminal>,
}

#[derive(Debug, Clone)]
struct OpenTerminal {
    terminal: Terminal,
    output_bytes: usize,
    _place: Arc<OwnedSemaphorePermit>,
}

impl ProjectServices {
    pub(crate) fn new(
        files: Arc<SessionFiles>,
        commands: Option<Arc<Commands>>,
        gate: Arc<dyn Gatekeeper>,
    ) -> Self {
        Self {
            files,
            commands,
            gate,
            terminals: Arc::default(),
            places: Arc::new(Semaphore::new(MAX_TERMINALS)),
            ended: CancellationToken::new(),
        }
    }

    async fn done(
        self,
        request: ServiceRequest,
        is_allowed: bool,
    ) -> Result<ServiceReply, ServiceError> {
        match request {
            ServiceRequest::ReadFile { path, line, limit } => {
                let path = text_of(path)?;
                let (files, named) = (Arc::clone(&self.files), path.clone());
                let effect = spawn_blocking(move || files.reading(&named)).await?;
                let permit = self.permit(effect, is_allowed).await?;
                let read = move || self.files.read_text(&path, &permit);
                let text = spawn_blocking(read).await??;
                Ok(ServiceReply::Text(lines(text, line, limit)))
            }
            ServiceRequest::WriteFile { path, content } => {
                let path = text_of(path)?;
                let (files, named) = (Arc::clone(&self.files), path.clone());
                let effect = spawn_blocking(move || files.changing(&named)).await?;
                let permit = self.permit(effect, is_allowed).await?;
                let cancel = self.ended.clone();
                let write = move || self.files.replace_text(&path, &content, (&permit, cancel));
                spawn_blocking(write).await??;
                Ok(ServiceReply::Done)
            }
            ServiceRequest::StartTerminal {
                command,
                directory,
                output_bytes,
            } => {
                let output_bytes = output_bytes.unwrap_or(MAX_OUTPUT).min(MAX_OUTPUT);
                self.start(command, directory, output_bytes, is_allowed)
                    .await
            }
            ServiceRequest::TerminalOutput { terminal } => {
                let open = self.terminal(&terminal)?;
                // Before the output: of a command that has ended, that is all there will be.
                let exit = open.terminal.exit();
                let (text, truncated) = open.terminal.output(open.output_bytes);
                Ok(ServiceReply::Output {
                    text,
                    truncated,
                    exit,
                })
            }
            ServiceRequest::WaitForTerminal { terminal } => {
                let open = self.terminal(&terminal)?;
                Ok(ServiceReply::Exited(open.terminal.wait().await))
            }
            ServiceRequest::StopTerminal { terminal } => {
                self.terminal(&terminal)?.terminal.stop();
                Ok(ServiceReply::Done)
            }
            ServiceRequest::ReleaseTerminal { terminal } => {
                let released = self.terminals().open.remove(&terminal);
                released.ok_or_else(|| unknown(&terminal))?.terminal.stop();
                Ok(ServiceReply::Done)
            }
        }
    }

    async fn start(
        self,
        command: String,
        directory: Option<PathBuf>,
        output_bytes: usize,
        is_allowed: bool,
    ) -> Result<ServiceReply, ServiceError> {
        let Some(commands) = self.commands.clone() else {
            return Err(ServiceError("the session runs no commands".to_owned()));
        };
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place
            .map_err(|_| ServiceError(format!("{MAX_TERMINALS} terminals are open already")))?;
        let directory = directory.map(text_of).transpose()?;
        let (files, line) = (Arc::clone(&self.files), command.clone());
        let plan = move || PlannedCommand::new(&files, &line, directory.as_deref(), None);
        let planned = spawn_blocking(plan).await??;
        let permit = self.permit(planned.effect(), is_allowed).await?;
        let files = Arc::clone(&self.files);
        let start = move || commands.start_terminal(&files, planned, &permit);
        let terminal = spawn_blocking(start).await??;
        let mut terminals = self.terminals();
        terminals.last += 1;
        let id = format!("term_{}", terminals.last);
        let open = OpenTerminal {
            terminal,
            output_bytes,
            _place: Arc::new(place),
        };
        terminals.open.insert(id.clone(), open);
        Ok(ServiceReply::Started(id))
    }

    /// The permit for an effect. No client is asked here: the agent asks before, in the way that its
    /// protocol has for it.
    async fn permit(&self, effect: Effect, is_allowed: bool) -> Result<Permit, ServiceError> {
        match self.gate.judge(&[effect], None).await {
            Verdict::Allow(permit) => Ok(permit),
            Verdict::Ask { permit, .. } if is_allowed => Ok(permit),
            Verdict::Ask { question, .. } => Err(ServiceError(format!(
                "{}: request permission for it first",
                question.reason
            ))),
            Verdict::Refuse(reason) => Err(ServiceError(reason)),
        }
    }

    fn terminal(&self, id: &str) -> Result<OpenTerminal, ServiceError> {
        let open = self.terminals().open.get(id).cloned();
        open.ok_or_else(|| unknown(id))
    }

    fn terminals(&self) -> MutexGuard<'_, Terminals> {
        self.terminals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunnerServices for ProjectServices {
    fn serve(
        &self,
        request: ServiceRequest,
        is_allowed: bool,
    ) -> BoxFuture<'static, Result<ServiceReply, String>> {
        let done = self.clone().done(request, is_allowed);
        done.map(|reply| reply.map_err(|ServiceError(text)| text))
            .boxed()
    }

    fn end(&self) {
        self.ended.cancel();
        self.terminals().open.clear();
    }
}

/// The reason why a request is not served, for the runner's model.
struct ServiceError(String);

impl<E: std::error::Error> From<E> for ServiceError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

fn unknown(terminal: &str) -> ServiceError {
    ServiceError(format!("there is no terminal {terminal}"))
}

fn text_of(path: PathBuf) -> Result<String, ServiceError> {
    let not_text = |path: std::ffi::OsString| {
        ServiceError(format!("{} is not UTF-8", Path::new(&path).display()))
    };
    path.into_os_string().into_string().map_err(not_text)
}

/// Lines of a text with their ends, from `line` on, which counts from 1.
fn lines(text: String, line: Option<usize>, limit: Option<usize>) -> String {
    if line.is_none() && limit.is_none() {
        return text;
    }
    let skipped = line.unwrap_or(1).saturating_sub(1);
    let wanted = text.split_inclusive('\n').skip(skipped);
    wanted.take(limit.unwrap_or(usize::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_count_from_one() {
        let text = || "a\nb\nc".to_owned();
        assert_eq!(lines(text(), None, None), "a\nb\nc");
        assert_eq!(lines(text(), Some(2), Some(1)), "b\n");
        assert_eq!(lines(text(), Some(3), None), "c");
        assert_eq!(lines(text(), Some(9), Some(9)), "");
    }
}
