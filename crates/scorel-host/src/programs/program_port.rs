use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_config::Config;
use scorel_engine::spawn_blocking;
use scorel_exec::Sandbox;
use scorel_extension::hook::HookSandbox;
use scorel_extension::program::{ExtensionPort, Manifest};
use scorel_guidance::extensions::{ExtensionState, FoundExtension};
use scorel_guidance::skills::SkillProject;
use scorel_process::StartedProgram;
use scorel_proto::{ErrorCode, RpcError};
use serde_json::{Value, json};

use super::program_calls::ProgramCaller;
use super::program_means::ProgramMeans;
use super::program_order::ProgramOrder;

/// The daemon's services for the program of one extension.
#[derive(Debug, Clone)]
pub(super) struct ProgramPort {
    pub(super) means: Arc<ProgramMeans>,
    pub(super) manifest: Arc<Manifest>,
    /// The directory that it runs in.
    pub(super) root: PathBuf,
    /// The directory for what it keeps.
    pub(super) data: PathBuf,
    /// Its settings in the user's configuration.
    pub(super) config: Value,
    /// The project whose extension it is; `None` for the user's.
    pub(super) project: Option<SkillProject>,
}

impl ExtensionPort for ProgramPort {
    fn start(&self) -> BoxFuture<'_, Result<StartedProgram, String>> {
        let port = self.clone();
        Box::pin(async move {
            let started = spawn_blocking(move || port.start_now()).await;
            started.unwrap_or_else(|_| Err("its start failed".to_owned()))
        })
    }

    fn initialize(&self) -> Value {
        let mut params = json!({ "dataDir": self.data, "config": self.config });
        if let Some(SkillProject { id, dir }) = &self.project {
            params["project"] = json!({ "projectId": id, "directory": dir });
        }
        params
    }

    fn called(&self, method: &str, params: Value) -> BoxFuture<'static, Result<Value, RpcError>> {
        let caller = ProgramCaller {
            id: self.manifest.id.clone(),
            project: self.project.as_ref().map(|it| it.id),
            channels: self.manifest.channels.clone(),
        };
        match self.means.calls.get() {
            Some(calls) => calls.call(caller, method, params),
            None => {
                let error = RpcError::new(ErrorCode::InternalError, "the daemon is not open yet");
                Box::pin(ready(Err(error)))
            }
        }
    }
}

impl ProgramPort {
    /// Trust and the configuration may be others than when the turn began.
    fn check_usable(&self) -> Result<(), String> {
        let found = self.means.extensions.find(self.project.as_ref());
        let mut found = found.map_err(|error| error.to_string())?.into_iter();
        let is_it = |it: &FoundExtension| {
            it.id == self.manifest.id && it.is_project == self.project.is_some()
        };
        match found.find(is_it).map(|it| it.state) {
            Some(ExtensionState::Usable(root)) if root == self.root => Ok(()),
            Some(ExtensionState::Inert(inert)) => Err(inert.to_string()),
            Some(ExtensionState::Disabled) => Err("the configuration turns it off".to_owned()),
            _ => Err("it is not there any more as it was".to_owned()),
        }
    }

    /// Reads the environment of commands, which may ask the login shell, and the secrets. Blocks.
    fn start_now(&self) -> Result<StartedProgram, String> {
        self.check_usable()?;
        let project = self.project.as_ref().map(|it| it.dir.as_path());
        let config = self.means.config.current(project);
        let place = project.unwrap_or(&self.root);
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.data);
        made.map_err(|error| {
            let data = self.data.display();
            format!("its data directory {data} cannot be made: {error}")
        })?;
        let [program, arguments @ ..] = self.manifest.command.as_slice() else {
            return Err("its manifest names no program".to_owned());
        };
        let secret_env = self.manifest.secret_env.iter();
        let order = ProgramOrder {
            program,
            arguments,
            directory: self.root.clone(),
            environment: self.means.commands.runner_environment(&config, place),
            secret_env: secret_env
                .map(|(variable, name)| (&**variable, &**name))
                .collect(),
            sandbox: self.sandbox(&config, place),
            limits: config.tools.limits,
            framing: self.manifest.framing,
        };
        self.means.start(&config, place, order)
    }

    /// The user's runs with the user's rights; a project's changes its project and its own data only.
    fn sandbox(&self, config: &Config, place: &Path) -> Option<Sandbox> {
        let usual = match self.project {
            None => HookSandbox::None,
            Some(_) => HookSandbox::Workspace,
        };
        if self.manifest.sandbox.unwrap_or(usual) == HookSandbox::None {
            return None;
        }
        let mut sandbox = self.means.commands.runner_sandbox(config, place, &[]);
        sandbox.network = self.manifest.network;
        // Both are in the home, which is hidden.
        let own = [self.data.clone(), self.root.clone()];
        sandbox.shown.extend(own);
        sandbox.writable.push(self.data.clone());
        Some(sandbox)
    }
}
