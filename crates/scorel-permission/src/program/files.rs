//! Programs that change, create or remove files.

use super::facts::Facts;
use super::options::operands;
use crate::shell::Word;

const WRITERS: [&str; 32] = [
    "bzip2", "chattr", "chgrp", "chmod", "chown", "cp", "dd", "ed", "ex", "gunzip", "gzip",
    "install", "ln", "mkdir", "mkfifo", "mknod", "mktemp", "mv", "patch", "rm", "rmdir", "rsync",
    "setfacl", "shred", "tee", "touch", "truncate", "unlink", "unzip", "xz", "zip", "zstd",
];

pub(super) fn is_writing(name: &str) -> bool {
    WRITERS.contains(&name)
}

pub(super) fn describe(name: &str, args: &[Word], start: usize, facts: &mut Facts) {
    super::names::other(name, args, start, facts);
    facts.is_writing = true;
    facts.paths = operands(args, 0);
    if name == "dd" {
        let values = args
            .iter()
            .filter_map(|word| Some(word.after(word.text.find('=')? + 1)));
        facts.paths.extend(values);
    }
}
