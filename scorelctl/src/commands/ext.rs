//! Extensions and plugins: a look at them, and copies of them in the home.

mod described;
mod extensions;

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use scorel_client::{ClientError, DaemonHome};
use scorel_extension::ExtensionId;
use scorel_extension::program::{MANIFEST, Manifest};
use scorel_plugin::{PluginReading, is_plugin};
use scorel_proto::{
    ExtensionInfo, GetProcessLog, GetProcessLogParams, ListExtensions, ListExtensionsParams,
    RestartProcess, RestartProcessParams, RestartProcessResult, SkillState, counted,
};
use scorel_screen::escape::one_line;
use serde_json::json;

use super::install::{InstallDir, Installed};
use crate::cli::Cli;
use crate::daemon::DaemonConnector;
use crate::failure::Failure;
use crate::output::Output;
use crate::wire_name::wire_name;
use described::DescribedPlugin;
use extensions::Extensions;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct ExtArgs {
    #[command(subcommand)]
    pub(crate) command: ExtCommand,
}

/// A look at extensions, or a change.
#[derive(Debug, Subcommand)]
pub(crate) enum ExtCommand {
    /// List the extensions and plugins of the user and of a project
    List(ExtListArgs),
    /// Copy a plugin or extension from a directory or a zip archive into the home; nothing of it is run
    Add {
        /// The directory or archive
        #[arg(value_name = "SOURCE")]
        source: PathBuf,
        /// The id that it gets [default: its own name]
        #[arg(long, value_name = "ID", value_parser = extension_id)]
        id: Option<ExtensionId>,
        /// Put it in the place of the one that has this id
        #[arg(long)]
        replace: bool,
    },
    /// Tell what a plugin or extension would bring, what would not run, and all that is wrong in its files
    Check {
        /// Its directory
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
    /// Start the program of an extension anew, for example after a change of its files
    Restart {
        /// Its id
        #[arg(value_name = "ID", value_parser = extension_id)]
        id: ExtensionId,
    },
    /// Print the end of what the program of an extension has written to standard error
    Logs {
        /// Its id
        #[arg(value_name = "ID", value_parser = extension_id)]
        id: ExtensionId,
    },
    /// Remove an extension from the home; what it has kept stays
    Remove {
        /// Its id
        #[arg(value_name = "ID", value_parser = extension_id)]
        id: ExtensionId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ExtListArgs {
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

/// The width of an id, in columns.
const ID_WIDTH: usize = 20;

fn extension_id(text: &str) -> Result<ExtensionId, String> {
    text.parse::<ExtensionId>()
        .map_err(|problem| problem.reason)
}

impl ExtArgs {
    /// The name of a command that works with this machine's files.
    pub(super) const fn local_verb(&self) -> Option<&'static str> {
        Some(match self.command {
            ExtCommand::List(_) | ExtCommand::Restart { .. } | ExtCommand::Logs { .. } => {
                return None;
            }
            ExtCommand::Add { .. } => "ext add",
            ExtCommand::Check { .. } => "ext check",
            ExtCommand::Remove { .. } => "ext remove",
        })
    }
}

/// Runs a command that asks no daemon.
pub(super) fn run_here(
    command: &ExtCommand,
    home: &DaemonHome,
    output: &mut Output,
) -> Result<(), Failure> {
    match command {
        ExtCommand::List(_) | ExtCommand::Restart { .. } | ExtCommand::Logs { .. } => Ok(()),
        ExtCommand::Add {
            source,
            id,
            replace,
        } => add(source, id.as_ref(), *replace, home, output),
        ExtCommand::Check { dir } => check(dir, output),
        ExtCommand::Remove { id } => {
            open(home)?.remove(id)?;
            output.result(&json!({ "id": id.as_str() }), |output| {
                output.line(&format!("removed {id}"))
            })
        }
    }
}

/// Runs a command that asks the daemon.
pub(super) async fn run(
    command: ExtCommand,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<(), Failure> {
    let cli = &mut Cli::connect(link, output).await?;
    match command {
        ExtCommand::List(args) => list(&args, cli).await,
        ExtCommand::Restart { id } => {
            let params = RestartProcessParams {
                process: process(&id),
            };
            let text = |answer: &RestartProcessResult| match answer.restarted {
                0 => format!("{id} does not run; it starts at its next call"),
                _ => format!("{id} starts again"),
            };
            cli.tell::<RestartProcess>(&params, text).await
        }
        ExtCommand::Logs { id } => {
            let params = GetProcessLogParams {
                process: process(&id),
            };
            let answer = cli.call::<GetProcessLog>(&params).await?;
            let lines = answer.log.lines().map(one_line);
            cli.list(
                &answer,
                lines,
                "it has written nothing since the daemon's start",
            )
        }
        ExtCommand::Add { .. } | ExtCommand::Check { .. } | ExtCommand::Remove { .. } => Ok(()),
    }
}

/// The name of an extension's process.
fn process(id: &ExtensionId) -> String {
    format!("extension:{id}")
}

async fn list(args: &ExtListArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = ListExtensionsParams {
        project_id: cli.project_or_none(args.project.as_deref()).await?,
    };
    let answer = cli.call::<ListExtensions>(&params).await?;
    let none = "no extensions; `scorelctl ext add DIR` adds a plugin";
    cli.list(&answer, answer.extensions.iter().flat_map(rows), none)?;
    for problem in &answer.problems {
        cli.note(&one_line(problem))?;
    }
    let is_inert =
        |it: &&ExtensionInfo| matches!(it.state, SkillState::Untrusted | SkillState::Changed);
    if let Some(extension) = answer.extensions.iter().find(is_inert) {
        let id = one_line(&extension.id);
        cli.note(&format!(
            "`scorelctl trust` shows what the project brings; `scorelctl trust add extension:{id}` trusts it"
        ))?;
    }
    Ok(())
}

fn rows(extension: &ExtensionInfo) -> Vec<String> {
    let id = one_line(&extension.id);
    let (state, source) = (wire_name(extension.state), wire_name(extension.source));
    let version = one_line(extension.version.as_deref().unwrap_or("-"));
    let about = one_line(&extension.description);
    let mut rows = vec![format!(
        "{id:<ID_WIDTH$}  {source:<8}{state:<10}  {version}  {about}"
    )];
    let process = extension.process.map(|it| it.to_string());
    let process: Vec<String> = process.into_iter().collect();
    for (what, parts) in [
        ("process", &process),
        ("tool", &extension.tools),
        ("command", &extension.commands),
        ("skill", &extension.skills),
        ("hook", &extension.hooks),
        ("not run", &extension.not_run),
        ("problem", &extension.problems),
    ] {
        let lines = parts
            .iter()
            .map(|part| format!("  {what:<8}  {}", one_line(part)));
        rows.extend(lines);
    }
    rows
}

fn add(
    source: &Path,
    id: Option<&ExtensionId>,
    replace: bool,
    home: &DaemonHome,
    output: &mut Output,
) -> Result<(), Failure> {
    home.create().map_err(ClientError::from)?;
    let added = open(home)?.add(source, id, replace);
    let Installed { id, path, replaced } = added?;
    let described = is_plugin(&path).then(|| PluginReading::of(&path, Some(&id)));
    let described = described.as_ref().map(DescribedPlugin::of);
    output.result(
        &json!({ "id": id.as_str(), "path": path, "replaced": replaced, "plugin": described }),
        |output| {
            let did = if replaced { "replaced" } else { "added" };
            output.line(&format!("{did} {id}"))?;
            output.lines(described.iter().flat_map(DescribedPlugin::lines))
        },
    )?;
    output.note("it works from the next turn on; `scorelctl ext remove` takes it back")?;
    Ok(())
}

fn check(dir: &Path, output: &mut Output) -> Result<(), Failure> {
    if let Ok(text) = fs::read_to_string(dir.join(MANIFEST)) {
        return check_program(dir, &text, output);
    }
    let reading = PluginReading::of(dir, None);
    let described = DescribedPlugin::of(&reading);
    output.result(&described, |output| output.lines(described.lines()))?;
    refuse(dir, reading.problems.len())
}

/// An extension with a manifest of ours.
fn check_program(dir: &Path, text: &str, output: &mut Output) -> Result<(), Failure> {
    let dir = std::path::absolute(dir)?;
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let problems: Vec<String> = match Manifest::read(text, Some(&name)) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    };
    output.result(&json!({ "problems": problems }), |output| {
        let lines = problems
            .iter()
            .map(|it| format!("{MANIFEST}:{}", one_line(it)));
        output.lines(lines)
    })?;
    refuse(&dir, problems.len())
}

fn refuse(dir: &Path, problems: usize) -> Result<(), Failure> {
    if problems == 0 {
        return Ok(());
    }
    let problems = counted(problems as u64, "problem");
    let message = format!("{} has {problems}", one_line(&dir.display().to_string()));
    Err(Failure::refused("extension_problems", message))
}

fn open(home: &DaemonHome) -> Result<InstallDir<Extensions>, Failure> {
    Ok(InstallDir::open(&home.path().join("extensions"))?)
}

#[cfg(test)]
mod tests;
