//! Tools and hooks that extensions add to turns.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{Hooks, Tool};
use scorel_extension::program::{ExtensionHook, ExtensionTool, Manifest, ToolScene};
use scorel_guidance::skills::SkillProject;
use scorel_outside_tool::tool_name;
use scorel_proto::TurnError;
use serde_json::{Map, Value, json};

use super::{ExtensionPrograms, UsableProgram};
use crate::turns::{HookSource, HookTurn, ToolPlace, ToolSource};

/// The tools' names, by which models call them, in the order of the manifest.
fn tool_names(manifest: &Manifest, taken: &mut BTreeSet<String>) -> Vec<String> {
    let id = manifest.id.as_str();
    let names = manifest.tools.iter().map(|tool| {
        let name = tool_name("ext", id, &tool.name, |name| taken.contains(name));
        taken.insert(name.clone());
        name
    });
    names.collect()
}

fn scene(place: &ToolPlace) -> Arc<ToolScene> {
    Arc::new(ToolScene {
        session_id: place.session_id,
        turn_id: place.turn_id,
        directory: place.directory.clone(),
        blobs: Arc::clone(&place.blobs),
    })
}

/// The turn of a call, as a hook is told of it.
fn told(turn: &HookTurn<'_>) -> Map<String, Value> {
    let mut told = Map::new();
    let mut tell = |name: &str, value: Value| told.insert(name.to_owned(), value);
    tell("sessionId", json!(turn.session_id));
    if let Some(id) = turn.turn_id {
        tell("turnId", json!(id));
    }
    tell("cwd", json!(turn.directory));
    if let Some(agent) = turn.agent {
        tell("agentType", agent.agent_type.as_str().into());
    }
    if let Some(runner) = turn.runner {
        tell("ranBy", runner.into());
    }
    told
}

impl ToolSource for ExtensionPrograms {
    fn name(&self) -> &str {
        "extensions"
    }

    fn tools(
        &self,
        place: &ToolPlace,
    ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
        let (scene, mut taken) = (scene(place), BTreeSet::new());
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        let project = self.means.projects.get(place.project_id);
        let project = SkillProject {
            id: place.project_id,
            // A worktree has other files than those that were trusted.
            dir: project.map_or_else(|| place.directory.clone(), |it| it.work_dir.into()),
        };
        for UsableProgram {
            manifest, program, ..
        } in self.usable(Some(&project))
        {
            if !manifest.tools.is_empty() {
                // They live as long as the session is loaded.
                program.process().keep_for(&place.project);
            }
            let names = tool_names(&manifest, &mut taken);
            for (name, tool) in names.into_iter().zip(&manifest.tools) {
                let (program, scene) = (Arc::clone(&program), Arc::clone(&scene));
                let tool = ExtensionTool::named(name, tool.clone(), program, scene);
                tools.push(Arc::new(tool));
            }
        }
        tools.sort_by(|one, other| one.spec().name.cmp(&other.spec().name));
        Box::pin(ready(Ok(tools)))
    }

    fn may_be_late(&self) -> bool {
        true
    }
}

/// The hooks of a project's extensions, or those of the user's: others have their places between.
#[derive(Debug)]
pub(crate) struct ProgramHooks {
    pub(crate) programs: Arc<ExtensionPrograms>,
    pub(crate) of_project: bool,
}

impl HookSource for ProgramHooks {
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>> {
        let project = turn.skill_project();
        let usable = self.programs.usable(Some(&project)).into_iter();
        let ours = usable.filter(|it| it.is_project == self.of_project);
        let with_hooks = ours.filter(|it| !it.manifest.hooks.is_empty());
        let hooks = with_hooks.map(|it| {
            let (id, hooks) = (it.manifest.id.as_str(), it.manifest.hooks.clone());
            let hook = ExtensionHook::new(id, hooks, it.program, told(turn), turn.tools.clone());
            Arc::new(hook) as Arc<dyn Hooks>
        });
        hooks.collect()
    }
}
