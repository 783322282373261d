use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_exec::{Environment, Supervisors, default_caches, secret_places};
use scorel_permission::BaseDirs;
use scorel_provider::{builtin_providers, key_variables};
use scorel_tools::{CommandSettings, Commands};

use crate::config::{Config, ConfigPath};
use crate::secret::SecretStore;

/// Creates the command runners of sessions, and their settings: environment, sandbox, secrets.
#[derive(Debug)]
pub(crate) struct CommandHost {
    supervisors: Arc<Supervisors>,
    secrets: SecretStore,
    user_home: Option<PathBuf>,
}

impl CommandHost {
    pub(crate) fn new(supervisors: Arc<Supervisors>, secrets: SecretStore) -> Self {
        let user_home = env::var_os("HOME").map(PathBuf::from);
        Self {
            supervisors,
            secrets,
            user_home: user_home.filter(|home| home.is_absolute()),
        }
    }

    /// The command runner of one session.
    pub(crate) fn open(&self, config: &Config) -> Commands {
        Commands::new(Arc::clone(&self.supervisors), self.settings(config))
    }

    /// Whether the kernel supports the sandbox.
    pub(crate) fn has_sandbox(&self) -> bool {
        self.supervisors.support().is_enough()
    }

    /// The directories against which paths in rules and commands are resolved, without links.
    pub(crate) fn base_dirs(&self, project: &Path, scorel_home: &Path) -> BaseDirs {
        let home = self.user_home.as_deref().unwrap_or(Path::new("/"));
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        BaseDirs::new(&real(project), &real(home), &real(scorel_home))
    }

    /// The current settings. Reads the `env` file, whose values are removed from the environment.
    pub(crate) fn settings(&self, config: &Config) -> CommandSettings {
        let key = config.model.key.as_ref();
        let names = key.map_or(&[][..], |key| &key.names);
        let providers = builtin_providers();
        let builtin = providers.iter().flat_map(|name| key_variables(name));
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .chain(builtin.copied())
            .collect();
        let secrets = self.secrets.values(&names);
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let environment = Environment::scrubbed(env::vars_os(), &secrets);
        let cargo_home = environment.get("CARGO_HOME").map(PathBuf::from);
        let (mut caches, mut hidden) = (Vec::new(), Vec::new());
        if let Some(home) = &self.user_home {
            caches = default_caches(home, cargo_home.as_deref());
            hidden = secret_places(home);
        }
        caches.extend(self.paths(&config.tools.caches));
        hidden.extend(self.paths(&config.tools.hidden));
        CommandSettings {
            environment,
            caches,
            hidden,
            mounts: self.supervisors.support().mounts,
            limits: config.tools.limits,
        }
    }

    fn paths(&self, paths: &[ConfigPath]) -> impl Iterator<Item = PathBuf> {
        let home = self.user_home.as_deref();
        paths.iter().filter_map(move |path| path.path(home))
    }
}
