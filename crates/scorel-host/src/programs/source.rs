//! Tools and hooks that extensions add to turns.

use std::sync::Arc;

use scorel_engine::Hooks;
use scorel_extension::program::{ExtensionHook, ProgramTools, ToolScene};
use scorel_guidance::skills::SkillProject;
use scorel_outside_tool::OutsideSource;
use serde_json::{Map, Value, json};

use super::ExtensionPrograms;
use crate::turns::{HookSource, HookTurn, ToolPlace, ToolSource};

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

    fn outside(&self, place: &ToolPlace) -> Vec<Arc<dyn OutsideSource>> {
        let scene = scene(place);
        let project = self.means.projects.get(place.project_id);
        let project = SkillProject {
            id: place.project_id,
            // A worktree has other files than those that were trusted.
            dir: project.map_or_else(|| place.directory.clone(), |it| it.work_dir.into()),
        };
        let usable = self.usable(Some(&project)).into_iter();
        let with_tools = usable.filter(|it| !it.manifest.tools.is_empty());
        let sources = with_tools.map(|it| {
            // It lives as long as the session is loaded.
            it.program.process().keep_for(&place.project);
            let scene = Arc::clone(&scene);
            Arc::new(ProgramTools::new(it.manifest, it.program, scene)) as _
        });
        sources.collect()
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
