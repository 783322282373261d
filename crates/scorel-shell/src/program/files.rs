//! Programs that change, create or remove files.

use super::facts::Facts;
use crate::name_table::lists;
use crate::word::Word;

/// Programs that change files which their words name, so that those are judged as written.
const WRITERS: [&str; 4] = [
    // They make, move or remove entries.
    "cp install ln mkdir mkfifo mknod mktemp mv rm rmdir rsync touch unlink",
    // They replace or empty what a file has.
    "dd ed ex patch shred tee truncate",
    // They replace a file by a packed one, or write what is packed.
    "bzip2 gunzip gzip unzip xz zip zstd",
    // They change the rights to a file, which may open it to others.
    "chattr chgrp chmod chown setfacl",
];

pub(super) fn is_writing(name: &str) -> bool {
    lists(&WRITERS, name)
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
