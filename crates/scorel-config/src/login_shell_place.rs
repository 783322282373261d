use serde::{Deserialize, Serialize};

/// The directory in which the login shell is run for the environment of commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LoginShellPlace {
    /// The user's home, so that files of a project cannot make the shell run anything.
    #[default]
    Home,
    /// In each project's directory, for hooks such as direnv's, which see the files there. They run
    /// outside the sandbox and are trusted to check those files themselves.
    Project,
    /// It is not run.
    Off,
}
