//! Commands that users send by their names: those of plugins and extensions, and skills.

use std::sync::Arc;

use scorel_extension::nearest;
use scorel_extension::program::{ExtensionProgram, ManifestCommand};
use scorel_guidance::extensions::{Extensions, UsedPlugin};
use scorel_guidance::skills::{FoundSkill, SkillProject, Skills};
use scorel_guidance::trust::TrustError;
use scorel_plugin::PluginCommand;
use scorel_proto::{CommandInfo, CommandKind, SkillSource, SkillState};
use scorel_runs::Runs;

use crate::programs::{ExtensionPrograms, UsableProgram};

/// Finds commands, as they are now.
#[derive(Debug, Clone)]
pub(crate) struct Commands {
    extensions: Extensions,
    skills: Skills,
    programs: Arc<ExtensionPrograms>,
    runs: Arc<Runs>,
}

/// The meaning of a command's name.
pub(crate) enum FoundCommand {
    /// The message that it stands for.
    Message(String),
    /// The program that is asked, with its name of the command.
    Program(Arc<ExtensionProgram>, String),
}

/// The reason why there is no message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error("`{0}` is a workflow, which `startRun` starts: `scorelctl run start {0}`")]
    Workflow(String),
    #[error("there is no command `{name}`")]
    Unknown {
        name: String,
        suggestion: Option<String>,
    },
}

impl Commands {
    pub(crate) const fn new(
        extensions: Extensions,
        skills: Skills,
        programs: Arc<ExtensionPrograms>,
        runs: Arc<Runs>,
    ) -> Self {
        Self {
            extensions,
            skills,
            programs,
            runs,
        }
    }

    /// Those of plugins, of extensions, then skills and workflows. Reads files; blocks.
    pub(crate) fn list(
        &self,
        project: Option<&SkillProject>,
    ) -> Result<Vec<CommandInfo>, TrustError> {
        let plugins = self.extensions.plugins(project)?;
        let of_plugins = plugins.iter().flat_map(|used| {
            let commands = used.plugin.commands.iter();
            commands.map(move |command| describe(used, command))
        });
        let mut commands: Vec<CommandInfo> = of_plugins.collect();
        for used in self.programs.usable(project) {
            let of_program = used.manifest.commands.iter();
            commands.extend(of_program.map(|it| describe_own(&used, it)));
        }
        let skills = self.skills.find(project)?;
        for skill in skills.iter().filter(|it| is_command(it)) {
            let skill = skill.describe();
            if !commands.iter().any(|it| it.name == skill.name) {
                commands.push(CommandInfo {
                    name: skill.name,
                    description: skill.description,
                    argument_hint: None,
                    kind: CommandKind::Skill,
                    source: skill.source,
                    arguments: Vec::new(),
                    ignored: Vec::new(),
                });
            }
        }
        for found in self.runs.usable_workflows(project)? {
            if !commands.iter().any(|it| it.name == found.id) {
                commands.push(CommandInfo {
                    name: found.id,
                    description: found.description.unwrap_or_default(),
                    argument_hint: None,
                    kind: CommandKind::Workflow,
                    source: found.source,
                    arguments: Vec::new(),
                    ignored: Vec::new(),
                });
            }
        }
        Ok(commands)
    }

    /// The meaning of a command's name. Reads files; blocks.
    pub(crate) fn find(
        &self,
        project: &SkillProject,
        name: &str,
        arguments: &str,
    ) -> Result<FoundCommand, CommandError> {
        let name = name.strip_prefix('/').unwrap_or(name);
        for used in self.extensions.plugins(Some(project))? {
            let mut commands = used.plugin.commands.iter();
            if let Some(command) = commands.find(|it| full_name(&used, it) == name) {
                let message = command.message(arguments, &used.place);
                return Ok(FoundCommand::Message(message));
            }
        }
        for used in self.programs.usable(Some(project)) {
            let own = name.strip_prefix(used.manifest.id.as_str());
            let own = own.and_then(|rest| rest.strip_prefix(':'));
            let mut commands = used.manifest.commands.iter();
            if let Some(command) = commands.find(|it| own == Some(&it.name)) {
                let program = || FoundCommand::Program(used.program, command.name.clone());
                let message = command.message(arguments).map(FoundCommand::Message);
                return Ok(message.unwrap_or_else(program));
            }
        }
        let skills = self.skills.find(Some(project))?;
        if skills.iter().any(|it| it.name == name && is_command(it)) {
            return Ok(FoundCommand::Message(match arguments.trim() {
                "" => format!("Use the skill `{name}`."),
                arguments => format!("Use the skill `{name}` with these arguments: {arguments}"),
            }));
        }
        let known = self.list(Some(project))?;
        let is_workflow = |it: &CommandInfo| it.kind == CommandKind::Workflow && it.name == name;
        if known.iter().any(is_workflow) {
            return Err(CommandError::Workflow(name.to_owned()));
        }
        let known = || known.iter().map(|it| it.name.as_str());
        // Who forgets the plugin means its command.
        let ends_so = |it: &&str| it.rsplit(':').next() == Some(name);
        let suggestion = known().find(ends_so).or_else(|| nearest(name, known()));
        Err(CommandError::Unknown {
            suggestion: suggestion.map(str::to_owned),
            name: name.to_owned(),
        })
    }
}

/// A skill that its author keeps from the model cannot be loaded by it.
fn is_command(skill: &FoundSkill) -> bool {
    skill.state == SkillState::Available && skill.is_for_model()
}

fn full_name(used: &UsedPlugin, command: &PluginCommand) -> String {
    format!("{}:{}", used.plugin.id, command.name)
}

fn describe_own(used: &UsableProgram, command: &ManifestCommand) -> CommandInfo {
    CommandInfo {
        name: format!("{}:{}", used.manifest.id, command.name),
        description: command.description.clone(),
        argument_hint: command.argument_hint.clone(),
        kind: CommandKind::Extension,
        source: source(used.is_project),
        arguments: Vec::new(),
        ignored: Vec::new(),
    }
}

fn describe(used: &UsedPlugin, command: &PluginCommand) -> CommandInfo {
    CommandInfo {
        name: full_name(used, command),
        description: command.description.clone(),
        argument_hint: command.argument_hint.clone(),
        kind: CommandKind::Plugin,
        source: source(used.is_project),
        arguments: Vec::new(),
        ignored: command.ignored.clone(),
    }
}

const fn source(is_project: bool) -> SkillSource {
    match is_project {
        true => SkillSource::Project,
        false => SkillSource::User,
    }
}
