//! Lists, registers, renames and removes projects.

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use scorel_proto::{
    ListProjects, NoParams, Project, ProjectId, RegisterProject, RegisterProjectParams,
    RemoveProject, RemoveProjectParams, RemoveProjectResult, UpdateProject, UpdateProjectParams,
};

use crate::cli::Cli;
use crate::daemon::{DaemonClient, new_command_id};
use crate::failure::Failure;
use crate::id_part::{IdPart, ambiguous};
use crate::similar::similar;
use crate::target;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct ProjectsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProjectsCommand>,
}

/// A change of the registered projects.
#[derive(Debug, Subcommand)]
pub(crate) enum ProjectsCommand {
    /// Register a directory
    Add {
        /// The directory [default: the working directory]
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
        /// The name in lists [default: the directory's name]
        #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
        name: Option<String>,
    },
    /// Give a project another name in lists; the directory stays as it is
    Rename {
        /// Its directory, its name, or its id or a part of it
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        project: String,
        /// The new name; an empty one stands for the directory's name
        #[arg(required = true)]
        name: Vec<String>,
    },
    /// Remove a project that has no sessions; the directory and its files stay
    Remove {
        /// Its directory, its name, or its id or a part of it
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        project: String,
    },
}

pub(super) async fn run(args: &ProjectsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    match &args.command {
        None => list(cli).await,
        Some(ProjectsCommand::Add { directory, name }) => {
            let directory = target::project_directory(cli.daemon.link(), directory.as_deref())?;
            let params = RegisterProjectParams {
                work_dir: target::utf8(&directory)?.to_owned(),
                display_name: name.clone(),
                command_id: Some(new_command_id()),
            };
            cli.tell::<RegisterProject>(&params, |answer| row(&answer.project))
                .await
        }
        Some(ProjectsCommand::Rename { project, name }) => {
            let params = UpdateProjectParams {
                project_id: chosen(project, &mut cli.daemon).await?,
                display_name: name.join(" "),
                command_id: Some(new_command_id()),
            };
            cli.tell::<UpdateProject>(&params, |answer| row(&answer.project))
                .await
        }
        Some(ProjectsCommand::Remove { project }) => {
            let params = RemoveProjectParams {
                project_id: chosen(project, &mut cli.daemon).await?,
                command_id: Some(new_command_id()),
            };
            let text = |answer: &RemoveProjectResult| format!("removed {}", answer.project_id);
            cli.tell::<RemoveProject>(&params, text).await
        }
    }
}

async fn list(cli: &mut Cli<'_>) -> Result<(), Failure> {
    let answer = cli.call::<ListProjects>(&NoParams {}).await?;
    let none = "no projects yet; `scorelctl send` registers the working directory";
    cli.list(&answer, answer.projects.iter().map(row), none)
}

fn row(project: &Project) -> String {
    let (name, path) = (one_line(&project.display_name), one_line(&project.work_dir));
    format!("{}  {name}  {path}", project.project_id)
}

async fn chosen(named: &str, control: &mut DaemonClient) -> Result<ProjectId, Failure> {
    let projects = control.call::<ListProjects>(&NoParams {}).await?.projects;
    // A directory of another machine is one only as it is written.
    let is_here = control.link().local().is_some();
    let directory = is_here.then(|| fs::canonicalize(named).ok()).flatten();
    choose(named, directory.as_deref(), &projects)
}

/// A directory is one project. A name may be that of several, and an id may begin like another one's.
fn choose(
    named: &str,
    directory: Option<&Path>,
    projects: &[Project],
) -> Result<ProjectId, Failure> {
    let is_there = |project: &&Project| directory == Some(project.work_dir.as_ref());
    if let Some(project) = projects.iter().find(is_there) {
        return Ok(project.project_id);
    }
    let part = IdPart::new(named, ProjectId::PREFIX);
    let found = projects.iter().filter(|project| {
        project.display_name == named
            || project.work_dir == named
            || part.is_of(&project.project_id)
    });
    let found: Vec<ProjectId> = found.map(|project| project.project_id).collect();
    match found[..] {
        [id] => Ok(id),
        [] => {
            let message = format!("no project has the directory, the name or the id `{named}`");
            let failure = Failure::refused("project_not_found", message);
            let names = projects.iter().map(|project| &*project.display_name);
            Err(failure.hint(match similar(named, names) {
                Some(name) => format!("did you mean `{name}`? `scorelctl projects` lists them"),
                None => "`scorelctl projects` lists them".to_owned(),
            }))
        }
        _ => Err(ambiguous(named, &found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    fn project(id: &str, name: &str) -> Project {
        Project {
            project_id: id.parse().expect("an id"),
            display_name: name.to_owned(),
            work_dir: format!("/gone/{name}"),
            created_at: 0,
            updated_at: 0,
            orchestrator_session_id: None,
        }
    }

    #[test]
    fn a_project_is_named_by_its_name_its_directory_or_a_part_of_its_id() {
        let projects = [
            project("prj_01ARZ3NDEKTSV4RRFFQ69G5FAV", "parser"),
            project("prj_01BX5ZZKBKACTAV9WEVGEMMVRZ", "lexer"),
            project("prj_01CX5ZZKBKACTAV9WEVGEMMVRY", "lexer"),
        ];
        for named in ["parser", "/gone/parser", "9G5FAV", "prj_01ARZ"] {
            assert_eq!(
                choose(named, None, &projects).expect(named),
                projects[0].project_id
            );
        }
        for (named, exit) in [("lexer", Exit::Usage), ("parse", Exit::NotAccepted)] {
            let Err(Failure::Report(report)) = choose(named, None, &projects) else {
                panic!("{named} was accepted")
            };
            assert_eq!(report.exit, exit, "{named}");
        }
    }
}
