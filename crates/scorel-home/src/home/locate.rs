use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nix::unistd::{User, geteuid};

use super::{Home, HomeError};

/// The inputs that determine where the home is.
#[derive(Debug, Clone, Default)]
pub struct HomeSource {
    /// `--home`; may be relative to the working directory.
    pub flag: Option<PathBuf>,
    /// `SCOREL_HOME`; must be absolute. Empty counts as unset.
    pub variable: Option<OsString>,
    pub user_home: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`, used if the socket's path in the home is too long.
    pub runtime_dir: Option<PathBuf>,
}

impl HomeSource {
    /// Reads the process's environment.
    pub fn from_environment(flag: Option<PathBuf>) -> Self {
        Self {
            flag,
            variable: env::var_os("SCOREL_HOME"),
            user_home: user_home(),
            runtime_dir: env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
        }
    }

    /// The home's absolute path: the flag, else the variable, else `.scorel` in the user's home.
    ///
    /// The path is made absolute but not resolved: every program must derive the same socket
    /// path from the same text.
    pub fn locate(&self) -> Result<PathBuf, HomeError> {
        if let Some(flag) = &self.flag {
            return absolute(flag);
        }
        if let Some(variable) = self.variable.as_deref().filter(|text| !text.is_empty()) {
            let path = Path::new(variable);
            if path.is_relative() {
                return Err(HomeError::Relative {
                    path: path.to_owned(),
                });
            }
            return absolute(path);
        }
        let user_home = self.user_home.as_deref().filter(|path| path.is_absolute());
        absolute(&user_home.ok_or(HomeError::Unknown)?.join(".scorel"))
    }

    /// Locates the home and opens it.
    pub fn open(&self) -> Result<Home, HomeError> {
        let runtime_dir = self
            .runtime_dir
            .as_deref()
            .filter(|path| path.is_absolute());
        Home::open(&self.locate()?, runtime_dir)
    }
}

/// The user's home directory: `HOME`, else from the user database.
pub fn user_home() -> Option<PathBuf> {
    let variable = env::var_os("HOME")
        .filter(|text| !text.is_empty())
        .map(PathBuf::from);
    variable.or_else(|| {
        User::from_uid(geteuid())
            .ok()
            .flatten()
            .map(|user| user.dir)
    })
}

fn absolute(path: &Path) -> Result<PathBuf, HomeError> {
    scorel_local::absolute(path).map_err(|source| HomeError::Io {
        action: "resolve",
        path: path.to_owned(),
        source,
    })
}
