use scorel_proto::{
    AgentTaskInfo, Binding, BoundContext, HostEvent, ListSessionsParams, Phase, Session, SessionId,
};

use super::state::{App, Mode, now_ms};
use crate::call::Call;
use crate::effect::Effect;
use crate::picker::{Choice, Picker, PickerKind, PickerRow};

/// The sessions that are listed.
const LISTED: u32 = 100;

impl App {
    /// Opens the list of where to go, in this project.
    pub(super) fn go_to(&mut self) {
        self.list(false);
    }

    /// The same in all projects.
    pub(crate) fn go_to_all(&mut self) {
        self.list(true);
    }

    fn list(&mut self, all: bool) {
        let project = self
            .session
            .as_ref()
            .map(|session| session.facts.session.project_id);
        let all = all || project.is_none();
        self.call(Call::ListSessions(Box::new(ListSessionsParams {
            project_id: project.filter(|_| !all),
            limit: Some(LISTED),
            ..ListSessionsParams::default()
        })));
        if !self.setup.is_plain {
            let rows = self.places(all);
            self.open_picker(Picker::new(
                PickerKind::GoTo { all },
                place_title(all),
                rows,
            ));
        }
    }

    /// The daemon has listed the sessions.
    pub(super) fn listed(&mut self, all: bool, sessions: Vec<Session>) {
        self.sessions = sessions;
        let rows = self.places(all);
        match &mut self.mode {
            Mode::Picking(picker) if picker.kind == (PickerKind::GoTo { all }) => {
                picker.refill(rows);
            }
            _ if self.setup.is_plain => {
                self.open_picker(Picker::new(
                    PickerKind::GoTo { all },
                    place_title(all),
                    rows,
                ));
            }
            _ => {}
        }
    }

    /// Questions, then agents that work, then sessions.
    fn places(&self, all: bool) -> Vec<PickerRow> {
        let current = self.session.as_ref().map(|session| &session.facts.session);
        let project = current.map(|session| session.project_id);
        let is_near = |id| all || Some(id) == project;
        let questions = self
            .host
            .questions
            .iter()
            .filter(|it| is_near(it.project_id))
            .map(|question| PickerRow {
                label: format!("? {} asks", question.request.tool_name),
                detail: question
                    .agent_type
                    .clone()
                    .or_else(|| question.title.clone())
                    .unwrap_or_default(),
                choice: Choice::Session(question.session_id),
            });
        let runtimes = self
            .host
            .runtimes
            .values()
            .filter(|it| is_near(it.project_id))
            .map(runtime_row);
        let sessions = self
            .sessions
            .iter()
            .filter(|it| is_near(it.project_id))
            .map(|session| self.session_row(session, all));
        questions.chain(runtimes).chain(sessions).collect()
    }

    fn session_row(&self, session: &Session, all: bool) -> PickerRow {
        let title = session
            .title
            .clone()
            .unwrap_or_else(|| "new session".to_owned());
        let project = self
            .host
            .projects
            .iter()
            .find(|it| it.project_id == session.project_id);
        let project = project
            .filter(|_| all)
            .map(|it| format!("{} · ", it.display_name));
        let here = if Some(session.session_id) == self.session_id() {
            " · here"
        } else {
            ""
        };
        PickerRow {
            label: title,
            detail: format!(
                "{}{}{}{here}",
                project.unwrap_or_default(),
                phase_text(session.phase),
                age(session.updated_at)
            ),
            choice: Choice::Session(session.session_id),
        }
    }

    /// Opens a list in the composer's place; a screen reader has it as lines.
    pub(super) fn open_picker(&mut self, picker: Picker) {
        if self.setup.is_plain {
            let lines = picker.plain_lines();
            self.plain_lines(&lines);
        }
        self.mode = Mode::Picking(picker);
    }

    pub(super) fn go(&mut self, id: SessionId) {
        if Some(id) != self.session_id() {
            self.effect(Effect::Open(id));
        }
    }

    /// Enters the session of an agent at work.
    pub(super) fn go_to_runtime(&mut self, id: scorel_proto::AgentTaskId) {
        let Some(runtime) = self.host.runtimes.get(&id) else {
            return self.hint("that task has ended");
        };
        let project = runtime.project_id;
        let mut binding = Binding::new(project);
        binding.apply(&HostEvent::Snapshot {
            version: 0,
            projects: self.host.projects.clone(),
            sessions: Vec::new(),
            more: false,
            runtimes: self.host.runtimes.values().cloned().collect(),
            questions: Vec::new(),
            questions_cursor: None,
            clients: Vec::new(),
        });
        if !binding.select(id) {
            return self.hint("that task waits for its turn and has no session yet");
        }
        let session = binding.session();
        self.bound_from = self.session_id();
        self.binding = Some(binding);
        if let Some(session) = session {
            self.go(session);
        }
    }

    /// Follows the agent that was entered. When its task ends, messages go to where it was entered from.
    pub(super) fn binding_changed(&mut self, event: &HostEvent) {
        let Some(binding) = &mut self.binding else {
            return;
        };
        let before = binding.session();
        binding.apply(event);
        let has_ended = binding.selected() == BoundContext::Orchestrator;
        if !has_ended {
            return;
        }
        let orchestrator = binding.session();
        self.binding = None;
        let from = self.bound_from.take().or(orchestrator);
        if before.is_some()
            && before == self.session_id()
            && let Some(from) = from
        {
            self.note("the agent has ended its task: back to where you came from");
            self.go(from);
        }
    }
}

const fn place_title(all: bool) -> &'static str {
    if all {
        "Go to, in all projects"
    } else {
        "Go to"
    }
}

fn runtime_row(runtime: &AgentTaskInfo) -> PickerRow {
    PickerRow {
        label: format!("@ {}: {}", runtime.agent_type, runtime.title),
        detail: runtime.summary.clone().unwrap_or_default(),
        choice: Choice::Runtime(runtime.runtime_id),
    }
}

pub(crate) const fn phase_text(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Preparing | Phase::Running => "running",
        Phase::AwaitingPermission => "asks",
        Phase::Waiting => "waits",
        Phase::Cancelling => "cancelling",
        Phase::Failed => "failed",
    }
}

fn age(updated_at: u64) -> String {
    let minutes = now_ms().saturating_sub(updated_at) / 60_000;
    match minutes {
        0 => " · now".to_owned(),
        1..=59 => format!(" · {minutes} min ago"),
        60..=1439 => format!(" · {} h ago", minutes / 60),
        _ => format!(" · {} d ago", minutes / 1440),
    }
}
