//! `Skill`: loads a skill.

use std::sync::Arc;

use schemars::JsonSchema;
use scorel_engine::{
    ArgumentError, SessionTool, Tool, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments,
};
use scorel_tools::SkillRoots;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::skill::{FILE, MAX_TOLD};
use super::{LoadedSkill, SkillProject, Skills};

const DESCRIPTION: &str = "\
Loads a skill: instructions for a kind of task, with files beside them. Load a skill before you start a \
task that it covers, and then follow the instructions. The files of a loaded skill are below \
`@skill/<name>/` for Read, Glob and Grep. Load a skill once: its text stays in the conversation.";

/// Where a skill's text wants the arguments.
const PLACEHOLDER: &str = "$ARGUMENTS";

/// Files of a skill in the result.
const MAX_FILES: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SkillArguments {
    /// The skill's name, as it is listed.
    name: String,
    /// What the skill is to work on, if it says that it takes arguments.
    args: Option<String>,
}

/// The `details` of a success.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SkillFigures {
    name: String,
    path: String,
}

/// The state of the tool in one session.
#[derive(Debug)]
pub struct SkillTool {
    skills: Skills,
    project: SkillProject,
    roots: SkillRoots,
}

impl SkillTool {
    pub fn shared(skills: &Skills, project: SkillProject, roots: &SkillRoots) -> Arc<dyn Tool> {
        let spec = ToolSpec::of::<SkillArguments>("Skill", DESCRIPTION, ToolClass::Inspect);
        let tool = Self {
            skills: skills.clone(),
            project,
            roots: roots.clone(),
        };
        Arc::new(SessionTool {
            spec: spec.read_only(),
            session: Arc::new(tool),
            plan: Self::plan,
        })
    }

    /// It has no effects that a permission could be about: a skill is the user's own, or the user has trusted
    /// its files, and its scripts run through the gate like any command.
    fn plan(self: &Arc<Self>, input: Value) -> Result<ToolPlan, ArgumentError> {
        let arguments = parse_arguments(input)?;
        let tool = Arc::clone(self);
        Ok(ToolPlan::with_blocking_run(Vec::new(), move |_, _| {
            let loaded = tool.load(&arguments);
            loaded.unwrap_or_else(|reason| ToolOutcome::failure("E_SKILL", &reason, Map::new()))
        }))
    }

    fn load(&self, arguments: &SkillArguments) -> Result<ToolOutcome, String> {
        let SkillArguments { name, args } = arguments;
        let loaded = self.skills.load(&self.project, name)?;
        if !loaded.skill.for_model {
            return Err(format!("the skill `{name}` is for the user to start only"));
        }
        let opened = self.roots.load(name, &loaded.dir);
        opened.map_err(|error| error.to_string())?;
        let figures = SkillFigures {
            name: name.clone(),
            path: loaded.dir.display().to_string(),
        };
        Ok(ToolOutcome::success(
            text(&loaded, args.as_deref()),
            &figures,
        ))
    }
}

fn text(LoadedSkill { skill, dir }: &LoadedSkill, args: Option<&str>) -> String {
    let name = &skill.name;
    let mut text = format!("The skill `{name}`. Its directory is {}", dir.display());
    match files(dir).as_slice() {
        [] => text.push_str(".\n"),
        files => {
            text.push_str(&format!("; with Read, `@skill/{name}/`:\n"));
            for file in files.iter().take(MAX_FILES) {
                text.push_str(&format!("- {file}\n"));
            }
            if let more @ 1.. = files.len().saturating_sub(MAX_FILES) {
                text.push_str(&format!("({more} more)\n"));
            }
        }
    }
    let (body, cut) = told(&skill.body, name);
    let args = args.map(str::trim).filter(|args| !args.is_empty());
    match args {
        _ if body.contains(PLACEHOLDER) => {
            let body = body.replace(PLACEHOLDER, args.unwrap_or_default());
            text.push_str(&format!("\n{body}\n"));
        }
        Some(args) => text.push_str(&format!("\n{body}\n\nArguments: {args}\n")),
        None => text.push_str(&format!("\n{body}\n")),
    }
    text.push_str(&cut);
    text
}

/// The text as far as it is told, and a word on the rest.
fn told<'a>(body: &'a str, name: &str) -> (&'a str, String) {
    let body = body.trim();
    if body.len() <= MAX_TOLD {
        return (body, String::new());
    }
    let is_end = |end: &usize| body.is_char_boundary(*end);
    let end = (0..=MAX_TOLD).rev().find(is_end).unwrap_or(0);
    let cut = format!("\n(Its text is longer. Read the rest in `@skill/{name}/{FILE}`.)\n");
    (&body[..end], cut)
}

/// The entries of a skill's directory besides its text.
fn files(dir: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let is_dir = entry.file_type().is_ok_and(|it| it.is_dir());
            let name = entry.file_name().into_string().ok()?;
            Some(format!("{name}{}", if is_dir { "/" } else { "" }))
        })
        .filter(|name| name != FILE && !name.contains(char::is_control))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::super::Skill;
    use super::*;

    #[test]
    fn arguments_go_where_the_skill_wants_them() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("SKILL.md"), "").unwrap();
        std::fs::create_dir(dir.path().join("scripts")).unwrap();
        let loaded = |body: &str| LoadedSkill {
            skill: Skill {
                name: "x".to_owned(),
                description: "does x".to_owned(),
                for_model: true,
                body: body.to_owned(),
                warning: None,
            },
            dir: dir.path().to_owned(),
        };
        let shown = text(&loaded("Look at $ARGUMENTS."), Some("a.rs"));
        assert!(shown.ends_with("`@skill/x/`:\n- scripts/\n\nLook at a.rs.\n"));
        let shown = text(&loaded("Look."), Some(" a.rs "));
        assert!(shown.ends_with("Look.\n\nArguments: a.rs\n"), "{shown}");
        assert!(text(&loaded("Look."), None).ends_with("\n\nLook.\n"));
        let long = format!("{}é", "x".repeat(MAX_TOLD - 1));
        let shown = text(&loaded(&long), None);
        assert!(
            shown.ends_with("x\n\n(Its text is longer. Read the rest in `@skill/x/SKILL.md`.)\n")
        );
    }
}
