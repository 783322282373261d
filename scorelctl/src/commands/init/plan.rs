use scorel_proto::{ListModels, ListModelsParams, ListModelsResult, ModelProvider};

use super::files::InitFiles;
use super::key::ApiKey;
use super::settings::ModelSettings;
use super::{key_input, question};
use crate::args::InitArgs;
use crate::commands::models::tokens;
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::output::Output;

/// For `--ask-key` with a provider that has no variable for a key.
const KEY_HINT: &str =
    "name a variable for the key with --key-env, or with apiKeyEnv in config.toml";

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
        (Some(name), Some(_)) => new_custom(name, &known)?,
        (Some(name), None) => named(name, args, &known)?,
        (None, _) => choose_provider(args, files, &known, output).await?,
    };
    let variable = match &args.key_env {
        Some(variable) => Some(variable.clone()),
        None => usual_variable(&provider, files)?,
    };
    // Before a key is asked for: a model that is not known ends this.
    let model = match &args.model {
        Some(model) => model.clone(),
        None => choose_model(args, &provider, &known, output).await?,
    };
    let key = match &variable {
        Some(variable) => key(variable, args, &provider, files, output).await?,
        None if args.ask_key => {
            let message = format!("{} needs no API key", provider.name);
            return Err(Failure::usage(message).hint(KEY_HINT));
        }
        None => None,
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

/// A custom endpoint that the command line describes.
fn new_custom(name: &str, known: &ListModelsResult) -> Result<ModelProvider, Failure> {
    if known
        .providers
        .iter()
        .any(|it| it.custom && it.name == name)
    {
        let message = format!("[providers.{name}] describes `{name}` already");
        let hint = "leave out --api and --base-url to use it, or choose another name";
        return Err(Failure::usage(message).hint(hint));
    }
    Ok(ModelProvider {
        name: name.to_owned(),
        key_variables: Vec::new(),
        has_key: false,
        local: true,
        custom: false,
        live: false,
        problem: None,
        listed_at: None,
    })
}

fn named(name: &str, args: &InitArgs, known: &ListModelsResult) -> Result<ModelProvider, Failure> {
    let Some(found) = known.providers.iter().find(|known| known.name == name) else {
        return Err(unknown(name, known));
    };
    if found.custom && (args.base_url.is_some() || args.key_env.is_some()) {
        let message = format!("[providers.{name}] has the address and the key of `{name}`");
        return Err(Failure::usage(message).hint("change them in config.toml"));
    }
    Ok(found.clone())
}

fn unknown(name: &str, known: &ListModelsResult) -> Failure {
    let names = |custom: bool| {
        let listed = known.providers.iter().filter(|one| one.custom == custom);
        listed.map(|one| one.name.as_str()).collect::<Vec<_>>()
    };
    let mut hint = format!("built in are {}", names(false).join(", "));
    if !names(true).is_empty() {
        hint = format!("{hint}, in config.toml are {}", names(true).join(", "));
    }
    Failure::usage(format!("there is no provider `{name}`")).hint(format!(
        "{hint}; for any other endpoint pass --api and --base-url"
    ))
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
            None if !provider.live || !has_models(provider, known) => continue,
            None if provider.local => "runs on this machine".to_owned(),
            None if provider.custom => "in config.toml".to_owned(),
            _ => continue,
        };
        usable.push((provider, format!("{:<12}{reason}", provider.name)));
    }
    if usable.is_empty() && !args.yes && key_input::can_ask(output) {
        output.note("found no API key and no local model server; choose where you have a key")?;
        let keyed = known.providers.iter();
        let keyed = keyed.filter(|provider| !provider.key_variables.is_empty());
        usable.extend(keyed.map(|provider| (provider, provider.name.clone())));
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
    Failure::usage("found neither an API key in the environment nor a local model server").hint(
        format!(
            "pass --provider to paste its key, export one of {}, or describe an endpoint with \
             --provider, --api, --base-url and --model",
            variables.join(", ")
        ),
    )
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
/// given; the user's own input if there is none, or with `--ask-key`.
async fn key(
    variable: &str,
    args: &InitArgs,
    provider: &ModelProvider,
    files: &InitFiles,
    output: &mut Output,
) -> Result<Option<ApiKey>, Failure> {
    let in_file = files.has_key(variable)?;
    let found = ApiKey::find(variable)?;
    // `hasKey` refers to the usual variables; whether the daemon has another one is unknown.
    let needed = args.key_env.is_some() || !provider.local && !provider.has_key;
    if !args.ask_key && (!needed || found.is_some() || in_file) {
        return Ok(found.filter(|_| !in_file || args.force));
    }
    files.check_env(variable)?;
    let what = format!("the API key of {}, {variable}", provider.name);
    let typed = key_input::read(&what, output).await?;
    let typed = typed
        .map(|text| ApiKey::typed(variable, &text))
        .transpose()?;
    let Some(key) = typed.flatten() else {
        let message = format!(
            "{} needs an API key, and {variable} is not set",
            provider.name
        );
        let hint = format!("export {variable} and repeat, or pass the key on standard input");
        return Err(Failure::usage(message).hint(hint));
    };
    Ok(Some(key))
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
