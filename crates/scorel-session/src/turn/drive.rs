//! Pulls the engine through a turn, one step at a time.

use std::sync::Arc;

use scorel_proto::{
    Message, MessageBody, PermissionDecision, PersistentBody, PersistentEvent, build_context,
};
use scorel_runtime::{Step, ToolCall, TurnDriver, TurnEnd, TurnPorts, TurnProgress, tool_calls};

use super::ask::{PermissionAnswer, permission};
use super::bridge::TurnBridge;
use super::task::TurnTask;
use crate::SessionError;

impl TurnTask {
    /// Runs the turn to its end. A step is durable or published before the next one is asked for, so
    /// the engine never runs ahead of the log.
    pub(super) async fn drive(
        &self,
        ports: TurnPorts,
        progress: TurnProgress,
    ) -> Result<TurnEnd, SessionError> {
        let path = self.lane.active_path().await?;
        let mut bridge = TurnBridge::new(self.clone(), path);
        let gate = Arc::clone(&ports.gate);
        let mut driver = self.driver(ports, progress, bridge.path()).await;
        loop {
            match driver.next().await {
                Step::NeedContext => driver.provide_context(build_context(bridge.path())),
                Step::NeedPermission { call, question } => {
                    let decision = match self.ask(&call, &question).await? {
                        PermissionAnswer::Decided(decision) => decision,
                        PermissionAnswer::Stopped(cause) => return Ok(self.stopped(cause).await),
                    };
                    let lasting = decision.decision != PermissionDecision::Once;
                    if decision.decision.allows() && lasting {
                        gate.allow(&question.rules);
                    }
                    driver.provide_permission(permission(&decision));
                }
                Step::Event(event) => {
                    if let Err(error) = bridge.handle(event).await {
                        wind_down(driver).await;
                        return Err(error);
                    }
                }
                Step::Finished(end) => return Ok(end),
            }
        }
    }

    async fn driver(
        &self,
        ports: TurnPorts,
        progress: TurnProgress,
        path: &[PersistentEvent],
    ) -> TurnDriver {
        let stop = self.stop.clone();
        let calls = self.open_calls(path).await;
        if calls.is_empty() {
            TurnDriver::after(ports, stop, progress)
        } else {
            TurnDriver::with_calls(ports, stop, progress, calls)
        }
    }

    /// The calls that an earlier daemon left open when it stopped at a permission request. A new
    /// turn has none, and a call that has started is not among them: recovery has answered it.
    async fn open_calls(&self, path: &[PersistentEvent]) -> Vec<ToolCall> {
        let count_open = |turn: &scorel_proto::OpenTurn| turn.calls.len();
        let open = self
            .lane
            .view(|view| view.state.turn.as_ref().map_or(0, count_open))
            .await;
        let last = path.iter().rev().find_map(|event| match &event.body {
            PersistentBody::Message(MessageBody {
                message: Message::Assistant(message),
                ..
            }) => Some(message),
            _ => None,
        });
        let mut calls: Vec<ToolCall> = last.map_or_else(Vec::new, tool_calls);
        // Results are recorded in call order, so the open calls are the last ones.
        calls.split_off(calls.len().saturating_sub(open))
    }
}

/// Lets running tools come to their end. Their steps are dropped: they cannot be recorded.
async fn wind_down(mut driver: TurnDriver) {
    driver.abort();
    while !matches!(driver.next().await, Step::Finished(_)) {}
}
