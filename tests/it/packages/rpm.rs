//! The package for Fedora and other systems with rpm.

use super::contents::PackageContents;
use super::{package, printed};

#[test]
fn the_rpm_has_its_files_in_their_places_and_runs_nothing() {
    let Some(rpm) = package(".rpm") else {
        return;
    };
    let rpm = rpm.to_str().unwrap();
    let Some(listing) = printed("rpm", &["--query", "--list", "--verbose", "--package", rpm])
    else {
        return;
    };
    let contents = PackageContents::parse(&listing, "/usr/");
    assert_eq!(
        contents.others("lib/systemd/user", "zsh/site-functions"),
        [
            "-rw-r--r-- share/doc/scorel/CHANGELOG.md",
            "-rw-r--r-- share/licenses/scorel/LICENSE-APACHE",
            "-rw-r--r-- share/licenses/scorel/LICENSE-MIT",
        ]
    );
    for query in ["--scripts", "--triggers", "--filetriggers"] {
        let scripts = printed("rpm", &["--query", query, "--package", rpm]);
        assert_eq!(scripts.unwrap(), "", "{query}");
    }
    let owners = "[%{FILEUSERNAME}:%{FILEGROUPNAME}\n]";
    let owners = printed(
        "rpm",
        &["--query", "--queryformat", owners, "--package", rpm],
    )
    .unwrap();
    assert!(owners.lines().all(|owner| owner == "root:root"), "{owners}");
    let requires = printed("rpm", &["--query", "--requires", "--package", rpm]).unwrap();
    assert!(requires.contains("libc.so.6"), "{requires}");
    assert!(!requires.contains("/bin/sh"), "{requires}");
}
