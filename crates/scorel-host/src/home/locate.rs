use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nix::unistd::{User, geteuid};

use super::{Home, HomeError};

/// Everything that says where the home is.
#[derive(Debug, Clone, Default)]
pub struct HomeSource {
    /// The command line's `--home`; may be relative to the working directory.
    pub flag: Option<PathBuf>,
    /// `SCOREL_HOME`; must be absolute. Empty counts as unset.
    pub variable: Option<OsString>,
    /// The user's home directory.
    pub user_home: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`, for a socket whose path would be too long in the home.
    pub runtime_dir: Option<PathBuf>,
}

impl HomeSource {
    /// What this process's environment says.
    #[must_use]
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
    /// The path is only made absolute; links and `..` in it stay, so that every program finds the
    /// same socket for the same text.
    ///
    /// # Errors
    /// Nothing says where the home is, or the variable is relative.
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
    ///
    /// # Errors
    /// See [`Self::locate`] and [`Home::open`].
    pub fn open(&self) -> Result<Home, HomeError> {
        let runtime_dir = self
            .runtime_dir
            .as_deref()
            .filter(|path| path.is_absolute());
        Home::open(&self.locate()?, runtime_dir)
    }
}

/// The user's home directory: `HOME`, else what the user database says.
pub(crate) fn user_home() -> Option<PathBuf> {
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

/// Absolute, without `.` and without a slash at the end.
fn absolute(path: &Path) -> Result<PathBuf, HomeError> {
    let failed = |source| HomeError::Io {
        action: "resolve",
        path: path.to_owned(),
        source,
    };
    Ok(std::path::absolute(path)
        .map_err(failed)?
        .components()
        .collect())
}
