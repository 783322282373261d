//! `listHooks`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_extension::hook::{HookCommand, HookEntry, HookSandbox, OnFailure};
use scorel_guidance::extensions::UsedPlugin;
use scorel_guidance::skills::SkillProject;
use scorel_proto::{
    HookInfo, HookLayer as Layer, HookOnFailure, HookSandbox as Sandbox, HookState,
    ListHooksParams, ListHooksResult, ProjectId, TrustState,
};

use crate::extensions::{HookLayer, ProjectHooks, hook_item};
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

/// First words of a line that are no programs.
const OF_THE_SHELL: [&str; 17] = [
    ".", "case", "cd", "command", "echo", "eval", "exec", "exit", "export", "false", "for", "if",
    "printf", "set", "test", "true", "while",
];

pub(super) async fn list(host: Arc<Host>, params: ListHooksParams) -> Reply<ListHooksResult> {
    let project = match params.project_id {
        Some(id) => Some((id, host.project_dir(id)?)),
        None => None,
    };
    let listed = spawn_blocking(move || listed(&host, project.as_ref())).await?;
    Ok::<_, CallError>(listed)
}

pub(super) fn listed(host: &Host, project: Option<&(ProjectId, PathBuf)>) -> ListHooksResult {
    let config = host.config.current(project.map(|(_, dir)| dir.as_path()));
    let directory = project.map_or_else(|| host.home.clone(), |(_, dir)| dir.clone());
    let environment = host
        .runners
        .commands
        .runner_environment(&config, &directory);
    let list = List {
        host,
        tools: host.hooks.tools(),
        path: environment.get("PATH").unwrap_or_default().to_owned(),
        directory: &directory,
    };
    let mut hooks = Vec::new();
    let mut found = ProjectHooks::default();
    if let Some((id, dir)) = project {
        found = ProjectHooks::of(dir, &config);
        let trust = host.trust.of(*id).ok();
        for declared in &found.declared {
            let item = hook_item(dir, declared, &config);
            let state = match trust.as_ref().map(|trust| trust.state(&item)) {
                Some(TrustState::Trusted) => HookState::Active,
                Some(TrustState::Changed) => HookState::Changed,
                Some(TrustState::Shadowed) => HookState::Shadowed,
                Some(TrustState::Untrusted) | None => HookState::Untrusted,
            };
            let layer = (HookLayer::Project(*id), Layer::Project);
            hooks.push(list.info(&declared.entry, layer, &dir.join(&declared.file), state));
        }
    }
    for used in plugins(host, project) {
        let layer = match (used.is_project, project) {
            (true, Some((id, _))) => (HookLayer::Project(*id), Layer::Project),
            _ => (HookLayer::User, Layer::User),
        };
        for entry in &used.plugin.hooks {
            hooks.push(list.info(entry, layer, &used.place.root, HookState::Active));
        }
    }
    let own = host.home.join("config.toml");
    for entry in &config.hooks {
        let layer = (HookLayer::User, Layer::User);
        hooks.push(list.info(entry, layer, &own, HookState::Active));
    }
    ListHooksResult {
        hooks,
        left_out: found.left_out,
        problems: found.problems,
        dropped: host.command_hooks.dropped(),
    }
}

/// The plugins that may be used; those that are inert are among the extensions.
fn plugins(host: &Host, project: Option<&(ProjectId, PathBuf)>) -> Vec<UsedPlugin> {
    let project = project.map(|(id, dir)| SkillProject {
        id: *id,
        dir: dir.clone(),
    });
    let found = host.extensions.plugins(project.as_ref());
    found.unwrap_or_default()
}

/// The part that the entries of a list share.
struct List<'a> {
    host: &'a Host,
    tools: Vec<String>,
    path: String,
    directory: &'a Path,
}

impl List<'_> {
    fn info(
        &self,
        entry: &HookEntry,
        (layer, shown_layer): (HookLayer, Layer),
        path: &Path,
        state: HookState,
    ) -> HookInfo {
        let counts = self.host.hooks.figures(layer, &entry.name).counts();
        let usual = match layer {
            HookLayer::Project(_) => HookSandbox::Workspace,
            HookLayer::User => HookSandbox::None,
        };
        HookInfo {
            name: entry.name.to_string(),
            layer: shown_layer,
            path: path.display().to_string(),
            event: entry.event.word().to_owned(),
            matcher: (!entry.matcher.is_all()).then(|| entry.matcher.as_str().to_owned()),
            condition: entry.condition.clone(),
            command: entry.command.line(),
            timeout_seconds: entry.timeout.as_secs(),
            on_failure: match entry.on_failure {
                OnFailure::Ignore => HookOnFailure::Ignore,
                OnFailure::Fail => HookOnFailure::Fail,
            },
            sandbox: match entry.sandbox.unwrap_or(usual) {
                HookSandbox::None => Sandbox::None,
                HookSandbox::Workspace => Sandbox::Workspace,
                HookSandbox::Network => Sandbox::Network,
            },
            may_allow: entry.may_allow,
            parallel: entry.parallel,
            is_async: entry.is_async,
            state,
            warnings: self.warnings(entry, state, counts.matched),
            matched: counts.matched,
            ran: counts.ran,
            denied: counts.denied,
            changed: counts.changed,
            failed: counts.failed,
            last_error: counts.last_error,
            p95_ms: counts
                .p95
                .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    /// A hook that never fires must not look like one that approves.
    fn warnings(&self, entry: &HookEntry, state: HookState, matched: u64) -> Vec<String> {
        let mut warnings = Vec::new();
        match state {
            HookState::Untrusted | HookState::Changed => warnings.push(format!(
                "it is not run: `scorelctl trust` shows it, and `scorelctl trust add hook:{}` trusts it",
                entry.name
            )),
            HookState::Shadowed => {
                warnings.push("it is not run: a hook of yours has its name".to_owned());
            }
            HookState::Active | HookState::Other => {}
        }
        let has_tool = || {
            self.tools
                .iter()
                .any(|tool| entry.matcher.matches_tool(tool))
        };
        if entry.event.stage().is_of_calls() && !self.tools.is_empty() && !has_tool() {
            warnings.push("its matcher matches none of the tools of the latest turn".to_owned());
        }
        if let Some(rule) = &entry.condition
            && let Err(error) = rule.parse::<scorel_config::GateRule>()
        {
            warnings.push(format!(
                "its `if` is not a rule, so it matches all: {error}"
            ));
        }
        if let Some(program) = self.missing_program(&entry.command) {
            warnings.push(format!("there is no program `{program}`"));
        }
        if state == HookState::Active && matched == 0 {
            warnings.push("nothing has matched it since the daemon began".to_owned());
        }
        warnings
    }

    /// The program of a command that is not there; `None` if it is, or if only a shell can tell.
    fn missing_program(&self, command: &HookCommand) -> Option<String> {
        let word = match command {
            HookCommand::Argv(argv) => argv.first()?.clone(),
            HookCommand::Shell(line) => {
                let word = line.split_whitespace().next()?;
                let plain = |char: char| char.is_ascii_alphanumeric() || "/._-+~".contains(char);
                let is_plain = word.chars().all(plain) && !word.starts_with('~');
                is_plain.then(|| word.to_owned())?
            }
        };
        let is_there = match word.contains('/') {
            true => self.directory.join(&word).exists(),
            false => std::env::split_paths(&self.path).any(|dir| dir.join(&word).exists()),
        };
        let is_of_shell =
            matches!(command, HookCommand::Shell(_)) && OF_THE_SHELL.contains(&word.as_str());
        (!is_there && !is_of_shell).then_some(word)
    }
}
