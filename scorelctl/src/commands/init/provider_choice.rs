use scorel_proto::{ListModelsResult, ModelProvider};

use super::args::InitArgs;
use super::files::InitFiles;
use super::key::ApiKey;
use super::question;
use super::runner_offer::{RunnerOffer, installed};
use crate::cli::Cli;
use crate::failure::Failure;

/// The provider or the agent that is to answer.
#[derive(Debug)]
pub(super) enum ProviderChoice {
    Provider(ModelProvider),
    /// An agent of this name.
    Runner(String),
}

/// Chooses who answers. First come providers that can be used at once: with a key in the environment or in the
/// daemon, and local servers that respond. At a terminal agents that are installed and can be used follow, and all
/// providers for which the user may have a key.
pub(super) async fn choose(
    args: &InitArgs,
    files: &InitFiles,
    known: &ListModelsResult,
    cli: &mut Cli<'_>,
) -> Result<ProviderChoice, Failure> {
    let mut choices = Vec::new();
    let mut others = Vec::new();
    for provider in &known.providers {
        let choice = |reason: &str| {
            let line = format!("{:<12}{reason}", provider.name);
            (line, ProviderChoice::Provider(provider.clone()))
        };
        match files.usual_variable(provider)? {
            Some(variable) if ApiKey::find(&variable)?.is_some() => {
                choices.push(choice(&format!("{variable} is set")));
            }
            Some(_) if provider.has_key => choices.push(choice("the daemon has a key")),
            Some(_) => others.push(choice("with a key that you paste")),
            None if !provider.live || !has_models(provider, known) => {}
            None if provider.local => choices.push(choice("runs on this machine")),
            None => choices.push(choice("in config.toml")),
        }
    }
    let asks = !args.yes && cli.output.can_ask();
    let mut runners = match asks || choices.is_empty() {
        true => installed(cli).await?,
        false => Vec::new(),
    };
    for runner in runners.extract_if(.., |it| !it.is_usable) {
        cli.note(&format!("     {}", runner.text))?;
    }
    if asks {
        let choice = |it: RunnerOffer| (it.text, ProviderChoice::Runner(it.name));
        choices.extend(runners.into_iter().map(choice));
        choices.extend(others);
    } else if choices.is_empty() {
        return Err(nothing_found(known, &runners));
    }
    let (lines, mut choices): (Vec<String>, Vec<ProviderChoice>) = choices.into_iter().unzip();
    let chosen = question::choose(("provider", ""), &lines, args, cli.output).await?;
    Ok(choices.swap_remove(chosen))
}

fn has_models(provider: &ModelProvider, known: &ListModelsResult) -> bool {
    let mut models = known.models.iter();
    models.any(|model| model.provider == provider.name)
}

fn nothing_found(known: &ListModelsResult, runners: &[RunnerOffer]) -> Failure {
    let variables = known.providers.iter();
    let variables = variables.filter_map(|one| one.key_variables.first());
    let variables: Vec<_> = variables.map(String::as_str).collect();
    let mut hint = format!(
        "pass --provider to paste its key, export one of {}, or describe an endpoint with --provider, \
         --api and --base-url",
        variables.join(", ")
    );
    if let Some(runner) = runners.first() {
        let name = &runner.name;
        hint.push_str(&format!(
            "; `scorelctl send --runner {name} TEXT` needs none of them"
        ));
    }
    Failure::usage("found neither an API key in the environment nor a local model server")
        .hint(hint)
}
