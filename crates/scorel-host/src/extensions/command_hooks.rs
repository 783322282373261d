use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use scorel_config::{Config, Mode};
use scorel_engine::Hooks;
use scorel_exec::Sandbox;
use scorel_extension::hook::claude::{HookAgent, HookScene};
use scorel_extension::hook::{CommandHook, HookEntry, HookPlace, HookProgram, HookSandbox};
use scorel_workplace::CommandHost;

use super::hook_registry::{HookLayer, HookRegistry};
use super::listening_hooks::{ListeningHooks, SessionAsides};
use super::rule_condition::RuleCondition;
use crate::listeners::Asides;
use crate::turns::{HookSource, HookTurn};

/// Where a hook finds the files of its project.
const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";

/// The commands of `[[hooks]]`: the project's, then the user's, so that who judges last sees what will run.
#[derive(Debug)]
pub(crate) struct CommandHooks {
    commands: Arc<CommandHost>,
    registry: Arc<HookRegistry>,
    listening: Arc<ListeningHooks>,
    asides: Arc<Asides>,
}

impl CommandHooks {
    pub(crate) const fn new(
        commands: Arc<CommandHost>,
        registry: Arc<HookRegistry>,
        listening: Arc<ListeningHooks>,
        asides: Arc<Asides>,
    ) -> Self {
        Self {
            commands,
            registry,
            listening,
            asides,
        }
    }

    fn layer<'a>(
        &'a self,
        turn: &'a HookTurn<'_>,
        layer: HookLayer,
        entries: &'a [HookEntry],
    ) -> impl Iterator<Item = CommandHook> + 'a {
        let mut places = Places {
            source: self,
            turn,
            layer,
            made: Vec::new(),
        };
        entries.iter().map(move |entry| {
            let place = places.of(entry);
            let figures = self.registry.figures(layer, &entry.name);
            CommandHook::new(Arc::new(entry.clone()), place, figures)
        })
    }

    /// Reads the environment of commands, which may ask the login shell. Blocks.
    fn program(&self, turn: &HookTurn<'_>, layer: HookLayer, sandbox: HookSandbox) -> HookProgram {
        let (config, project) = (turn.config, turn.project);
        let mut environment = self.commands.runner_environment(config, project);
        environment.set(PROJECT_DIR, &project.to_string_lossy());
        // A project's hook names files of the project, which are the ones that were trusted: a worktree has others.
        let directory = match layer {
            HookLayer::Project(_) => project,
            HookLayer::User => &turn.place.directory,
        };
        HookProgram {
            supervisors: Arc::clone(self.commands.supervisors()),
            directory: File::open(directory).ok(),
            environment,
            sandbox: self.sandbox(config, project, sandbox),
            umask: Some(self.commands.umask_now(config, project)),
        }
    }

    fn sandbox(&self, config: &Config, project: &Path, sandbox: HookSandbox) -> Option<Sandbox> {
        let network = match sandbox {
            HookSandbox::None => return None,
            HookSandbox::Workspace => false,
            HookSandbox::Network => true,
        };
        Some(Sandbox {
            network,
            ..self.commands.runner_sandbox(config, project, &[])
        })
    }
}

impl HookSource for CommandHooks {
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>> {
        self.registry.saw_tools(turn.tools);
        let all = self.layer(turn, HookLayer::User, &turn.config.hooks);
        let (listening, asked): (Vec<_>, Vec<_>) = all.partition(CommandHook::listens);
        self.listening.set(turn.place.session_id, listening);
        let asked = asked.into_iter().map(|hook| Arc::new(hook) as _);
        asked.collect()
    }
}

/// The places of a layer's hooks, one for each sandbox.
struct Places<'a> {
    source: &'a CommandHooks,
    turn: &'a HookTurn<'a>,
    layer: HookLayer,
    made: Vec<(HookSandbox, Arc<HookPlace>)>,
}

impl Places<'_> {
    fn of(&mut self, entry: &HookEntry) -> Arc<HookPlace> {
        let usual = match self.layer {
            HookLayer::Project(_) => HookSandbox::Workspace,
            HookLayer::User => HookSandbox::None,
        };
        let sandbox = entry.sandbox.unwrap_or(usual);
        if let Some((_, place)) = self.made.iter().find(|(it, _)| *it == sandbox) {
            return Arc::clone(place);
        }
        let turn = self.turn;
        let base_dirs = self.source.commands.base_dirs(&turn.place.directory);
        let place = Arc::new(HookPlace {
            scene: scene(turn),
            program: self.source.program(turn, self.layer, sandbox),
            tools: turn.tools.clone(),
            condition: Arc::new(RuleCondition { base_dirs }),
            asides: Arc::new(SessionAsides {
                session_id: turn.place.session_id,
                asides: Arc::clone(&self.source.asides),
            }),
        });
        self.made.push((sandbox, Arc::clone(&place)));
        place
    }
}

fn scene(turn: &HookTurn<'_>) -> HookScene {
    let id = turn.place.session_id.to_string();
    HookScene {
        session_id: id.clone(),
        directory: turn.place.directory.clone(),
        permission_mode: their_mode(turn.config.permissions.mode).to_owned(),
        agent: turn.agent.map(|agent| HookAgent {
            id,
            agent_type: agent.agent_type.clone(),
        }),
    }
}

/// The mode of theirs that allows about as much.
const fn their_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Readonly => "plan",
        Mode::Ask => "default",
        Mode::Workspace => "acceptEdits",
        Mode::Full => "bypassPermissions",
    }
}
