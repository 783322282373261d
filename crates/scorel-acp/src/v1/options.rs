//! The settings of a session that an editor offers: model, thinking level and runner.

use agent_client_protocol_schema::v1::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption,
};
use scorel_client::{Connect, new_command_id};
use scorel_proto::{
    ListModels, ListModelsParams, ListRunners, ListRunnersParams, Model, ProjectId, RunnerInfo,
    Session, SessionChanges, SessionId, ThinkingLevel, UpdateSessionParams,
};

use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::visible::one_line;

const MODEL: &str = "model";
const THOUGHT_LEVEL: &str = "thought_level";
const RUNNER: &str = "runner";

/// The settings that a session has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `None` for the configured one.
    model: Option<String>,
    thinking_level: ThinkingLevel,
    runner: String,
}

/// The options that a project offers.
#[derive(Debug)]
struct Choices {
    models: Vec<Model>,
    /// As `provider:id`.
    default_model: String,
    runners: Vec<RunnerInfo>,
}

impl Settings {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            model: session.model.clone(),
            thinking_level: session.thinking_level,
            runner: session.runner.clone(),
        }
    }

    /// Returns whether a recorded change changes them.
    pub(crate) fn change(&mut self, changes: &SessionChanges) -> bool {
        let before = self.clone();
        if changes.model.is_some() {
            self.model.clone_from(&changes.model);
        }
        if let Some(runner) = &changes.runner {
            self.runner.clone_from(runner);
        }
        self.thinking_level = changes.thinking_level.unwrap_or(self.thinking_level);
        *self != before
    }

    /// The options, with the choices of the project. No endpoint is asked: a session opens at once.
    pub(crate) async fn options<C: Connect + Clone>(
        &self,
        daemon: &Daemon<C>,
        project_id: ProjectId,
    ) -> Result<Vec<SessionConfigOption>, Failure> {
        let choices = Choices::of(daemon, project_id).await?;
        Ok(self.among(&choices))
    }

    fn among(&self, choices: &Choices) -> Vec<SessionConfigOption> {
        let model = choices.named(self.model.as_deref());
        let known = choices.models.iter().find(|it| name(it) == model);
        let models = choices.models.iter().map(|it| {
            let label = it.name.clone().unwrap_or_else(|| it.id.clone());
            choice(&name(it), &label).description(it.provider.clone())
        });
        let levels = known.map_or(&[][..], |model| &model.thinking_levels);
        let offers = |level: &ThinkingLevel| {
            let is_known = levels.is_empty() || levels.contains(level);
            is_known || *level == ThinkingLevel::Default || *level == self.thinking_level
        };
        let levels = ThinkingLevel::ALL.into_iter().filter(offers);
        let levels = levels.map(|level| choice(level.name(), level.name()));
        let runners = choices.runners.iter();
        let runners = runners.map(|it| choice(&it.name, &it.label));
        let level = self.thinking_level.name();
        let other = SessionConfigOptionCategory::Other("_runner".to_owned());
        vec![
            select(MODEL, "Model", &model, models.collect())
                .category(SessionConfigOptionCategory::Model),
            select(THOUGHT_LEVEL, "Thinking", level, levels.collect())
                .category(SessionConfigOptionCategory::ThoughtLevel),
            select(RUNNER, "Runner", &self.runner, runners.collect()).category(other),
        ]
    }
}

impl Choices {
    async fn of<C: Connect + Clone>(
        daemon: &Daemon<C>,
        project_id: ProjectId,
    ) -> Result<Self, Failure> {
        let models = ListModelsParams {
            project_id: Some(project_id),
            provider: None,
            live: Some(false),
        };
        let runners = ListRunnersParams {
            project_id: Some(project_id),
        };
        let (models, runners) = tokio::try_join!(
            daemon.call::<ListModels>(&models),
            daemon.call::<ListRunners>(&runners)
        )?;
        let default_model = models.default_model.replacen('/', ":", 1);
        let usable = |it: &Model| it.has_key != Some(false) || name(it) == default_model;
        let installed = |it: &RunnerInfo| it.installed != Some(false);
        Ok(Self {
            models: models.models.into_iter().filter(usable).collect(),
            runners: runners.runners.into_iter().filter(installed).collect(),
            default_model,
        })
    }

    /// A model's name as `provider:id`. An id alone is one of the configured provider.
    fn named(&self, model: Option<&str>) -> String {
        let Some(model) = model else {
            return self.default_model.clone();
        };
        let provider = self.default_model.split_once(':').map_or("", |it| it.0);
        let whole = format!("{provider}:{model}");
        match self.models.iter().any(|it| name(it) == whole) {
            true => whole,
            false => model.to_owned(),
        }
    }
}

/// The change that a choice is.
///
/// # Errors
/// There is no such option, or it does not offer the value.
pub(crate) fn chosen(
    session_id: SessionId,
    options: &[SessionConfigOption],
    option: &str,
    value: &str,
) -> Result<UpdateSessionParams, Failure> {
    let mut change = UpdateSessionParams {
        session_id,
        title: None,
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
        on_restart: None,
        refresh_instructions: None,
        command_id: Some(new_command_id()),
    };
    let offered = options.iter().find(|it| it.id.to_string() == option);
    if !offered.is_some_and(|it| offers(it, value)) {
        let message = format!("`{option}` is no option that offers `{value}`");
        return Err(Failure::invalid(message));
    }
    match option {
        MODEL => change.model = Some(value.to_owned()),
        RUNNER => change.runner = Some(value.to_owned()),
        _ => change.thinking_level = Some(value.parse().map_err(Failure::invalid)?),
    }
    Ok(change)
}

fn offers(option: &SessionConfigOption, value: &str) -> bool {
    use agent_client_protocol_schema::v1::{SessionConfigKind, SessionConfigSelectOptions};
    let SessionConfigKind::Select(select) = &option.kind else {
        return false;
    };
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => {
            options.iter().any(|it| *it.value.0 == *value)
        }
        _ => false,
    }
}

fn name(model: &Model) -> String {
    format!("{}:{}", model.provider, model.id)
}

fn choice(value: &str, label: &str) -> SessionConfigSelectOption {
    SessionConfigSelectOption::new(value.to_owned(), one_line(label))
}

/// The present value is offered, also if the daemon does not list it.
fn select(
    id: &'static str,
    label: &str,
    value: &str,
    mut choices: Vec<SessionConfigSelectOption>,
) -> SessionConfigOption {
    if !choices.iter().any(|it| *it.value.0 == *value) {
        choices.insert(0, choice(value, value));
    }
    SessionConfigOption::select(id, label, value.to_owned(), choices)
}
