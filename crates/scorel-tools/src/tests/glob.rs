//! What `Glob` lists.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use super::project::Project;

fn project() -> Project {
    let project = Project::new();
    for path in [
        ".gitignore",
        ".git/config",
        ".hidden/file",
        "Cargo.toml",
        "README.md",
        "src/lib.rs",
        "src/main.rs",
        "src/nested/deep.rs",
        "target/debug/out.rs",
    ] {
        project.write(path, "");
    }
    project.write(".gitignore", "target/\n*.log\n");
    project.write("debug.log", "");
    project
}

#[test]
fn a_star_lists_the_top_level() {
    let answer = project().call("Glob", json!({ "pattern": "*" }));
    assert_eq!(
        answer.ok(),
        ".gitignore\n.hidden/\nCargo.toml\nREADME.md\nsrc/\n"
    );
    assert_eq!(
        answer.details,
        json!({
            "ok": true, "path": "@project", "shown": 5, "total": 5, "exact": true,
            "truncated": false,
        })
    );
}

#[test]
fn patterns_match_whole_paths() {
    let project = project();
    let rust = "src/lib.rs\nsrc/main.rs\nsrc/nested/deep.rs\n";
    for (pattern, expected) in [
        ("**/*.rs", rust),
        ("src/**/*.rs", rust),
        ("./src//**/*.rs", rust),
        ("@project/**/*.rs", rust),
        ("src/*", "src/lib.rs\nsrc/main.rs\nsrc/nested/\n"),
        ("src/{lib,main}.rs", "src/lib.rs\nsrc/main.rs\n"),
        ("**/[d-m]*.rs", rust),
        ("src/lib.rs", "src/lib.rs\n"),
        (
            "{src/nested/*,Cargo.toml}",
            "Cargo.toml\nsrc/nested/deep.rs\n",
        ),
        ("*/", ".hidden/\nsrc/\n"),
        ("**/nested/", "src/nested/\n"),
        ("src/?ib.rs", "src/lib.rs\n"),
        ("*.rs", "[Nothing in the project matches.]\n"),
        ("nothing/*.rs", "[Nothing in the project matches.]\n"),
        ("src/lib.rs/*", "[Nothing in the project matches.]\n"),
    ] {
        let answer = project.call("Glob", json!({ "pattern": pattern }));
        assert_eq!(answer.ok(), expected, "{pattern}");
    }
    let absolute = format!("{}/src/*.rs", project.path("").to_str().unwrap());
    let answer = project.call("Glob", json!({ "pattern": absolute }));
    assert_eq!(answer.ok(), "src/lib.rs\nsrc/main.rs\n");
    let answer = project.call("Glob", json!({ "pattern": "*.rs", "path": "src/nested" }));
    assert_eq!(answer.ok(), "src/nested/deep.rs\n");
}

#[test]
fn ignored_files_appear_only_where_their_directory_is_named() {
    let project = project();
    let answer = project.call("Glob", json!({ "pattern": "**/out.rs" }));
    assert_eq!(answer.ok(), "[Nothing in the project matches.]\n");
    for input in [
        json!({ "pattern": "target/**/*.rs" }),
        json!({ "pattern": "**/*.rs", "path": "target" }),
    ] {
        assert_eq!(project.call("Glob", input).ok(), "target/debug/out.rs\n");
    }
}

#[test]
fn ignore_files_above_the_start_count() {
    let project = project();
    project.write("src/trace.log", "");
    let answer = project.call("Glob", json!({ "pattern": "src/*" }));
    assert!(!answer.ok().contains("trace.log"));
}

#[test]
fn pages_add_up_to_the_whole() {
    let project = Project::new();
    for n in 0..250 {
        project.write(format!("f{n:03}"), "");
    }
    let first = project.call("Glob", json!({ "pattern": "*" }));
    let note = "[Paths 1 to 100 of 250. Continue with offset 100.]\n";
    assert!(first.ok().ends_with(&format!("f099\n{note}")), "{first:?}");
    assert_eq!(first.details["nextOffset"], json!(100));
    let last = project.call("Glob", json!({ "pattern": "*", "offset": 200 }));
    assert!(last.ok().starts_with("f200\n"));
    assert!(last.ok().ends_with("f249\n[Paths 201 to 250 of 250.]\n"));
    let beyond = project.call("Glob", json!({ "pattern": "*", "offset": u64::MAX }));
    assert_eq!(
        beyond.ok(),
        "[Only 250 paths match; none is at this offset.]\n"
    );
}

#[test]
fn a_long_answer_is_cut_at_64_kib_and_says_so() {
    let project = Project::new();
    for n in 0..1_000 {
        project.write(format!("{n:03}{}", "x".repeat(200)), "");
    }
    let answer = project.call("Glob", json!({ "pattern": "*", "limit": 100_000 }));
    assert!(answer.ok().len() <= 64 * 1024);
    let next = answer.details["nextOffset"].as_u64().unwrap();
    assert!(
        answer
            .ok()
            .contains(&format!("of 1000. Continue with offset {next}."))
    );
}

#[test]
fn links_are_listed_but_not_followed() {
    let project = Project::new();
    project.write("dir/file", "");
    project.link("dir/loop", "..");
    project.link("to-dir", "dir");
    project.link("to-file", "dir/file");
    project.link("broken", "nowhere");
    let answer = project.call("Glob", json!({ "pattern": "**" }));
    let listed = "dir/\ndir/file\ndir/loop/\nto-dir/\nto-file\n";
    let note = "[1 links that are broken or lead outside are left out.]\n";
    assert_eq!(answer.ok(), format!("{listed}{note}"));
}

#[test]
fn names_that_are_not_text_are_shown_as_one_line() {
    let project = Project::new();
    project.write(OsStr::from_bytes(b"latin-\xe9"), "needle\n");
    project.write("two\nlines", "needle\n");
    let answer = project.call("Glob", json!({ "pattern": "*" }));
    assert_eq!(answer.ok(), "latin-\u{fffd}\ntwo\\nlines\n");
    let answer = project.call("Grep", json!({ "pattern": "needle" }));
    assert_eq!(
        answer.ok(),
        "latin-\u{fffd}:1:needle\ntwo\\nlines:1:needle\n"
    );
}

#[test]
fn bad_patterns_are_refused() {
    let project = project();
    for pattern in ["", "[", "{a,b", "a\0b", &"a".repeat(2_000)] {
        let answer = project.call("Glob", json!({ "pattern": pattern }));
        assert_eq!(answer.code(), "E_INVALID_ARGUMENTS", "{pattern:?}");
        assert!(answer.text.contains("`pattern`"), "{answer:?}");
    }
    let answer = project.call("Glob", json!({ "pattern": "*", "path": "absent" }));
    assert_eq!(answer.code(), "ENOENT");
    let answer = project.call("Glob", json!({ "pattern": "*", "path": "README.md" }));
    assert_eq!(answer.code(), "E_NOT_A_DIRECTORY");
}
