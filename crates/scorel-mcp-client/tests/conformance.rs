//! The protocol's conformance suite over `examples/conformance_client.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;

const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

/// The suites for clients. `core` has those about logins in it.
const SUITES: [&str; 2] = ["core", "backcompat"];

fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp")
}

fn client() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    let target = test
        .ancestors()
        .nth(2)
        .expect("it is below the directory of the build");
    target.join("examples/conformance_client")
}

#[test]
fn what_fails_is_listed() {
    if !packages().join(SUITE).exists() {
        let in_ci = std::env::var("CI").as_deref() == Ok("true");
        assert!(
            !in_ci,
            "{SUITE} is missing in tests/mcp: `.ci/run` installs it"
        );
        println!("skipped: {SUITE} is not installed");
        return;
    }
    for suite in SUITES {
        // One scenario measures a pause to 200 ms, which a busy machine may not keep.
        let (mut passed, mut said) = run(suite);
        if !passed {
            (passed, said) = run(suite);
        }
        assert!(passed, "{suite}: {said}");
    }
}

/// Returns whether no more fails than is listed, and what the suite says.
fn run(suite: &str) -> (bool, String) {
    let results = tempfile::tempdir().expect("there is room for them");
    let output = Command::new("node")
        .args([
            "--import",
            "./older_node.mjs",
            SUITE,
            "client",
            "--suite",
            suite,
        ])
        .args(["--expected-failures", "conformance.yml", "--command"])
        .arg(client())
        .arg("--output-dir")
        .arg(results.path())
        .current_dir(packages())
        .output()
        .expect("Node.js is installed with the packages");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said + &errors)
}
