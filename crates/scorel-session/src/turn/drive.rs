//! Pulls the engine through a turn, one step at a time.

use std::sync::Arc;

use scorel_engine::{
    HookMarks, PendingCall, StopCause, ToolCall, TurnDriver, TurnEnd, TurnPorts, TurnProgress,
    TurnStep,
};
use scorel_proto::{OpenCall, OutcomeReason, TurnError};

use super::ask::{PermissionAnswer, permission, remember};
use super::bridge::TurnBridge;
use super::context_check::{ContextCheck, NextContext};
use super::empty_answer::EmptyAnswer;
use super::exit::TurnExit;
use super::task::TurnTask;
use crate::hook_points::{HookPoints, Passage};
use crate::{CompactionSetup, SessionError};

impl TurnTask {
    /// Runs the turn to its end, or to its next wait. `has_waited` is set if its next call was made before the last
    /// wait. Returns how it is left; `None` if it waits, as its last
    /// record says. A step is durable or published before the next one
    /// is asked for, so the engine never runs ahead of the log.
    pub(super) async fn drive(
        &self,
        ports: TurnPorts,
        compaction: CompactionSetup,
        progress: TurnProgress,
        has_waited: bool,
    ) -> Result<Option<TurnExit>, SessionError> {
        let mut check = ContextCheck::new(self, &ports, compaction);
        let mut bridge = TurnBridge::new(self.clone(), None);
        let mut empty = EmptyAnswer::default();
        let hooks = HookPoints::new(&self.lane, &ports.hooks, &self.stop, Some(self.turn_id));
        let mut hooks = hooks.after_wait(has_waited);
        let gate = Arc::clone(&ports.gate);
        let mut driver = self.driver(ports, progress);
        loop {
            match driver.next().await {
                TurnStep::NeedContext { repeated } => {
                    self.wait_for_descriptors().await;
                    self.drain_steers().await?;
                    self.tell_features().await?;
                    match Box::pin(hooks.before_call(repeated)).await? {
                        Passage::Passed { .. } | Passage::GoesOn => {}
                        // The driver sees why.
                        Passage::Stopped => continue,
                        Passage::Ends(error) => return Ok(Some(self.ended_by_hook(error).into())),
                    }
                    let next = Box::pin(check.next(&mut hooks)).await?;
                    if let NextContext::Ready(context) = &next {
                        hooks.call_made();
                        bridge.answers_to(check.proof(context).await?);
                    }
                    answer(&mut driver, next, &mut check);
                }
                TurnStep::NeedRoom(refused) => {
                    hooks.call_refused();
                    let next = Box::pin(check.make_room(refused, &mut hooks)).await?;
                    answer(&mut driver, next, &mut check);
                }
                TurnStep::NeedTools { refused, error } => {
                    hooks.call_refused();
                    let next = match Box::pin(check.defer_tools(refused)).await? {
                        Ok(()) => NextContext::Again,
                        Err(_) => NextContext::Full(error),
                    };
                    answer(&mut driver, next, &mut check);
                }
                TurnStep::NeedPermission { call, question } => {
                    let decision = match self.ask(&call, &question).await? {
                        PermissionAnswer::Decided(decision) => decision,
                        PermissionAnswer::Left(exit) => return Ok(Some(exit)),
                    };
                    remember(&*gate, &question.rules, &decision);
                    driver.provide_permission(permission(&decision));
                }
                TurnStep::NotReady(prerequisite) => self.wait_for(prerequisite).await,
                TurnStep::Event(_) if self.is_left_to_the_next_daemon() => {
                    wind_down(driver).await;
                    let end = self.stopped(StopCause::Interrupted);
                    return Ok(Some(end.into()));
                }
                TurnStep::Event(event) => {
                    empty.look_at(&event);
                    if let Err(error) = bridge.handle(event).await {
                        wind_down(driver).await;
                        return Err(error);
                    }
                }
                TurnStep::Finished(end) => {
                    if end.reason != OutcomeReason::Completed {
                        return Ok(Some(end.into()));
                    }
                    let may_go_on = driver.may_go_on();
                    match empty.ask_again(self, may_go_on).await? {
                        Err(error) => return Ok(Some(self.failed(error).into())),
                        Ok(true) => {
                            driver.go_on();
                            continue;
                        }
                        Ok(false) if !may_go_on => return Ok(Some(end.into())),
                        Ok(false) => {}
                    }
                    if let Some(reason) = driver.ended_by_hook() {
                        let session = self.lane.id();
                        tracing::info!(%session, reason, "a hook has ended the turn");
                    } else if !self.has_steers() {
                        match hooks.at_end().await? {
                            Passage::Passed { .. } | Passage::Stopped | Passage::Ends(None) => {}
                            Passage::GoesOn => {
                                driver.go_on();
                                continue;
                            }
                            Passage::Ends(Some(error)) => {
                                return Ok(Some(self.failed(error).into()));
                            }
                        }
                    }
                    if self.complete(end).await? {
                        return Ok(Some(TurnExit::Closed));
                    }
                    driver.go_on();
                }
                TurnStep::NeedSpending { day } => {
                    let tokens = check.request_tokens().await?;
                    driver.provide_spending(&self.spending(day, tokens).await?);
                }
                TurnStep::Suspended => return Ok(None),
                TurnStep::Parked => return Ok(Some(TurnExit::Parked)),
            }
        }
    }

    /// Returns whether the daemon stops while the turn waits for an answer, with nothing under way. The engine,
    /// which may not have got to the question of an earlier daemon, would refuse the call.
    fn is_left_to_the_next_daemon(&self) -> bool {
        let interrupted = self.stop.cause() == Some(StopCause::Interrupted);
        interrupted && self.lane.published().is_waiting()
    }

    /// Hands the steers that wait to the model call that follows.
    async fn drain_steers(&self) -> Result<(), SessionError> {
        if !self.has_steers() {
            return Ok(());
        }
        let turn_id = self.turn_id;
        let drained = self
            .lane
            .persist(move |section| section.drain_steers(turn_id));
        drained.await
    }

    /// Tells the features of the call to come, in a session that belongs to a run.
    async fn tell_features(&self) -> Result<(), SessionError> {
        match self.lane.header().run {
            None => Ok(()),
            Some(_) => self.lane.persist(|section| section.before_call()).await,
        }
    }

    fn has_steers(&self) -> bool {
        self.lane.view(|view| view.state.queue.has_steers())
    }

    /// The end of a turn that hooks have ended before a model call.
    pub(super) fn ended_by_hook(&self, error: Option<TurnError>) -> TurnEnd {
        match error {
            Some(error) => self.failed(error),
            None => self.ended(OutcomeReason::Completed, None),
        }
    }

    fn driver(&self, ports: TurnPorts, progress: TurnProgress) -> TurnDriver {
        let stop = self.stop.clone();
        let calls = self.open_calls();
        if calls.is_empty() {
            TurnDriver::after(ports, stop, progress)
        } else {
            TurnDriver::with_calls(ports, stop, progress, calls)
        }
    }

    /// The calls that an earlier daemon left open when it stopped at a permission request. A new
    /// turn has none, and a call that has started is not among them: recovery has answered it.
    fn open_calls(&self) -> Vec<PendingCall> {
        self.lane.view(|view| {
            let calls = view.state.turn.iter().flat_map(|turn| &turn.calls);
            calls.map(pending).collect()
        })
    }
}

/// The call as its records say. Hooks do not look again at what a person was asked about: they might make
/// something else of it.
fn pending(open: &OpenCall) -> PendingCall {
    PendingCall {
        call: ToolCall {
            id: open.tool_call_id.clone(),
            name: open.tool_name.clone(),
            input: open.input.clone(),
            invalid_input: open.invalid_input.clone(),
        },
        marks: open.asked.as_ref().map(|asked| HookMarks {
            changed_by: asked.changed_by.clone(),
            reason: asked.hook_reason.clone(),
            allowed_by: None,
        }),
    }
}

/// Tells the driver what there is for its next call.
fn answer(driver: &mut TurnDriver, next: NextContext, check: &mut ContextCheck) {
    driver.add_spent(&std::mem::take(&mut check.spent));
    if let Some(prefix) = check.renewed.take() {
        driver.set_system(prefix.system);
        driver.set_tools(prefix.tools);
    }
    match next {
        NextContext::Ready(context) => driver.provide_context(context),
        NextContext::Full(error) => driver.fail(error),
        NextContext::Again => {}
    }
}

/// Lets running tools come to their end. Their steps are dropped: they cannot be recorded.
async fn wind_down(mut driver: TurnDriver) {
    driver.abort();
    while !matches!(driver.next().await, TurnStep::Finished(_)) {}
}
