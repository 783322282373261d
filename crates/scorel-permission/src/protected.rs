//! Protected files: changed only with the user's permission, given for that one change.
//!
//! Other programs run them or obey them, so writing one escapes the sandbox. Both the policy and the file
//! tools use this one list.

use std::path::{Component, Path};

/// Git's data: hooks and configuration decide what git runs.
pub const GIT_DIRECTORY: &str = ".git";
/// Scorel's configuration in a project; the daemon's home has the same name.
pub const SCOREL_DIRECTORY: &str = ".scorel";

/// SSH keys, and the keys that may log in.
const LOGIN_DIRECTORY: &str = ".ssh";

/// Git's configuration outside repositories.
const GIT_FILE: &str = ".gitconfig";

/// Files that shells and desktop sessions run or obey when they start or end.
pub const START_FILES: [&str; 24] = [
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".envrc",
    ".inputrc",
    ".kshrc",
    ".login",
    ".logout",
    ".mkshrc",
    ".pam_environment",
    ".profile",
    ".shrc",
    ".tcshrc",
    ".xinitrc",
    ".xprofile",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Directories whose files other programs run or obey: parent, name, reason.
pub const DIRECTORIES: [(&str, &str, Protection); 9] = [
    (".config", "git", Protection::Git),
    (".config", "autostart", Protection::Startup),
    (".config", "elvish", Protection::Startup),
    (".config", "environment.d", Protection::Startup),
    (".config", "fish", Protection::Startup),
    (".config", "nushell", Protection::Startup),
    (".config", "systemd", Protection::Startup),
    (".config", "xonsh", Protection::Startup),
    ("library", "launchagents", Protection::Startup),
];

/// Why a file is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protection {
    /// Git's data, such as hooks and configuration.
    Git,
    /// The daemon's home.
    Daemon,
    /// Scorel's configuration of a project.
    Configuration,
    /// SSH keys and logins.
    Login,
    /// Run when a shell or desktop session starts or ends.
    Startup,
}

impl Protection {
    /// The reason, to follow "because".
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Git => "it is part of git's own data, such as hooks and configuration",
            Self::Daemon => "it belongs to Scorel",
            Self::Configuration => "it configures Scorel",
            Self::Login => "it decides who may log in",
            Self::Startup => "it is run when a shell or a desktop session starts",
        }
    }
}

/// Why the file at `path`, absolute with links resolved, is protected; `None` if it is not.
///
/// Ignores case: on a case-insensitive file system `.GIT/hooks` is `.git/hooks`.
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
    let last = names.last().map_or("", String::as_str);
    if has(GIT_DIRECTORY) || last == GIT_FILE {
        return Some(Protection::Git);
    }
    if has(SCOREL_DIRECTORY) {
        return Some(Protection::Configuration);
    }
    if has(LOGIN_DIRECTORY) {
        return Some(Protection::Login);
    }
    if START_FILES.contains(&last) {
        return Some(Protection::Startup);
    }
    let listed = DIRECTORIES.iter().find(|(parent, name, _)| {
        names
            .windows(2)
            .any(|pair| pair[0] == *parent && pair[1] == *name)
    });
    listed.map(|(_, _, protection)| *protection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_other_programs_run_or_read_are_protected() {
        let home = Path::new("/srv/scorel");
        let table: [(Protection, &[&str]); 5] = [
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
                    "/home/u/.gitconfig",
                    "/home/u/.config/git/config",
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
                Protection::Login,
                &["/home/u/.ssh/authorized_keys", "/p/.SSH/config"],
            ),
            (
                Protection::Startup,
                &[
                    "/p/.envrc",
                    "/home/u/.config/systemd/user/x.service",
                    "/home/u/Library/LaunchAgents/x.plist",
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
            "/p/.gitconfig/x",
            "/p/.gitmodules",
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
