//! Paths that lead out, through every tool and every resolver.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::project::{Project, RESOLVERS, Session};

const CANARY: &str = "CANARY-CONTENT";
const VIOLATION: &[&str] = &["E_SANDBOX_VIOLATION"];
const INVALID: &[&str] = &["E_INVALID_ARGUMENTS"];
const ABSENT: &[&str] = &["ENOENT", "E_NOT_A_DIRECTORY"];

fn project() -> Project {
    let project = Project::new();
    project.write("ok.txt", "fine\n");
    project.write("dir/in.txt", "fine\n");
    for outside in ["../outside", "../ws-evil"] {
        project.write(format!("{outside}/canary"), CANARY);
        project.write(format!("{outside}/deep/canary"), CANARY);
    }
    project.write("../canary", CANARY);
    let outside = project.path("../outside").canonicalize().unwrap();
    project.link("link-file", "../outside/canary");
    project.link("link-dir", "../outside");
    project.link("link-sibling", "../ws-evil");
    project.link("link-parent", "..");
    project.link("link-chain", "link-dir");
    project.link("link-long-chain", "dir/up/link-chain");
    project.link("link-abs-file", outside.join("canary"));
    project.link("link-abs-dir", &outside);
    project.link("link-root", "/");
    project.link("link-missing", "../outside/nothing");
    project.link("link-back", "../ws/ok.txt");
    project.link("link-abs-inside", project.path("ok.txt"));
    project.link("dir/up", "..");
    project.link("dir/up-up", "../..");
    project.link("dir/through", "up/../../outside");
    project.link("loop", "loop");
    project.link("loop-a", "loop-b");
    project.link("loop-b", "loop-a");
    project.link("proc-root", "/proc/self/root");
    project.link("proc-cwd", "/proc/self/cwd");
    project.link("dev-zero", "/dev/zero");
    project
}

/// Each path with the codes that it may be refused with.
fn escapes(project: &Project) -> Vec<(String, &'static [&'static str])> {
    let mut shapes: Vec<(String, &[&str])> = Vec::new();
    for path in [
        "..",
        "../",
        "../.",
        "../canary",
        "./../canary",
        "../outside",
        "../outside/canary",
        "../outside/nothing",
        "../ws-evil/canary",
        "../ws/../canary",
        "../../../../../../../../etc/passwd",
        "dir/../../canary",
        "dir/../../outside/canary",
        "dir//..//..//canary",
        "dir/up-up",
        "dir/up-up/canary",
        "dir/up/../canary",
        "dir/through",
        "dir/through/canary",
        "link-file",
        "link-file/",
        "link-dir",
        "link-dir/",
        "link-dir/canary",
        "link-dir/deep/canary",
        "link-dir/deep/../canary",
        "link-dir/../ws/ok.txt",
        "link-dir/nothing",
        "link-sibling",
        "link-sibling/canary",
        "link-parent",
        "link-parent/canary",
        "link-parent/ws/ok.txt",
        "link-chain",
        "link-chain/canary",
        "link-long-chain/canary",
        "link-abs-file",
        "link-abs-dir",
        "link-abs-dir/canary",
        "link-root",
        "link-root/etc/passwd",
        "link-missing",
        "link-back",
        "link-abs-inside",
        "loop",
        "loop-a",
        "loop/x",
        "proc-root/etc/passwd",
        "proc-cwd/Cargo.toml",
        "dev-zero",
        "@project/..",
        "@project/../canary",
        "@project/link-dir/canary",
        "@project/dir/../../canary",
        "/",
        "/etc/passwd",
        "/dev/stdin",
        "/dev/zero",
        "/proc/self/mem",
        "/proc/self/root/etc/passwd",
        "/proc/self/fd/0",
        "//etc/passwd",
    ] {
        shapes.push((path.to_owned(), VIOLATION));
    }
    let root = project.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    for suffix in [
        "-evil/canary",
        "/../canary",
        "/link-dir/canary",
        "/../ws-evil/canary",
    ] {
        shapes.push((format!("{root}{suffix}"), VIOLATION));
    }
    shapes.push(("/proc/self/root".to_owned() + root + "/ok.txt", VIOLATION));
    for path in ["", "ok.txt\0", "\0", "dir/\0/../../canary"] {
        shapes.push((path.to_owned(), INVALID));
    }
    shapes.push(("x".repeat(5_000), INVALID));
    shapes.push(("a/".repeat(2_500) + "b", INVALID));
    shapes.push(("x".repeat(300), INVALID));
    for path in [
        "@PROJECT/ok.txt",
        "@projec/ok.txt",
        "~/x",
        "ok.tx\u{fffd}",
        "%2e%2e/canary",
    ] {
        shapes.push((path.to_owned(), ABSENT));
    }
    for path in ["ok.txt/..canary", "ok.txt/x", "...", "..\\canary"] {
        shapes.push((path.to_owned(), ABSENT));
    }
    shapes
}

#[test]
fn no_path_leads_out_of_the_project() {
    let mut tried = 0;
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        for (path, codes) in escapes(&project) {
            let calls: [(&str, Value); 4] = [
                ("Read", json!({ "path": path })),
                ("Glob", json!({ "path": path, "pattern": "**" })),
                ("Grep", json!({ "path": path, "pattern": "CANARY" })),
                (
                    "Grep",
                    json!({ "path": path, "pattern": "CANARY", "mode": "files" }),
                ),
            ];
            for (tool, input) in calls {
                let answer = project.call(tool, input);
                let case = format!("{tool} {path:?} with {resolver:?}: {answer:?}");
                assert!(answer.is_error, "{case}");
                assert!(codes.contains(&answer.code()), "{case}");
                assert!(!answer.text.contains(CANARY), "{case}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 240 * RESOLVERS.len(), "only {tried} tries");
}

/// Everything beside the project, with content.
fn outside(project: &Project) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![project.path("..")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            if path.ends_with("../ws") {
                continue;
            }
            let content = if kind.is_file() {
                fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            found.insert(path.clone(), content);
            if kind.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

/// Returns whether writing to one of these paths is a thing inside the project: a new name there.
fn names_something_new(path: &str) -> bool {
    ["@PROJECT/", "@projec/", "~/", "%2e%2e/", "..."]
        .iter()
        .any(|start| path.starts_with(start))
        || ["ok.tx\u{fffd}", "..\\canary"].contains(&path)
}

#[test]
fn nothing_is_written_outside_of_the_project() {
    let mut tried = 0;
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let session = Session::on(&project);
        let before = outside(&project);
        for (path, codes) in escapes(&project) {
            let edit = json!({ "oldString": CANARY, "newString": "ESCAPED" });
            let calls: [(&str, Value); 4] = [
                ("Write", json!({ "path": path, "content": "ESCAPED" })),
                (
                    "Write",
                    json!({ "path": format!("{path}/new/file"), "content": "ESCAPED" }),
                ),
                ("Edit", json!({ "path": path, "edits": [edit] })),
                (
                    "Write",
                    json!({ "path": format!("{path}.new"), "content": "" }),
                ),
            ];
            for (number, (tool, input)) in (1..).zip(calls) {
                let answer = session.call(tool, input);
                let case = format!("{tool} {number} {path:?} with {resolver:?}: {answer:?}");
                if number == 1 && !names_something_new(&path) {
                    let also = ["E_IS_DIRECTORY", "E_INVALID_ARGUMENTS"];
                    assert!(answer.is_error, "{case}");
                    let code = answer.code();
                    assert!(codes.contains(&code) || also.contains(&code), "{case}");
                }
                assert!(!answer.text.contains(CANARY), "{case}");
                tried += 1;
            }
        }
        assert_eq!(outside(&project), before, "with {resolver:?}");
        assert_eq!(project.content("ok.txt"), "fine\n");
        assert_eq!(project.content("dir/in.txt"), "fine\n");
    }
    assert!(tried >= 240 * RESOLVERS.len(), "only {tried} tries");
}

#[test]
fn no_pattern_leads_out_of_the_project() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        for (path, _) in escapes(&project) {
            for pattern in [path.clone(), format!("{path}/*"), format!("{path}/**")] {
                let answer = project.call("Glob", json!({ "pattern": pattern }));
                let outside = ["canary\n", "deep/\n", "passwd\n", "ws-evil/\n"];
                let lists = outside.iter().any(|name| answer.text.contains(name));
                assert!(!lists || answer.is_error, "{pattern:?}: {answer:?}");
            }
        }
    }
}

#[test]
fn whole_walks_stay_inside() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let listed = project.call("Glob", json!({ "pattern": "**", "limit": 1000 }));
        assert!(!listed.ok().contains("canary"), "{listed:?}");
        assert!(
            listed
                .ok()
                .contains("links that are broken or lead outside")
        );
        let found = project.call("Grep", json!({ "pattern": "CANARY" }));
        assert!(
            found.ok().starts_with("[No match in the project"),
            "{found:?}"
        );
    }
}

#[test]
fn every_way_to_write_an_inner_path_works() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        project.link("inner-file", "dir/in.txt");
        project.link("inner-dir", "./dir/../dir");
        project.write("@project/odd.txt", "fine\n");
        let absolute = project.path("ok.txt");
        let real = project.path("").canonicalize().unwrap().join("dir/in.txt");
        for path in [
            "ok.txt",
            "./ok.txt",
            "@project/ok.txt",
            "@project//dir/./in.txt",
            "dir/../ok.txt",
            "dir/up/ok.txt",
            "dir/up/dir/up/dir/in.txt",
            "inner-file",
            "inner-dir/in.txt",
            "inner-dir/../ok.txt",
            "@project/@project/odd.txt",
            absolute.to_str().unwrap(),
            real.to_str().unwrap(),
        ] {
            let answer = project.call("Read", json!({ "path": path }));
            assert_eq!(answer.ok(), "     1\tfine\n", "{path} with {resolver:?}");
            let answer = project.call("Grep", json!({ "path": path, "pattern": "fine" }));
            assert!(answer.ok().ends_with(":1:fine\n"), "{path}: {answer:?}");
        }
    }
}
