//! The archive for all other systems, and for users without root.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::service::container::ended;

use super::contents::PackageContents;
use super::{package, printed};

#[test]
fn the_archive_can_be_unpacked_anywhere_and_used_from_there() {
    let Some(tarball) = package(".tar.gz") else {
        return;
    };
    let (name, path) = (
        tarball.file_name().unwrap().to_str().unwrap(),
        tarball.to_str().unwrap(),
    );
    let top = name.strip_suffix(".tar.gz").unwrap();
    let Some(listing) = printed("tar", &["--list", "--verbose", "--file", path]) else {
        return;
    };
    assert!(listing.lines().all(|line| line.contains(" 0/0 ")));
    let contents = PackageContents::parse(&listing, &format!("{top}/"));
    assert_eq!(
        contents.others("lib/systemd/user", "zsh/site-functions"),
        [
            "-rw-r--r-- share/doc/scorel/CHANGELOG.md",
            "-rw-r--r-- share/doc/scorel/LICENSE-APACHE",
            "-rw-r--r-- share/doc/scorel/LICENSE-MIT",
        ]
    );
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("with a space");
    fs::create_dir(&dir).unwrap();
    let into = dir.to_str().unwrap();
    printed("tar", &["--extract", "--file", path, "--directory", into]);
    let root = dir.join(top);
    let unit = fs::read_to_string(root.join("lib/systemd/user/scoreld.service")).unwrap();
    assert!(
        unit.contains("\nExecStart=/usr/local/bin/scoreld\n"),
        "{unit}"
    );
    let sent = used(&root, place.path(), &["send", "Which files are here?"]);
    assert!(!sent.is_empty());
    let status = used(&root, place.path(), &["--json", "status"]);
    let daemon = root.join("bin/scoreld").canonicalize().unwrap();
    assert!(status.contains(daemon.to_str().unwrap()), "{status}");
    used(&root, place.path(), &["stop"]);
}

/// Runs the unpacked client, which finds the daemon beside itself; returns what it prints.
fn used(root: &Path, place: &Path, arguments: &[&str]) -> String {
    let client = Command::new(root.join("bin/scorelctl"))
        .args(arguments)
        .env_clear()
        .env("SCOREL_HOME", place.join("home"))
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = ended(client);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}
