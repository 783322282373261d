//! From nothing to a model that answers.

mod files;
mod key;
mod plan;
mod question;
mod settings;

use std::path::PathBuf;

use scorel_proto::{CheckModel, CheckModelParams, CheckModelResult, GetStatus, NoParams};
use serde::Serialize;

use crate::args::InitArgs;
use crate::control::{Control, Link};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use files::{Files, Written};
use plan::Plan;

/// What was done, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    provider: String,
    model: String,
    config: PathBuf,
    /// The file with the key, if one was written.
    env: Option<PathBuf>,
    /// The variable that holds the key.
    key_variable: Option<String>,
    /// What the model's answer took; `None` if it was not tried.
    check: Option<CheckModelResult>,
}

/// Chooses a model, writes the configuration and tries the model.
pub(super) async fn run(args: InitArgs, link: Link, output: &mut Output) -> Result<Exit, Failure> {
    let files = Files::new(link.home().path(), args.force);
    // Before anything is asked.
    files.check()?;
    let mut control = Control::connect(link).await?;
    let Plan { settings, key } = plan::make(&args, &files, &mut control, output).await?;
    let Written { config, env } = files.write(&settings, key.as_ref())?;
    if !output.json {
        if let Some(env) = &env {
            let variable = settings.key_variable.as_deref().unwrap_or_default();
            output.line(&format!("wrote {variable} to {}", env.display()))?;
        }
        output.line(&format!("wrote {settings} to {}", config.display()))?;
    }
    let check = if args.no_check {
        None
    } else {
        output.note(&format!("asking {settings} for one word …"))?;
        Some(check(&mut control).await?)
    };
    let report = Report {
        provider: settings.provider,
        model: settings.model,
        config,
        env,
        key_variable: settings.key_variable,
        check,
    };
    result(output, &report, |output| {
        if let Some(check) = &report.check {
            output.line(&answered(check))?;
        }
        output.line("next: scorelctl send \"What is in this directory?\"")
    })?;
    Ok(Exit::Success)
}

/// Asks the model that is configured now for one word.
async fn check(control: &mut Control) -> Result<CheckModelResult, Failure> {
    let status = control.call::<GetStatus>(&NoParams {}).await?;
    if let Some(problem) = status.config_problem {
        return Err(unchecked(format!(
            "the configuration is not in use: {problem}"
        )));
    }
    let checked = control
        .call::<CheckModel>(&CheckModelParams::default())
        .await;
    checked.map_err(|error| {
        let failure = Failure::from(error);
        let hint = "the files are written; `scorelctl init --force` chooses again";
        match failure {
            Failure::Report(report) => unchecked(report.message).hint(hint),
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
    format!("{} answered in {seconds}.{tenths} s{usage}", check.model)
}
