mod test;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use scorel_proto::{HookInfo, HookState, ListHooks, ListHooksParams};

use crate::cli::Cli;
use crate::daemon::DaemonConnector;
use crate::failure::Failure;
use crate::output::Output;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    pub(crate) action: HooksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List your hooks and those of a project, with what each has done and why it may do nothing
    List {
        /// Project directory [default: the working directory]
        #[arg(long, short, value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Run a hook once with a sample of its event, as a turn would, and show all that it said and what would come of it
    Test(test::HookTestArgs),
    /// Take over the hooks of Claude Code into your configuration; says what is not run and what differs
    Import {
        /// Its settings [default: ~/.claude/settings.json]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

pub(super) use test::test;

/// The width of a name, in columns.
const NAME_WIDTH: usize = 28;

pub(super) async fn list(
    project: Option<PathBuf>,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<(), Failure> {
    let cli = &mut Cli::connect(link, output).await?;
    let params = ListHooksParams {
        project_id: cli.project_or_none(project.as_deref()).await?,
    };
    let answer = cli.call::<ListHooks>(&params).await?;
    let none = "no hooks; `scorelctl hooks import` takes those of Claude Code";
    let rows = answer.hooks.iter().flat_map(rows);
    cli.list(&answer, rows, none)?;
    if answer.dropped > 0 {
        let dropped = answer.dropped;
        cli.note(&format!(
            "dropped since the daemon began, too many waited: {dropped}"
        ))?;
    }
    for text in &answer.left_out {
        cli.note(&format!("not run: {}", one_line(text)))?;
    }
    for text in &answer.problems {
        cli.note(&format!("problem: {}", one_line(text)))?;
    }
    Ok(())
}

fn rows(hook: &HookInfo) -> Vec<String> {
    let name = one_line(&hook.name);
    let matcher = hook
        .matcher
        .as_deref()
        .map(|it| format!(" {}", one_line(it)));
    let head = format!(
        "{name:<NAME_WIDTH$}  {:<8}{:<10}  {}{}: {}",
        wire_name(hook.layer),
        wire_name(hook.state),
        one_line(&hook.event),
        matcher.unwrap_or_default(),
        one_line(&hook.command),
    );
    let mut rows = vec![head];
    if hook.state == HookState::Active {
        rows.push(format!("    {}", figures(hook)));
    }
    if let Some(error) = &hook.last_error {
        rows.push(format!("    last failure: {}", one_line(error)));
    }
    let warnings = hook.warnings.iter();
    rows.extend(warnings.map(|text| format!("    warning: {}", one_line(text))));
    rows
}

fn figures(hook: &HookInfo) -> String {
    let counts = [
        ("matched", hook.matched),
        ("ran", hook.ran),
        ("denied", hook.denied),
        ("changed", hook.changed),
        ("failed", hook.failed),
    ];
    let mut words: Vec<String> = counts
        .iter()
        .map(|(word, count)| format!("{word} {count}"))
        .collect();
    words.extend(hook.p95_ms.map(|time| format!("p95 {time} ms")));
    words.join(", ")
}
