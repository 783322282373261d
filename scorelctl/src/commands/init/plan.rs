use std::path::PathBuf;

use scorel_proto::{
    GetConfig, GetConfigParams, ListModels, ListModelsParams, ListModelsResult, ModelProvider,
};

use super::args::InitArgs;
use super::files::InitFiles;
use super::key::ApiKey;
use super::provider_choice::{self, ProviderChoice};
use super::settings::{CustomEndpoint, ModelSettings};
use super::{key_input, question};
use crate::cli::Cli;
use crate::commands::models::{CHOICES, choice};
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::output::Output;

/// For `--ask-key` with a provider that has no variable for a key.
const KEY_HINT: &str =
    "name a variable for the key with --key-env, or with apiKeyEnv in config.toml";

/// The user's choice.
#[derive(Debug)]
pub(super) enum InitChoice {
    Model(Box<InitPlan>),
    /// An agent of this name, which has a login and a configuration of its own.
    Runner(String),
}

/// The files to write.
#[derive(Debug)]
pub(super) struct InitPlan {
    pub(super) settings: ModelSettings,
    /// The key to add to the env file.
    pub(super) key: Option<ApiKey>,
    /// The env file, if the key was written already.
    pub(super) env: Option<PathBuf>,
}

/// Determines what to write: from the command line, the environment, the daemon, and prompts.
pub(super) async fn make(
    args: &InitArgs,
    files: &InitFiles,
    cli: &mut Cli<'_>,
) -> Result<InitChoice, Failure> {
    let complete = args.provider.is_some() && args.model.is_some();
    if !complete {
        cli.note("looking for API keys and local model servers …")?;
    }
    let params = ListModelsParams {
        live: Some(!complete),
        ..ListModelsParams::default()
    };
    let mut known = cli.call::<ListModels>(&params).await?;
    let provider = match (&args.provider, &args.api) {
        (Some(name), Some(_)) => new_custom(name, &known)?,
        (Some(name), None) => named(name, args, &known)?,
        (None, _) => match provider_choice::choose(args, files, &known, cli).await? {
            ProviderChoice::Provider(provider) => provider,
            ProviderChoice::Runner(name) => return Ok(InitChoice::Runner(name)),
        },
    };
    let variable = match &args.key_env {
        Some(variable) => Some(variable.clone()),
        None => files.usual_variable(&provider)?,
    };
    let is_usual = |variable: &String| provider.key_variables.contains(variable);
    let usual = args.base_url.is_none() && variable.as_ref().is_none_or(is_usual);
    let mut settings = ModelSettings {
        provider: provider.name.clone(),
        model: String::new(),
        endpoint: endpoint(args, &provider, &mut cli.daemon).await?,
        base_url: args.base_url.clone().filter(|_| args.api.is_none()),
        names_key: args.api.is_none() && !usual,
        key_variable: variable.clone(),
    };
    // Before a key is asked for: a model that is not known ends this. Only an endpoint that is described here
    // has to be written before it can be asked.
    if let Some(model) = &args.model {
        settings.model.clone_from(model);
    } else if args.api.is_none() {
        settings.model = choose_model(args, &provider, &known, cli.output).await?;
    }
    let mut key = match &variable {
        Some(variable) => key(variable, args, &provider, files, cli.output).await?,
        None if args.ask_key => {
            let message = format!("{} needs no API key", provider.name);
            return Err(Failure::usage(message).hint(KEY_HINT));
        }
        None => None,
    };
    let mut env = None;
    if settings.model.is_empty() {
        env = files.write(&settings, key.take().as_ref())?;
        cli.note(&format!(
            "wrote [providers.{}] to {}",
            provider.name,
            files.config().display()
        ))?;
        settings.endpoint = None;
        let params = ListModelsParams {
            provider: Some(provider.name.clone()),
            ..ListModelsParams::default()
        };
        known = cli.call::<ListModels>(&params).await.map_err(|error| {
            let hint = format!(
                "`scorelctl init --provider {} --model ID` goes on",
                provider.name
            );
            Failure::from(error).hint(hint)
        })?;
        settings.model = choose_model(args, &provider, &known, cli.output).await?;
    }
    Ok(InitChoice::Model(Box::new(InitPlan { settings, key, env })))
}

/// The endpoint to describe in a table: that of the command line, or that of the `[model]` section which is to be
/// replaced.
async fn endpoint(
    args: &InitArgs,
    provider: &ModelProvider,
    control: &mut DaemonClient,
) -> Result<Option<CustomEndpoint>, Failure> {
    if let (Some(api), Some(base_url)) = (args.api.clone(), args.base_url.clone()) {
        return Ok(Some(CustomEndpoint { api, base_url }));
    }
    if !args.force || provider.custom {
        return Ok(None);
    }
    let config = control
        .call::<GetConfig>(&GetConfigParams::default())
        .await?;
    let text = |key: &str| {
        let setting = config.settings.iter().find(|it| it.key == key);
        setting.and_then(|it| it.value.as_ref()?.as_str().map(str::to_owned))
    };
    let is_it = text("model.type").as_deref() == Some("custom")
        && text("model.provider").as_ref() == Some(&provider.name);
    let described = text("model.api")
        .zip(text("model.baseUrl"))
        .filter(|_| is_it);
    Ok(described.map(|(api, base_url)| CustomEndpoint { api, base_url }))
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
    let lines: Vec<String> = models.iter().map(|model| choice(model)).collect();
    let chosen = question::choose(("model", CHOICES), &lines, args, output).await?;
    Ok(models[chosen].id.clone())
}
