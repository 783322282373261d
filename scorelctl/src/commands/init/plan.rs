use scorel_proto::{ListModels, ListModelsParams, ListModelsResult, ModelProvider};

use super::files::InitFiles;
use super::key::ApiKey;
use super::question;
use super::settings::ModelSettings;
use crate::args::InitArgs;
use crate::commands::models::tokens;
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::output::Output;

/// What to write.
#[derive(Debug)]
pub(super) struct InitPlan {
    pub(super) settings: ModelSettings,
    /// The key to add to the env file.
    pub(super) key: Option<ApiKey>,
}

/// Determines what to write: from the command line, the environment, the daemon, and prompts.
pub(super) async fn make(
    args: &InitArgs,
    files: &InitFiles,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<InitPlan, Failure> {
    let complete = args.provider.is_some() && args.model.is_some();
    if !complete {
        output.note("looking for API keys and local model servers …")?;
    }
    let params = ListModelsParams {
        live: Some(!complete),
        ..ListModelsParams::default()
    };
    let known = control.call::<ListModels>(&params).await?;
    let provider = match (&args.provider, &args.api) {
        (Some(name), Some(_)) => unknown_to_scorel(name),
        (Some(name), None) => named(name, &known)?,
        (None, _) => choose_provider(args, files, &known, output).await?,
    };
    let variable = match &args.key_env {
        Some(variable) => Some(variable.clone()),
        None => usual_variable(&provider, files)?,
    };
    let key = match &variable {
        Some(variable) => key(variable, args, &provider, files)?,
        None => None,
    };
    let model = match &args.model {
        Some(model) => model.clone(),
        None => choose_model(args, &provider, &known, output).await?,
    };
    let is_usual = |variable: &String| provider.key_variables.contains(variable);
    let usual = args.base_url.is_none() && variable.as_ref().is_none_or(is_usual);
    Ok(InitPlan {
        settings: ModelSettings {
            provider: provider.name,
            model,
            api: args.api.clone(),
            base_url: args.base_url.clone(),
            key_variable: variable,
            names_key: !usual,
        },
        key,
    })
}

fn unknown_to_scorel(name: &str) -> ModelProvider {
    ModelProvider {
        name: name.to_owned(),
        key_variables: Vec::new(),
        has_key: false,
        local: true,
        live: false,
        problem: None,
        listed_at: None,
    }
}

fn named(name: &str, known: &ListModelsResult) -> Result<ModelProvider, Failure> {
    let found = known.providers.iter().find(|known| known.name == name);
    found.cloned().ok_or_else(|| {
        let names: Vec<_> = known
            .providers
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        Failure::usage(format!("there is no provider `{name}`")).hint(format!(
            "built in are {}; for any other endpoint pass --api and --base-url",
            names.join(", ")
        ))
    })
}

/// Chooses among the usable providers: those with a key in the environment or in the daemon, and
/// local servers that respond.
async fn choose_provider(
    args: &InitArgs,
    files: &InitFiles,
    known: &ListModelsResult,
    output: &mut Output,
) -> Result<ModelProvider, Failure> {
    let mut usable = Vec::new();
    for provider in &known.providers {
        let reason = match usual_variable(provider, files)? {
            Some(variable) if ApiKey::find(&variable)?.is_some() => format!("{variable} is set"),
            Some(_) if provider.has_key => "the daemon has a key".to_owned(),
            None if provider.local && provider.live && has_models(provider, known) => {
                "runs on this machine".to_owned()
            }
            _ => continue,
        };
        usable.push((provider, format!("{:<12}{reason}", provider.name)));
    }
    if usable.is_empty() {
        return Err(nothing_found(known));
    }
    let lines: Vec<String> = usable.iter().map(|(_, line)| line.clone()).collect();
    let chosen = question::choose("provider", &lines, args, output).await?;
    Ok(usable[chosen].0.clone())
}

fn has_models(provider: &ModelProvider, known: &ListModelsResult) -> bool {
    let mut models = known.models.iter();
    models.any(|model| model.provider == provider.name)
}

fn nothing_found(known: &ListModelsResult) -> Failure {
    let variables = known
        .providers
        .iter()
        .filter_map(|one| one.key_variables.first());
    let variables: Vec<_> = variables.map(String::as_str).collect();
    Failure::usage("found neither an API key in the environment nor a local model server")
        .hint(format!(
            "export one of {} and repeat, or describe an endpoint with --provider, --api, --base-url \
             and --model",
            variables.join(", ")
        ))
}

/// The variable of the provider's key: the first one that is set in the environment or the env
/// file, else the first. `None` if the provider needs no key.
fn usual_variable(provider: &ModelProvider, files: &InitFiles) -> Result<Option<String>, Failure> {
    for variable in &provider.key_variables {
        if ApiKey::find(variable)?.is_some() || files.has_key(variable)? {
            return Ok(Some(variable.clone()));
        }
    }
    Ok(provider.key_variables.first().cloned())
}

/// The key to write: that of the environment, unless the env file has one and `--force` is not
/// given.
fn key(
    variable: &str,
    args: &InitArgs,
    provider: &ModelProvider,
    files: &InitFiles,
) -> Result<Option<ApiKey>, Failure> {
    let in_file = files.has_key(variable)?;
    let found = ApiKey::find(variable)?;
    // `hasKey` refers to the usual variables; whether the daemon has another one is unknown.
    let needed = args.key_env.is_some() || !provider.local && !provider.has_key;
    if needed && found.is_none() && !in_file {
        let message = format!(
            "{} needs an API key, and {variable} is not set",
            provider.name
        );
        return Err(Failure::usage(message).hint(format!("export {variable} and repeat")));
    }
    Ok(found.filter(|_| !in_file || args.force))
}

/// Chooses among the provider's models.
async fn choose_model(
    args: &InitArgs,
    provider: &ModelProvider,
    known: &ListModelsResult,
    output: &mut Output,
) -> Result<String, Failure> {
    let models = known.models.iter();
    let models: Vec<_> = models
        .filter(|model| model.provider == provider.name)
        .collect();
    if models.is_empty() {
        let message = format!("no models of {} are known", provider.name);
        return Err(Failure::usage(message).hint("pass one with --model"));
    }
    let line = |id: &str, window| format!("{id:<40} {:>7}", tokens(window));
    let lines = models
        .iter()
        .map(|model| line(&model.id, model.context_window));
    let lines: Vec<String> = lines.collect();
    let chosen = question::choose("model", &lines, args, output).await?;
    Ok(models[chosen].id.clone())
}
