//! Pulls a runner through a turn, one step at a time, as `drive` does the engine.
//!
//! In: a runner that the host has prepared, and what the session knows of its contexts. Out: the records
//! that only turns of runners have (`runner_start`, `runner_context`, `runner_exit`), and everything else
//! through the same bridge and the same questions as in a turn of the engine. A process that stays goes
//! to the pool.

mod handover;
mod link_choice;
mod plan;
mod prompt;
mod records;
mod reopened;
mod watched;

use std::sync::Arc;

use futures_util::future::{Either, select};
use scorel_engine::{PendingCall, Question, RunnerDriver, RunnerStep, TurnEnd, TurnStep};
use scorel_proto::{MessageRunner, NoticeBody, RunnerErrorKind};

use self::records::RunRecords;
use self::reopened::EarlierDecision;
use super::ask::{PermissionAnswer, permission, remember};
use super::bridge::TurnBridge;
use super::exit::TurnExit;
use super::task::TurnTask;
use crate::hook_points::{HookPoints, Passage};
use crate::runner_pool::{MAX_PROCESSES, PooledLink, ProcessPermit};
use crate::{PreparedRunner, SessionError};

/// One turn of a runner while it runs.
struct RunnerTurn {
    task: TurnTask,
    prepared: PreparedRunner,
    bridge: TurnBridge,
    records: RunRecords,
    /// A decision about a call of a process that is gone, for the call that takes its place.
    decided: Option<EarlierDecision>,
    starts: u32,
    is_prompted: bool,
    place: ProcessPermit,
}

/// A killed process may leave a lock that makes a start slow, and the next one does not find it.
const MAX_STARTS: u32 = 2;

impl TurnTask {
    /// Runs the turn to its end. A step is durable or published before the next one is asked for. It is
    /// announced once it has a place.
    pub(super) async fn drive_runner(
        &self,
        prepared: PreparedRunner,
        notices: Vec<NoticeBody>,
    ) -> Result<TurnExit, SessionError> {
        let decided = match self.reopen(&prepared).await? {
            Ok(decided) => decided,
            Err(exit) => return Ok(exit),
        };
        let place = tokio::select! {
            biased;
            exit = self.left() => return Ok(exit),
            place = self.place() => place,
        };
        self.announce(notices).await?;
        // The prompt of a turn that goes on with a decision was shown to them by another daemon.
        if decided.is_none() {
            let chain = &prepared.ports.hooks;
            let hooks = HookPoints::new(&self.lane, chain, &self.stop, Some(self.turn_id));
            if let Passage::Ends(error) = hooks.before_prompt().await? {
                return Ok(self.ended_by_hook(error).into());
            }
        }
        let name = prepared.ports.runner.name().to_owned();
        let author = MessageRunner {
            name: name.clone(),
            context_id: None,
        };
        let turn = RunnerTurn {
            task: self.clone(),
            bridge: TurnBridge::new(self.clone(), Some(author)),
            records: RunRecords::new(self.clone(), name, &prepared),
            prepared,
            decided,
            starts: 0,
            is_prompted: false,
            place,
        };
        turn.run().await
    }
}

impl TurnTask {
    /// A place for the runner's process; the session says that it waits for one.
    async fn place(&self) -> ProcessPermit {
        let runners = self.lane.runners();
        if let Some(place) = runners.free_place() {
            return place;
        }
        let reason = format!(
            "{MAX_PROCESSES} processes of runners run already; the turn waits for one of them"
        );
        let wait = self.lane.publish_wait(reason).await;
        let place = runners.admit().await;
        wait.end().await;
        place
    }
}

impl RunnerTurn {
    async fn run(mut self) -> Result<TurnExit, SessionError> {
        let mut driver = self.start().await?;
        loop {
            // Enabled before the look: a steer that comes between the two would wait for the next step.
            let lane = Arc::clone(&self.task.lane);
            let queued = lane.queued();
            tokio::pin!(queued);
            queued.as_mut().enable();
            if driver.takes_steers() && lane.view(|view| view.state.queue.has_steers()) {
                self.steer(&mut driver).await?;
                continue;
            }
            let step = tokio::select! {
                () = queued => continue,
                step = driver.next() => step,
            };
            match step {
                RunnerStep::Turn(TurnStep::Finished(end)) if self.may_start_again(&end) => {
                    driver = self.start().await?;
                }
                RunnerStep::Turn(TurnStep::Finished(end)) => {
                    return Ok(self.finished(driver, end).await?.into());
                }
                RunnerStep::Turn(TurnStep::NeedPermission { call, question }) => {
                    if let Some(exit) = self.ask(&mut driver, call, question).await? {
                        return Ok(exit);
                    }
                }
                RunnerStep::NeedPrompt => {
                    let prompt = self.records.prompt(self.decided.as_ref()).await?;
                    driver.provide_prompt(prompt);
                    self.is_prompted = true;
                }
                step => self.take(step).await?,
            }
        }
    }

    async fn start(&mut self) -> Result<RunnerDriver, SessionError> {
        self.starts += 1;
        let mut driver = self.open().await;
        let limits = self.prepared.ports.limits.cost;
        if !limits.is_none() {
            let spending = self.task.spending(limits.day.is_some(), 0).await?;
            driver.provide_spending(spending);
        }
        Ok(driver)
    }

    /// A decision that the runner has not been told of is lost with the turn. The user gave it once.
    const fn has_undelivered_decision(&self) -> bool {
        self.decided.is_some() && !self.is_prompted
    }

    fn may_start_again(&self, end: &TurnEnd) -> bool {
        let code = end.error.as_ref().map(|error| error.code.as_str());
        let is_slow = code == Some(RunnerErrorKind::Stalled.name());
        is_slow && self.has_undelivered_decision() && self.starts < MAX_STARTS
    }

    /// Writes or shows a step that asks for nothing.
    async fn take(&mut self, step: RunnerStep) -> Result<(), SessionError> {
        match step {
            RunnerStep::Fact(fact) => {
                self.records.take(fact).await?;
                self.bridge.set_context(self.records.context.as_deref());
                Ok(())
            }
            RunnerStep::Turn(TurnStep::Event(event)) => {
                self.records.plan.write_if_due().await?;
                self.bridge.handle(event).await
            }
            // The others are answered where they are met, or come from the engine only.
            RunnerStep::Turn(_) | RunnerStep::NeedPrompt | RunnerStep::QuestionWithdrawn => Ok(()),
        }
    }

    /// Asks a client, while the runner goes on: it may withdraw its question, or end. Returns how the turn is
    /// left, if it is.
    async fn ask(
        &mut self,
        driver: &mut RunnerDriver,
        pending: PendingCall,
        question: Question,
    ) -> Result<Option<TurnExit>, SessionError> {
        if let Some(decision) = self
            .decided
            .take_if(|decided| decided.is_about(&pending.call))
        {
            driver.provide_permission(permission(&decision.decision));
            return Ok(None);
        }
        let task = self.task.clone();
        let mut asking = Box::pin(task.ask(&pending, &question));
        loop {
            let step = tokio::select! {
                biased;
                answer = &mut asking => return self.answered(driver, &question, answer?).await,
                step = driver.next() => step,
            };
            match step {
                RunnerStep::QuestionWithdrawn => {
                    drop(asking);
                    task.withdraw(&pending.call.id, "the runner no longer asks")
                        .await?;
                    return Ok(None);
                }
                RunnerStep::Turn(TurnStep::Finished(end)) => {
                    drop(asking);
                    task.withdraw(&pending.call.id, "the runner has ended")
                        .await?;
                    return Ok(Some(end.into()));
                }
                // Polled together: `asking` may be the next to get the lane's lock, and would never take
                // it, nor let the step have it, while only the step is polled.
                step => {
                    let answer = match select(Box::pin(self.take(step)), &mut asking).await {
                        Either::Left((taken, _)) => {
                            taken?;
                            continue;
                        }
                        Either::Right((answer, taking)) => {
                            taking.await?;
                            answer?
                        }
                    };
                    return self.answered(driver, &question, answer).await;
                }
            }
        }
    }

    /// Gives the runner the answer to its question.
    async fn answered(
        &mut self,
        driver: &mut RunnerDriver,
        question: &Question,
        answer: PermissionAnswer,
    ) -> Result<Option<TurnExit>, SessionError> {
        match answer {
            PermissionAnswer::Decided(decision) => {
                let gate = &*self.prepared.ports.gate;
                remember(gate, &question.rules, &decision);
                driver.provide_permission(permission(&decision));
                Ok(None)
            }
            PermissionAnswer::Left(exit) => {
                self.leave(driver).await?;
                Ok(Some(exit))
            }
        }
    }

    /// The daemon stops while a client is asked. The question stays open and the process ends: the next
    /// daemon takes the answer to another one.
    async fn leave(&mut self, driver: &mut RunnerDriver) -> Result<(), SessionError> {
        driver.abort();
        loop {
            match driver.next().await {
                RunnerStep::Fact(fact) => self.records.take(fact).await?,
                RunnerStep::Turn(TurnStep::Finished(_)) => return Ok(()),
                // The call stays open with its question, so nothing more of the turn is recorded.
                _ => {}
            }
        }
    }

    /// Hands the runner the steers that wait. They are messages of the turn before it gets them.
    async fn steer(&mut self, driver: &mut RunnerDriver) -> Result<(), SessionError> {
        let (lane, turn_id) = (Arc::clone(&self.task.lane), self.task.turn_id);
        let take = async || {
            lane.persist(move |section| section.take_steer(turn_id))
                .await
        };
        while driver.takes_steers()
            && let Some(content) = take().await?
        {
            let input = prompt::input(&content, lane.blobs()).await?;
            driver.steer(input);
        }
        Ok(())
    }

    async fn finished(
        mut self,
        mut driver: RunnerDriver,
        mut end: TurnEnd,
    ) -> Result<TurnEnd, SessionError> {
        self.records.plan.write().await?;
        if self.has_undelivered_decision()
            && let Some(error) = &mut end.error
        {
            let lost = "your answer has not reached it: send a message, and it asks again";
            let hint = error.hint.take().map(|hint| format!("{hint}; {lost}"));
            error.hint = Some(hint.unwrap_or_else(|| lost.to_owned()));
        }
        if let Some(link) = driver.take_link() {
            let placed = PooledLink {
                link,
                place: self.place,
            };
            self.records.keep(placed, &self.prepared);
        }
        Ok(end)
    }
}
