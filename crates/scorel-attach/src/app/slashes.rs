use std::ffi::OsString;

use scorel_client::new_command_id;
use scorel_proto::{
    ArchiveSessionParams, CompactParams, CreateSessionParams, ListModelsParams, ListModelsResult,
    NoParams, SessionView, ThinkingLevel, UpdateSessionParams,
};

use super::state::App;
use crate::call::Call;
use crate::effect::Effect;
use crate::picker::{Choice, Picker, PickerKind, PickerRow};
use crate::slash::Slash;

const LEVELS: [ThinkingLevel; 8] = [
    ThinkingLevel::Default,
    ThinkingLevel::None,
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
    ThinkingLevel::Xhigh,
    ThinkingLevel::Max,
];

/// The most bytes that terminals take for their clipboard.
const MAX_COPY: usize = 74_994;

impl App {
    pub(super) fn slash(&mut self, slash: Slash, argument: &str, view: &SessionView) {
        match slash {
            Slash::Help => self.say_help(),
            Slash::Sessions => self.go_to(),
            Slash::Queue => self.list_queue(view),
            Slash::Rewind => self.list_messages(view),
            Slash::Status => self.call(Call::GetStatus(Box::new(NoParams {}))),
            Slash::Copy => self.copy(),
            Slash::New => self.new_session(argument),
            Slash::Model => self.model(argument),
            Slash::Rename | Slash::Archive | Slash::Compact | Slash::Export | Slash::Diff => {
                self.session_slash(slash, argument);
            }
        }
    }

    fn session_slash(&mut self, slash: Slash, argument: &str) {
        let Some(session) = self.session.as_ref().map(|it| &it.facts.session) else {
            return self.hint("no session is open: Ctrl+X goes to one");
        };
        let session_id = session.session_id;
        let command_id = Some(new_command_id());
        match slash {
            Slash::Rename if argument.is_empty() => {
                self.hint("/rename needs the new title: /rename TITLE");
            }
            Slash::Rename => self.call(Call::UpdateSession(Box::new(UpdateSessionParams {
                title: Some(argument.to_owned()),
                ..self.no_change()
            }))),
            Slash::Archive => {
                let archived = Some(!session.archived);
                self.call(Call::ArchiveSession(Box::new(ArchiveSessionParams {
                    session_id,
                    archived,
                    command_id,
                })));
            }
            Slash::Compact => self.call(Call::Compact(Box::new(CompactParams {
                session_id,
                instructions: (!argument.is_empty()).then(|| argument.to_owned()),
                command_id,
            }))),
            Slash::Export => {
                self.run_own(export_words(session_id, argument), false);
            }
            _ => match self.local_dir() {
                Some(_) => self.effect(Effect::Run {
                    words: ["git", "--no-pager", "diff", "HEAD"]
                        .map(OsString::from)
                        .to_vec(),
                    pages: true,
                }),
                None => self.run_own(
                    vec![
                        "files".into(),
                        "--session".into(),
                        session_id.to_string().into(),
                    ],
                    true,
                ),
            },
        }
    }

    fn run_own(&mut self, arguments: Vec<OsString>, pages: bool) {
        let mut words = self.setup.program.clone();
        words.extend(arguments);
        self.effect(Effect::Run { words, pages });
    }

    fn no_change(&self) -> UpdateSessionParams {
        UpdateSessionParams {
            session_id: self
                .session_id()
                .unwrap_or_else(scorel_proto::SessionId::generate),
            title: None,
            model: None,
            runner: None,
            thinking_level: None,
            tools: None,
            on_restart: None,
            refresh_instructions: None,
            command_id: Some(new_command_id()),
        }
    }

    fn new_session(&mut self, title: &str) {
        let Some(session) = self.session.as_ref().map(|it| &it.facts.session) else {
            return self.hint("no project is known: start this program in its directory");
        };
        let params = CreateSessionParams {
            project_id: session.project_id,
            title: (!title.is_empty()).then(|| title.to_owned()),
            model: None,
            runner: None,
            thinking_level: None,
            tools: None,
            command_id: Some(new_command_id()),
        };
        self.call(Call::CreateSession(Box::new(params)));
    }

    fn model(&mut self, argument: &str) {
        let Some(session) = self.session.as_ref().map(|it| &it.facts.session) else {
            return self.hint("no session is open: Ctrl+X goes to one");
        };
        let mut words = argument.split_whitespace();
        match (words.next(), words.next()) {
            (None, _) => self.call(Call::ListModels(Box::new(ListModelsParams {
                project_id: Some(session.project_id),
                provider: None,
                live: Some(false),
            }))),
            (Some(name), level) => {
                let level_named =
                    |name: &str| LEVELS.into_iter().find(|level| level.name() == name);
                let is_level = level.is_none().then(|| level_named(name)).flatten();
                let level = match (is_level, level) {
                    (Some(level), _) => Some(level),
                    (None, Some(text)) => match level_named(text) {
                        Some(level) => Some(level),
                        None => {
                            let names = LEVELS.map(ThinkingLevel::name).join(", ");
                            return self.hint(format!("`{text}` is no thinking level: {names}"));
                        }
                    },
                    (None, None) => None,
                };
                let model = is_level.is_none().then(|| name.to_owned());
                self.set_model(model, level);
            }
        }
    }

    pub(super) fn set_model(&mut self, model: Option<String>, level: Option<ThinkingLevel>) {
        let params = UpdateSessionParams {
            model,
            thinking_level: level,
            ..self.no_change()
        };
        self.call(Call::UpdateSession(Box::new(params)));
    }

    pub(super) fn choose_model(&mut self, models: ListModelsResult) {
        let usable = models
            .models
            .into_iter()
            .filter(|model| model.has_key != Some(false));
        let rows: Vec<PickerRow> = usable
            .map(|model| PickerRow {
                label: format!("{}:{}", model.provider, model.id),
                detail: model.name.clone().unwrap_or_default(),
                choice: Choice::Model(format!("{}:{}", model.provider, model.id)),
            })
            .collect();
        if rows.is_empty() {
            return self.note("no model has a key: `scorelctl init` sets one up");
        }
        let title = format!(
            "Model of the next messages (default: {})",
            models.default_model
        );
        self.open_picker(Picker::new(PickerKind::Model, title, rows));
    }

    fn choose_level(&mut self) {
        let rows = LEVELS.map(|level| PickerRow {
            label: level.name().to_owned(),
            detail: String::new(),
            choice: Choice::Level(level),
        });
        self.open_picker(Picker::new(
            PickerKind::Level,
            "How much it thinks",
            rows.to_vec(),
        ));
    }

    /// Does what a row of a list stands for.
    pub(super) fn chosen(&mut self, choice: Choice, view: &SessionView) {
        match choice {
            Choice::Session(id) => self.go(id),
            Choice::Runtime(id) => self.go_to_runtime(id),
            Choice::Model(name) => {
                self.set_model(Some(name), None);
                self.choose_level();
            }
            Choice::Level(level) => self.set_model(None, Some(level)),
            Choice::Queued(id) => self.queue_letter('e', &Choice::Queued(id), view),
            Choice::Rewind(target) => self.rewind(target),
            Choice::RewindWithFiles(target) => self.rewind_now(target, true),
        }
    }

    fn copy(&mut self) {
        let text = self
            .session
            .as_ref()
            .map_or("", |session| session.answer.as_str());
        if text.is_empty() {
            return self.hint("there is no answer to copy yet");
        }
        if self.setup.is_plain {
            return self
                .hint("not copied: in plain mode nothing but lines is written to the terminal");
        }
        if text.len() > MAX_COPY {
            return self.hint(
                "not copied: the answer is longer than terminals take; /export writes it to a file",
            );
        }
        let text = text.to_owned();
        self.hint(format!(
            "{} characters given to the terminal for its clipboard; some terminals ignore that (OSC 52)",
            text.chars().count()
        ));
        self.effect(Effect::Copy(text));
    }
}

/// The words of `scorelctl export` for `FORMAT FILE`, of which the file or both may be missing. A name that begins with a
/// dash is not an option.
fn export_words(session_id: scorel_proto::SessionId, argument: &str) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["export".into(), format!("--session={session_id}").into()];
    let (format, file) = argument
        .split_once(char::is_whitespace)
        .unwrap_or((argument, ""));
    for (option, value) in [("format", format), ("output", file.trim_start())] {
        if !value.is_empty() {
            words.push(format!("--{option}={value}").into());
        }
    }
    words
}
