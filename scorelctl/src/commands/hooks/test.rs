use std::io;
use std::path::PathBuf;

use clap::Args;
use scorel_proto::{HookTestEffect, HookTestEffectKind, TestHook, TestHookParams, TestHookResult};
use scorel_screen::escape::{one_line, visible};
use serde_json::{Map, Value};

use crate::cli::Cli;
use crate::commands::input::read_input;
use crate::daemon::DaemonConnector;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct HookTestArgs {
    /// Its name, as `scorelctl hooks list` shows it
    #[arg(value_name = "NAME")]
    name: String,
    /// The tool of the sample call [default: one that the matcher matches]
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// A JSON object whose fields take the place of those of the sample, such as `{"tool_input": {"command": "ls"}}`;
    /// `-` reads standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    project: Option<PathBuf>,
}

pub(in crate::commands) async fn test(
    args: &HookTestArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<(), Failure> {
    let input = args.input.as_ref().map(|file| match file.to_str() {
        Some("-") => read_input(),
        _ => std::fs::read_to_string(file)
            .map_err(|error| Failure::usage(format!("{}: {error}", file.display()))),
    });
    let cli = &mut Cli::connect(link, output).await?;
    let params = TestHookParams {
        project_id: cli.registered(args.project.as_deref()).await?.project_id,
        name: args.name.clone(),
        tool: args.tool.clone(),
        input: input.transpose()?.as_deref().map(parse).transpose()?,
    };
    let answer = cli.daemon.call_once::<TestHook>(&params).await?;
    cli.result(&answer, |output| show(&answer, output))
}

fn parse(text: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::usage(format!("the input is not a JSON object: {error}")))
}

fn show(answer: &TestHookResult, output: &mut Output) -> io::Result<()> {
    let hook = &answer.hook;
    let (event, command) = (one_line(&hook.event), one_line(&hook.command));
    output.line(&format!("{}  {event}: {command}", one_line(&hook.name)))?;
    if !answer.matched {
        let reason = answer.reason.as_deref().unwrap_or_default();
        return output.line(&format!("not run: {}", one_line(reason)));
    }
    for run in &answer.runs {
        let stdin = serde_json::to_string_pretty(&run.stdin).unwrap_or_default();
        show_text("stdin", &stdin, output)?;
        let code = run.exit_code.map(|code| format!("exit code: {code}"));
        output.line(&code.unwrap_or_else(|| "it did not exit by itself".to_owned()))?;
        show_text("stdout", &run.stdout, output)?;
        show_text("stderr", &run.stderr, output)?;
    }
    if let Some(failure) = &answer.failure {
        output.line(&format!("failed: {}", one_line(failure)))?;
    }
    for effect in &answer.effects {
        output.line(&format!("effect: {}", words(effect)))?;
    }
    if answer.effects.is_empty() {
        output.line("effect: none")?;
    }
    output.line(&format!("it took {} ms", answer.duration_ms))
}

fn show_text(name: &str, text: &str, output: &mut Output) -> io::Result<()> {
    match text.trim_end() {
        "" => output.line(&format!("{name}: nothing")),
        text => {
            output.line(&format!("{name}:"))?;
            let line = |line: &str| output.line(&format!("    {}", visible(line)));
            text.lines().try_for_each(line)
        }
    }
}

fn words(effect: &HookTestEffect) -> String {
    let words = match effect.kind {
        HookTestEffectKind::Denied => "denied",
        HookTestEffectKind::Asked => "a person is asked",
        HookTestEffectKind::Allowed => "a question about the call is answered with yes",
        HookTestEffectKind::AllowIgnored => {
            "none: `mayAllow` is not set, so its yes does not count"
        }
        HookTestEffectKind::InputChanged => "the call has these arguments",
        HookTestEffectKind::ResultChanged => "the result is replaced",
        HookTestEffectKind::ResultFailed => "the result counts as an error",
        HookTestEffectKind::Told => "the model is told",
        HookTestEffectKind::ContextChanged => "the model reads messages otherwise",
        HookTestEffectKind::TurnGoesOn => "the turn goes on",
        HookTestEffectKind::TurnEnds => "the turn ends",
        HookTestEffectKind::TurnFails => "the turn ends with an error",
        HookTestEffectKind::Other => "one that this scorelctl does not know",
    };
    match effect.text.as_deref().filter(|text| !text.is_empty()) {
        Some(text) => format!("{words}: {}", one_line(text)),
        None => words.to_owned(),
    }
}
