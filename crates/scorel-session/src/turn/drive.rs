//! Pulls the engine through a turn, one step at a time.

use std::sync::Arc;

use scorel_proto::{Message, PermissionDecision};
use scorel_runtime::{
    ToolCall, TurnDriver, TurnEnd, TurnPorts, TurnProgress, TurnStep, tool_calls,
};

use super::ask::{PermissionAnswer, permission};
use super::bridge::TurnBridge;
use super::task::TurnTask;
use crate::SessionError;

/// How far a driver brought its turn.
pub(super) enum Driven {
    Finished(TurnEnd),
    /// The turn waits, as its last record says.
    Suspended,
}

impl TurnTask {
    /// Runs the turn to its end, or to its next wait. A step is durable or published before the next one is asked for, so
    /// the engine never runs ahead of the log.
    pub(super) async fn drive(
        &self,
        ports: TurnPorts,
        progress: TurnProgress,
    ) -> Result<Driven, SessionError> {
        let mut bridge = TurnBridge::new(self.clone());
        let gate = Arc::clone(&ports.gate);
        let mut driver = self.driver(ports, progress).await?;
        loop {
            match driver.next().await {
                TurnStep::NeedContext => {
                    self.wait_for_descriptors().await;
                    driver.provide_context(self.lane.context().await?);
                }
                TurnStep::NeedPermission { call, question } => {
                    let decision = match self.ask(&call, &question).await? {
                        PermissionAnswer::Decided(decision) => decision,
                        PermissionAnswer::Stopped(cause) => {
                            return Ok(Driven::Finished(self.stopped(cause)));
                        }
                    };
                    let lasting = decision.decision != PermissionDecision::Once;
                    if decision.decision.allows() && lasting {
                        gate.allow(&question.rules);
                    }
                    driver.provide_permission(permission(&decision));
                }
                TurnStep::Event(event) => {
                    if let Err(error) = bridge.handle(event).await {
                        wind_down(driver).await;
                        return Err(error);
                    }
                }
                TurnStep::NeedSpending { day } => {
                    driver.provide_spending(&self.spending(day).await?);
                }
                TurnStep::Suspended => return Ok(Driven::Suspended),
                TurnStep::Finished(end) => return Ok(Driven::Finished(end)),
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

/// Lets running tools come to their end. Their steps are dropped: they cannot be recorded.
async fn wind_down(mut driver: TurnDriver) {
    driver.abort();
    while !matches!(driver.next().await, TurnStep::Finished(_)) {}
}
