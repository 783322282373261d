use std::time::Duration;

use crate::ports::RunnerCallEnd;
use crate::tool_calls::{tool_ended, tool_result};
use crate::{EngineEvent, ToolCall, ToolOutcome};

/// Calls that may be open at a time.
const MAX_OPEN: usize = 256;

/// The calls of a runner that have no result yet, in the order in which they began.
pub(super) struct OpenCalls {
    runner: String,
    open: Vec<(ToolCall, Duration)>,
}

impl OpenCalls {
    pub(super) fn new(runner: &str) -> Self {
        Self {
            runner: runner.to_owned(),
            open: Vec::new(),
        }
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    pub(super) fn get(&self, id: &str) -> Option<&ToolCall> {
        let mut open = self.open.iter().map(|(call, _)| call);
        open.find(|call| call.id == id)
    }

    /// The reason why the call cannot begin.
    pub(super) fn may_begin(&self, call: &ToolCall) -> Result<(), String> {
        let runner = &self.runner;
        if self.open.len() >= MAX_OPEN {
            return Err(format!("{runner} has more than {MAX_OPEN} open calls"));
        }
        if self.is_open(&call.id) {
            return Err(format!("{runner} has two open calls under one id"));
        }
        Ok(())
    }

    pub(super) fn begin(&mut self, call: ToolCall, now: Duration) -> EngineEvent {
        self.open.push((call.clone(), now));
        EngineEvent::ToolExecutionStart {
            call,
            files: Vec::new(),
            changed_by: Vec::new(),
        }
    }

    /// Nothing if there is no such call.
    pub(super) fn end(&mut self, end: RunnerCallEnd, now: Duration) -> Vec<EngineEvent> {
        let mut open = self.open.iter();
        let Some(at) = open.position(|(call, _)| call.id == end.call_id) else {
            return Vec::new();
        };
        let (call, began_at) = self.open.remove(at);
        let duration = now.saturating_sub(began_at);
        let outcome = ToolOutcome {
            content: end.content,
            is_error: end.is_error,
            details: end.details.map(|details| *details),
            recorded: Box::default(),
        };
        result(&call, outcome, duration).into()
    }

    /// Answers all that are open.
    pub(super) fn close(&mut self, is_cancelled: bool, now: Duration) -> Vec<EngineEvent> {
        let text = if is_cancelled {
            "Cancelled by user".to_owned()
        } else {
            format!("ran in {}, outcome unknown", self.runner)
        };
        let open = self.open.drain(..);
        let results = open.map(|(call, began_at)| {
            let duration = now.saturating_sub(began_at);
            result(&call, ToolOutcome::error(&text), duration)
        });
        results.flatten().collect()
    }
}

fn result(call: &ToolCall, outcome: ToolOutcome, duration: Duration) -> [EngineEvent; 2] {
    [
        tool_ended(call, outcome.is_error, duration),
        tool_result(call, outcome, duration),
    ]
}
