//! The fold of a session's events into its state.

mod agent_tasks;
mod compaction;
mod compaction_events;
mod engine_turns;
mod guidance;
mod in_flight;
mod notices;
mod opening;
mod questions;
mod queue;
mod recent_answers;
mod restore;
mod run;
mod runner_contexts;
mod runner_log_tail;
mod settings;
#[cfg(test)]
mod tests;
mod told_tools;
mod tree;
mod turn;
mod used;

use serde::{Deserialize, Serialize};

pub use agent_tasks::{AgentTask, AgentTasks, AgentTasksUse, OpenAgentTask};
pub use compaction::OpenCompaction;
pub use engine_turns::EngineTurns;
pub use guidance::{
    GuidanceKind, GuidanceState, INSTRUCTIONS_KIND, MCP_INSTRUCTIONS_KIND, SKILLS_KIND, TOOLS_KIND,
};
pub use in_flight::{OpenBlock, OpenItems, OpenMessage, OpenTool};
pub use opening::opening;
pub use queue::Queue;
pub use recent_answers::RecentAnswers;
pub use restore::OpenRestore;
pub use run::FoldedRun;
pub use runner_contexts::{OpenRun, RunnerContext, RunnerContexts};
pub use runner_log_tail::RunnerLogTail;
pub use told_tools::ToldTools;
pub use tree::{NodeKind, PathNode, Tree, TreeNode};
pub use turn::{OpenCall, OpenTurn, Phase};

use crate::{
    CostTotal, DamageAcceptedBody, Event, EventId, HookPoint, Message, MessageBody, OnRestart,
    OutcomeReason, PermissionRequestBody, PersistentBody, PersistentEvent, QueueItemId, Seq,
    ThinkingLevel, TitleSource, ToolPreset, TransientBody, TransientEvent, TreePlacement, TurnId,
    UnknownEvent, Usage,
};

/// The state of a session, folded from its events.
///
/// The daemon, recovery, the client library and the tests share this fold, so that none of them can
/// see a session in another state. It holds the skeleton of the tree and the work in flight, but no
/// finished content, which is in the log. [`SessionView::apply`] never fails and never panics,
/// whatever the events say: a log may have holes, and may be of a newer version.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionView {
    /// The skeleton of the tree and the active leaf.
    pub tree: Tree,
    /// Messages and tool calls in flight.
    pub open: OpenItems,
    /// Everything else; its size hardly depends on the history.
    pub state: SessionState,
}

/// The part of a session's state that a checkpoint stores as JSON. Only `edits` grows with the
/// history, by a number for each shortening of old results and each turn that was not completed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionState {
    /// The seq of the last event.
    pub last_seq: Seq,
    /// The seq of the last persistent event.
    pub last_persistent_seq: Seq,
    /// The time of the last persistent event, in milliseconds since the Unix epoch.
    pub updated_at: u64,
    /// The title that a client set or a model wrote.
    pub title: Option<String>,
    /// Where that title comes from.
    #[serde(default)]
    pub title_source: Option<TitleSource>,
    /// True if a turn has ever completed.
    #[serde(default)]
    pub has_completed: bool,
    /// The beginning of the first user message, which stands in for a title.
    pub opening: Option<String>,
    /// The session's own model; `None` for the configured one.
    pub model: Option<String>,
    /// The runner of the session's turns; `None` for the daemon's own engine.
    #[serde(default)]
    pub runner: Option<String>,
    /// The thinking level of the model.
    pub thinking_level: ThinkingLevel,
    /// The session's own tool preset; `None` for the configured one.
    #[serde(default)]
    pub tools: Option<ToolPreset>,
    /// True if listings leave the session out by default.
    pub archived: bool,
    /// The queued messages.
    pub queue: Queue,
    /// The turn that has no outcome yet.
    pub turn: Option<OpenTurn>,
    /// The compaction that has not ended yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<OpenCompaction>,
    /// The permission requests that have no decision yet.
    pub permissions: Vec<PermissionRequestBody>,
    /// The last decisions about others.
    #[serde(default, skip_serializing_if = "RecentAnswers::is_empty")]
    pub answers: RecentAnswers,
    /// The permission rules that a decision allowed for the rest of the session.
    #[serde(default)]
    pub allowed: Vec<String>,
    /// The codes of the notices in the log.
    #[serde(default)]
    pub notices: Vec<String>,
    /// The damaged places of the log that a client has accepted.
    #[serde(default)]
    pub accepted_damage: Vec<DamageAcceptedBody>,
    /// The restore of files that has not ended.
    #[serde(default)]
    pub restore: Option<OpenRestore>,
    /// The seq of the newest instruction snapshot.
    pub snapshot_seq: Option<Seq>,
    /// The tools from outside that the model is offered; `None` if it was never offered any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_set: Option<ToldTools>,
    /// The fate of a turn that is running when the daemon ends; `None`: as configured.
    #[serde(default)]
    pub on_restart: Option<OnRestart>,
    /// The seqs of the events with [`PersistentBody::edits_context`], in log order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Seq>,
    /// The messages to the model besides the snapshot and the conversation.
    #[serde(default)]
    pub guidance: GuidanceState,
    /// The contexts that the session's runners keep of it.
    #[serde(default)]
    pub runners: RunnerContexts,
    /// The tasks that the session has given to agents.
    #[serde(default, skip_serializing_if = "AgentTasks::is_empty")]
    pub runtimes: AgentTasks,
    /// The run that the session belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<FoldedRun>,
    /// The outcome of the last turn.
    #[serde(default)]
    pub last_outcome: Option<OutcomeReason>,
    /// The usage of all model calls of the session.
    pub usage: Usage,
    /// Their cost.
    #[serde(default)]
    pub cost: CostTotal,
}

const TURN_OUTCOME: &str = "turn_outcome";

impl SessionView {
    /// Folds one more event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Persistent(event) => self.apply_persistent(event),
            Event::Transient(event) => self.apply_transient(event),
            Event::Unknown(event) => self.apply_unknown(event),
        }
    }

    /// Applies the fields that every event has. An event of a known type whose body cannot be decoded
    /// still keeps its place in the tree, and a `turn_outcome` still ends its turn.
    fn apply_unknown(&mut self, event: &UnknownEvent) {
        self.state.last_seq = self.state.last_seq.max(event.seq);
        if event.prev.is_none() {
            return;
        }
        self.state.last_persistent_seq = event.seq;
        self.state.updated_at = event.ts;
        self.tree.apply_unknown(event);
        if let Some(id) = event.id {
            self.open.close(id);
        }
        if event.type_name == TURN_OUTCOME {
            self.tree.end_turn();
            self.open.clear();
            self.state.end_turn(None);
            self.state.runners.turn_ended();
        }
    }

    /// Folds one more persistent event.
    pub fn apply_persistent(&mut self, event: &PersistentEvent) {
        let leaf = self.tree.leaf();
        let runner = self.state.runners.number(event);
        self.tree.apply(event, runner);
        self.guide(event, leaf);
        self.open.apply_persistent(event);
        if let PersistentBody::TurnOutcome(_) = &event.body {
            self.tree.end_turn();
        }
        self.state.apply_persistent(event);
    }

    /// Folds what the model was told; `leaf` is the leaf before the event.
    fn guide(&mut self, event: &PersistentEvent, leaf: Option<EventId>) {
        let guidance = &mut self.state.guidance;
        let moved = match event.body.place() {
            TreePlacement::Move => true,
            TreePlacement::Leaf => event.parent_id != leaf,
            TreePlacement::Aside | TreePlacement::Control => false,
        };
        if moved {
            let tree = &self.tree;
            // Walks the path only for the few messages that there are, and only when the leaf moves.
            guidance.moved(|id| tree.is_on_path(id));
            self.state.run.iter_mut().for_each(FoldedRun::forget_told);
        }
        match &event.body {
            PersistentBody::CustomMessage(body) => guidance.told(event.id, event.seq, body),
            PersistentBody::InstructionSnapshot(_) => guidance.renewed(),
            PersistentBody::ToolSet(_) => guidance.tools_due = false,
            PersistentBody::Compact(_) => guidance.compacted(),
            _ => {}
        }
    }

    /// Folds one more transient event.
    pub fn apply_transient(&mut self, event: &TransientEvent) {
        self.open.apply(&event.body, event.ts);
        self.state.apply_transient(event);
    }

    /// The names of the runners with a message on the active path. Takes time by the length of the
    /// path.
    pub fn runners_on_path(&self) -> Vec<&str> {
        self.tree
            .runners_on_path()
            .filter_map(|number| self.state.runners.name(number))
            .collect()
    }

    /// The context that a turn of `runner` in `cwd` goes on in; without one it makes a new one. Takes
    /// time by the length of the path.
    pub fn resumable_context(&self, runner: &str, cwd: &str) -> Option<&RunnerContext> {
        let runners = &self.state.runners;
        runners.resumable(runner, cwd, |id| self.tree.is_on_path(id))
    }

    /// The event that the next message will have as its parent.
    pub fn leaf(&self) -> Option<EventId> {
        self.tree.leaf()
    }
}

impl SessionState {
    /// The phase, as the log determines it. The daemon adds what the log does not say, such as a cancel that
    /// has been signalled.
    pub fn phase(&self) -> Phase {
        match &self.turn {
            None if self.has_job() => Phase::Preparing,
            None => Phase::Idle,
            Some(turn) if turn.waiting.is_some() => Phase::Waiting,
            Some(_) if !self.permissions.is_empty() => Phase::AwaitingPermission,
            Some(turn) if turn.running => Phase::Running,
            Some(_) => Phase::Preparing,
        }
    }

    /// Returns whether a turn, a compaction or a restore is open.
    pub const fn has_job(&self) -> bool {
        self.turn.is_some() || self.compaction.is_some() || self.restore.is_some()
    }

    /// The open turn.
    pub fn turn_id(&self) -> Option<TurnId> {
        self.turn.as_ref().map(|turn| turn.turn_id)
    }

    /// Returns whether the open turn waits for permission with nothing of the daemon's under way: no call has
    /// started but in a runner, and at least one has an open request or was allowed. One that a runner was
    /// allowed may have run. False for a turn whose records may be lost, because a lost one may be a
    /// `tool_started`.
    pub fn is_asking(&self) -> bool {
        let calls = self.turn.as_ref().map_or(&[][..], |turn| &turn.calls);
        let asks = |call: &OpenCall| {
            let decided = call.decision.as_ref();
            let is = |request: &PermissionRequestBody| request.tool_call_id == call.tool_call_id;
            let is_allowed = decided.is_some_and(|body| body.decision.allows());
            (is_allowed && call.ran_by.is_none()) || self.permissions.iter().any(is)
        };
        let is_at_rest = |call: &OpenCall| call.started.is_none() || call.ran_by.is_some();
        let has_hole = self.turn.as_ref().is_some_and(|turn| turn.has_hole);
        !has_hole && calls.iter().all(is_at_rest) && calls.iter().any(asks)
    }

    fn apply_transient(&mut self, event: &TransientEvent) {
        self.last_seq = self.last_seq.max(event.seq);
        if let (TransientBody::RuntimeStart(_), Some(turn)) = (&event.body, &mut self.turn) {
            turn.running = true;
        }
    }

    fn apply_persistent(&mut self, event: &PersistentEvent) {
        self.last_seq = self.last_seq.max(event.seq);
        self.last_persistent_seq = event.seq;
        self.updated_at = event.ts;
        self.open_turn(event);
        self.count_call(event);
        // As after a cancelled turn, whose outcome pauses the queue.
        if OpenRestore::fold(&mut self.restore, event) {
            self.queue.turn_ended(false);
        }
        self.runners.fold(event);
        self.runtimes.fold(event);
        FoldedRun::fold(&mut self.run, event);
        self.edits.extend(event.context_edit());
        match &event.body {
            PersistentBody::Message(body) => self.message(event, body),
            PersistentBody::CustomMessage(body) => {
                self.took(event, body.queue_item_id);
                if let Some(point) = body.hook_point() {
                    self.hooked(event, Some(point));
                }
            }
            PersistentBody::ContextEdit(_) => self.hooked(event, None),
            PersistentBody::SessionInfo(body) => self.change(&body.changes),
            PersistentBody::InstructionSnapshot(_) => self.snapshot_seq = Some(event.seq),
            PersistentBody::ToolSet(body) => {
                self.tool_set = Some(ToldTools::new(event.seq, body));
            }
            // A copied outcome ended a turn of another session.
            PersistentBody::TurnOutcome(body) if event.origin.is_none() => {
                self.end_turn(Some(body.reason));
            }
            PersistentBody::DamageAccepted(body) => self.damage_accepted(body),
            PersistentBody::Notice(body) => self.noticed(&body.code),
            PersistentBody::QueueUpdate(body) => self.queue.apply(body),
            PersistentBody::PermissionRequest(body) => self.asked(body, event.ts),
            PersistentBody::PermissionDecision(body) => self.decided(body, event),
            PersistentBody::ToolStarted(_)
            | PersistentBody::TurnWaiting(_)
            | PersistentBody::TurnResumed(_) => self.turn_event(event),
            PersistentBody::Compaction(body) => self.compaction_event(event, body),
            PersistentBody::Compact(body) => self.compacted(event, body),
            PersistentBody::TurnOutcome(_)
            | PersistentBody::ContextTrim(_)
            | PersistentBody::Rewind(_)
            | PersistentBody::Branch(_)
            | PersistentBody::ChannelInject(_)
            | PersistentBody::Custom(_)
            | PersistentBody::AuxiliaryUsage(_)
            | PersistentBody::FilesRestore(_)
            | PersistentBody::FilesRestored(_)
            | PersistentBody::RunnerStart(_)
            | PersistentBody::RunnerContext(_)
            | PersistentBody::RunnerExit(_)
            | PersistentBody::RuntimeSpawned(_)
            | PersistentBody::RuntimeBoundSession(_)
            | PersistentBody::RuntimeStatusChanged(_)
            | PersistentBody::RuntimeQueueChanged(_)
            | PersistentBody::RuntimeSummaryUpdated(_)
            | PersistentBody::RuntimeFinished(_)
            | PersistentBody::RuntimeResultDelivered(_)
            | PersistentBody::SeqReserve(_) => {}
        }
    }

    /// A turn opens with its first record. Events that a clone copied open none. A record of another
    /// turn than the open one means that the outcome of the open one was lost.
    fn open_turn(&mut self, event: &PersistentEvent) {
        let Some(turn_id) = event.turn_id else { return };
        let opens = self.turn_id() != Some(turn_id)
            && event.origin.is_none()
            && !matches!(event.body, PersistentBody::TurnOutcome(_));
        if opens {
            self.permissions.clear();
            self.turn = Some(OpenTurn::new(turn_id, event.ts));
        }
    }

    /// Adds the usage and the cost of a model call that the event records.
    fn count_call(&mut self, event: &PersistentEvent) {
        let Some(call) = event.recorded_call() else {
            return;
        };
        let usage = call.usage.unwrap_or_default();
        self.usage += usage;
        self.cost.add(&usage, call.cost);
        let turn = self.turn.as_mut();
        if let Some(turn) = turn.filter(|turn| event.turn_id == Some(turn.turn_id)) {
            turn.usage += usage;
            turn.cost.add(&usage, call.cost);
        }
    }

    fn damage_accepted(&mut self, body: &DamageAcceptedBody) {
        self.accepted_damage.push(body.clone());
        if let Some(turn) = &mut self.turn {
            turn.has_hole = true;
        }
    }

    fn turn_event(&mut self, event: &PersistentEvent) {
        let Some(turn) = &mut self.turn else { return };
        match &event.body {
            PersistentBody::ToolStarted(body) => turn.tool_started(body),
            PersistentBody::TurnWaiting(body) => {
                turn.waiting = Some(body.clone());
                if !turn.is_parked() {
                    turn.waits = turn.waits.saturating_add(1);
                }
                turn.pause(event.ts);
            }
            PersistentBody::TurnResumed(_) => {
                turn.unpause(event.ts);
                turn.go_on();
            }
            _ => {}
        }
    }

    fn end_turn(&mut self, reason: Option<OutcomeReason>) {
        self.turn = None;
        self.compaction = None;
        self.permissions.clear();
        let completed = reason == Some(OutcomeReason::Completed);
        self.has_completed |= completed;
        self.last_outcome = reason;
        self.queue.turn_ended(completed);
    }

    /// Counts a record that a hook made in the open turn. An edit has no point.
    fn hooked(&mut self, event: &PersistentEvent, point: Option<HookPoint>) {
        let turn = self.turn.as_mut();
        if let Some(turn) = turn.filter(|turn| event.turn_id == Some(turn.turn_id)) {
            turn.hooked(point);
        }
    }

    fn message(&mut self, event: &PersistentEvent, body: &MessageBody) {
        if let (None, Message::User(message)) = (&self.opening, &body.message) {
            self.opening = opening(&message.content);
        }
        self.took(event, body.queue_item_id);
        if event.origin.is_some() {
            return;
        }
        match &body.message {
            Message::Assistant(message) => {
                if let Some(turn) = &mut self.turn {
                    turn.answered(message);
                }
            }
            Message::ToolResult(message) => {
                if let Some(turn) = &mut self.turn {
                    turn.tool_ended(message);
                }
            }
            Message::User(message) => {
                let turn = self.turn.as_mut();
                if let Some(turn) = turn.filter(|turn| event.turn_id == Some(turn.turn_id)) {
                    turn.told(message);
                }
            }
            Message::Internal(_) => {}
        }
    }

    /// Removes the item from which a message was made. Events that a clone copied had theirs in
    /// another session's queue.
    fn took(&mut self, event: &PersistentEvent, item: Option<QueueItemId>) {
        if let (Some(item), None) = (item, &event.origin) {
            self.queue.consume(item);
        }
    }
}
