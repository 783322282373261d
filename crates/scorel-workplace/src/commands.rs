use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use scorel_config::{Config, ConfigPath, LoginShellPlace};
use scorel_engine::Prerequisite;
use scorel_exec::{Environment, Sandbox, Supervisors, Umask, real};
use scorel_home::{Home, ProjectRegistry, SecretStore};
use scorel_permission::{BaseDirs, DaemonHome};
use scorel_tools::{CommandSettings, Commands, Lazy, PackageCaches, RepositoryAccess};

use crate::environment::{CommandEnvironments, EnvironmentReport};
use crate::hidden_places::{HiddenPlaces, KnownPlaces};

/// Creates the command runners of sessions, and their settings: environment, umask, sandbox.
#[derive(Debug)]
pub struct CommandHost {
    supervisors: Arc<Supervisors>,
    environments: Arc<CommandEnvironments>,
    user_home: Option<PathBuf>,
    scorel_home: PathBuf,
    /// Both without links, as they were at the first look: neither moves while the daemon runs.
    real_homes: OnceLock<(PathBuf, PathBuf)>,
    hidden: KnownPlaces,
    /// `None` where no command is run.
    projects: Option<Arc<ProjectRegistry>>,
}

impl CommandHost {
    /// `umask` is the one that the daemon was started with, unless a service manager started it.
    pub fn new(
        supervisors: Arc<Supervisors>,
        secrets: SecretStore,
        scorel_home: &Path,
        umask: Option<Umask>,
        projects: Option<Arc<ProjectRegistry>>,
    ) -> Arc<Self> {
        let user_home = env::var_os("HOME").map(PathBuf::from);
        let user_home = user_home.filter(|home| home.is_absolute());
        let environments =
            CommandEnvironments::new(Arc::clone(&supervisors), secrets, user_home.clone(), umask);
        Arc::new(Self {
            supervisors,
            environments: Arc::new(environments),
            user_home,
            scorel_home: scorel_home.to_owned(),
            real_homes: OnceLock::new(),
            hidden: KnownPlaces::default(),
            projects,
        })
    }

    /// The command runner of one session.
    pub fn open(self: &Arc<Self>, config: &Arc<Config>, project: &Path) -> Commands {
        Commands::new(
            Arc::clone(&self.supervisors),
            self.settings(config, project),
        )
    }

    /// The programs that run commands.
    pub const fn supervisors(&self) -> &Arc<Supervisors> {
        &self.supervisors
    }

    /// Returns whether the kernel supports the sandbox.
    pub fn has_sandbox(&self) -> bool {
        self.supervisors.support().is_enough()
    }

    /// Returns whether the sandbox hides from commands what rules deny to read.
    pub fn hides_denied(&self) -> bool {
        self.supervisors.support().mounts
    }

    /// The directories against which paths in rules and commands are resolved, without links.
    pub fn base_dirs(&self, project: &Path) -> BaseDirs {
        let (user, scorel) = self.real_homes();
        BaseDirs::new(&real(project), user, scorel)
    }

    /// The home directories of the user and of the daemon.
    fn real_homes(&self) -> &(PathBuf, PathBuf) {
        self.real_homes.get_or_init(|| {
            let user = self.user_home.as_deref().unwrap_or(Path::new("/"));
            (real(user), real(&self.scorel_home))
        })
    }

    /// The settings of commands, found out when the first one starts.
    pub fn settings(
        self: &Arc<Self>,
        config: &Arc<Config>,
        project: &Path,
    ) -> Lazy<CommandSettings> {
        let (host, config, project) = (Arc::clone(self), Arc::clone(config), project.to_owned());
        let need = self.login_shell(config.tools.environment.login_shell, &project);
        Lazy::new(move || host.find_settings(&config, &project)).needing(need)
    }

    fn login_shell(
        &self,
        place: LoginShellPlace,
        project: &Path,
    ) -> impl Fn() -> Option<Prerequisite> + Send + Sync + use<> {
        let (environments, project) = (Arc::clone(&self.environments), project.to_owned());
        move || environments.awaited(place, &project)
    }

    /// The places that tools do not get to see, found out when the first call is judged.
    pub fn hidden(self: &Arc<Self>, config: &Arc<Config>, project: &Path) -> Lazy<HiddenPlaces> {
        let (host, config, project) = (Arc::clone(self), Arc::clone(config), project.to_owned());
        Lazy::new(move || host.find_hidden(&config, &project))
    }

    /// The umask of files that tools create.
    pub fn umask(self: &Arc<Self>, config: &Arc<Config>, project: &Path) -> Lazy<Option<Umask>> {
        let (host, project) = (Arc::clone(self), project.to_owned());
        let place = config.tools.environment.login_shell;
        let need = self.login_shell(place, &project);
        let needs = self.environments.asks_for_umask();
        Lazy::new(move || Some(host.environments.umask(place, &project)))
            .needing(move || if needs { need() } else { None })
    }

    /// The environment of a foreign agent, before what its configuration adds: that of commands. Blocks.
    pub fn runner_environment(&self, config: &Config, project: &Path) -> Environment {
        self.environments.assemble(config, project).environment
    }

    /// What a foreign agent may do in the sandbox of commands: change the project and its own state, and
    /// use the network.
    pub fn runner_sandbox(&self, config: &Config, project: &Path, state: &[ConfigPath]) -> Sandbox {
        let hidden = self.find_hidden(config, project);
        let mounts = self.supervisors.support().mounts;
        // Without a guard: a runner is kept, and what people change meanwhile would be put back.
        let repository = RepositoryAccess::of_project(&real(project), mounts);
        let (data, protected) = repository.map(|it| (it.writable, it.protected)).unzip();
        let mut wanted = vec![project.to_owned(), env::temp_dir()];
        wanted.extend(self.paths(state));
        wanted.extend(data);
        let mut sandbox = Sandbox {
            protected: protected.unwrap_or_default(),
            hidden: hidden.hidden(),
            shown: hidden.shown(),
            network: true,
            ..Sandbox::default()
        };
        self.grant(&mut sandbox, &wanted);
        sandbox
    }

    /// The sandbox of git when the daemon runs it for a project: it reads what commands may read, and
    /// the worktree. With `changes`, the data of a repository, it also writes that and the worktree.
    /// `None` where there is no sandbox. Reads the file system.
    pub(crate) fn git_sandbox(
        &self,
        config: &Config,
        project: &Path,
        worktree: Option<&Path>,
        changes: Option<&Path>,
    ) -> Option<Sandbox> {
        if !self.has_sandbox() {
            return None;
        }
        let hidden = self.find_hidden(config, project).opening(worktree);
        let mut sandbox = Sandbox {
            hidden: hidden.hidden(),
            shown: hidden.shown(),
            ..Sandbox::default()
        };
        if let Some(data) = changes {
            let access = RepositoryAccess::to_data(data, self.supervisors.support().mounts);
            let worktree = worktree.map(Path::to_owned).into_iter();
            let wanted: Vec<_> = worktree.chain([access.writable]).collect();
            self.grant(&mut sandbox, &wanted);
            sandbox.protected = access.protected;
            sandbox.guard = Some(access.guard);
        }
        Some(sandbox)
    }

    /// The umask of files that are made for the user. Blocks while the login shell is asked.
    pub fn umask_now(&self, config: &Config, project: &Path) -> Umask {
        let place = config.tools.environment.login_shell;
        self.environments.umask(place, project)
    }

    fn find_settings(&self, config: &Config, project: &Path) -> CommandSettings {
        let environment = self.environments.assemble(config, project).environment;
        let home = self.user_home.as_deref().unwrap_or(Path::new("/"));
        let packages = PackageCaches::of(home, &environment);
        let hidden = self.find_hidden(config, project);
        let place = config.tools.environment.login_shell;
        let support = self.supervisors.support();
        CommandSettings {
            environment,
            umask: Some(self.environments.umask(place, project)),
            caches: self.paths(&config.tools.caches).collect(),
            hidden: hidden.hidden(),
            shown: hidden.shown(),
            mounts: support.mounts,
            spaces: support.spaces,
            packages,
            changeable: self.changeable(),
            limits: config.tools.limits,
        }
    }

    /// Makes places writable, and notes in the log which are left out.
    fn grant(&self, sandbox: &mut Sandbox, wanted: &[PathBuf]) {
        for place in sandbox.grant(wanted, &self.changeable()) {
            let place = place.display();
            tracing::warn!(%place, "not writable in a sandbox: it is hidden, or behind a link");
        }
    }

    /// Where commands make links: the projects.
    fn changeable(&self) -> Vec<PathBuf> {
        let projects = self.projects.as_ref().map(|it| it.list());
        let projects = projects.into_iter().flatten();
        projects.map(|project| project.work_dir.into()).collect()
    }

    fn find_hidden(&self, config: &Config, project: &Path) -> HiddenPlaces {
        let place = config.tools.environment.login_shell;
        let variable = |name: &str| self.environments.variable(place, project, name);
        let home = self.user_home.as_deref();
        let daemon = DaemonHome::of(&self.real_homes().1, &real(project));
        let found = self
            .hidden
            .get(&config.tools, home, &self.scorel_home, variable);
        found.opening(daemon.opened())
    }

    /// The paths that the configuration names; without those below a home directory that is not known.
    pub fn paths(&self, paths: &[ConfigPath]) -> impl Iterator<Item = PathBuf> {
        let home = self.user_home.as_deref();
        paths.iter().filter_map(move |path| path.path(home))
    }
}

/// The environment of commands in a project, as a daemon would find it out that is started like this
/// process, with this umask. Blocks while the login shell is asked.
///
/// # Errors
/// The process cannot supervise the login shell.
pub fn command_environment(
    config: &Config,
    home: &Home,
    project: &Path,
    umask: Umask,
) -> io::Result<EnvironmentReport> {
    let secrets = SecretStore::new(home.env());
    let supervisors = Supervisors::new(None)?;
    let host = CommandHost::new(supervisors, secrets, home.root(), Some(umask), None);
    Ok(host.environments.report(config, project))
}
