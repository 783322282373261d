use std::collections::BTreeMap;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_config::Mode;
use scorel_engine::Hooks;
use scorel_exec::Sandbox;
use scorel_extension::hook::claude::{HookAgent, HookScene};
use scorel_extension::hook::{
    CommandHook, HookAdmission, HookEntry, HookPlace, HookProgram, HookSandbox, HookStage,
};
use scorel_guidance::extensions::{Extensions, UsedPlugin};
use scorel_guidance::skills::SkillProject;
use scorel_guidance::trust::{ProjectItem, ProjectTrust, TrustStore};
use scorel_plugin::PluginPlace;
use scorel_workplace::CommandHost;

use super::hook_item::{hook_item, named_files};
use super::hook_registry::{HookLayer, HookRegistry};
use super::listening_hooks::{ListeningHooks, SessionAsides};
use super::project_hooks::ProjectHooks;
use super::rule_condition::RuleCondition;
use super::transcripts::{SessionTranscript, Transcripts};
use super::trusted_files::TrustedFiles;
use crate::listeners::Asides;
use crate::turns::{HookSource, HookTurn};

/// Where a hook finds the files of its project.
const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";

/// The commands of `[[hooks]]` and of plugins: the project's, then the user's, so that who judges last sees what will
/// run.
#[derive(Debug)]
pub(crate) struct CommandHooks {
    commands: Arc<CommandHost>,
    registry: Arc<HookRegistry>,
    listening: Arc<ListeningHooks>,
    asides: Arc<Asides>,
    transcripts: Arc<Transcripts>,
    extensions: Extensions,
    trust: Arc<TrustStore>,
}

impl CommandHooks {
    pub(crate) const fn new(
        commands: Arc<CommandHost>,
        registry: Arc<HookRegistry>,
        listening: Arc<ListeningHooks>,
        asides: Arc<Asides>,
        transcripts: Arc<Transcripts>,
        extensions: Extensions,
        trust: Arc<TrustStore>,
    ) -> Self {
        Self {
            commands,
            registry,
            listening,
            asides,
            transcripts,
            extensions,
            trust,
        }
    }

    /// Runs that nothing waits for, and events for them, that were dropped since the daemon began.
    pub(crate) fn dropped(&self) -> u64 {
        self.asides.dropped()
    }

    /// All hooks that are run, in their order. Reads files; blocks.
    pub(crate) fn of_turn(&self, turn: &HookTurn<'_>) -> TurnHooks {
        let mut hooks = TurnHooks::default();
        self.add_of_project(turn, &mut hooks);
        let all = &mut hooks.commands;
        for used in &self.plugins(turn) {
            let layer = match used.is_project {
                true => HookLayer::Project(turn.project_id),
                false => HookLayer::User,
            };
            make_data(&used.place);
            let places = self.places(turn, layer, Some(&used.place));
            all.extend(self.layer(places, &used.plugin.hooks));
        }
        let places = self.places(turn, HookLayer::User, None);
        all.extend(self.layer(places, &turn.config.hooks));
        hooks
    }

    /// The hooks of the project that are trusted as they are. Each is checked again before it runs.
    fn add_of_project(&self, turn: &HookTurn<'_>, hooks: &mut TurnHooks) {
        let declared = ProjectHooks::of(turn.project, turn.config).declared;
        if declared.is_empty() {
            return;
        }
        let id = turn.project_id;
        let trust = match self.trust.of(id) {
            Ok(trust) => Arc::new(trust),
            Err(error) => {
                tracing::warn!(%error, "no hook of a project is run");
                return;
            }
        };
        let layer = HookLayer::Project(id);
        let places = self.places(turn, layer, None);
        let root = turn.project.canonicalize();
        for declared in declared {
            let item = hook_item(turn.project, &declared, turn.config);
            let admission = TrustedHook {
                trust: Arc::clone(&trust),
                item,
            };
            if admission.admit().is_err() {
                continue;
            }
            if let Ok(root) = &root {
                let named = named_files(turn.project, &declared);
                let named = named.present().map(|path| root.join(path));
                let name = format!("hook `{}`", declared.entry.name);
                hooks.files.extend(named.map(|path| (path, name.clone())));
            }
            let entry = declared.entry;
            let sandbox = entry.sandbox.unwrap_or(HookSandbox::Workspace);
            let program = HookProgram {
                admission: Some(Arc::new(admission)),
                ..self.program(&places, sandbox)
            };
            let figures = self.registry.figures(layer, &entry.name);
            let place = self.place(turn, program, &entry);
            let hook = CommandHook::new(Arc::new(entry), place, figures);
            hooks.commands.push(hook);
        }
    }

    fn place(
        &self,
        turn: &HookTurn<'_>,
        program: HookProgram,
        entry: &HookEntry,
    ) -> Arc<HookPlace> {
        let base_dirs = self.commands.base_dirs(turn.directory);
        let id = turn.session_id;
        let scene = scene(turn, self.transcripts.path(id));
        let transcript = SessionTranscript {
            all: Arc::clone(&self.transcripts),
            scene: scene.clone(),
            id,
            // Those that listen are kept when the turn is over.
            _kept: (!listens(entry)).then(|| self.transcripts.open(id)),
        };
        Arc::new(HookPlace {
            scene,
            transcript: Arc::new(transcript),
            program,
            tools: turn.tools.clone(),
            condition: Arc::new(RuleCondition { base_dirs }),
            asides: Arc::new(SessionAsides {
                session_id: turn.session_id,
                asides: Arc::clone(&self.asides),
            }),
        })
    }

    const fn places<'a>(
        &'a self,
        turn: &'a HookTurn<'a>,
        layer: HookLayer,
        plugin: Option<&'a PluginPlace>,
    ) -> Places<'a> {
        Places {
            source: self,
            turn,
            layer,
            plugin,
            made: Vec::new(),
        }
    }

    fn layer(&self, mut places: Places<'_>, entries: &[HookEntry]) -> Vec<CommandHook> {
        let hook = |entry: &HookEntry| {
            let place = places.of(entry);
            let figures = self.registry.figures(places.layer, &entry.name);
            let mut entry = entry.clone();
            if let Some(plugin) = places.plugin {
                entry.command = plugin.command(&entry.command);
            }
            CommandHook::new(Arc::new(entry), place, figures)
        };
        entries.iter().map(hook).collect()
    }

    /// The plugins that have hooks. Reads their files; blocks.
    fn plugins(&self, turn: &HookTurn<'_>) -> Vec<UsedPlugin> {
        let project = SkillProject {
            id: turn.project_id,
            dir: turn.project.to_owned(),
        };
        let found = self.extensions.plugins(Some(&project)).or_else(|error| {
            // What is trusted is unknown, so nothing of the project runs. The user's guards do.
            tracing::warn!(%error, "the plugins of a project are left out");
            self.extensions.plugins(None)
        });
        let mut found = found.unwrap_or_default();
        found.retain(|used| !used.plugin.hooks.is_empty());
        found.sort_by_key(|used| !used.is_project);
        found
    }

    /// Reads the environment of commands, which may ask the login shell. Blocks.
    fn program(&self, places: &Places<'_>, sandbox: HookSandbox) -> HookProgram {
        let turn = places.turn;
        let (config, project) = (turn.config, turn.project);
        let mut environment = self.commands.runner_environment(config, project);
        environment.set(PROJECT_DIR, &project.to_string_lossy());
        for (name, value) in places.plugin.iter().flat_map(|it| it.environment()) {
            environment.set(&name, &value);
        }
        // A project's hook names files of the project, which are the ones that were trusted: a worktree has others.
        let directory = match places.layer {
            HookLayer::Project(_) if places.plugin.is_none() => project,
            HookLayer::Project(_) | HookLayer::User => turn.directory,
        };
        HookProgram {
            supervisors: Arc::clone(self.commands.supervisors()),
            directory: File::open(directory).ok(),
            environment,
            sandbox: self.sandbox(turn, places.plugin, sandbox),
            umask: Some(self.commands.umask_now(config, project)),
            admission: None,
        }
    }

    fn sandbox(
        &self,
        turn: &HookTurn<'_>,
        plugin: Option<&PluginPlace>,
        sandbox: HookSandbox,
    ) -> Option<Sandbox> {
        let network = match sandbox {
            HookSandbox::None => return None,
            HookSandbox::Workspace => false,
            HookSandbox::Network => true,
        };
        let mut sandbox = Sandbox {
            network,
            ..self.commands.runner_sandbox(turn.config, turn.project, &[])
        };
        let transcript = self.transcripts.directory(turn.session_id);
        sandbox.shown.push(transcript);
        // Both are in the home, which is hidden.
        if let Some(PluginPlace { root, data }) = plugin {
            sandbox.shown.extend([root.clone(), data.clone()]);
            sandbox.writable.push(data.clone());
        }
        Some(sandbox)
    }
}

impl HookSource for CommandHooks {
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>> {
        self.registry.saw_tools(turn.tools);
        let TurnHooks { commands, files } = self.of_turn(turn);
        let (listening, asked): (Vec<_>, Vec<_>) =
            commands.into_iter().partition(CommandHook::listens);
        self.listening.set(turn.session_id, listening);
        let asked = asked.into_iter().map(|hook| Arc::new(hook) as _);
        asked.chain(TrustedFiles::of(turn.tools, files)).collect()
    }
}

/// The hooks of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnHooks {
    pub(crate) commands: Vec<CommandHook>,
    /// The files that trusted hooks of the project name.
    files: BTreeMap<PathBuf, String>,
}

/// A hook that finds no directory for its data fails by itself.
fn make_data(place: &PluginPlace) {
    let made = DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&place.data);
    if let Err(error) = made {
        tracing::warn!(%error, "a plugin has no directory for its data");
    }
}

/// A hook of a project, and the trust in it when the turn began.
#[derive(Debug)]
struct TrustedHook {
    trust: Arc<ProjectTrust>,
    item: ProjectItem,
}

impl HookAdmission for TrustedHook {
    fn admit(&self) -> Result<(), String> {
        let admitted = self.trust.admit(&self.item);
        admitted.map(drop).map_err(|inert| inert.to_string())
    }
}

/// The places of a layer's hooks, one for each sandbox, and for those that listen.
struct Places<'a> {
    source: &'a CommandHooks,
    turn: &'a HookTurn<'a>,
    layer: HookLayer,
    /// The plugin that the layer is, if it is one.
    plugin: Option<&'a PluginPlace>,
    made: Vec<((HookSandbox, bool), Arc<HookPlace>)>,
}

impl Places<'_> {
    fn of(&mut self, entry: &HookEntry) -> Arc<HookPlace> {
        let usual = match self.layer {
            HookLayer::Project(_) => HookSandbox::Workspace,
            HookLayer::User => HookSandbox::None,
        };
        let sandbox = entry.sandbox.unwrap_or(usual);
        let key = (sandbox, listens(entry));
        if let Some((_, place)) = self.made.iter().find(|(it, _)| *it == key) {
            return Arc::clone(place);
        }
        let turn = self.turn;
        let program = self.source.program(self, sandbox);
        let place = self.source.place(turn, program, entry);
        self.made.push((key, Arc::clone(&place)));
        place
    }
}

fn listens(entry: &HookEntry) -> bool {
    entry.event.stage() == HookStage::Listener
}

fn scene(turn: &HookTurn<'_>, transcript_path: PathBuf) -> HookScene {
    let id = turn.session_id.to_string();
    HookScene {
        session_id: id.clone(),
        transcript_path,
        directory: turn.directory.to_owned(),
        permission_mode: their_mode(turn.mode).to_owned(),
        agent: turn.agent.map(|agent| HookAgent {
            id,
            agent_type: agent.agent_type.clone(),
        }),
        ran_by: turn.runner.map(str::to_owned),
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
