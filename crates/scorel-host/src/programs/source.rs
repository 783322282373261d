//! Tools and hooks that extensions add to turns.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{Hooks, Tool};
use scorel_extension::program::{
    ExtensionHook, ExtensionProgram, ExtensionTool, Manifest, ToolScene, tool_name,
};
use scorel_proto::TurnError;
use serde_json::{Map, Value, json};

use super::ExtensionPrograms;
use crate::turns::{HookSource, HookTurn, ToolPlace, ToolSource};

impl ExtensionPrograms {
    /// The extensions for a place that can be used, with their programs. Reads files; blocks.
    fn usable(&self) -> Vec<(Arc<Manifest>, Arc<ExtensionProgram>)> {
        let found = self.of_the_user();
        let ids: Vec<_> = found.iter().map(|it| it.id.as_str()).collect();
        self.keep_only(None, &ids);
        let usable = found.iter().filter_map(|it| {
            let manifest = Arc::clone(it.manifest.as_ref()?);
            let program = self.program(None, &it.dir, &manifest);
            Some((manifest, program))
        });
        usable.collect()
    }
}

/// The tools' names, by which models call them, in the order of the manifest.
fn tool_names(manifest: &Manifest, taken: &mut BTreeSet<String>) -> Vec<String> {
    let id = manifest.id.as_str();
    let names = manifest.tools.iter().map(|tool| {
        let name = tool_name(id, &tool.name, |name| taken.contains(name));
        taken.insert(name.clone());
        name
    });
    names.collect()
}

fn scene(place: &ToolPlace) -> Arc<ToolScene> {
    Arc::new(ToolScene {
        session_id: place.session_id,
        directory: place.directory.clone(),
        blobs: Arc::clone(&place.blobs),
    })
}

/// The turn of a call, as a hook is told of it.
fn told(turn: &HookTurn<'_>) -> Map<String, Value> {
    let mut told = Map::new();
    let mut tell = |name: &str, value: Value| told.insert(name.to_owned(), value);
    tell("sessionId", json!(turn.session_id));
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
        for (manifest, program) in self.usable() {
            let names = tool_names(&manifest, &mut taken);
            for (name, tool) in names.into_iter().zip(&manifest.tools) {
                let (program, scene) = (Arc::clone(&program), Arc::clone(&scene));
                tools.push(Arc::new(ExtensionTool::new(
                    name,
                    tool.clone(),
                    program,
                    scene,
                )));
            }
        }
        tools.sort_by(|one, other| one.spec().name.cmp(&other.spec().name));
        Box::pin(ready(Ok(tools)))
    }

    fn may_be_late(&self) -> bool {
        true
    }
}

impl HookSource for ExtensionPrograms {
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>> {
        let with_hooks = self.usable().into_iter();
        let with_hooks = with_hooks.filter(|(manifest, _)| !manifest.hooks.is_empty());
        let hooks = with_hooks.map(|(manifest, program)| {
            let (id, hooks) = (manifest.id.as_str(), manifest.hooks.clone());
            let hook = ExtensionHook::new(id, hooks, program, told(turn));
            Arc::new(hook) as Arc<dyn Hooks>
        });
        hooks.collect()
    }
}
