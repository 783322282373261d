//! Files that no tool changes without a person's permission.

use std::path::{Component, Path};

/// Version control data, with hooks and configuration that decide what git runs.
pub const GIT_DIRECTORY: &str = ".git";
/// The configuration of a project, and of a person's daemon.
pub const SCOREL_DIRECTORY: &str = ".scorel";

/// Keys, and who may log in.
const LOGIN_DIRECTORY: &str = ".ssh";

/// Git's configuration outside of a repository.
const GIT_FILE: &str = ".gitconfig";

/// The files that shells and desktop sessions run or obey when they start or end.
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

/// The directories, below the named parent, whose files other programs run or obey.
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

/// Why a file may only be changed with a person's permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protection {
    /// It is part of git's own data, such as hooks and configuration.
    Git,
    /// It is among the daemon's own files.
    Daemon,
    /// It configures Scorel for a project.
    Configuration,
    /// It decides who may log in, or as whom.
    Login,
    /// Shells or desktop sessions run it when they start or end.
    Startup,
}

impl Protection {
    /// The reason as the end of a sentence that ends in "because".
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
    fn what_other_programs_run_or_obey_is_protected() {
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
