use std::path::{Path, PathBuf};
use std::{env, io};

use scorel_config::ConfigFile;
use scorel_home::{Home, ProjectRegistry, SecretStore};

/// The files that the command works on.
pub(super) struct ConfigPlaces {
    home: Home,
    /// The directory of the project that the working directory is in; `None` if it is in none.
    project: Option<PathBuf>,
    working: PathBuf,
}

impl ConfigPlaces {
    /// `root` is the home, which need not exist.
    pub(super) fn find(root: &Path) -> io::Result<Self> {
        let working = env::current_dir()?.canonicalize()?;
        let home = Home::unopened(root);
        Ok(Self {
            project: project_of(&working, &home),
            home,
            working,
        })
    }

    pub(super) fn user(&self) -> ConfigFile {
        ConfigFile::user(&self.home.config())
    }

    /// The file of the project, which need not exist: then it is that of the working directory.
    pub(super) fn project(&self) -> ConfigFile {
        ConfigFile::project(self.project.as_deref().unwrap_or(&self.working))
    }

    pub(super) fn project_dir(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    pub(super) fn secrets(&self) -> SecretStore {
        SecretStore::new(self.home.env())
    }
}

/// The nearest directory above that is registered, or that has a configuration of its own. The home is
/// no such configuration, although it is a `.scorel` too.
fn project_of(working: &Path, home: &Home) -> Option<PathBuf> {
    // Without the registry, or with one that cannot be read, the files alone say where projects are.
    let registered = ProjectRegistry::open(&home.projects()).map(|projects| projects.list());
    let registered = registered.unwrap_or_default();
    let root = home.root().canonicalize();
    let is_project = |dir: &Path| {
        let own = dir.join(".scorel");
        let is_home = || own.canonicalize().ok() == root.as_ref().ok().cloned();
        registered.iter().any(|it| Path::new(&it.work_dir) == dir)
            || (own.join("config.toml").exists() && !is_home())
    };
    let mut dirs = working.ancestors();
    dirs.find(|dir| is_project(dir)).map(Path::to_owned)
}
