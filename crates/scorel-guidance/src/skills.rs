//! Skills: texts with files beside them that the model loads when a task needs them.
//!
//! In: the user's directory of skills, those of the project, and plugins. Out: the list that the model is given, the
//! tool that loads one, and what `listSkills` answers. A project's skill is inert until it is trusted.

mod listing;
mod skill;
mod tool;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_home::trusted_file::Trust;
use scorel_proto::{SkillInfo, SkillSource, SkillState, TrustState};

use crate::extensions::{ExtensionState, Extensions, FoundExtension};
use crate::trust::{Admitted, Inert, ProjectItem, ProjectTrust, TrustError, TrustStore};
use skill::{FILE, Skill, SkillName};

pub use crate::project::SkillProject;
pub use listing::listing;
pub use tool::SkillTool;

/// The directory of the user's skills, in the daemon's home.
const USER_DIR: &str = "skills";

/// The directories of a project's skills, in the order in which they count.
const PROJECT_DIRS: [&str; 3] = [".scorel/skills", ".agents/skills", ".claude/skills"];

/// Skills of one session.
const MAX_SKILLS: usize = 200;

/// Finds skills, as they are now.
#[derive(Debug, Clone)]
pub struct Skills {
    home: PathBuf,
    trust: Arc<TrustStore>,
    extensions: Extensions,
}

/// A skill that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSkill {
    pub name: String,
    source: SkillSource,
    dir: PathBuf,
    /// True if it belongs to a plugin: its directory is then the one that is used, and trust was in the plugin.
    is_of_plugin: bool,
    pub state: SkillState,
    /// The skill, or what is wrong with it.
    pub skill: Result<Skill, String>,
}

/// A skill that is about to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSkill {
    pub skill: Skill,
    /// The user's directory, or the copy of a project's.
    pub dir: PathBuf,
}

impl Skills {
    pub fn new(home: &Path, trust: Arc<TrustStore>, extensions: Extensions) -> Self {
        Self {
            home: home.to_owned(),
            trust,
            extensions,
        }
    }

    /// The skills of the user, then those of the project, then those of plugins, which have the name of their plugin
    /// in front of theirs. Of one name the first counts. Reads files.
    ///
    /// # Errors
    /// If the list of trusted items cannot be read.
    pub fn find(&self, project: Option<&SkillProject>) -> Result<Vec<FoundSkill>, TrustError> {
        let mut found: Vec<FoundSkill> = Vec::new();
        for (name, dir) in directories(&self.home.join(USER_DIR), Links::Follow) {
            add(&mut found, name, dir, SkillSource::User, None);
        }
        if let Some(project) = project {
            let dirs = project_directories(&project.dir);
            if !dirs.is_empty() {
                let trust = self.trust.of(project.id)?;
                for (name, dir) in dirs {
                    add(&mut found, name, dir, SkillSource::Project, Some(&trust));
                }
            }
        }
        for extension in self.extensions.find(project)? {
            add_of_plugin(&mut found, &extension);
        }
        found.truncate(MAX_SKILLS);
        Ok(found)
    }

    /// The skills of a project, as items to be trusted. Of two with one name the first. Reads directories.
    pub fn project_items(&self, project: &Path) -> Vec<ProjectItem> {
        let of_user = directories(&self.home.join(USER_DIR), Links::Follow);
        let mut items: Vec<ProjectItem> = Vec::new();
        for (name, dir) in project_directories(project) {
            let item = item(&name, &dir);
            if skill::is_name(&name) && !items.iter().any(|it| it.item == item.item) {
                items.push(ProjectItem {
                    is_shadowed: of_user.iter().any(|(it, _)| *it == name),
                    ..item
                });
            }
        }
        items
    }

    /// The skill of that name, to be used now.
    ///
    /// # Errors
    /// Why it cannot be used, for the model and for people.
    pub fn load(&self, project: &SkillProject, name: &str) -> Result<LoadedSkill, String> {
        let found = self
            .find(Some(project))
            .map_err(|error| error.to_string())?;
        let is_it = |it: &&FoundSkill| it.name == name && it.state != SkillState::Shadowed;
        let Some(found) = found.iter().find(is_it) else {
            return Err(unknown(name, &found));
        };
        match found.state {
            SkillState::Available => {}
            SkillState::Untrusted | SkillState::Changed if found.is_of_plugin => {
                let plugin = name.split(':').next().unwrap_or_default();
                return Err(format!(
                    "the skill `{name}` comes with the project and is not trusted as it is; \
                     the user can trust it with `scorelctl trust add extension:{plugin}`"
                ));
            }
            SkillState::Untrusted => {
                return Err(format!(
                    "the skill `{name}` comes with the project and is not trusted; \
                     the user can trust it with `scorelctl trust add skill:{name}`"
                ));
            }
            SkillState::Changed => {
                return Err(format!(
                    "the skill `{name}` has changed since the user trusted it; \
                     the user can trust it again with `scorelctl trust add skill:{name}`"
                ));
            }
            SkillState::Disabled => {
                return Err(format!(
                    "the configuration turns off the plugin of the skill `{name}`"
                ));
            }
            SkillState::Shadowed | SkillState::Invalid => {
                let problem = found.skill.clone().err().unwrap_or_default();
                return Err(format!("the skill `{name}` cannot be used: {problem}"));
            }
        }
        let dir = match found.source {
            _ if found.is_of_plugin => found.dir.clone(),
            SkillSource::User => found.dir.clone(),
            SkillSource::Project => {
                let trust = self.trust.of(project.id).map_err(|it| it.to_string())?;
                match trust.admit(&found.item()) {
                    Ok(Admitted::Copy(copy)) => copy,
                    Ok(Admitted::InPlace) => found.dir.clone(),
                    Err(inert) => return Err(inert.to_string()),
                }
            }
        };
        let skill = Skill::read(&dir, found.skill_name(), found.reading())?;
        Ok(LoadedSkill { skill, dir })
    }
}

impl FoundSkill {
    fn item(&self) -> ProjectItem {
        item(&self.name, &self.dir)
    }

    fn skill_name(&self) -> SkillName<'_> {
        match self.is_of_plugin {
            true => SkillName::Plugin(&self.name),
            false => SkillName::Directory(&self.name),
        }
    }

    /// The demands on its file. Of a plugin no link is followed, also of the user's: it may be a copy of anything.
    fn reading(&self) -> Trust {
        match self.source {
            SkillSource::User if !self.is_of_plugin => Trust::Ours,
            SkillSource::User | SkillSource::Project => Trust::Untrusted,
        }
    }

    /// True if it can be read, and the model may load it.
    pub fn is_for_model(&self) -> bool {
        self.skill.as_ref().is_ok_and(|it| it.for_model)
    }

    pub fn describe(&self) -> SkillInfo {
        let skill = self.skill.as_ref().ok();
        SkillInfo {
            name: self.name.clone(),
            description: skill.map_or_else(String::new, |it| it.description.clone()),
            state: self.state,
            for_model: skill.is_some_and(|it| it.for_model),
            source: self.source,
            path: self.dir.display().to_string(),
            problem: self.skill.as_ref().err().cloned(),
            warning: skill.and_then(|it| it.warning.clone()),
        }
    }
}

fn item(skill: &str, dir: &Path) -> ProjectItem {
    ProjectItem::directory(format!("skill:{skill}"), dir.to_owned())
}

fn project_directories(project: &Path) -> Vec<(String, PathBuf)> {
    let dirs = PROJECT_DIRS.iter().map(|dir| project.join(dir));
    dirs.flat_map(|dir| directories(&dir, Links::Refuse))
        .collect()
}

/// Says whether links are followed to a directory of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    Follow,
    /// A link could lead out of the project.
    Refuse,
}

/// The directories below `dir` that have a [`FILE`], by name.
fn directories(dir: &Path, links: Links) -> Vec<(String, PathBuf)> {
    let is_dir = |path: &Path| match links {
        Links::Follow => path.is_dir(),
        Links::Refuse => path.symlink_metadata().is_ok_and(|it| it.is_dir()),
    };
    // `.scorel` and `.scorel/skills`: either may be a link.
    if !is_dir(dir) || !dir.parent().is_some_and(is_dir) {
        return Vec::new();
    }
    let mut found: Vec<(String, PathBuf)> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(_, path)| is_dir(path) && path.join(FILE).symlink_metadata().is_ok())
        .collect();
    found.sort();
    found
}

fn add(
    found: &mut Vec<FoundSkill>,
    name: String,
    dir: PathBuf,
    source: SkillSource,
    trust: Option<&ProjectTrust>,
) {
    let how = match source {
        SkillSource::User => Trust::Ours,
        SkillSource::Project => Trust::Untrusted,
    };
    let skill = Skill::read(&dir, SkillName::Directory(&name), how);
    let is_shadowed = found.iter().any(|it| it.name == name);
    let trusted = || trust.map_or(TrustState::Trusted, |it| it.state(&item(&name, &dir)));
    let state = match &skill {
        _ if is_shadowed => SkillState::Shadowed,
        Err(_) => SkillState::Invalid,
        Ok(_) => match trusted() {
            TrustState::Trusted => SkillState::Available,
            TrustState::Untrusted => SkillState::Untrusted,
            TrustState::Changed => SkillState::Changed,
            TrustState::Shadowed => SkillState::Shadowed,
        },
    };
    found.push(FoundSkill {
        name,
        source,
        dir,
        is_of_plugin: false,
        state,
        skill,
    });
}

/// The skills of a plugin or extension, also of one that is inert: people see what it would bring.
fn add_of_plugin(found: &mut Vec<FoundSkill>, extension: &FoundExtension) {
    let state = match &extension.state {
        ExtensionState::Usable(_) => SkillState::Available,
        ExtensionState::Shadowed => SkillState::Shadowed,
        ExtensionState::Disabled => SkillState::Disabled,
        ExtensionState::Inert(Inert::Untrusted(_)) => SkillState::Untrusted,
        ExtensionState::Inert(_) => SkillState::Changed,
    };
    for (dir, problem) in extension.skill_dirs() {
        let Some(own) = dir.file_name().and_then(OsStr::to_str) else {
            continue;
        };
        let name = format!("{}:{own}", extension.id);
        let skill = match (problem, skill::is_name(own)) {
            (Some(problem), _) => Err(problem.to_owned()),
            (None, true) => Skill::read(&dir, SkillName::Plugin(&name), Trust::Untrusted),
            (None, false) => Err(
                "the name of its directory has other characters than a-z, 0-9 and `-`".to_owned(),
            ),
        };
        let is_shadowed = found.iter().any(|it| it.name == name);
        found.push(FoundSkill {
            state: match &skill {
                _ if is_shadowed => SkillState::Shadowed,
                Err(_) => SkillState::Invalid,
                Ok(_) => state,
            },
            name,
            source: match extension.is_project {
                true => SkillSource::Project,
                false => SkillSource::User,
            },
            dir,
            is_of_plugin: true,
            skill,
        });
    }
}

fn unknown(name: &str, found: &[FoundSkill]) -> String {
    let is_usable = |it: &&FoundSkill| it.state == SkillState::Available;
    let names: Vec<&str> = found
        .iter()
        .filter(is_usable)
        .map(|it| it.name.as_str())
        .collect();
    match names.as_slice() {
        [] => format!("there is no skill `{name}`, and no other"),
        names => format!("there is no skill `{name}`; there are {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
