//! Programs that change, create or remove files.

use super::facts::Facts;
use crate::word::Word;

const WRITERS: [&str; 32] = [
    "bzip2", "chattr", "chgrp", "chmod", "chown", "cp", "dd", "ed", "ex", "gunzip", "gzip",
    "install", "ln", "mkdir", "mkfifo", "mknod", "mktemp", "mv", "patch", "rm", "rmdir", "rsync",
    "setfacl", "shred", "tee", "touch", "truncate", "unlink", "unzip", "xz", "zip", "zstd",
];

pub(super) fn is_writing(name: &str) -> bool {
    WRITERS.contains(&name)
}

pub(super) fn describe(name: &str, args: &[Word], start: usize, facts: &mut Facts) {
    let line = super::names::other(name, args, start, facts);
    facts.is_writing = true;
    if name == "dd" {
        let values = args
            .iter()
            .filter_map(|word| Some(word.after(word.text.find('=')? + 1)));
        facts.paths.extend(values);
    }
    facts.discards = match (name, line) {
        ("rm" | "shred" | "truncate", Some(line)) => line
            .operands
            .iter()
            .map(|index| args[*index].clone())
            .collect(),
        ("dd", _) => {
            let outputs = args.iter().filter(|word| word.text.starts_with("of="));
            outputs.map(|word| word.after("of=".len())).collect()
        }
        _ => Vec::new(),
    };
}
