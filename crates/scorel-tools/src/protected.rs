//! Files that no tool changes without a person's permission.

use std::path::{Component, Path};

/// Version control data, with hooks and configuration that decide what git runs.
const GIT_DIRECTORY: &str = ".git";
/// The configuration of a project, and of a person's daemon.
const SCOREL_DIRECTORY: &str = ".scorel";

/// The files that shells run when they start or end.
const SHELL_FILES: [&str; 20] = [
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".kshrc",
    ".login",
    ".logout",
    ".mkshrc",
    ".profile",
    ".shrc",
    ".tcshrc",
    ".xprofile",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// The directories, below a `.config`, whose files shells run when they start.
const SHELL_DIRECTORIES: [&str; 4] = ["fish", "nushell", "elvish", "xonsh"];

/// Why a file may only be changed with a person's permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protection {
    /// It is part of git's own data, such as hooks and configuration.
    Git,
    /// It is among the daemon's own files.
    Daemon,
    /// It configures Scorel for a project.
    Configuration,
    /// Shells run it when they start or end.
    ShellStartup,
}

impl Protection {
    /// The reason as the end of a sentence that ends in "because".
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Git => "it is part of git's own data, such as hooks and configuration",
            Self::Daemon => "it belongs to Scorel",
            Self::Configuration => "it configures Scorel",
            Self::ShellStartup => "shells run it when they start or end",
        }
    }
}

/// Why the file at `path`, an absolute path without links, may only be changed with a person's
/// permission; nothing if it may be changed. `daemon_home` is where the daemon keeps its files.
///
/// Letter case counts for nothing, since it does not on every file system.
#[must_use]
pub fn is_protected(path: &Path, daemon_home: &Path) -> Option<Protection> {
    if path.starts_with(daemon_home) {
        return Some(Protection::Daemon);
    }
    let names: Vec<String> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .map(|part| part.as_os_str().to_string_lossy().to_lowercase())
        .collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    if has(GIT_DIRECTORY) {
        return Some(Protection::Git);
    }
    if has(SCOREL_DIRECTORY) {
        return Some(Protection::Configuration);
    }
    let is_listed = |name: &String, list: &[&str]| list.contains(&name.as_str());
    let is_shell_file = names
        .last()
        .is_some_and(|name| is_listed(name, &SHELL_FILES));
    let is_shell_directory =
        |pair: &[String]| pair[0] == ".config" && is_listed(&pair[1], &SHELL_DIRECTORIES);
    (is_shell_file || names.windows(2).any(is_shell_directory)).then_some(Protection::ShellStartup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_programs_run_or_obey_is_protected() {
        let home = Path::new("/srv/scorel");
        let table: [(Protection, &[&str]); 4] = [
            (
                Protection::Git,
                &[
                    "/p/.git/hooks/pre-commit",
                    "/p/.git/config",
                    "/p/.git/config.worktree",
                    "/p/.git/modules/sub/hooks/post-checkout",
                    "/p/.git/HEAD",
                    "/p/.git",
                    "/p/sub/.git",
                    "/p/sub/.git/hooks/x",
                    "/p/.GIT/hooks/pre-commit",
                    "/p/.Git/Config",
                ],
            ),
            (
                Protection::Configuration,
                &[
                    "/p/.scorel/config.toml",
                    "/p/.scorel",
                    "/p/.SCOREL/config.toml",
                    "/home/u/.scorel/sessions/x",
                ],
            ),
            (
                Protection::Daemon,
                &[
                    "/srv/scorel",
                    "/srv/scorel/config.toml",
                    "/srv/scorel/sessions/ses_1/events.jsonl",
                    "/srv/scorel/.git/config",
                ],
            ),
            (
                Protection::ShellStartup,
                &[
                    "/home/u/.bashrc",
                    "/home/u/.profile",
                    "/home/u/.zshenv",
                    "/p/dotfiles/.zshrc",
                    "/home/u/.BASHRC",
                    "/home/u/.config/fish/config.fish",
                    "/home/u/.config/fish/conf.d/x.fish",
                ],
            ),
        ];
        for (protection, paths) in table {
            for path in paths {
                let found = is_protected(Path::new(path), home);
                assert_eq!(found, Some(protection), "{path}");
            }
        }
    }

    #[test]
    fn everything_else_is_not() {
        let home = Path::new("/srv/scorel");
        for path in [
            "/p/src/main.rs",
            "/p/.gitignore",
            "/p/.github/workflows/ci.yml",
            "/p/git/hooks/pre-commit",
            "/p/hooks/pre-commit",
            "/p/.git-old/config",
            "/p/config",
            "/p/.scorelrc",
            "/p/scorel/config.toml",
            "/srv/scorel-evil/config.toml",
            "/srv/scorelx",
            "/p/bashrc",
            "/p/.bashrc.d/x",
            "/p/.bashrc/x",
            "/p/fish/config.fish",
            "/p/.config/other/config",
        ] {
            assert_eq!(is_protected(Path::new(path), home), None, "{path}");
        }
    }
}
