use std::fs::{DirBuilder, File};
use std::os::fd::AsFd as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::spawn_blocking;
use scorel_exec::{CommandLine, CommandOrder, Environment, Sandbox};
use scorel_extension::hook::HookSandbox;
use scorel_extension::program::{ExtensionPort, Manifest};
use scorel_home::SecretStore;
use scorel_process::{Secrets, StartedProgram, find_program};
use scorel_proto::{ErrorChain, ErrorCode, RpcError};
use serde_json::{Value, json};

use super::program_means::{ProgramMeans, ProgramScope};

/// The directory of the home in which extensions keep their own data.
const DATA: &str = "extension-data";

/// The daemon's services for the program of one extension.
#[derive(Debug, Clone)]
pub(super) struct ProgramPort {
    pub(super) means: Arc<ProgramMeans>,
    pub(super) manifest: Arc<Manifest>,
    /// The directory that it runs in.
    pub(super) root: PathBuf,
    pub(super) project: ProgramScope,
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
        let mut params = json!({ "dataDir": self.data_dir(), "config": {} });
        if let Some((id, dir)) = &self.project {
            params["project"] = json!({ "projectId": id, "directory": dir });
        }
        params
    }

    fn called(&self, method: &str, _: Value) -> BoxFuture<'static, Result<Value, RpcError>> {
        let error = match method {
            "sendMessage" => {
                let text = "an extension sends messages through a channel, which this daemon does not have yet";
                RpcError::new(ErrorCode::InvalidParams, text)
            }
            other => {
                let text = format!("there is no method `{other}` for extensions");
                RpcError::new(ErrorCode::MethodNotFound, text)
            }
        };
        Box::pin(ready(Err(error)))
    }
}

impl ProgramPort {
    fn data_dir(&self) -> PathBuf {
        let id = self.manifest.id.as_str();
        self.means.home.join(DATA).join(id)
    }

    /// Reads the environment of commands, which may ask the login shell, and the secrets. Blocks.
    fn start_now(&self) -> Result<StartedProgram, String> {
        let project = self.project.as_ref().map(|(_, dir)| dir.as_path());
        let config = self.means.config.current(project);
        let place = project.unwrap_or(&self.root);
        let mut environment = self.means.commands.runner_environment(&config, place);
        let secrets = self.secrets(&mut environment)?;
        let data = self.data_dir();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&data);
        made.map_err(|error| {
            format!(
                "its data directory {} cannot be made: {error}",
                data.display()
            )
        })?;
        let [program, arguments @ ..] = self.manifest.command.as_slice() else {
            return Err("its manifest names no program".to_owned());
        };
        let program = find_program(program, &environment, &self.root);
        let order = CommandOrder {
            command: CommandLine::Program {
                program: program.map_err(|missing| missing.to_string())?,
                arguments: arguments.to_vec(),
            },
            sandbox: self.sandbox(&config, place, &data),
            umask: Some(self.means.commands.umask_now(&config, place)),
            environment,
            space: None,
            resources: None,
            timeout: None,
            spool_dir: None,
        };
        let root = File::open(&self.root)
            .map_err(|error| format!("its directory cannot be opened: {error}"))?;
        let started = self.means.supervisors.start_piped(order, root.as_fd());
        Ok(StartedProgram {
            process: started.map_err(|error| ErrorChain(&error).to_string())?,
            secrets: Secrets::named(secrets),
            framing: self.manifest.framing,
        })
    }

    /// The secrets by name, which the environment gets.
    fn secrets(&self, environment: &mut Environment) -> Result<Vec<(String, String)>, String> {
        let store: &SecretStore = &self.means.secrets;
        let mut found = Vec::new();
        for (variable, name) in &self.manifest.secret_env {
            let value = store.resolve(name).map_err(|error| error.to_string())?;
            let missing = || {
                let file = store.file().display();
                format!("it needs the secret `{name}`: put `{name}=…` into {file}")
            };
            let value = value.ok_or_else(missing)?;
            environment.set(variable, &value);
            found.push((name.clone(), value));
        }
        Ok(found)
    }

    /// The user's runs with the user's rights; a project's changes its project and its own data only.
    fn sandbox(
        &self,
        config: &scorel_config::Config,
        place: &Path,
        data: &Path,
    ) -> Option<Sandbox> {
        let usual = match self.project {
            None => HookSandbox::None,
            Some(_) => HookSandbox::Workspace,
        };
        if self.manifest.sandbox.unwrap_or(usual) == HookSandbox::None {
            return None;
        }
        let mut sandbox = self.means.commands.runner_sandbox(config, place, &[]);
        sandbox.network = self.manifest.network;
        let own = [data, &self.root].map(Path::to_owned);
        sandbox.shown.extend(own.clone());
        sandbox.writable.push(own[0].clone());
        Some(sandbox)
    }
}
