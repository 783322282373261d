//! Repositories that a command makes.
//!
//! `git init` at the top of a project is everyday work, but a new repository can carry hooks and
//! settings that run a program as soon as a person types `git status`. What `git init` and `git
//! clone` write by themselves stays; everything else in the places that git runs or obeys is moved
//! aside. The configuration is filtered by a list of known settings and not by a list of dangerous
//! ones, which every version of git makes longer.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use nix::sys::stat::SFlag;

use super::files::{entry_type, names, open_directory, put_file, read_file, remove};
use super::kept::is_inert;
use super::restore::Restorer;

/// A configuration that is longer is moved aside unread, in bytes.
const MAX_CONFIGURATION: u64 = 256 * 1024;

impl Restorer<'_> {
    /// Moves aside what git would run in the new repository at `path`, a single name.
    pub(super) fn disarm_repository(&mut self, path: &Path) {
        let root = self.root();
        match entry_type(root, path.as_os_str()) {
            Ok(None) => {}
            Ok(Some(SFlag::S_IFDIR)) => match open_directory(root, path.as_os_str()) {
                Ok(dir) => self.disarm(dir.as_fd(), path),
                Err(error) => self.note(&Err(error.into()), path),
            },
            // A link or a `gitdir:` file leads to a repository that is not looked at.
            Ok(Some(_)) => self.note(&remove(root, path.as_os_str()), path),
            Err(error) => self.note(&Err(error), path),
        }
    }

    fn disarm(&mut self, dir: BorrowedFd<'_>, path: &Path) {
        for name in ["commondir", "config.worktree"] {
            self.note(&remove(dir, OsStr::new(name)), &path.join(name));
        }
        self.note(&disarm_configuration(dir), &path.join("config"));
        let hooks = OsStr::new("hooks");
        match entry_type(dir, hooks) {
            Ok(None) => {}
            Ok(Some(SFlag::S_IFDIR)) => {
                if let Err(error) = self.disarm_hooks(dir, &path.join("hooks")) {
                    self.note(&Err(error), path);
                }
            }
            _ => self.note(&remove(dir, hooks), &path.join("hooks")),
        }
    }

    fn disarm_hooks(&mut self, dir: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
        let hooks = open_directory(dir, OsStr::new("hooks"))?;
        for name in names(hooks.as_fd())? {
            if !is_inert(&name) {
                self.note(&remove(hooks.as_fd(), &name), &path.join(&name));
            }
        }
        Ok(())
    }
}

/// Removes the settings that are not known to be harmless. Returns whether there were any.
fn disarm_configuration(dir: BorrowedFd<'_>) -> io::Result<bool> {
    let name = OsStr::new("config");
    match entry_type(dir, name)? {
        None => return Ok(false),
        Some(SFlag::S_IFREG) => {}
        Some(_) => return remove(dir, name),
    }
    let Some((mode, content)) = read_file(dir, name, MAX_CONFIGURATION)? else {
        return remove(dir, name);
    };
    let harmless = harmless(&String::from_utf8_lossy(&content));
    if harmless.as_bytes() == content {
        return Ok(false);
    }
    put_file(dir, name, mode, harmless.as_bytes())
}

/// The lines that git itself writes into the configuration when it makes or clones a repository.
fn harmless(text: &str) -> String {
    let mut section = String::new();
    let mut kept = String::new();
    for line in text.lines() {
        let is_harmless = match header(line) {
            Some(name) => {
                section = name;
                is_known(&section)
            }
            None => is_known(&section) && is_setting(&section, line),
        };
        if is_harmless {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The name of the section if the line is a header and nothing else: git also accepts a setting after
/// a header on the same line. A header in a form that is not understood gives a name that is not
/// known.
fn header(line: &str) -> Option<String> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, subsection) = match inner.split_once(' ') {
        Some((name, rest)) => (name, rest.strip_prefix('"')?.strip_suffix('"')?),
        None => (inner, ""),
    };
    let is_plain = !subsection.contains(['"', '\\', ']', '[']);
    let is_word = name.chars().all(|it| it.is_ascii_alphanumeric());
    Some(if is_plain && is_word {
        name.to_ascii_lowercase()
    } else {
        String::new()
    })
}

fn is_known(section: &str) -> bool {
    matches!(
        section,
        "core" | "remote" | "branch" | "user" | "extensions" | "submodule"
    )
}

fn is_setting(section: &str, line: &str) -> bool {
    const CORE: [&str; 6] = [
        "repositoryformatversion",
        "filemode",
        "bare",
        "logallrefupdates",
        "ignorecase",
        "precomposeunicode",
    ];
    let Some((key, value)) = line.trim_start().split_once(" = ") else {
        return line.trim().is_empty();
    };
    let key = key.to_ascii_lowercase();
    let is_key = match section {
        "core" => CORE.contains(&key.as_str()),
        "remote" => matches!(key.as_str(), "url" | "fetch" | "pushurl" | "tagopt"),
        "branch" => matches!(key.as_str(), "remote" | "merge" | "rebase"),
        "user" => matches!(key.as_str(), "name" | "email"),
        "extensions" => matches!(key.as_str(), "objectformat" | "refstorage" | "partialclone"),
        "submodule" => matches!(key.as_str(), "url" | "active"),
        _ => false,
    };
    // A backslash continues the value on the next line; `ext::` in a URL runs a program.
    is_key && !value.contains('\\') && !value.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_git_writes_itself_are_kept() {
        let text = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
                    [remote \"origin\"]\n\turl = /srv/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
                    [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
        assert_eq!(harmless(text), text);
    }

    #[test]
    fn settings_that_run_programs_are_dropped() {
        for line in [
            "\tfsmonitor = /x",
            "\tsshCommand = x",
            "\thooksPath = x",
            "\tFSMONITOR = x",
            "\tbare = false \\",
            "[alias]\n\tx = !true",
            "[core] fsmonitor = x",
            "[CORE]\n\tpager = x",
            "[core \"x\\\"y\"]\n\tbare = true",
            "[remote \"o\"]\n\turl = ext::sh",
            "[remote \"o\"]\n\tuploadpack = x",
            "[include]\n\tpath = x",
            "[filter \"x\"]\n\tclean = x",
        ] {
            let kept = harmless(&format!("[core]\n{line}\n"));
            for word in ["x", "sh", "\\"] {
                assert!(!kept.contains(word), "{line}: {kept}");
            }
        }
    }
}
