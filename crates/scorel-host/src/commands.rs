//! Commands that users send by their names: those of plugins, and skills.

use scorel_extension::nearest;
use scorel_guidance::extensions::{Extensions, UsedPlugin};
use scorel_guidance::skills::{FoundSkill, SkillProject, Skills};
use scorel_guidance::trust::TrustError;
use scorel_plugin::PluginCommand;
use scorel_proto::{CommandInfo, CommandKind, SkillSource, SkillState};

/// Finds commands, as they are now.
#[derive(Debug, Clone)]
pub(crate) struct Commands {
    extensions: Extensions,
    skills: Skills,
}

/// The reason why there is no message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error("there is no command `{name}`")]
    Unknown {
        name: String,
        suggestion: Option<String>,
    },
}

impl Commands {
    pub(crate) const fn new(extensions: Extensions, skills: Skills) -> Self {
        Self { extensions, skills }
    }

    /// Those of plugins, then skills. Reads files; blocks.
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
                    ignored: Vec::new(),
                });
            }
        }
        Ok(commands)
    }

    /// The message that a command stands for. Reads files; blocks.
    pub(crate) fn message(
        &self,
        project: &SkillProject,
        name: &str,
        arguments: &str,
    ) -> Result<String, CommandError> {
        let name = name.strip_prefix('/').unwrap_or(name);
        for used in self.extensions.plugins(Some(project))? {
            let mut commands = used.plugin.commands.iter();
            if let Some(command) = commands.find(|it| full_name(&used, it) == name) {
                return Ok(command.message(arguments, &used.place));
            }
        }
        let skills = self.skills.find(Some(project))?;
        if skills.iter().any(|it| it.name == name && is_command(it)) {
            return Ok(match arguments.trim() {
                "" => format!("Use the skill `{name}`."),
                arguments => format!("Use the skill `{name}` with these arguments: {arguments}"),
            });
        }
        let known = self.list(Some(project))?;
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

fn describe(used: &UsedPlugin, command: &PluginCommand) -> CommandInfo {
    CommandInfo {
        name: full_name(used, command),
        description: command.description.clone(),
        argument_hint: command.argument_hint.clone(),
        kind: CommandKind::Plugin,
        source: match used.is_project {
            true => SkillSource::Project,
            false => SkillSource::User,
        },
        ignored: command.ignored.clone(),
    }
}
