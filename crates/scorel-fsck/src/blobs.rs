//! Checks the blobs of one session.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::Path;

use scorel_journal::{EVENTS, open_regular};
use scorel_proto::BlobHash;
use sha2::{Digest, Sha256};

use crate::entry::{self, check_directory, check_file};
use crate::finding::Finding;
use crate::references::References;

/// Checks that every referenced blob exists, and that every blob matches its hash.
pub(crate) fn check(session: &Path, references: &References, found: &mut Vec<Finding>) {
    let dir = session.join("blobs");
    let mut there = HashSet::new();
    if check_directory(&dir, found) {
        match entry::names(&dir) {
            Ok(names) => {
                for name in names {
                    there.extend(check_blob(&dir.join(&name), &name, found));
                }
            }
            Err(error) => return found.push(entry::unreadable(&dir, &error)),
        }
    }
    let mut missing: Vec<_> = references
        .iter()
        .filter(|(hash, _)| !there.contains(*hash))
        .collect();
    missing.sort_unstable_by_key(|(_, span)| span.offset);
    for (hash, span) in missing {
        let meaning = format!("this record references blob {hash}, which is missing");
        let finding = Finding::damage("blob_missing", &session.join(EVENTS), meaning);
        found.push(finding.at(span.offset, span.length));
    }
}

/// Checks one entry of the directory. Returns its hash, if it is a blob.
fn check_blob(path: &Path, name: &str, found: &mut Vec<Finding>) -> Option<BlobHash> {
    let hash: BlobHash = name.parse().ok()?;
    if !check_file(path, found) {
        return Some(hash);
    }
    match hash_of(path) {
        Ok((actual, _)) if actual == name => {}
        Ok((_, length)) => {
            let meaning = "the content does not match the hash in the name";
            found.push(Finding::damage("blob_damaged", path, meaning).at(0, length));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => found.push(entry::unreadable(path, &error)),
    }
    Some(hash)
}

/// The SHA-256 of a file, and its length.
fn hash_of(path: &Path) -> io::Result<(String, u64)> {
    let mut file = open_regular(File::options().read(true), path)?;
    let mut hasher = Sha256::new();
    let length = io::copy(&mut file, &mut hasher)?;
    Ok((format!("{:x}", hasher.finalize()), length))
}
