use scorel_client::ClientError;
use scorel_proto::{
    AgentTaskInfo, AgentTaskStatus, ErrorCode, GetRuntime, GetRuntimeParams, GetRuntimeResult,
    HostEvent, SpawnRuntimeResult,
};
use serde_json::value::RawValue;

use super::host_feed::HostFeed;
use super::progress::AgentTaskProgress;
use crate::cli::Cli;
use crate::commands::runtimes::last_message;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;

/// Follows a runtime to its end: tells what it does and what it asks, and prints its result.
pub(super) struct AgentTaskFollower<'a> {
    cli: Cli<'a>,
    spawned: SpawnRuntimeResult,
    progress: AgentTaskProgress,
}

impl<'a> AgentTaskFollower<'a> {
    pub(super) fn new(mut cli: Cli<'a>, spawned: SpawnRuntimeResult) -> Self {
        // A daemon that a person has stopped stays stopped. The service manager brings back one that died.
        cli.daemon.never_start();
        Self {
            cli,
            spawned,
            progress: AgentTaskProgress::default(),
        }
    }

    /// Runs until the runtime has ended. A failure on the way is [`Exit::WaitFailed`]: the task is given.
    pub(super) async fn run(&mut self, interrupts: &mut Interrupts) -> Result<Exit, Failure> {
        let ended = tokio::select! {
            biased;
            () = interrupts.next() => None,
            ended = self.wait() => Some(ended?),
        };
        match ended {
            Some(ended) => self.finish(&ended).await,
            None => self.detach(),
        }
    }

    /// The runtime after its end.
    async fn wait(&mut self) -> Result<GetRuntimeResult, Failure> {
        let mut feed = HostFeed::new(self.cli.daemon.link().clone());
        loop {
            if !feed.is_ready() {
                self.cli.output.flush()?;
            }
            let next = feed.next().await;
            let (text, event) = next.map_err(|error| self.lost(&error.to_string()))?;
            if let Some(ended) = self.event(&text, &event).await? {
                return Ok(ended);
            }
        }
    }

    async fn event(
        &mut self,
        text: &RawValue,
        event: &HostEvent,
    ) -> Result<Option<GetRuntimeResult>, Failure> {
        let id = self.spawned.runtime_id;
        match event {
            HostEvent::Snapshot { runtimes, .. } => {
                let open = runtimes.iter().find(|runtime| runtime.runtime_id == id);
                match open {
                    Some(runtime) => self.changed(runtime)?,
                    // It has ended, or the snapshot is older than the task.
                    None => return self.look().await,
                }
            }
            HostEvent::AgentTaskChanged { runtime, .. } if runtime.runtime_id == id => {
                if self.cli.output.json {
                    self.cli.output.raw_line(text.get())?;
                }
                if runtime.status.is_final() {
                    return self.look().await;
                }
                self.changed(runtime)?;
            }
            // The session of the task may be gone, or the one that gave it.
            HostEvent::SessionRemoved { .. } => return self.look().await,
            _ => {}
        }
        Ok(None)
    }

    /// Asks for the runtime. Returns it if it has ended.
    async fn look(&mut self) -> Result<Option<GetRuntimeResult>, Failure> {
        let params = GetRuntimeParams {
            runtime_id: self.spawned.runtime_id,
        };
        let answer = match self.cli.daemon.call::<GetRuntime>(&params).await {
            Ok(answer) => answer,
            Err(ClientError::Rpc(error)) if error.code == ErrorCode::AgentTaskNotFound => {
                return Err(self.lost("the session that gave it was deleted"));
            }
            Err(error) => return Err(self.lost(&error.to_string())),
        };
        if answer.runtime.status.is_final() {
            return Ok(Some(answer));
        }
        self.changed(&answer.runtime)?;
        Ok(None)
    }

    fn changed(&mut self, runtime: &AgentTaskInfo) -> Result<(), Failure> {
        let news = self.progress.news(runtime);
        if self.cli.output.err_is_terminal {
            for line in news {
                self.cli.note(&line)?;
            }
        }
        if let Some(demand) = self.progress.demand(runtime) {
            self.cli.note(&demand)?;
        }
        Ok(())
    }

    async fn finish(&mut self, ended: &GetRuntimeResult) -> Result<Exit, Failure> {
        if self.cli.output.json {
            self.cli.output.json(ended)?;
            return Ok(exit(ended.runtime.status));
        }
        let said = last_message(ended, &mut self.cli.daemon).await;
        let said = said.map_err(|failure| self.lost(&failure.to_string()))?;
        if let Some(said) = said
            && !said.trim().is_empty()
        {
            self.cli.output.line(said.trim_end())?;
        }
        let reason = ended.result.as_ref().map_or("", |result| &result.reason);
        match ended.runtime.status {
            AgentTaskStatus::Failed => self.cli.note(&format!("error: {reason}"))?,
            AgentTaskStatus::Interrupted => self.cli.note(&format!("interrupted: {reason}"))?,
            _ => {}
        }
        Ok(exit(ended.runtime.status))
    }

    fn detach(&mut self) -> Result<Exit, Failure> {
        let id = self.spawned.runtime_id;
        self.cli.note(&format!(
            "detached; the agent goes on: `scorelctl runtimes show {id}` shows it, \
             `scorelctl runtimes stop {id}` stops it"
        ))?;
        Ok(Exit::WaitFailed)
    }

    fn lost(&self, why: &str) -> Failure {
        let message = format!("the task was given, but its outcome is unknown: {why}");
        let hint = format!(
            "`scorelctl runtimes show {}` shows it",
            self.spawned.runtime_id
        );
        Failure::new(Exit::WaitFailed, "wait_failed", message).hint(hint)
    }
}

/// The exit code of the last turn of a runtime that has ended like this.
const fn exit(status: AgentTaskStatus) -> Exit {
    match status {
        AgentTaskStatus::Completed => Exit::Success,
        AgentTaskStatus::Interrupted => Exit::TurnCancelled,
        AgentTaskStatus::Failed
        | AgentTaskStatus::Queued
        | AgentTaskStatus::Running
        | AgentTaskStatus::WaitingInput => Exit::TurnFailed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_that_of_a_turn() {
        for (status, code) in [
            (AgentTaskStatus::Completed, 0),
            (AgentTaskStatus::Failed, 5),
            (AgentTaskStatus::Interrupted, 6),
        ] {
            assert_eq!(exit(status).code(), code, "{status}");
        }
    }
}
