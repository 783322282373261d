use serde::Deserialize;

/// Where the login shell runs whose environment commands get.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LoginShellPlace {
    /// In the user's home: what a project has in its directory cannot make the shell run anything.
    #[default]
    Home,
    /// In each project's directory, for hooks such as direnv's, which see what is there. They run
    /// outside the sandbox and are trusted to check it themselves.
    Project,
    /// It is not run.
    Off,
}
