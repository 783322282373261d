//! Workflow packages: a look at them, copies of them in the home, and skills as such packages.

mod import;
mod packages;
mod read_files;
mod skill_files;
mod skill_package;
mod skill_step;

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use scorel_client::{ClientError, DaemonHome};
use scorel_proto::counted;
use scorel_screen::escape::one_line;
use scorel_workflow::{Package, PackageId, PackageReading, Plan, Problem};
use serde::Serialize;
use serde_json::json;

use super::install::{InstallDir, Installed};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use packages::{DIR, WorkflowPackages};
use read_files::read_files;

/// The width of an id, in columns.
const ID_WIDTH: usize = 20;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct WorkflowArgs {
    #[command(subcommand)]
    pub(crate) command: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// List the workflow packages of the user
    List,
    /// Tell all that is wrong in a package, or show the plan of each of its workflows; nothing of it is run
    Check {
        /// Its directory or archive
        #[arg(value_name = "SOURCE")]
        source: PathBuf,
    },
    /// Copy a package from a directory or a zip archive into the home; nothing of it is run
    Add {
        /// The directory or archive
        #[arg(value_name = "SOURCE")]
        source: PathBuf,
        /// The id that it gets [default: its own name]
        #[arg(long, value_name = "ID")]
        id: Option<PackageId>,
        /// Put it in the place of the one that has this id
        #[arg(long)]
        replace: bool,
    },
    /// Make a package of a skill with steps: they become nodes, one behind the other, and a step with a menu waits for a person
    Import {
        /// The skill's directory or archive, with files `steps/step-NN-NAME.md`
        #[arg(value_name = "SOURCE")]
        source: PathBuf,
        /// The id that it gets [default: the skill's name]
        #[arg(long, value_name = "ID")]
        id: Option<PackageId>,
        /// Put it in the place of the one that has this id
        #[arg(long)]
        replace: bool,
    },
}

/// A workflow that can run.
#[derive(Debug, Serialize)]
struct PlannedWorkflow {
    plan: Plan,
    digest: String,
}

/// A package in the home.
#[derive(Debug, Serialize)]
struct ListedPackage {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// The ids that a run can name.
    workflows: Vec<String>,
    problems: Vec<Problem>,
    /// The reason why its files were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn run(
    args: WorkflowArgs,
    home: &DaemonHome,
    output: &mut Output,
) -> Result<(), Failure> {
    match args.command {
        WorkflowCommand::List => list(home, output),
        WorkflowCommand::Check { source } => check(&source, output),
        WorkflowCommand::Add {
            source,
            id,
            replace,
        } => add(&source, id.as_ref(), replace, home, output),
        WorkflowCommand::Import {
            source,
            id,
            replace,
        } => import::import(&source, id.as_ref(), replace, home, output),
    }
}

fn list(home: &DaemonHome, output: &mut Output) -> Result<(), Failure> {
    let dir = home.path().join(DIR);
    let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
    // The daemon follows no link either.
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|it| it.parse::<PackageId>().is_ok()).collect();
    names.sort();
    let listed = names.into_iter().map(|id| ListedPackage::of(&dir, id));
    let packages: Vec<ListedPackage> = listed.collect();
    output.result(&json!({ "workflows": packages }), |output| {
        output.lines(packages.iter().map(ListedPackage::row))
    })?;
    if packages.is_empty() {
        output.note("no workflows; `scorelctl workflow add SOURCE` adds a package")?;
    }
    Ok(())
}

impl ListedPackage {
    fn of(dir: &Path, id: String) -> Self {
        let mut listed = Self {
            name: None,
            version: None,
            workflows: Vec::new(),
            problems: Vec::new(),
            error: None,
            id,
        };
        match read_files(&dir.join(&listed.id)).map(|files| Package::read(&files).package) {
            Ok(Ok(package)) => {
                let ids = package.workflows.into_iter().filter_map(|it| it.id);
                listed.workflows = ids.collect();
                listed.name = Some(package.manifest.name);
                listed.version = Some(package.manifest.version);
            }
            Ok(Err(problems)) => listed.problems = problems,
            Err(error) => listed.error = Some(error.to_string()),
        }
        listed
    }

    fn row(&self) -> String {
        let Self { id, workflows, .. } = self;
        let about = match (&self.name, &self.version) {
            (Some(name), Some(version)) => {
                format!(
                    "{}  {}  {}",
                    one_line(version),
                    one_line(name),
                    one_line(&workflows.join(", "))
                )
            }
            _ => match &self.error {
                Some(error) => one_line(error),
                None => counted(self.problems.len() as u64, "problem"),
            },
        };
        format!("{id:<ID_WIDTH$}  {about}").trim_end().to_owned()
    }
}

fn check(source: &Path, output: &mut Output) -> Result<(), Failure> {
    let PackageReading { package, warnings } = Package::read(&read_files(source)?);
    let (plans, problems) = match package {
        Ok(package) => (plans(&package), Vec::new()),
        Err(problems) => (Vec::new(), problems),
    };
    let shown = json!({ "problems": problems, "warnings": warnings, "workflows": plans });
    output.result(&shown, |output| {
        output.lines(problems.iter().map(|it| one_line(&it.to_string())))?;
        output.lines(
            warnings
                .iter()
                .map(|it| one_line(&format!("warning: {it}"))),
        )?;
        for PlannedWorkflow { plan, .. } in &plans {
            output.lines(plan.lines().iter().map(|it| one_line(it)))?;
        }
        Ok(())
    })?;
    if problems.is_empty() {
        return Ok(());
    }
    let count = counted(problems.len() as u64, "problem");
    let message = format!("{} has {count}", one_line(&source.display().to_string()));
    Err(Failure::new(Exit::Internal, "workflow_invalid", message))
}

fn plans(package: &Package) -> Vec<PlannedWorkflow> {
    let plans = package.workflows.iter().map(|workflow| {
        let plan = Plan::of(package, workflow);
        let digest = plan.digest();
        PlannedWorkflow { plan, digest }
    });
    plans.collect()
}

fn add(
    source: &Path,
    id: Option<&PackageId>,
    replace: bool,
    home: &DaemonHome,
    output: &mut Output,
) -> Result<(), Failure> {
    home.create().map_err(ClientError::from)?;
    let dir = InstallDir::<WorkflowPackages>::open(&home.path().join(DIR))?;
    let Installed { id, path, replaced } = dir.add(source, id, replace)?;
    output.result(
        &json!({ "id": id, "path": path, "replaced": replaced }),
        |output| {
            let did = if replaced { "replaced" } else { "added" };
            output.line(&format!("{did} {id}"))
        },
    )?;
    Ok(())
}
