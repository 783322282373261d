//! Which crate may depend on which.

use std::collections::HashSet;
use std::process::Command;

/// The packages reachable through normal dependencies, with the features that the package itself
/// enables.
fn reachable(package: &str) -> HashSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--package",
            package,
            "--edges",
            "normal",
            "--prefix",
            "none",
        ])
        .args(["--format", "{lib}", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let names = String::from_utf8(output.stdout).unwrap();
    names
        .lines()
        .map(|name| name.trim_end_matches(" (*)").replace('_', "-"))
        .collect()
}

#[test]
fn no_crate_reaches_what_it_must_not_know() {
    let daemon = [
        "scoreld",
        "scorel-home",
        "scorel-config",
        "scorel-workplace",
        "scorel-guidance",
        "scorel-host",
        "scorel-fsck",
        "scorel-session",
        "scorel-journal",
        "scorel-rpc",
    ];
    for (package, forbidden) in [
        ("scorel-proto", &["tokio", "jsonrpsee", "mio"][..]),
        (
            "scorel-engine",
            &[
                "mio",
                "reqwest",
                "scorel-journal",
                "jsonrpsee",
                "rustix",
                "nix",
            ],
        ),
        ("scorel-journal", &["tokio", "jsonrpsee", "reqwest"]),
        (
            "scorel-session",
            &[
                "jsonrpsee",
                "reqwest",
                "scorel-provider",
                "scorel-tools",
                "mio",
            ],
        ),
        (
            "scorel-rpc",
            &["scorel-session", "scorel-journal", "scorel-engine"],
        ),
        (
            "scorel-provider",
            &["scorel-journal", "scorel-session", "jsonrpsee"],
        ),
        (
            "scorel-tools",
            &["scorel-journal", "scorel-session", "jsonrpsee", "reqwest"],
        ),
        ("scorel-shell", &["serde", "tokio", "nix", "rustix", "url"]),
        (
            "scorel-permission",
            &[
                "scorel-journal",
                "scorel-session",
                "scorel-tools",
                "jsonrpsee",
                "mio",
                "nix",
                "rustix",
                "reqwest",
            ],
        ),
        (
            "scorel-exec",
            &[
                "scorel-proto",
                "scorel-engine",
                "scorel-session",
                "scorel-journal",
                "reqwest",
            ],
        ),
        (
            "scorel-fetch",
            &[
                "scorel-tools",
                "scorel-exec",
                "scorel-provider",
                "scorel-session",
                "scorel-journal",
                "jsonrpsee",
            ],
        ),
        (
            "scorel-runner",
            &[
                "scorel-tools",
                "scorel-provider",
                "scorel-session",
                "scorel-journal",
                "jsonrpsee",
                "reqwest",
            ],
        ),
        (
            "scorel-host",
            &["scoreld", "scorel-fsck", "clap", "daemonize"],
        ),
        ("scorel-fsck", &["scoreld", "scorel-host", "clap"]),
        ("scorel-client", &daemon),
        ("scorelctl", &daemon),
    ] {
        let reachable = reachable(package);
        assert!(reachable.contains(package), "{package}: {reachable:?}");
        for name in forbidden {
            assert!(
                !reachable.contains(*name),
                "{package} must not reach {name}"
            );
        }
    }
}

#[test]
fn unsafe_code_stays_in_the_places_that_are_named() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let output = Command::new("grep")
        .args([
            "-rln",
            "--include=*.rs",
            "-e",
            "unsafe {",
            "-e",
            "unsafe fn",
            "-e",
            "allow(unsafe",
        ])
        .args(["proto", "crates", "scoreld", "scorelctl", "tests/src"])
        .current_dir(root)
        .output()
        .unwrap();
    let places = String::from_utf8(output.stdout).unwrap();
    let named = [
        "crates/scorel-memory/src/lib.rs",
        "crates/scorel-seccomp/src/lib.rs",
    ];
    for place in places.lines() {
        assert!(named.contains(&place), "{place} has unsafe code");
    }
}
