use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{
    Block, CustomBody, EngineTurns, ErrorCode, Message, MessageBody, PersistentBody,
    PersistentEvent, RUN_MODE_KIND, RUN_PHASE_KIND, RUN_STARTED_KIND, RUN_STATE_KIND, RunMode,
    RunModeData, RunPackage, RunPhase, RunPhaseData, RunReason, RunSpent, RunStartedData,
    RunStateCause, RunStateData, SessionRun, SpawnRefusal, TextPart, TurnId,
};

/// The run that a session belongs to, folded from the records of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoldedRun {
    /// The part that clients are shown.
    pub shown: SessionRun,
    /// The package that it is bound to.
    pub package: RunPackage,
    /// The SHA-256 of the document, as it was seen last; empty if it was not seen yet.
    pub sha256: String,
    /// The newest turn of the session.
    pub turn_id: Option<TurnId>,
    /// The purpose of that turn alone, if it has one of its own.
    #[serde(default)]
    pub turn_mode: Option<RunMode>,
    /// True if that turn has changed the document.
    pub has_changed: bool,
    /// True if a task of that turn was refused, since the run has used as much as it may.
    #[serde(default)]
    pub is_limited: bool,
    /// The turns that have ended, one after another, at the current node.
    pub turns_at_node: u32,
    /// The node that the model was told of last; `None` if it may not have that any more.
    pub told_node: Option<String>,
    /// The agent whose persona it was told last; `None` if it may not have that any more.
    pub told_agent: Option<String>,
    /// The use of the run in earlier sessions.
    #[serde(default)]
    pub spent_before: RunSpent,
    /// True if a turn has ended whose consequence for the run is not recorded.
    pub is_undecided: bool,
    /// The states that calls have given the document and that have no record of their own, in their order.
    #[serde(default)]
    pub unrecorded: Vec<RunStateData>,
    /// The model calls of the session.
    #[serde(default)]
    pub calls: EngineTurns,
}

impl FoldedRun {
    /// Folds the next event. What a clone copied was of the run of another session.
    pub(super) fn fold(run: &mut Option<Self>, event: &PersistentEvent) {
        if event.origin.is_some() {
            return;
        }
        if let PersistentBody::Custom(body) = &event.body
            && let Some(started) = data::<RunStartedData>(body, RUN_STARTED_KIND)
        {
            *run = Some(Self::started(started));
        }
        let Some(run) = run else { return };
        if event.turn_id.is_some() && event.turn_id != run.turn_id {
            run.turn_id = event.turn_id;
            run.turn_mode = mode_of(&event.body);
            (run.has_changed, run.is_limited) = (false, false);
        }
        run.calls.fold(event, &run.shown);
        match &event.body {
            PersistentBody::Custom(body) => run.told(event, body),
            PersistentBody::TurnOutcome(_) if run.shown.phase == RunPhase::Running => {
                run.is_undecided = true;
                if run.mode() == RunMode::Run {
                    run.turns_at_node = run.turns_at_node.saturating_add(1);
                }
            }
            PersistentBody::Message(body) => {
                run.is_limited |= is_refusal(&body.message);
                run.patched(&body.message);
                run.read(body.message.content());
            }
            PersistentBody::CustomMessage(body) => run.read(body.message.content()),
            PersistentBody::Compact(_) => run.forget_told(),
            _ => {}
        }
    }

    /// The purpose of the newest turn.
    pub fn mode(&self) -> RunMode {
        self.turn_mode.unwrap_or(self.shown.mode)
    }

    fn started(started: RunStartedData) -> Self {
        Self {
            shown: SessionRun {
                run_id: started.run_id,
                workflow: started.workflow,
                phase: RunPhase::Running,
                reason: match started.resumed_from {
                    None => RunReason::Started,
                    Some(_) => RunReason::Resumed,
                },
                node_id: String::new(),
                mode: RunMode::Run,
            },
            package: started.package,
            sha256: String::new(),
            turn_id: None,
            turn_mode: None,
            has_changed: false,
            is_limited: false,
            turns_at_node: 0,
            told_node: None,
            told_agent: None,
            spent_before: started.spent,
            is_undecided: false,
            unrecorded: Vec::new(),
            calls: EngineTurns::default(),
        }
    }

    /// The model may not have what it was told any more: the leaf has moved, or a summary has taken its place.
    pub fn forget_told(&mut self) {
        (self.told_node, self.told_agent) = (None, None);
    }

    /// Takes note of what a call has made of the document, as the details of its result say.
    fn patched(&mut self, message: &Message) {
        let Message::ToolResult(message) = message else {
            return;
        };
        let result = message.result();
        let told = result.details.as_ref().and_then(|it| it.get("state"));
        let Some(told) = told.and_then(|it| PatchedState::deserialize(it).ok()) else {
            return;
        };
        let last = self.unrecorded.last().map_or(&self.sha256, |it| &it.sha256);
        if *last == told.sha256 {
            return;
        }
        self.unrecorded.push(RunStateData {
            sha256: told.sha256,
            current_node_id: told.current_node_id,
            from: told.from,
            label: told.label,
            completed: false,
            cause: RunStateCause::Patch,
            tool_call_id: Some(result.tool_use_id.clone()),
        });
    }

    /// Takes note of what a message tells the model of the run.
    fn read(&mut self, content: &[Block]) {
        for block in content {
            let Block::Text {
                part, template_ref, ..
            } = block
            else {
                continue;
            };
            if *part == Some(TextPart::NodeBrief) {
                self.told_node = Some(self.shown.node_id.clone());
            }
            let persona = template_ref
                .as_ref()
                .and_then(|it| it.strip_prefix(PERSONA));
            if let Some(agent) = persona {
                self.told_agent = Some(agent.to_owned());
            }
        }
    }

    fn told(&mut self, event: &PersistentEvent, body: &CustomBody) {
        if let Some(state) = data::<RunStateData>(body, RUN_STATE_KIND) {
            if state.current_node_id != self.shown.node_id {
                self.turns_at_node = 0;
            }
            self.unrecorded
                .retain(|it| it.tool_call_id != state.tool_call_id);
            self.sha256 = state.sha256;
            self.shown.node_id = state.current_node_id;
            self.has_changed |= event.turn_id.is_some();
        } else if let Some(phase) = data::<RunPhaseData>(body, RUN_PHASE_KIND) {
            self.shown.phase = phase.to;
            self.shown.reason = phase.reason;
            self.is_undecided = false;
        } else if let Some(mode) = data::<RunModeData>(body, RUN_MODE_KIND) {
            self.shown.mode = mode.mode;
        }
    }
}

/// `state` in the details of a result.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PatchedState {
    sha256: String,
    current_node_id: String,
    from: Option<String>,
    label: Option<String>,
}

/// The purpose that a message has of its own.
fn mode_of(body: &PersistentBody) -> Option<RunMode> {
    match body {
        PersistentBody::Message(MessageBody {
            message: Message::User(message),
            ..
        }) => message.meta.mode,
        _ => None,
    }
}

/// Returns whether a message is the refusal of a task by the limits of the run.
fn is_refusal(message: &Message) -> bool {
    let Message::ToolResult(message) = message else {
        return false;
    };
    let details = message.result().details.as_ref();
    details.is_some_and(|details| {
        let error = &details["error"];
        error["code"] == ErrorCode::SpawnRefused.name()
            && error["details"]["kind"] == SpawnRefusal::Run.name()
    })
}

/// The beginning of the name of a persona's template.
const PERSONA: &str = "persona:";

/// The data of an event of a kind. Data that cannot be read is of a later version, and says nothing.
fn data<T: DeserializeOwned>(body: &CustomBody, kind: &str) -> Option<T> {
    (body.kind == kind).then(|| T::deserialize(&body.data).ok())?
}
