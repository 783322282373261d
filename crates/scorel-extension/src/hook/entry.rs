use std::time::Duration;

use serde::Deserialize;

use super::{ContextPoint, HookCommand, HookEvent, HookName, HookSandbox, HookStage, Matcher};

/// The time of hooks that other work waits for.
const USUAL: Duration = Duration::from_secs(30);

/// The time of hooks behind work that is done: formatters, tests.
const LONG: Duration = Duration::from_secs(120);

/// A hook: a command that is run at an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEntry {
    pub name: HookName,
    pub event: HookEvent,
    pub matcher: Matcher,
    /// A permission rule that the call must match as well, as it is written.
    pub condition: Option<String>,
    pub command: HookCommand,
    pub timeout: Duration,
    pub on_failure: OnFailure,
    /// The usual one of its layer, if there is none: the user's hooks run without one, a project's in
    /// [`HookSandbox::Workspace`].
    pub sandbox: Option<HookSandbox>,
    /// Its `allow` answers a question. Counts in the user's file only.
    pub may_allow: bool,
    /// It only reads, so neighbours of its kind run at the same time.
    pub parallel: bool,
    /// Nothing waits for it.
    pub is_async: bool,
    /// The points of a hook of [`HookStage::Context`]; empty for others.
    pub points: Vec<ContextPoint>,
}

/// The consequence of a failure: no start, no time left, no readable answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnFailure {
    /// As if the hook were not there.
    Ignore,
    /// The call is denied, the result is an error, the turn ends.
    Fail,
}

impl HookEntry {
    /// Event, matcher and command on a line, for people.
    pub fn summary(&self) -> String {
        let matcher = match self.matcher.is_all() {
            true => String::new(),
            false => format!(" {}", self.matcher.as_str()),
        };
        format!("{}{matcher}: {}", self.event, self.command.line())
    }

    /// The time that a hook has if its entry names none.
    pub fn usual_timeout(event: HookEvent, points: &[ContextPoint]) -> Duration {
        let late = |point: &ContextPoint| matches!(point, ContextPoint::Trim | ContextPoint::End);
        match event.stage() {
            HookStage::After => LONG,
            HookStage::Context if points.iter().any(late) => LONG,
            _ => USUAL,
        }
    }

    /// The consequence of a failure if its entry names none: what guards denies, all else is left out.
    pub const fn usual_on_failure(event: HookEvent) -> OnFailure {
        match event.stage() {
            HookStage::Before | HookStage::Convert => OnFailure::Fail,
            HookStage::After | HookStage::Question | HookStage::Context | HookStage::Listener => {
                OnFailure::Ignore
            }
        }
    }

    /// The points of an event's hooks, if an entry names none.
    pub fn usual_points(event: HookEvent) -> Vec<ContextPoint> {
        match event {
            HookEvent::TransformContext => vec![ContextPoint::Start],
            event => event.point().into_iter().collect(),
        }
    }
}
