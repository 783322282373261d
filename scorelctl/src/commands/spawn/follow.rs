use scorel_client::ClientError;
use scorel_proto::{
    AgentTaskInfo, AgentTaskStatus, ErrorCode, GetRuntime, GetRuntimeParams, GetRuntimeResult,
    HostEvent, SpawnRuntimeResult,
};
use serde_json::value::RawValue;

use super::host_feed::HostFeed;
use super::progress::AgentTaskProgress;
use crate::commands::runtimes::last_message;
use crate::daemon::{DaemonClient, StartDaemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;

/// Follows a runtime to its end: tells what it does and what it asks, and prints its result.
pub(super) struct AgentTaskFollower<'a> {
    control: DaemonClient,
    spawned: SpawnRuntimeResult,
    progress: AgentTaskProgress,
    output: &'a mut Output,
}

impl<'a> AgentTaskFollower<'a> {
    pub(super) fn new(
        mut control: DaemonClient,
        spawned: SpawnRuntimeResult,
        output: &'a mut Output,
    ) -> Self {
        // A daemon that a person has stopped stays stopped. The service manager brings back one that died.
        control.never_start();
        Self {
            control,
            spawned,
            progress: AgentTaskProgress::default(),
            output,
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
        let mut link = self.control.link().clone();
        link.start = StartDaemon::Never;
        let mut feed = HostFeed::new(link);
        loop {
            if !feed.is_ready() {
                self.output.flush()?;
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
                if self.output.json {
                    self.output.raw_line(text.get())?;
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
        let answer = match self.control.call::<GetRuntime>(&params).await {
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
        if self.output.err_is_terminal {
            for line in news {
                self.output.note(&line)?;
            }
        }
        if let Some(demand) = self.progress.demand(runtime) {
            self.output.note(&demand)?;
        }
        Ok(())
    }

    async fn finish(&mut self, ended: &GetRuntimeResult) -> Result<Exit, Failure> {
        if self.output.json {
            self.output.json(ended)?;
            return Ok(exit(ended.runtime.status));
        }
        let said = last_message(ended, &mut self.control).await;
        let said = said.map_err(|failure| self.lost(&failure.to_string()))?;
        if let Some(said) = said
            && !said.trim().is_empty()
        {
            self.output.line(said.trim_end())?;
        }
        let reason = ended.result.as_ref().map_or("", |result| &result.reason);
        match ended.runtime.status {
            AgentTaskStatus::Failed => self.output.note(&format!("error: {reason}"))?,
            AgentTaskStatus::Interrupted => self.output.note(&format!("interrupted: {reason}"))?,
            _ => {}
        }
        Ok(exit(ended.runtime.status))
    }

    fn detach(&mut self) -> Result<Exit, Failure> {
        let id = self.spawned.runtime_id;
        self.output.note(&format!(
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
