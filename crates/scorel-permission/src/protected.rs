//! Protected files: changed only with the user's permission, given for that one change.
//!
//! Other programs run them or obey them, so writing one escapes the sandbox. The policy, the file tools
//! and the guard of commands use this one table.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::daemon_home::DaemonHome;

/// Git's data: hooks and configuration decide what git runs.
pub const GIT_DIRECTORY: &str = ".git";
/// Scorel's configuration in a project; the daemon's home has the same name.
pub const SCOREL_DIRECTORY: &str = ".scorel";

/// SSH keys, and the keys that may log in.
const LOGIN_DIRECTORY: &str = ".ssh";

/// Files that other programs run or obey, wherever they are: when a shell enters their directory, an
/// editor or an agent opens it, an interpreter or a debugger starts in it, or git commits. Not those
/// that only a build reads, since a build also runs its scripts, which a coding task is there to write.
const FILES: [(&str, Protection); 9] = [
    // Shells run them when they start or end, and line editors read key bindings that run commands.
    (
        ".bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .inputrc .kshrc \
         .login .logout .mkshrc .profile .shrc .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc",
        Protection::Startup,
    ),
    // Desktop sessions and logins run them, or set the environment of all programs by them.
    (
        ".pam_environment .xinitrc .xprofile .xsessionrc",
        Protection::Startup,
    ),
    // direnv and mise run them, or set `PATH` by them, when a shell enters the directory.
    (
        ".envrc .mise.local.toml .mise.toml mise.local.toml mise.toml",
        Protection::Startup,
    ),
    // Editors run what they say when a file of the directory is opened.
    (
        ".dir-locals.el .exrc .lvimrc .nvim.lua .nvimrc .vimrc",
        Protection::Tool,
    ),
    // Debuggers and interpreters run them when they start in the directory.
    (
        ".gdbinit .ghci .iex.exs .irbrc .lldbinit .pdbrc .pryrc .Rprofile",
        Protection::Tool,
    ),
    // A container's commands, which run outside of the sandbox when an editor opens the project.
    (".devcontainer.json", Protection::Tool),
    // Aliases, hooks and programs for git.
    (".gitconfig", Protection::Git),
    // Managers of git's hooks run what they list at the next commit.
    (
        ".lefthook.yaml .lefthook.yml .overcommit.yml .pre-commit-config.yaml lefthook-local.yml \
         lefthook.yml",
        Protection::Hook,
    ),
    // Other agents start the servers and allow the commands that these name.
    (".mcp.json opencode.json", Protection::Agent),
];

/// Those of [`FILES`] that no dot begins.
const VISIBLE: [&str; 5] = [
    "lefthook-local.yml",
    "lefthook.yml",
    "mise.local.toml",
    "mise.toml",
    "opencode.json",
];

/// Directories whose files other programs run or obey, wherever they are.
const DIRECTORIES: [(&str, Protection); 2] = [
    // As `.devcontainer.json`.
    (".devcontainer", Protection::Tool),
    // Git runs its scripts, since `core.hooksPath` leads there.
    (".husky", Protection::Hook),
];

/// Files and directories that are protected in a directory of a certain name: that name, theirs with spaces
/// between them. A `*` stands for any letters.
const IN_DIRECTORIES: [(&str, &str, Protection); 14] = [
    // Cargo runs the wrappers, linkers and aliases that it names.
    (".cargo", "config config.toml", Protection::Tool),
    // Editors run their tasks, debuggers and language servers.
    (".vscode", "launch.json tasks.json", Protection::Tool),
    (".helix", "config.toml languages.toml", Protection::Tool),
    (".zed", "settings.json tasks.json", Protection::Tool),
    // Other agents run their hooks and plugins, start their servers, and allow their commands.
    (
        ".claude",
        "settings.json settings.local.json settings*.json",
        Protection::Agent,
    ),
    (".codex", "config.toml", Protection::Agent),
    (".cursor", "hooks.json mcp.json", Protection::Agent),
    (".gemini", "settings.json", Protection::Agent),
    (".opencode", "plugin", Protection::Agent),
    // Aliases, hooks and programs for git.
    (".config", "git", Protection::Git),
    // Shells run them when they start, desktop sessions and service managers at the next login.
    (
        ".config",
        "autostart elvish environment.d fish nushell systemd xonsh",
        Protection::Startup,
    ),
    ("library", "launchagents", Protection::Startup),
    // mise sets `PATH` by them, and runs their hooks.
    (".config", "mise mise.toml", Protection::Startup),
    (".mise", "config.toml", Protection::Startup),
];

/// The reason why a file is protected.
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
    /// Hooks that git runs from the work tree.
    Hook,
    /// The configuration of another agent.
    Agent,
    /// Configuration that makes an editor, a build or a debugger run something.
    Tool,
    /// Named by git's configuration.
    Named,
}

impl Protection {
    /// The reason, to follow "because".
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Git => "it is part of git's own data, such as hooks and configuration",
            Self::Daemon => "it belongs to Scorel",
            Self::Configuration => "it configures Scorel",
            Self::Login => "it decides who may log in",
            Self::Startup => "it is run when a shell or a desktop session starts",
            Self::Hook => "git runs it",
            Self::Agent => "it decides what another agent may do and what it runs",
            Self::Tool => "it tells an editor, a build or a debugger what to run",
            Self::Named => "git's configuration names it, so git runs or obeys it",
        }
    }
}

/// The reason why the file at `path`, absolute with links resolved, is protected; `None` if it is not.
///
/// Ignores case: on a case-insensitive file system `.GIT/hooks` is `.git/hooks`.
pub fn is_protected(path: &Path, daemon_home: &DaemonHome) -> Option<Protection> {
    if daemon_home.keeps(path) {
        return Some(Protection::Daemon);
    }
    let names: Vec<String> = daemon_home
        .telling(path)
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .map(|part| part.as_os_str().to_string_lossy().to_lowercase())
        .collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let last = names.last().map_or("", String::as_str);
    if has(GIT_DIRECTORY) {
        return Some(Protection::Git);
    }
    if has(SCOREL_DIRECTORY) {
        return Some(Protection::Configuration);
    }
    if has(LOGIN_DIRECTORY) {
        return Some(Protection::Login);
    }
    let file = FILES
        .iter()
        .find(|(row, _)| names_of(row).any(|name| name.eq_ignore_ascii_case(last)));
    let directory = DIRECTORIES.iter().find(|(name, _)| has(name));
    if let Some((_, protection)) = file.or(directory) {
        return Some(*protection);
    }
    let listed = IN_DIRECTORIES.iter().find(|(parent, row, _)| {
        names.windows(2).any(|pair| {
            pair[0] == *parent && names_of(row).any(|pattern| is_named(&pair[1], pattern))
        })
    });
    listed.map(|(_, _, protection)| *protection)
}

/// The protected files and directories that another program looks for at the top of a project, and
/// that are therefore protected even while they are absent; git's own data is not among them.
pub fn looked_for() -> impl Iterator<Item = PathBuf> {
    let files = FILES.iter().flat_map(|(row, _)| names_of(row));
    let files = files.map(PathBuf::from);
    let directories = DIRECTORIES.iter().map(|(name, _)| PathBuf::from(name));
    let inside = IN_DIRECTORIES.iter().flat_map(|(parent, row, _)| {
        let names = names_of(row).filter(|name| !name.contains('*'));
        names.map(|name| Path::new(parent).join(name))
    });
    files
        .chain([PathBuf::from(SCOREL_DIRECTORY)])
        .chain(directories)
        .chain(inside)
}

/// Returns whether [`is_protected`] can say yes to something called `name` in a directory called `parent`. Quick,
/// for walks over whole projects, and never wrongly no.
pub fn may_be_protected(parent: &OsStr, name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
        || VISIBLE
            .iter()
            .any(|listed| name.eq_ignore_ascii_case(listed))
        || IN_DIRECTORIES
            .iter()
            .any(|(listed, _, _)| parent.eq_ignore_ascii_case(listed))
}

/// The names in a row of a table.
fn names_of(row: &'static str) -> impl Iterator<Item = &'static str> {
    row.split_ascii_whitespace()
}

fn is_named(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_other_programs_run_or_read_are_protected() {
        let home = &DaemonHome::closed(Path::new("/srv/scorel"));
        let table: [(Protection, &[&str]); 8] = [
            (
                Protection::Git,
                &[
                    "/p/.git/hooks/pre-commit",
                    "/p/.git/config",
                    "/p/.git/config.worktree",
                    "/p/.git/modules/sub/hooks/post-checkout",
                    "/p/.git/modules/a/modules/b/c/hooks/post-checkout",
                    "/p/a/b/c/d/e/f/.git/hooks/pre-commit",
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
                Protection::Hook,
                &["/p/.husky/pre-commit", "/p/.husky", "/p/web/.husky/_/h"],
            ),
            (
                Protection::Agent,
                &[
                    "/p/.claude/settings.json",
                    "/p/.claude/settings.local.json",
                    "/p/sub/.Claude/Settings.x.json",
                    "/home/u/.claude/settings.json",
                    "/p/.mcp.json",
                    "/p/sub/.mcp.json",
                ],
            ),
            (
                Protection::Tool,
                &[
                    "/p/.cargo/config.toml",
                    "/p/crates/a/.cargo/config",
                    "/p/.devcontainer/devcontainer.json",
                    "/p/.devcontainer/a/Dockerfile",
                    "/p/.devcontainer.json",
                    "/p/.exrc",
                    "/p/.gdbinit",
                    "/p/.vscode/tasks.json",
                    "/p/.vscode/launch.json",
                ],
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
    fn what_is_protected_is_never_passed_over() {
        for path in looked_for() {
            let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
            let name = path.file_name().unwrap();
            assert!(may_be_protected(parent, name), "{}", path.display());
            let absolute = Path::new("/p/sub").join(&path);
            let home = DaemonHome::closed(Path::new("/srv/scorel"));
            assert!(
                is_protected(&absolute, &home).is_some(),
                "{}",
                path.display()
            );
        }
    }

    #[test]
    fn a_worktree_in_the_home_is_judged_as_a_project() {
        let worktree = Path::new("/home/u/.scorel/worktrees/rti_1");
        let home = DaemonHome::of(Path::new("/home/u/.scorel"), worktree);
        for (path, expected) in [
            ("src/main.rs", None),
            (".git", Some(Protection::Git)),
            (".scorel/config.toml", Some(Protection::Configuration)),
            ("../rti_2/src/main.rs", Some(Protection::Daemon)),
        ] {
            let path = scorel_shell::normal(&worktree.join(path));
            assert_eq!(is_protected(&path, &home), expected, "{}", path.display());
        }
    }

    #[test]
    fn everything_else_is_not() {
        let home = &DaemonHome::closed(Path::new("/srv/scorel"));
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
            "/p/.cargo/credentials.toml",
            "/p/.cargo/registry/x",
            "/p/cargo/config.toml",
            "/p/.claude/commands/x.md",
            "/p/.claude/settings.json.md",
            "/p/.vscode/settings.json",
            "/p/.vscode/extensions.json",
            "/p/husky/pre-commit",
            "/p/.gdbinit/x",
            "/p/tasks.json",
        ] {
            assert_eq!(is_protected(Path::new(path), home), None, "{path}");
        }
    }
}
