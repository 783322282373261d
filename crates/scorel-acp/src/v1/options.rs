use agent_client_protocol_schema::v1::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelectOption, SetSessionConfigOptionRequest,
};
use scorel_client::new_command_id;
use scorel_proto::{
    ListModels, ListModelsParams, ListModelsResult, ListRunners, ListRunnersParams,
    ListRunnersResult, Model, Session, SessionId, ThinkingLevel, UpdateSession,
    UpdateSessionParams,
};

use crate::daemon::{Connector, Daemon};
use crate::failure::Failure;
use crate::visible::one_line;

const MODEL: &str = "model";
const THOUGHT_LEVEL: &str = "thought_level";
const RUNNER: &str = "runner";

/// A session's options and their values.
pub(super) async fn of<C: Connector>(
    session: &Session,
    daemon: &Daemon<C>,
) -> Result<Vec<SessionConfigOption>, Failure> {
    let project_id = Some(session.project_id);
    let params = ListModelsParams {
        project_id,
        provider: None,
        // To open a session must not wait for an endpoint.
        live: Some(false),
    };
    let models = daemon.call::<ListModels>(&params).await?;
    let params = ListRunnersParams { project_id };
    let runners = daemon.call::<ListRunners>(&params).await?;
    Ok(vec![
        model_option(session, &models),
        level_option(session, &models),
        runner_option(session, &runners),
    ])
}

/// Sets an option.
pub(super) async fn set<C: Connector>(
    session_id: SessionId,
    request: &SetSessionConfigOptionRequest,
    daemon: &Daemon<C>,
) -> Result<Vec<SessionConfigOption>, Failure> {
    let SessionConfigOptionValue::ValueId { value } = &request.value else {
        return Err(Failure::invalid("the value of an option is a text"));
    };
    let value = value.0.to_string();
    let mut params = UpdateSessionParams {
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
    match &*request.config_id.0 {
        MODEL => params.model = Some(value),
        RUNNER => params.runner = Some(value),
        THOUGHT_LEVEL => {
            let unknown =
                |_| Failure::invalid(format!("no thought level is `{}`", one_line(&value)));
            let level = serde_json::from_value::<ThinkingLevel>(value.clone().into());
            params.thinking_level = Some(level.map_err(unknown)?);
        }
        unknown => {
            let message = format!("no option is `{}`", one_line(unknown));
            return Err(Failure::invalid(message));
        }
    }
    let session = daemon.call::<UpdateSession>(&params).await?.session;
    of(&session, daemon).await
}

fn model_option(session: &Session, models: &ListModelsResult) -> SessionConfigOption {
    let current = current_model(session, models);
    let usable = models
        .models
        .iter()
        .filter(|model| model.has_key != Some(false));
    let choices = usable.map(|model| {
        let id = full_name(model);
        let name = model
            .name
            .as_deref()
            .map_or_else(|| one_line(&id), one_line);
        SessionConfigSelectOption::new(id, name)
    });
    select(MODEL, "Model", current, choices.collect()).category(SessionConfigOptionCategory::Model)
}

fn level_option(session: &Session, models: &ListModelsResult) -> SessionConfigOption {
    let current = current_model(session, models);
    let model = models
        .models
        .iter()
        .find(|model| full_name(model) == current);
    let levels = model.map_or(&ThinkingLevel::ALL[..], |model| &model.thinking_levels);
    let default = [ThinkingLevel::Default];
    let others = levels
        .iter()
        .filter(|level| **level != ThinkingLevel::Default);
    let choices = default.iter().chain(others).map(|level| {
        let name = level.to_string();
        SessionConfigSelectOption::new(name.clone(), name)
    });
    let current = session.thinking_level.to_string();
    select(THOUGHT_LEVEL, "Thinking", current, choices.collect())
        .category(SessionConfigOptionCategory::ThoughtLevel)
}

fn runner_option(session: &Session, runners: &ListRunnersResult) -> SessionConfigOption {
    let usable = runners
        .runners
        .iter()
        .filter(|runner| runner.installed != Some(false));
    let choices = usable
        .map(|runner| SessionConfigSelectOption::new(runner.name.clone(), one_line(&runner.label)));
    select(RUNNER, "Runner", session.runner.clone(), choices.collect())
        .description("The agent that carries out the turns".to_owned())
}

/// The value in use is always offered, also if it is not in the list.
fn select(
    id: &'static str,
    name: &str,
    current: String,
    mut choices: Vec<SessionConfigSelectOption>,
) -> SessionConfigOption {
    if !choices.iter().any(|choice| *choice.value.0 == *current) {
        choices.insert(
            0,
            SessionConfigSelectOption::new(current.clone(), one_line(&current)),
        );
    }
    SessionConfigOption::select(id, name, current, choices)
}

fn current_model(session: &Session, models: &ListModelsResult) -> String {
    let own = session.model.clone();
    own.unwrap_or_else(|| models.default_model.clone())
}

fn full_name(model: &Model) -> String {
    format!("{}/{}", model.provider, model.id)
}
