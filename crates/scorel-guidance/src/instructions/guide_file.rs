//! Reading one file of instructions.
//!
//! A project is as untrusted as its repository: a link in it must not show the model a file from
//! elsewhere, and a file that cannot be read must not cost the user a turn.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use scorel_fs::{open_linked, text_of};
use scorel_tools::{Root, RootName, Roots};
use sha2::{Digest as _, Sha256};

/// The names of a directory's instructions; the first one that exists counts.
pub(super) const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// A file of instructions, or the reason why it was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GuideFile {
    pub path: PathBuf,
    pub content: Result<GuideText, String>,
}

/// The text of a file, up to a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GuideText {
    pub text: String,
    /// Of the bytes that were read.
    pub sha256: String,
    /// What the limit left out.
    pub(super) cut_bytes: u64,
}

/// Reads a file below `dir`; `None` if there is none. Links are followed within `dir` only, and only to
/// Markdown: anything else that a link leads to was not written as instructions.
pub(super) fn read_below(dir: &Path, name: &str, max: usize) -> Option<GuideFile> {
    let path = dir.join(name);
    // A dangling link is not an absent file.
    path.symlink_metadata().ok()?;
    Some(GuideFile {
        content: open_below(dir, name).and_then(|file| read(file, max)),
        path,
    })
}

/// Reads a file of the user's own, wherever links lead; `None` if there is none.
pub(super) fn read_own(path: &Path, max: usize) -> Option<GuideFile> {
    path.symlink_metadata().ok()?;
    let opened = open_linked(File::options().read(true), path);
    let opened = opened.map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => "it is not a regular file".to_owned(),
        _ => error.to_string(),
    });
    Some(GuideFile {
        path: path.to_owned(),
        content: opened.and_then(|file| read(file, max)),
    })
}

/// The first of [`NAMES`] that `dir` has.
pub(super) fn first_below(dir: &Path, max: usize) -> Option<GuideFile> {
    NAMES.iter().find_map(|name| read_below(dir, name, max))
}

/// As [`first_below`] for a directory of the user's own.
pub(super) fn first_own(dir: &Path, max: usize) -> Option<GuideFile> {
    NAMES.iter().find_map(|name| read_own(&dir.join(name), max))
}

fn open_below(dir: &Path, name: &str) -> Result<File, String> {
    let root = Root::open(RootName::Project, dir).map_err(|error| error.to_string())?;
    let roots = Roots::new(root);
    let location = roots.locate(name).map_err(|error| error.to_string())?;
    let file = roots
        .open_file(&location)
        .map_err(|error| error.to_string())?;
    let is_markdown = |path: &Path| path.extension().is_some_and(|it| it == "md");
    match real_path(&file) {
        Some(path) if is_markdown(&path) => Ok(file),
        Some(_) => Err("it is a link to something that is not Markdown".to_owned()),
        None => Err("its target cannot be resolved".to_owned()),
    }
}

/// Of the open file, and not of its path, which may lead elsewhere by now.
fn real_path(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

fn read(file: File, max: usize) -> Result<GuideText, String> {
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    let mut bytes = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX);
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let cut_bytes = length.saturating_sub(bytes.len() as u64);
    let sha256 = hex_digest(&bytes);
    // The rest of a character that the cut divided would make the text one in another encoding.
    if let (1.., Err(error)) = (cut_bytes, std::str::from_utf8(&bytes))
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    Ok(GuideText {
        sha256,
        text: text_of(&bytes).into_owned(),
        cut_bytes,
    })
}

/// The SHA-256 in hexadecimal digits.
pub(super) fn hex_digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn text(file: Option<GuideFile>) -> Result<String, String> {
        file.expect("there").content.map(|content| content.text)
    }

    #[test]
    fn links_are_followed_within_the_directory_and_to_markdown_only() {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("secret.md"), "secret").unwrap();
        let dir = outer.path().join("project");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join(".env"), "KEY=1").unwrap();
        fs::write(dir.join("guide.md"), "guide").unwrap();
        for (target, expected) in [
            ("guide.md", Some("guide")),
            (".env", None),
            ("../secret.md", None),
            ("/etc/hostname", None),
            ("missing.md", None),
            (".", None),
        ] {
            let link = dir.join("AGENTS.md");
            symlink(target, &link).unwrap();
            let found = text(first_below(&dir, 100));
            assert_eq!(found.ok().as_deref(), expected, "{target}");
            fs::remove_file(link).unwrap();
        }
        assert_eq!(first_below(&dir, 100), None);
        symlink("../secret.md", dir.join("AGENTS.md")).unwrap();
        assert_eq!(text(first_own(&dir, 100)).unwrap(), "secret");
    }

    #[test]
    fn a_long_file_is_cut_and_a_pipe_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("CLAUDE.md"), "é".repeat(60)).unwrap();
        let file = first_below(dir.path(), 101).unwrap();
        let content = file.content.unwrap();
        assert_eq!((content.cut_bytes, content.text.chars().count()), (19, 50));
        for (mark, bytes) in [
            ([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> _),
            ([0xfe, 0xff], u16::to_be_bytes),
        ] {
            let units: Vec<u8> = "RULE: ß\n".encode_utf16().flat_map(bytes).collect();
            fs::write(dir.path().join("CLAUDE.md"), [&mark[..], &units].concat()).unwrap();
            assert_eq!(text(first_below(dir.path(), 100)).unwrap(), "RULE: ß\n");
        }
        fs::write(dir.path().join("CLAUDE.md"), "\u{feff}RULE\n").unwrap();
        assert_eq!(text(first_below(dir.path(), 100)).unwrap(), "RULE\n");
        let pipe = dir.path().join("AGENTS.md");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(first_below(dir.path(), 100).unwrap().content.is_err());
        assert!(first_own(dir.path(), 100).unwrap().content.is_err());
    }
}
