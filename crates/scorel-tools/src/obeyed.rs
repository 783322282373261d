//! Files of a project that git obeys because its configuration names them.

use std::collections::HashSet;
use std::env;
use std::path::{Component, Path, PathBuf};

use scorel_exec::GitSetting;
use scorel_fs::{git_dir, read_foreign_text};
use scorel_permission::DaemonHome;
use scorel_permission::protected::{GIT_DIRECTORY, Protection, is_protected, looked_for};

use crate::real_target::real_target;

/// Configurations that are read, with those that they include. Git follows them ten deep, and so may read
/// the same one very often.
const MAX_FILES: usize = 100;

/// Settings whose value is a path: section and key.
const PATHS: [(&str, &str); 5] = [
    // It says which files go through a filter of the configuration.
    ("core", "attributesfile"),
    // It hides files from the user's `git status`.
    ("core", "excludesfile"),
    // Git runs what is in there.
    ("core", "hookspath"),
    // It says whose signatures git calls good.
    ("gpg", "allowedsignersfile"),
    // New repositories get its hooks.
    ("init", "templatedir"),
];

/// The characters that separate the words of a shell command.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\n', '\'', '"', '`', '(', ')', '{', '}', ';', '&', '|', '<', '>', '=', '$', '!',
];

/// Where git looks for settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GitSources<'a> {
    /// The user's home directory, for `~`.
    pub(crate) home: Option<&'a Path>,
    /// The directory that relative paths of programs and hooks are relative to.
    pub(crate) work_tree: &'a Path,
}

/// The reason why a file of a project, at an absolute path without links, is protected though its name is not: a
/// protected name leads to it, or git's configuration names it.
pub(crate) fn protection(project: &Path, path: &Path) -> Option<Protection> {
    if !path.starts_with(project) {
        return None;
    }
    let leads_here =
        |name: &Path| real_target(&project.join(name)).is_ok_and(|target| path.starts_with(target));
    let home = env::home_dir();
    let is_named = || {
        named_by_git(project, home.as_deref())
            .iter()
            .any(|it| leads_here(it))
    };
    match looked_for().find(|name| leads_here(name)) {
        Some(name) => is_protected(
            &Path::new("/").join(name),
            &DaemonHome::closed(Path::new("/nowhere")),
        ),
        None => is_named().then_some(Protection::Named),
    }
}

/// The files of a project that are named by the configurations of its repository, of the user and of the machine.
/// Paths relative to the project; they may be absent, or lead elsewhere.
pub(crate) fn named_by_git(project: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let has_git = |it: &&Path| it.join(GIT_DIRECTORY).symlink_metadata().is_ok();
    let work_tree = project.ancestors().find(has_git).unwrap_or(project);
    let data = git_dir(work_tree);
    let common = read_foreign_text(&data.join("commondir"));
    let common = common.map(|common| data.join(common.trim_end()));
    let sources = GitSources { home, work_tree };
    let user = [".gitconfig", ".config/git/config"];
    let user = home
        .into_iter()
        .flat_map(|home| user.map(|name| home.join(name)));
    let files = configurations(&data)
        .into_iter()
        .chain(common.iter().flat_map(|common| configurations(common)))
        .chain(user)
        .chain([PathBuf::from("/etc/gitconfig")]);
    sources.named_below(project, files)
}

/// The configurations in a git directory.
pub(crate) fn configurations(data: &Path) -> [PathBuf; 2] {
    ["config", "config.worktree"].map(|name| data.join(name))
}

impl GitSources<'_> {
    /// The paths that the files name below `project`. Paths relative to it.
    pub(crate) fn named_below(
        self,
        project: &Path,
        files: impl IntoIterator<Item = PathBuf>,
    ) -> Vec<PathBuf> {
        let (mut found, mut read) = (Vec::new(), HashSet::new());
        for file in files {
            self.read(&file, &mut read, &mut found);
        }
        let below = found.into_iter().filter_map(|path| {
            let below = normal(&path).strip_prefix(project).ok()?.to_owned();
            // The whole project, or git's own data, which is protected anyway.
            let is_inner = below.iter().next().is_some_and(|first| first != ".git");
            is_inner.then_some(below)
        });
        below.collect()
    }

    /// Adds what a file names, and the files that it includes, whatever the condition.
    fn read(self, file: &Path, read: &mut HashSet<PathBuf>, found: &mut Vec<PathBuf>) {
        let real = file.canonicalize();
        if read.len() == MAX_FILES || !real.is_ok_and(|real| read.insert(real)) {
            return;
        }
        let settings = read_foreign_text(file).and_then(|text| GitSetting::read(&text));
        for setting in settings.into_iter().flatten() {
            let (name, Some(value)) = (setting.parts(), &setting.value) else {
                continue;
            };
            if matches!(name, ("include" | "includeif", "path")) {
                let included = self.at(value, file.parent().unwrap_or(file));
                self.read(&included, read, found);
                found.push(included);
            } else if PATHS.contains(&name) {
                found.push(self.at(value, self.work_tree));
            } else if !setting.is_harmless() && !setting.is_remote() {
                found.extend(self.words(value));
            }
        }
    }

    /// Words of a command that are files of the work tree, or paths to files that do not exist yet. A
    /// single name is looked for on the `PATH`.
    fn words(self, value: &str) -> impl Iterator<Item = PathBuf> {
        let words = value.split(SEPARATORS).filter(|word| !word.is_empty());
        words.enumerate().filter_map(move |(index, word)| {
            let place = self.at(word, self.work_tree);
            let is_path = word.contains('/') && !word.contains("://") && !place.is_dir();
            (is_path || index > 0 && place.is_file()).then_some(place)
        })
    }

    fn at(self, path: &str, directory: &Path) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => home.join(below),
            _ => directory.join(path),
        }
    }
}

/// The path without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = normal.pop(),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_a_configuration_names_in_the_project_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::create_dir_all(project.join("tools/dir")).unwrap();
        fs::write(project.join("clean.py"), "").unwrap();
        fs::write(project.join("less"), "").unwrap();
        let home = directory.path().join("home");
        fs::create_dir(&home).unwrap();
        fs::write(
            home.join(".gitconfig"),
            "[core]\n\thooksPath = .userhooks\n",
        )
        .unwrap();
        let inside = project.to_str().unwrap();
        for (setting, expected) in [
            ("core.hooksPath=.githooks", ".githooks"),
            ("core.hooksPath=.", ""),
            ("core.hooksPath=.git/hooks", ""),
            ("include.path=../team.gitconfig", "team.gitconfig"),
            ("includeIf.gitdir:/x/.path=../a/b", "a/b"),
            ("core.fsmonitor=./tools/watch", "tools/watch"),
            ("core.fsmonitor=tools/dir", ""),
            ("core.fsmonitor=true", ""),
            ("core.sshCommand=ssh -F ssh/config", "ssh/config"),
            ("core.attributesFile=attributes", "attributes"),
            ("filter.x.clean=python3 clean.py %f", "clean.py"),
            ("filter.x.smudge=sh -c './a;b/../c'", "a c"),
            ("diff.x.textconv=less", ""),
            ("core.pager=less -F", ""),
            ("merge.x.driver=./m %O %A", "m"),
            ("credential.helper=!./helper", "helper"),
            ("alias.x=!f() { ./s; }; f", "s"),
            ("alias.x=log --oneline", ""),
            ("gpg.program=INSIDE/gpg", "gpg"),
            ("core.editor=/usr/bin/vi", ""),
            ("core.pager=../out/pager", ""),
            ("remote.o.url=./clean.py", ""),
            ("user.name=./clean.py", ""),
            ("url.x.insteadOf=https://example.org/", ""),
        ] {
            let (name, value) = setting.split_once('=').unwrap();
            let config = project.join(".git/config");
            fs::write(&config, "").unwrap();
            let set = std::process::Command::new("git")
                .args(["config", "--file"])
                .arg(&config)
                .args([name, &value.replace("INSIDE", inside)])
                .status();
            assert!(set.unwrap().success());
            let found = named_by_git(&project, None);
            let found: Vec<_> = found.iter().map(|it| it.to_str().unwrap()).collect();
            assert_eq!(found.join(" "), expected, "{setting}");
        }
        let of_user = named_by_git(&project, Some(&home));
        assert!(
            of_user.contains(&PathBuf::from(".userhooks")),
            "{of_user:?}"
        );
    }
}
