use scorel_proto::{ListModels, ListModelsParams, ListModelsResult, ModelProvider};

use super::files::Files;
use super::key::Key;
use super::question;
use super::settings::Settings;
use crate::args::InitArgs;
use crate::commands::models::tokens;
use crate::control::Control;
use crate::failure::Failure;
use crate::output::Output;

/// What is to be written.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) settings: Settings,
    /// The key to add to the file of keys.
    pub(super) key: Option<Key>,
}

/// Finds out what to write, from the command line, the environment and the daemon, and from
/// whoever sits at the terminal.
pub(super) async fn make(
    args: &InitArgs,
    files: &Files,
    control: &mut Control,
    output: &mut Output,
) -> Result<Plan, Failure> {
    let complete = args.provider.is_some() && args.model.is_some();
    if !complete {
        output.note("looking for keys and for servers on this machine …")?;
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
    Ok(Plan {
        settings: Settings {
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
        Failure::usage(format!("Scorel knows no provider `{name}`")).hint(format!(
            "it knows {}; others are described with --api and --base-url",
            names.join(", ")
        ))
    })
}

/// The providers that can be used: with a key here or in the daemon, or a server that answers.
async fn choose_provider(
    args: &InitArgs,
    files: &Files,
    known: &ListModelsResult,
    output: &mut Output,
) -> Result<ModelProvider, Failure> {
    let mut usable = Vec::new();
    for provider in &known.providers {
        let reason = match usual_variable(provider, files)? {
            Some(variable) if Key::find(&variable)?.is_some() => format!("{variable} is set"),
            Some(_) if provider.has_key => "the daemon has its key".to_owned(),
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
    Failure::usage("there is neither a key in the environment nor a model server on this machine")
        .hint(format!(
            "export one of {} and repeat, or name a server with --provider, --api, --base-url and \
             --model",
            variables.join(", ")
        ))
}

/// The variable of the provider's key: the first that has one here or in the file of keys, else
/// the first. `None` if it needs no key.
fn usual_variable(provider: &ModelProvider, files: &Files) -> Result<Option<String>, Failure> {
    for variable in &provider.key_variables {
        if Key::find(variable)?.is_some() || files.has_key(variable)? {
            return Ok(Some(variable.clone()));
        }
    }
    Ok(provider.key_variables.first().cloned())
}

/// The key to write: the one of the environment, unless the file of keys has it already.
fn key(
    variable: &str,
    args: &InitArgs,
    provider: &ModelProvider,
    files: &Files,
) -> Result<Option<Key>, Failure> {
    let in_file = files.has_key(variable)?;
    let found = Key::find(variable)?;
    // The daemon looks for the usual variable; of another one nobody knows whether it has it.
    let needed = args.key_env.is_some() || !provider.local && !provider.has_key;
    if needed && found.is_none() && !in_file {
        let message = format!("{} needs a key, and {variable} is not set", provider.name);
        return Err(Failure::usage(message).hint(format!("export {variable} and repeat")));
    }
    Ok(found.filter(|_| !in_file || args.force))
}

/// A model that the provider has, its first unless somebody can be asked.
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
        let message = format!("no model of {} is known", provider.name);
        return Err(Failure::usage(message).hint("name one with --model"));
    }
    let line = |id: &str, window| format!("{id:<40} {:>7}", tokens(window));
    let lines = models
        .iter()
        .map(|model| line(&model.id, model.context_window));
    let lines: Vec<String> = lines.collect();
    let chosen = question::choose("model", &lines, args, output).await?;
    Ok(models[chosen].id.clone())
}
