//! Files that are only written with a person's permission.

use std::path::{Component, Path};

use crate::Place;

/// Directories whose files decide what other programs do.
const DIRECTORIES: [(&str, &str); 3] = [
    (
        ".git",
        "it is part of git's own data, such as hooks and configuration",
    ),
    (".scorel", "it configures Scorel"),
    (".ssh", "it decides who may log in"),
];

/// Files that shells and desktop sessions run when they start or end.
const START_FILES: [&str; 24] = [
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
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
    ".envrc",
];

/// Git's configuration outside of a repository.
const GIT_FILE: &str = ".gitconfig";
const GIT_CONFIGURATION: (&str, &str) = (".config", "git");

/// Directories, below the named parent, whose files are run when a shell or a desktop session starts.
const START_DIRECTORIES: [(&str, &str); 8] = [
    (".config", "autostart"),
    (".config", "elvish"),
    (".config", "environment.d"),
    (".config", "fish"),
    (".config", "nushell"),
    (".config", "systemd"),
    (".config", "xonsh"),
    ("library", "launchagents"),
];

/// Why a person is asked before the file at `path`, absolute and without `..`, is written.
///
/// Letter case counts for nothing, since it does not on every file system.
pub(crate) fn protection(path: &Path, place: &Place) -> Option<&'static str> {
    if path.starts_with(place.scorel_home()) {
        return Some("it belongs to Scorel");
    }
    let names: Vec<String> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .map(|part| part.as_os_str().to_string_lossy().to_lowercase())
        .collect();
    for (directory, reason) in DIRECTORIES {
        if names.iter().any(|name| name == directory) {
            return Some(reason);
        }
    }
    let is_git_configuration = names.last().is_some_and(|name| name == GIT_FILE)
        || names
            .windows(2)
            .any(|pair| (pair[0].as_str(), pair[1].as_str()) == GIT_CONFIGURATION);
    if is_git_configuration {
        return Some(DIRECTORIES[0].1);
    }
    let is_start_file = names
        .last()
        .is_some_and(|name| START_FILES.contains(&name.as_str()));
    let is_below = names
        .windows(2)
        .any(|pair| START_DIRECTORIES.contains(&(pair[0].as_str(), pair[1].as_str())));
    (is_start_file || is_below).then_some("it is run when a shell or a desktop session starts")
}
