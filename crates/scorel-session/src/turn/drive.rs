//! Pulls the engine through a turn, one step at a time.

use std::sync::Arc;

use scorel_proto::{Message, PermissionDecision, Usage};
use scorel_runtime::{
    ToolCall, TurnDriver, TurnEnd, TurnPorts, TurnProgress, TurnStep, tool_calls,
};

use super::ask::{PermissionAnswer, permission};
use super::bridge::TurnBridge;
use super::context_check::{ContextCheck, NextContext};
use super::task::TurnTask;
use crate::{CompactionSetup, SessionError};

impl TurnTask {
    /// Runs the turn to its end. A step is durable or published before the next one is asked for, so
    /// the engine never runs ahead of the log.
    pub(super) async fn drive(
        &self,
        ports: TurnPorts,
        compaction: CompactionSetup,
        progress: TurnProgress,
    ) -> Result<TurnEnd, SessionError> {
        let mut check = ContextCheck::new(self, &ports, compaction);
        let mut bridge = TurnBridge::new(self.clone());
        let gate = Arc::clone(&ports.gate);
        let mut driver = self.driver(ports, progress).await?;
        loop {
            match driver.next().await {
                TurnStep::NeedContext => {
                    self.wait_for_descriptors().await;
                    let next = Box::pin(check.next()).await?;
                    answer(&mut driver, next, check.take_usage());
                }
                TurnStep::NeedRoom(refused) => {
                    let next = Box::pin(check.make_room(refused)).await?;
                    answer(&mut driver, next, check.take_usage());
                }
                TurnStep::NeedPermission { call, question } => {
                    let decision = match self.ask(&call, &question).await? {
                        PermissionAnswer::Decided(decision) => decision,
                        PermissionAnswer::Stopped(cause) => return Ok(self.stopped(cause)),
                    };
                    let lasting = decision.decision != PermissionDecision::Once;
                    if decision.decision.allows() && lasting {
                        gate.allow(&question.rules);
                    }
                    driver.provide_permission(permission(&decision));
                }
                TurnStep::Event(event) => {
                    check.look_at(&event);
                    if let Err(error) = bridge.handle(event).await {
                        wind_down(driver).await;
                        return Err(error);
                    }
                }
                TurnStep::Finished(end) => return Ok(end),
            }
        }
    }

    async fn driver(
        &self,
        ports: TurnPorts,
        progress: TurnProgress,
    ) -> Result<TurnDriver, SessionError> {
        let stop = self.stop.clone();
        let calls = self.open_calls().await?;
        Ok(if calls.is_empty() {
            TurnDriver::after(ports, stop, progress)
        } else {
            TurnDriver::with_calls(ports, stop, progress, calls)
        })
    }

    /// The calls that an earlier daemon left open when it stopped at a permission request. A new
    /// turn has none, and a call that has started is not among them: recovery has answered it.
    async fn open_calls(&self) -> Result<Vec<ToolCall>, SessionError> {
        let count_open = |turn: &scorel_proto::OpenTurn| turn.calls.len();
        let open = self
            .lane
            .view(|view| view.state.turn.as_ref().map_or(0, count_open));
        if open == 0 {
            return Ok(Vec::new());
        }
        let context = self.lane.context().await?;
        let last = context.iter().rev().find_map(|message| match message {
            Message::Assistant(message) => Some(message),
            _ => None,
        });
        let mut calls: Vec<ToolCall> = last.map_or_else(Vec::new, tool_calls);
        // Results are recorded in call order, so the open calls are the last ones.
        Ok(calls.split_off(calls.len().saturating_sub(open)))
    }
}

/// Tells the driver what there is for its next call.
fn answer(driver: &mut TurnDriver, next: NextContext, usage: Usage) {
    driver.add_usage(usage);
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
