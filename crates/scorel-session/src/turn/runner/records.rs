//! The records of a run: `runner_start`, `runner_context`, `runner_exit`; and its log, which is shown.

use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;
use scorel_engine::{RunnerExit, RunnerFact, RunnerInput, RunnerStart};
use scorel_proto::{
    Block, Message, NoticeBody, PersistentBody, RunnerContext, RunnerContextBody,
    RunnerContextOrigin, RunnerExitBody, RunnerHandover, RunnerLog, RunnerLogBlob, RunnerLogTail,
    RunnerStartBody, SignalName, TransientBody,
};

use super::handover::{HandoverText, handover};
use super::plan::PlanRecord;
use super::prompt;
use super::reopened::EarlierDecision;
use super::watched::WatchedFiles;
use crate::runner_pool::{LinkKey, PooledLink};
use crate::turn::task::TurnTask;
use crate::{PreparedRunner, SessionError, blocking};

/// What a run has recorded so far, and what its next records need.
pub(super) struct RunRecords {
    task: TurnTask,
    runner: String,
    handover_bytes: usize,
    /// The time for which its process is kept after the turn.
    keep: Duration,
    /// The runner's id of its context, once it is known.
    pub(super) context: Option<String>,
    /// The directory and the beginning of the process that runs.
    run: Option<OpenProcess>,
    /// What the context lacks, for the prompt.
    handover: Option<HandoverText>,
    log: RunnerLogTail,
    pub(super) plan: PlanRecord,
}

struct OpenProcess {
    directory: String,
    started_at: u64,
    files: WatchedFiles,
}

impl RunRecords {
    pub(super) fn new(task: TurnTask, runner: String, prepared: &PreparedRunner) -> Self {
        Self {
            plan: PlanRecord::new(task.clone()),
            task,
            runner,
            handover_bytes: prepared.handover_bytes,
            keep: prepared.keep,
            context: None,
            run: None,
            handover: None,
            log: RunnerLogTail::default(),
        }
    }

    /// The context that holds the conversation so far, if the runner has one.
    pub(super) fn resumable(&self, directory: &Path) -> Option<String> {
        let directory = directory.to_string_lossy();
        self.task.lane.view(|view| {
            let context = view.resumable_context(&self.runner, &directory);
            context.map(|context| context.context_id.clone())
        })
    }

    /// The context that the session's records bind to the runner.
    fn bound(&self) -> Option<RunnerContext> {
        let lane = &self.task.lane;
        lane.view(|view| view.state.runners.of(&self.runner).cloned())
    }

    /// Writes or shows a fact of the run.
    pub(super) async fn take(&mut self, fact: RunnerFact) -> Result<(), SessionError> {
        match fact {
            RunnerFact::Started(start) => self.started(*start).await,
            RunnerFact::Context { id } => self.named(id).await,
            RunnerFact::ContextLost { reason } => self.lost(reason).await,
            RunnerFact::Log { stream, text } => {
                let log = RunnerLog { stream, text };
                self.log.push(&log, self.task.lane.now_ms());
                let turn_id = self.task.turn_id;
                let shown = TransientBody::RunnerLog(log);
                self.task.lane.show(turn_id, shown).await
            }
            RunnerFact::Plan { entries } => self.plan.set(entries).await,
            RunnerFact::Exited { exit } => self.exited(exit).await,
        }
    }

    /// The handover is found and kept before the record that names it, and the prompt goes out after.
    async fn started(&mut self, start: RunnerStart) -> Result<(), SessionError> {
        let directory = start.directory.to_string_lossy().into_owned();
        self.handover = self.missing(start.resumed).await?;
        let told = match &self.handover {
            Some(told) => Some(self.store(told).await?),
            None => None,
        };
        let context = match start.resumed {
            true => RunnerContextOrigin::Resumed,
            false => RunnerContextOrigin::New,
        };
        self.context = start.context_id.clone().or_else(|| {
            let bound = self.bound().filter(|_| start.resumed);
            bound.map(|bound| bound.context_id)
        });
        let mut run = OpenProcess {
            directory: directory.clone(),
            started_at: self.task.lane.now_ms(),
            files: WatchedFiles::begin(&self.task.lane).await?,
        };
        self.task
            .commit_and_announce(PersistentBody::RunnerStart(RunnerStartBody {
                runner: self.runner.clone(),
                trace_id: self.task.turn_id,
                command: start.command,
                cwd: directory,
                version: start.version,
                context,
                context_id: self.context.clone(),
                handover: told,
            }))
            .await?;
        run.files.start().await?;
        self.run = Some(run);
        Ok(())
    }

    /// What a context lacks of the conversation. A message of this turn is its prompt, until the runner has
    /// answered it.
    async fn missing(&self, resumed: bool) -> Result<Option<HandoverText>, SessionError> {
        let (lane, turn_id) = (&self.task.lane, self.task.turn_id);
        let (seen, answered) = lane.view(|view| {
            let bound = view.state.runners.of(&self.runner).filter(|_| resumed);
            let steps = view.state.turn.as_ref().map_or(0, |turn| turn.steps);
            (bound.and_then(|bound| bound.through_event_id), steps > 0)
        });
        let window = lane.read_window(Clone::clone).await?;
        let (blobs, limit) = (lane.blobs().clone(), self.handover_bytes);
        let turn = (!answered).then_some(turn_id);
        blocking(move || handover(&window, seen, turn, (limit, &blobs))).await
    }

    async fn store(&self, told: &HandoverText) -> Result<RunnerHandover, SessionError> {
        let blob = self.task.lane.put_text(told.text.clone()).await?;
        Ok(RunnerHandover {
            from_event_id: told.from,
            through_event_id: told.through,
            bytes: told.text.len() as u64,
            blob,
        })
    }

    /// What the runner is sent: what its context lacks, then the messages of the turn.
    pub(super) async fn prompt(
        &mut self,
        decided: Option<&EarlierDecision>,
    ) -> Result<Vec<RunnerInput>, SessionError> {
        let mut input = Vec::new();
        if let Some(told) = self.handover.take() {
            input.push(RunnerInput::Text(told.text));
        }
        if let Some(decided) = decided {
            input.push(RunnerInput::Text(decided.told(&self.runner)));
            return Ok(input);
        }
        let lane = &self.task.lane;
        let turn_id = self.task.turn_id;
        let content = lane
            .read_window(|window| {
                let of_turn = window
                    .items()
                    .filter(|(item, _)| item.turn_id == Some(turn_id));
                let content = of_turn.flat_map(|(_, message)| said(message).iter().cloned());
                content.collect::<Vec<Block>>()
            })
            .await?;
        input.extend(prompt::input(&content, lane.blobs()).await?);
        Ok(input)
    }

    async fn named(&mut self, id: String) -> Result<(), SessionError> {
        if self.context.as_ref() == Some(&id) {
            return Ok(());
        }
        self.context = Some(id.clone());
        self.record_context(Some(id), None).await
    }

    async fn lost(&mut self, reason: String) -> Result<(), SessionError> {
        self.context = None;
        let runner = &self.runner;
        let notice = NoticeBody {
            code: format!("runner_context_lost.{}", self.task.turn_id),
            text: format!(
                "{runner} has lost its context of this session ({reason}). It gets the conversation as text."
            ),
        };
        self.record_context(None, Some(reason)).await?;
        let turn_id = self.task.turn_id;
        let told = self.task.lane.persist(move |section| {
            section.tell(turn_id, &notice)?;
            section.announce();
            Ok(())
        });
        told.await
    }

    async fn record_context(
        &self,
        context_id: Option<String>,
        reason: Option<String>,
    ) -> Result<(), SessionError> {
        let directory = self.run.as_ref().map(|run| run.directory.clone());
        let directory = directory.or_else(|| Some(self.bound()?.cwd));
        self.task
            .commit_and_announce(PersistentBody::RunnerContext(RunnerContextBody {
                runner: self.runner.clone(),
                context_id,
                cwd: directory.unwrap_or_default(),
                reason,
            }))
            .await
    }

    async fn exited(&mut self, exit: Option<RunnerExit>) -> Result<(), SessionError> {
        let Some(run) = self.run.take() else {
            return Ok(());
        };
        let kept = exit.is_none() && !self.keep.is_zero() && self.context.is_some();
        let exit = exit.unwrap_or_default();
        for problem in &exit.problems {
            tracing::warn!(runner = self.runner, problem, "a runner did not end well");
        }
        let log = self.stored_log().await?;
        let now = self.task.lane.now_ms();
        let recorded = run.files.end().await?;
        let body = RunnerExitBody {
            trace_id: self.task.turn_id,
            code: exit.code,
            signal: exit.signal.map(signal_name),
            kept,
            duration_ms: now.saturating_sub(run.started_at),
            log,
            files: Vec::new(),
            unwatched: None,
        };
        self.task
            .commit_and_announce(PersistentBody::RunnerExit(body.recording(recorded)))
            .await
    }

    async fn stored_log(&mut self) -> Result<Option<RunnerLogBlob>, SessionError> {
        let tail = std::mem::take(&mut self.log);
        let text = tail.text();
        if text.is_empty() {
            return Ok(None);
        }
        let bytes = text.len() as u64;
        let blob = self.task.lane.put_text(text).await?;
        Ok(Some(RunnerLogBlob {
            blob,
            bytes,
            dropped_bytes: tail.dropped_bytes,
            parts: tail.parts(),
        }))
    }

    /// Keeps the process for the next turn. One without a context id is ended: a later turn could not
    /// tell which context it is in.
    pub(super) fn keep(&self, link: PooledLink, prepared: &PreparedRunner) {
        let Some(context) = self.context.clone() else {
            return;
        };
        let lane = &self.task.lane;
        let key = LinkKey {
            runner: self.runner.clone(),
            context,
            settings_hash: prepared.settings_hash,
        };
        lane.runners()
            .keep(lane.tasks(), lane.id(), key, link, prepared.keep);
    }
}

/// What the user, or the program on their behalf, says in a message.
fn said(message: &Message) -> &[Block] {
    match message {
        Message::User(message) => &message.content,
        Message::Internal(message) => &message.content,
        Message::Assistant(_) | Message::ToolResult(_) => &[],
    }
}

/// The name that this system has for a signal.
fn signal_name(number: i32) -> SignalName {
    let known = Signal::try_from(number);
    known.map_or_else(|_| number.into(), |signal| signal.as_str().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_has_the_name_of_this_system() {
        for signal in Signal::iterator() {
            assert_eq!(signal_name(signal as i32).to_string(), signal.as_str());
        }
        assert_eq!(signal_name(34).to_string(), "SIG34");
    }
}
