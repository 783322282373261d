//! Gitlinks: entries of git's index for directories that are repositories of their own. Git runs itself
//! in them, wherever they are.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memchr::memmem;
use scorel_fs::{git_dir, open_linked};

use super::place::UNSEARCHED;

/// The mode of a gitlink in an entry.
const MODE: &[u8] = b"\0\0\xe0\0";

/// From an entry's mode to its name, if object names have 20 bytes, and how much later the name may
/// begin: with 32 bytes, and more flags.
const TO_NAME: usize = 38;
const LATER: usize = 14;

/// The longest name, in bytes.
const MAX_NAME: usize = 4096;

/// The bytes that are read at once, and those that are looked at again with the next: an entry.
const PIECE: usize = 256 * 1024;
const OVERLAP: usize = TO_NAME + LATER + MAX_NAME;

/// Returns whether the index of the repository that `directory` is in may have a gitlink to a place in a directory
/// that is not searched. Wrongly yes only costs time.
pub fn may_link_to_unsearched(directory: &Path) -> bool {
    let has_git = |it: &&Path| it.join(".git").symlink_metadata().is_ok();
    let Some(work_tree) = directory.ancestors().find(has_git) else {
        return false;
    };
    let index = git_dir(work_tree).join("index");
    let opened = open_linked(File::options().read(true), &index);
    index.exists() && opened.map_or(true, |index| may_link(index).unwrap_or(true))
}

/// Piece by piece: the index of a large project has tens of megabytes, and this is asked twice for each command.
fn may_link(mut index: impl Read) -> io::Result<bool> {
    let mut piece = vec![0; PIECE + OVERLAP];
    let (mut begin, mut has_whole_names) = (0, None);
    loop {
        let length = read_full(&mut index, &mut piece[begin..])?;
        let end = begin + length;
        // From version 4 on, an entry has only what its name does not share with the one before.
        let whole = *has_whole_names
            .get_or_insert_with(|| matches!(piece.get(4..8), Some([0, 0, 0, 2 | 3])));
        if has_gitlink(&piece[..end], whole) {
            return Ok(true);
        }
        if end < piece.len() {
            return Ok(false);
        }
        piece.copy_within(end - OVERLAP..end, 0);
        begin = OVERLAP;
    }
}

fn read_full(index: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    loop {
        match index.read(&mut piece[length..]) {
            Ok(0) => return Ok(length),
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn has_gitlink(piece: &[u8], has_whole_names: bool) -> bool {
    memmem::find_iter(piece, MODE).any(|mode| {
        let name = piece.get(mode + TO_NAME..).unwrap_or_default();
        let name = &name[..name.len().min(LATER + MAX_NAME)];
        let end = memchr::memchr(0, name.get(LATER..).unwrap_or_default());
        let name = end.map_or(name, |end| &name[..LATER + end]);
        let is_in = |directory: &&str| memmem::find(name, directory.as_bytes()).is_some();
        !has_whole_names || UNSEARCHED.iter().any(is_in)
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn an_entry_between_two_pieces_is_found() {
        let entry = [MODE, &[0; TO_NAME - 4], b"target/n\0"].concat();
        for before in PIECE - 100..PIECE + OVERLAP + 100 {
            let mut index = b"DIRC\0\0\0\x02".to_vec();
            index.resize(before, b'x');
            index.extend(&entry);
            assert!(may_link(index.as_slice()).unwrap(), "{before}");
        }
        assert!(!may_link([b'x'; 3 * PIECE].as_slice()).unwrap());
    }

    #[test]
    fn gitlinks_below_directories_that_are_not_searched_are_found() {
        for (format, version, path, expected) in [
            ("sha1", "2", "target/n", true),
            ("sha256", "2", "target/n", true),
            ("sha1", "3", "deep/down/below/node_modules/x/n", true),
            ("sha1", "4", "target/n", true),
            ("sha1", "2", "sub/n", false),
            ("sha1", "2", "", false),
            ("sha1", "2", "z/target/n", true),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let script = format!(
                "git init -q --object-format={format} . && for i in 1 2 3; do echo $i > f$i; done && git add -A &&
                 test -z '{path}' || git update-index --add --cacheinfo 160000,$(git hash-object f1),{path} &&
                 git update-index --index-version {version}"
            );
            let mut command = Command::new("sh");
            let status = command
                .args(["-c", &script])
                .current_dir(&directory)
                .status();
            assert!(status.unwrap().success());
            let found = may_link_to_unsearched(directory.path());
            assert_eq!(found, expected, "{format} {version} {path}");
        }
    }
}
