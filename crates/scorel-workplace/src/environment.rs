//! The environment of commands: that of the user's login shell, without secrets.
//!
//! ```text
//! login shell (once per directory) ─┐
//! the daemon's own environment ─────┼→ EnvironmentSources → AssembledEnvironment
//! env file, [tools.environment] ────┘
//! ```

mod assembly;
mod login_answer;
mod login_question;
mod login_shell;
mod report;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use scorel_config::{Config, LoginShellPlace};
use scorel_engine::{Prerequisite, spawn_blocking};
use scorel_exec::{Environment, Supervisors, Umask};
use scorel_home::SecretStore;
use scorel_provider::{builtin_providers, key_variables};

pub(crate) use assembly::AssembledEnvironment;
use assembly::EnvironmentSources;
use login_answer::LoginError;
use login_question::{Login, LoginQuestion};
pub use report::EnvironmentReport;

/// Finds out the environment and the umask of commands. A login shell is asked once for each directory
/// that it runs in, when the first command needs it; the answer, or the lack of one, holds until the
/// daemon ends.
#[derive(Debug)]
pub(crate) struct CommandEnvironments {
    supervisors: Arc<Supervisors>,
    secrets: SecretStore,
    user_home: Option<PathBuf>,
    /// The umask that the daemon was started with; `None` if a service manager started it, whose umask
    /// says nothing about the user.
    umask: Option<Umask>,
    logins: Mutex<HashMap<PathBuf, Arc<LoginQuestion>>>,
}

impl CommandEnvironments {
    pub(crate) fn new(
        supervisors: Arc<Supervisors>,
        secrets: SecretStore,
        user_home: Option<PathBuf>,
        umask: Option<Umask>,
    ) -> Self {
        Self {
            supervisors,
            secrets,
            user_home,
            umask,
            logins: Mutex::default(),
        }
    }

    /// The environment of commands in a project. Blocks while the login shell is asked, and reads the
    /// `env` file.
    pub(crate) fn assemble(&self, config: &Config, project: &Path) -> AssembledEnvironment {
        let keys = self.key_names(config);
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        let secrets = self.secrets.values(&names);
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let login = self.login(config.tools.environment.login_shell, project);
        EnvironmentSources {
            shell: login.as_ref().ok().map(|answer| &answer.variables),
            daemon: &own_variables(),
            key_names: &keys,
            secrets: &secrets,
            config: &config.tools.environment,
        }
        .assemble()
    }

    /// The umask of commands and of tools that write. Blocks while the login shell is asked, if the
    /// daemon was started by a service manager.
    pub(crate) fn umask(&self, place: LoginShellPlace, project: &Path) -> Umask {
        self.umask.unwrap_or_else(|| {
            let login = self.login(place, project);
            let told = login.ok().and_then(|answer| answer.umask);
            told.unwrap_or(Umask::PRIVATE)
        })
    }

    /// The answer of the login shell, as long as there is none: it is asked from now on, on one thread
    /// however many turns wait.
    pub(crate) fn awaited(
        self: &Arc<Self>,
        place: LoginShellPlace,
        project: &Path,
    ) -> Option<Prerequisite> {
        let directory = self.directory(place, project)?.to_owned();
        let question = self.question(&directory);
        if question.known().is_some() {
            return None;
        }
        if question.is_first_wait() {
            let (environments, question) = (Arc::clone(self), Arc::clone(&question));
            spawn_blocking(move || _ = environments.ask(&question, &directory));
        }
        let answered = question.answered();
        Some(Prerequisite {
            ready: Box::pin(async move { answered.cancelled().await }),
            reason: Box::new(move || question.reason()),
        })
    }

    /// True if the daemon's own umask is a service manager's, and the user's is the login shell's.
    pub(crate) const fn asks_for_umask(&self) -> bool {
        self.umask.is_none()
    }

    /// What the configuration of a project comes to, for people. Blocks as [`Self::assemble`] does.
    pub(crate) fn report(&self, config: &Config, project: &Path) -> EnvironmentReport {
        let place = config.tools.environment.login_shell;
        let login = self.login(place, project);
        EnvironmentReport::new(
            &self.assemble(config, project),
            login.as_ref().map(|answer| answer.shell.as_path()),
            self.umask(place, project),
            self.umask.is_some(),
        )
    }

    /// A variable of the login shell, if that was asked already, or of the daemon.
    pub(crate) fn variable(
        &self,
        place: LoginShellPlace,
        project: &Path,
        name: &str,
    ) -> Option<OsString> {
        let told = self.directory(place, project).and_then(|directory| {
            let logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = logins.get(directory)?.known()?.as_ref().ok()?;
            answer.variables.get(name).map(OsString::from)
        });
        told.or_else(|| env::var_os(name))
    }

    fn directory<'a>(&'a self, place: LoginShellPlace, project: &'a Path) -> Option<&'a Path> {
        match place {
            LoginShellPlace::Home => self.user_home.as_deref(),
            LoginShellPlace::Project => Some(project),
            LoginShellPlace::Off => None,
        }
    }

    fn login(&self, place: LoginShellPlace, project: &Path) -> Login {
        let Some(directory) = self.directory(place, project) else {
            return Err(match place {
                LoginShellPlace::Off => LoginError::Off,
                _ => LoginError::NoHome,
            });
        };
        self.ask(&self.question(directory), directory)
    }

    fn question(&self, directory: &Path) -> Arc<LoginQuestion> {
        let mut logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(logins.entry(directory.to_owned()).or_default())
    }

    fn ask(&self, question: &LoginQuestion, directory: &Path) -> Login {
        question
            .answer(|| self.run_shell(question, directory))
            .clone()
    }

    fn run_shell(&self, question: &LoginQuestion, directory: &Path) -> Login {
        let told = login_shell::login_shell()
            .ok_or(LoginError::NoShell)
            .and_then(|shell| {
                question.begin(shell.clone());
                login_shell::ask(&self.supervisors, &shell, directory, self.inherited())
            });
        let directory = directory.display();
        match &told {
            Ok(answer) => {
                let (shell, variables) = (answer.shell.display(), answer.variables.len());
                tracing::info!(%shell, %directory, variables, "read the environment of the login shell");
            }
            Err(error) => {
                tracing::warn!(%directory, %error, "commands get the daemon's own environment");
            }
        }
        told
    }

    /// The environment that the login shell starts with: it has no secrets to hand on by accident.
    fn inherited(&self) -> Environment {
        let names: Vec<String> = own_variables().into_keys().collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let secret = names
            .into_iter()
            .filter(|name| Environment::is_secret_name(name));
        let secrets = self.secrets.values(&secret.collect::<Vec<_>>());
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let mut inherited = Environment::scrubbed(env::vars_os(), &secrets);
        if let Ok(directory) = env::var("XDG_RUNTIME_DIR") {
            inherited.set("XDG_RUNTIME_DIR", &directory);
        }
        inherited
    }

    /// The names of the daemon's own keys: those of its `env` file, and those that it looks up.
    fn key_names(&self, config: &Config) -> BTreeSet<String> {
        let settings = config.providers.values().chain([&config.model]);
        let configured = settings.flat_map(|settings| settings.key_names.iter().cloned());
        let providers = builtin_providers();
        let builtin = providers.iter().flat_map(|name| key_variables(name));
        let builtin = builtin.map(|name| (*name).to_owned());
        configured
            .chain(builtin)
            .chain(self.secrets.names())
            .collect()
    }
}

/// The daemon's variables, as far as they are text.
fn own_variables() -> BTreeMap<String, String> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    env::vars_os().filter_map(text).collect()
}
