use std::path::PathBuf;

use clap::Args;
use scorel_proto::{ListSkills, ListSkillsParams, SkillInfo, SkillState};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct SkillsArgs {
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

/// The width of a name, in columns.
const NAME_WIDTH: usize = 20;

pub(super) async fn run(args: &SkillsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let project = cli.registered(args.project.as_deref()).await?;
    let params = ListSkillsParams {
        project_id: Some(project.project_id),
    };
    let answer = cli.call::<ListSkills>(&params).await?;
    let none = "no skills; one is a directory with a SKILL.md in ~/.scorel/skills";
    cli.list(&answer, answer.skills.iter().map(row), none)?;
    let is_inert =
        |it: &&SkillInfo| matches!(it.state, SkillState::Untrusted | SkillState::Changed);
    if let Some(skill) = answer.skills.iter().find(is_inert) {
        let name = &skill.name;
        cli.note(&format!(
            "`scorelctl trust` shows what the project brings; `scorelctl trust add skill:{name}` \
             trusts it"
        ))?;
    }
    Ok(())
}

fn row(skill: &SkillInfo) -> String {
    let source = wire_name(skill.source);
    let name = one_line(&skill.name);
    let text = match &skill.problem {
        Some(problem) => format!("({})", one_line(problem)),
        None => match &skill.warning {
            Some(warning) => format!(
                "{} (warning: {})",
                one_line(&skill.description),
                one_line(warning)
            ),
            None => one_line(&skill.description),
        },
    };
    let state = wire_name(skill.state);
    format!("{name:<NAME_WIDTH$}  {source:<8}{state:<10}  {text}")
}
