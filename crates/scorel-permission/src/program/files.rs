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
    facts.discards = match name {
        "rm" | "shred" => facts.paths.clone(),
        "truncate" => truncated(args),
        "dd" => {
            let outputs = args.iter().filter(|word| word.text.starts_with("of="));
            outputs.map(|word| word.after("of=".len())).collect()
        }
        _ => Vec::new(),
    };
}

/// What `truncate` cuts: its operands without the size.
fn truncated(args: &[Word]) -> Vec<Word> {
    let mut is_value = false;
    let is_file = |word: &&Word| {
        let takes_value = matches!(word.known(), Some("-s" | "-r" | "--size" | "--reference"));
        let is_option = word.text.starts_with('-');
        let is_file = !is_option && !is_value;
        is_value = takes_value;
        is_file
    };
    args.iter().filter(is_file).cloned().collect()
}
