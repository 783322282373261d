//! Sets up a model: chooses one, writes the configuration, tests it.

mod args;
mod config_check;
mod files;
mod hidden_input;
mod key;
mod key_input;
mod plan;
mod provider_choice;
mod question;
mod runner_offer;
mod settings;

use scorel_proto::{
    CheckModel, CheckModelParams, CheckModelResult, CheckRunner, CheckRunnerParams, GetStatus,
    NoParams,
};
use serde_json::json;

use crate::cli::Cli;
use crate::daemon::{DaemonClient, LocalDaemon, StartDaemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::{EndSignals, interrupted};
use crate::output::Output;
pub(crate) use args::InitArgs;
use files::{InitFiles, RemovedModel};
use plan::{InitChoice, InitPlan};

/// Sets up a model. A signal that ends the program ends this first, which restores a terminal whose
/// echo is off.
pub(super) async fn run(
    args: InitArgs,
    link: LocalDaemon,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut signals = EndSignals::listen()?;
    let mut removed = None;
    let ended = tokio::select! {
        ended = set_up(args, link, &mut removed, output) => Some(ended),
        _ = signals.next() => None,
    };
    if let Some(removed) = removed {
        match removed.put_back() {
            Ok(()) => output.note("the model section is back as it was")?,
            Err(error) => output.note(&format!("the model section cannot be put back: {error}"))?,
        }
    }
    ended.unwrap_or_else(|| {
        if output.err_is_terminal {
            output.aside("\n")?;
        }
        Err(interrupted())
    })
}

/// Leaves a model section in `removed` that it removed without replacing it.
async fn set_up(
    args: InitArgs,
    link: LocalDaemon,
    removed: &mut Option<RemovedModel>,
    output: &mut Output,
) -> Result<(), Failure> {
    args.key_env.as_deref().map_or(Ok(()), check_variable)?;
    let files = InitFiles::new(link.home().path(), args.force);
    // Before any prompt.
    files.check()?;
    let daemon = connect(&files, link, removed, output).await?;
    let cli = &mut Cli { daemon, output };
    let plan = match plan::make(&args, &files, cli).await? {
        InitChoice::Model(plan) => plan,
        InitChoice::Runner(runner) => return check_runner(runner, cli).await,
    };
    let InitPlan { settings, key, env } = *plan;
    let written = files.write(&settings, key.as_ref())?;
    let (config, env) = (files.config(), env.or(written));
    *removed = None;
    if !cli.output.json {
        if let Some(env) = &env {
            let variable = settings.key_variable.as_deref().unwrap_or_default();
            cli.output
                .line(&format!("wrote {variable} to {}", env.display()))?;
        }
        cli.output
            .line(&format!("wrote {settings} to {}", config.display()))?;
    }
    let check = if args.no_check {
        None
    } else {
        cli.note(&format!("testing {settings} …"))?;
        Some(check(&mut cli.daemon).await?)
    };
    let report = json!({
        "provider": settings.provider,
        "model": settings.model,
        "config": config,
        "env": env,
        "keyVariable": settings.key_variable,
        "check": check,
    });
    cli.result(&report, |output| {
        if let Some(check) = &check {
            output.line(&answered(check))?;
        }
        output.line("next: scorelctl send \"What is in this directory?\"")
    })
}

/// Tries whether the agent can be used. There is nothing to write: sessions name what runs their turns.
async fn check_runner(runner: String, cli: &mut Cli<'_>) -> Result<(), Failure> {
    cli.note(&format!("testing {runner} …"))?;
    let params = CheckRunnerParams { runner };
    cli.call::<CheckRunner>(&params).await?;
    let runner = params.runner;
    cli.output.line(&format!(
        "{runner} can be used; a session keeps it for its next messages\n\
         next: scorelctl send --session new --runner {runner} \"What is in this directory?\""
    ))?;
    Ok(())
}

/// Fails if this is not the name of a variable. The message does not repeat it: it may be the key.
fn check_variable(name: &str) -> Result<(), Failure> {
    let letter = |char: char| char.is_ascii_alphabetic() || char == '_';
    let usable = |char: char| letter(char) || char.is_ascii_digit();
    if name.starts_with(letter) && name.chars().all(usable) {
        return Ok(());
    }
    let message = "--key-env takes the name of an environment variable: letters, digits and `_`";
    Err(Failure::usage(message).hint("pass the key itself on standard input, with --ask-key"))
}

/// Connects. No daemon starts while the configuration is invalid; if that is due to the model section,
/// which is to be replaced, it goes at once.
async fn connect(
    files: &InitFiles,
    link: LocalDaemon,
    removed: &mut Option<RemovedModel>,
    output: &mut Output,
) -> Result<DaemonClient, Failure> {
    let failure = match DaemonClient::connect(link.clone()).await {
        Err(failure) if link.start != StartDaemon::Never => failure,
        connected => return connected,
    };
    *removed = files.remove_invalid_model()?;
    let Some(RemovedModel { problem, .. }) = removed else {
        return Err(failure);
    };
    output.note(&format!(
        "{problem}; the model section is removed, so that the daemon can start"
    ))?;
    DaemonClient::connect(link).await
}

/// Tests the configured model.
async fn check(control: &mut DaemonClient) -> Result<CheckModelResult, Failure> {
    let status = control.call::<GetStatus>(&NoParams {}).await?;
    if let Some(problem) = status.config_problem {
        return Err(unchecked(format!(
            "the configuration was rejected: {problem}"
        )));
    }
    let checked = control
        .call::<CheckModel>(&CheckModelParams::default())
        .await;
    checked.map_err(|error| {
        let failure = Failure::from(error);
        let files = "the files are written; `scorelctl init --force` starts over";
        match failure {
            Failure::Report(report) => {
                let hint = match report.details["hint"].as_str() {
                    Some(hint) => format!("{hint} ({files})"),
                    None => files.to_owned(),
                };
                unchecked(report.message).hint(hint)
            }
            closed => closed,
        }
    })
}

fn unchecked(message: String) -> Failure {
    Failure::new(Exit::Internal, "check_failed", message)
}

fn answered(check: &CheckModelResult) -> String {
    let seconds = check.duration_ms / 1000;
    let tenths = check.duration_ms % 1000 / 100;
    let usage = check.usage.map_or_else(String::new, |usage| {
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        format!(" ({input} tokens in, {output} out)")
    });
    let cut_off = check.cut_off_at.map_or_else(String::new, |limit| {
        format!("; the trial's limit of {limit} tokens cut the answer off")
    });
    format!(
        "{} answered in {seconds}.{tenths} s{usage}{cut_off}",
        check.model
    )
}
