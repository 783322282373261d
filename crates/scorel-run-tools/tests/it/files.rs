use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::run::TestRun;

fn sha256(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

#[test]
fn each_result_is_the_json_of_its_type() {
    let run = TestRun::new();
    let turn = run.turn();
    fs::write(run.project().join("a.md"), "one\nTwo é two\nthree\n").unwrap();
    fs::create_dir(run.project().join("dir")).unwrap();
    let text = "one\nTwo é two\nthree\n";
    let golden = [
        (
            "fs_read",
            json!({"path": "a.md"}),
            json!({
                "ok": true, "path": "@project/a.md", "bytes": 21, "sha256": sha256(text), "truncated": false, "content": text,
            }),
        ),
        (
            "fs_read",
            json!({"path": "@project/a.md", "startLine": 2, "lines": 1}),
            json!({
                "ok": true, "path": "@project/a.md", "bytes": 21, "sha256": sha256(text), "truncated": false,
                "content": "Two é two\n", "startLine": 2, "lines": 1, "totalLines": 3,
            }),
        ),
        (
            "fs_search",
            json!({"pattern": "two", "context": 1}),
            json!({
                "ok": true, "truncated": false, "stats": {"filesScanned": 1, "matchesFound": 1},
                "matches": [{"path": "@project/a.md", "line": 2, "column": 7, "text": "Two é two", "before": ["one"], "after": ["three"]}],
            }),
        ),
        (
            "fs_list",
            json!({"path": "@project"}),
            json!({
                "ok": true, "path": "@project", "entries": ["a.md", "dir/"], "truncated": false,
            }),
        ),
        (
            "fs_list",
            json!({"path": "@pkg/steps"}),
            json!({
                "ok": true, "path": "@pkg/steps", "entries": ["ask.md", "end-99.md", "review.md", "write.md"], "truncated": false,
            }),
        ),
        (
            "fs_write",
            json!({"path": "artifacts/x/y.md", "content": "new\n"}),
            json!({
                "ok": true, "path": "@project/artifacts/x/y.md", "bytesWritten": 4, "sha256After": sha256("new\n"),
            }),
        ),
        (
            "fs_apply_patch",
            json!({"path": "a.md", "operations": [
                {"operation": "replaceText", "old": "Two é", "new": "2"}, {"operation": "appendText", "text": "four\n"},
            ]}),
            json!({
                "ok": true, "path": "@project/a.md", "sha256Before": sha256(text), "sha256After": sha256("one\n2 two\nthree\nfour\n"),
            }),
        ),
        (
            "fs_read",
            json!({"path": "b.md"}),
            json!({
                "ok": false, "error": {
                    "code": "ENOENT", "message": "b.md does not exist; see what is there with fs_list", "details": {"path": "@project/b.md"},
                },
            }),
        ),
    ];
    for (tool, input, expected) in golden {
        assert_eq!(turn.call(tool, input).json, expected, "{tool}");
    }
}

#[test]
fn long_files_are_previewed_and_read_by_windows() {
    let run = TestRun::new();
    let turn = run.turn();
    let line = format!("{}\n", "é".repeat(24));
    let text = line.repeat(1_500);
    fs::write(run.project().join("long.md"), &text).unwrap();
    let preview = turn.call("fs_read", json!({"path": "long.md"}));
    let shown = preview.ok()["contentPreview"].as_str().unwrap();
    assert!(text.starts_with(shown) && (4_090..=4_096).contains(&shown.len()));
    assert_eq!(preview.json["truncated"], json!(true));
    assert_eq!(
        preview.json["sha256"],
        json!(sha256(&text)),
        "of the whole file"
    );
    assert!(preview.json["hint"].as_str().unwrap().contains("fs_search"));
    let details = preview.outcome.details.as_ref().unwrap();
    assert!(
        details.get("contentPreview").is_none(),
        "records have it once"
    );
    let window = turn.call("fs_read", json!({"path": "long.md", "startLine": 10}));
    let (shown, lines) = (
        window.json["contentPreview"].as_str().unwrap(),
        window.json["lines"].as_u64().unwrap(),
    );
    assert_eq!(shown.len() / line.len(), usize::try_from(lines).unwrap());
    assert!(shown.len() <= 32 * 1024);
    let hint = format!("more follows: go on with `startLine` {}", 10 + lines);
    assert_eq!(window.json["hint"], json!(hint));
    let beyond = turn.call("fs_read", json!({"path": "long.md", "startLine": 9_999}));
    assert_eq!(
        (&beyond.ok()["content"], &beyond.json["lines"]),
        (&json!(""), &json!(0))
    );
}

#[test]
fn limits_are_those_of_the_node() {
    let run = TestRun::new();
    let turn = run.turn();
    fs::write(run.project().join("large.md"), "x\n".repeat(60_000)).unwrap();
    let refused = turn.call("fs_read", json!({"path": "large.md"}));
    assert_eq!(refused.code(), "E_READ_LIMIT");
    assert_eq!(refused.details()["maxReadBytes"], json!(100_000));
    turn.call("fs_read", json!({"path": "large.md", "startLine": 59_999}))
        .ok();
    let content = "x".repeat(60_001);
    let refused = turn.call("fs_write", json!({"path": "new.md", "content": content}));
    assert_eq!(refused.code(), "E_WRITE_LIMIT");
    assert_eq!(refused.details()["maxWriteBytes"], json!(60_000));
    assert!(!run.project().join("new.md").exists());
}

#[test]
fn matches_and_entries_have_bounds() {
    let run = TestRun::new();
    let turn = run.turn();
    for number in 0..501 {
        fs::write(run.project().join(format!("{number:03}.md")), "a\nb\na\n").unwrap();
    }
    let list = turn.call("fs_list", json!({"path": "."}));
    assert_eq!(list.ok()["entriesPreview"].as_array().unwrap().len(), 500);
    assert!(list.json.get("entries").is_none() && list.json["hint"].is_string());
    let found = turn.call("fs_search", json!({"pattern": "a", "context": 9}));
    assert_eq!(found.ok()["matches"].as_array().unwrap().len(), 100);
    assert_eq!(
        found.json["stats"],
        json!({"filesScanned": 501, "matchesFound": 1002})
    );
    assert_eq!(found.json["truncated"], json!(true));
    assert_eq!(found.json["matches"][1]["before"], json!(["a", "b"]));
    assert_eq!(found.json["matches"][0]["after"], json!(["b", "a"]));
}

#[test]
fn what_is_overwritten_is_known() {
    let run = TestRun::new();
    let turn = run.turn();
    let file = run.project().join("a.md");
    fs::write(&file, "old").unwrap();
    let write = |more: serde_json::Value| {
        let mut input = json!({"path": "a.md", "content": "new"});
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        turn.call("fs_write", input)
    };
    let unread = write(json!({}));
    assert_eq!(unread.code(), "E_PRECONDITION_FAILED");
    assert_eq!(unread.details()["expected"], json!(null));
    assert_eq!(unread.details()["actual"], json!(sha256("old")));
    let other = write(json!({"ifMatchSha256": sha256("other")}));
    assert_eq!(other.code(), "E_PRECONDITION_FAILED");
    assert_eq!(other.details()["expected"], json!(sha256("other")));
    write(json!({"ifMatchSha256": sha256("old").to_uppercase()})).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    fs::write(&file, "newer").unwrap();
    assert_eq!(write(json!({})).code(), "E_PRECONDITION_FAILED");
    turn.call("fs_read", json!({"path": "a.md"})).ok();
    write(json!({})).ok();
    fs::remove_file(&file).unwrap();
    let gone = write(json!({"ifMatchSha256": sha256("new")}));
    assert_eq!(gone.details()["actual"], json!(null));
    assert_eq!(
        write(json!({"ifMatchSha256": "abc"})).code(),
        "E_INVALID_ARGUMENTS"
    );
}

#[test]
fn a_patch_is_whole_or_nothing_and_keeps_the_ends_of_lines() {
    let run = TestRun::new();
    let turn = run.turn();
    let file = run.project().join("a.md");
    fs::write(&file, "one\r\ntwo\r\none\r\n").unwrap();
    turn.call("fs_read", json!({"path": "a.md"})).ok();
    let patch = |operations: serde_json::Value| {
        turn.call(
            "fs_apply_patch",
            json!({"path": "a.md", "operations": operations}),
        )
    };
    let replace =
        |old: &str, new: &str| json!({"operation": "replaceText", "old": old, "new": new});
    for (operations, code) in [
        (
            json!([replace("two", "2"), replace("one", "1")]),
            "E_AMBIGUOUS",
        ),
        (
            json!([replace("two", "2"), replace("two", "3")]),
            "E_TEXT_NOT_FOUND",
        ),
        (
            json!([{"operation": "updateFrontmatter", "update": {}}]),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!([{"operation": "replaceText", "new": "x"}]),
            "E_INVALID_ARGUMENTS",
        ),
        (json!([]), "E_INVALID_ARGUMENTS"),
    ] {
        assert_eq!(patch(operations).code(), code);
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\r\ntwo\r\none\r\n");
    }
    patch(json!([replace("one\ntwo\n", "1\n"), {"operation": "appendText", "text": "end\n"}])).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), "1\r\none\r\nend\r\n");
}

#[test]
fn no_path_leads_out_of_the_mounts() {
    let run = TestRun::new();
    let turn = run.turn();
    fs::write(run.home().join("secret"), "s").unwrap();
    symlink("../../../secret", run.document().with_file_name("link")).unwrap();
    symlink(run.home(), run.project().join("home")).unwrap();
    let home = run.home();
    for path in [
        "/etc/passwd",
        "@state/../../../secret",
        "@state/link",
        "@pkg/../../secret",
        "home/secret",
        "../home/secret",
        home.join("secret").to_str().unwrap(),
    ] {
        for (tool, input) in [
            ("fs_read", json!({"path": path})),
            ("fs_search", json!({"path": path, "pattern": "s"})),
            ("fs_list", json!({"path": path})),
            (
                "fs_apply_patch",
                json!({"path": path, "ifMatchSha256": sha256("s"), "operations": [{"operation": "appendText", "text": "x"}]}),
            ),
            (
                "fs_write",
                json!({"path": path, "content": "x", "ifMatchSha256": sha256("s")}),
            ),
        ] {
            let answer = turn.call(tool, input);
            let code = answer.code();
            let is_refused = code == "E_SANDBOX_VIOLATION" || tool != "fs_read" && code == "EACCES";
            assert!(is_refused, "{tool} {path}: {:?}", answer.outcome);
        }
    }
    assert_eq!(fs::read_to_string(run.home().join("secret")).unwrap(), "s");
    let package = turn.call(
        "fs_write",
        json!({"path": "@pkg/steps/ask.md", "content": "x"}),
    );
    assert_eq!(package.code(), "EACCES");
}

#[test]
fn a_call_that_is_refused_leaves_no_directory() {
    let run = TestRun::new();
    let turn = run.turn();
    let append = json!([{"operation": "appendText", "text": "x"}]);
    for path in ["new/dir/a.md", "@state/new/a.md"] {
        let patch = json!({"path": path, "operations": append});
        assert_eq!(turn.call("fs_apply_patch", patch).code(), "ENOENT");
        let other = json!({"path": path, "content": "x", "ifMatchSha256": "0".repeat(64)});
        let refused = turn.call("fs_write", other);
        assert_eq!(refused.code(), "E_PRECONDITION_FAILED");
    }
    assert!(!run.project().join("new").exists());
    assert!(!run.document().with_file_name("new").exists());
    let written = turn.call("fs_write", json!({"path": "new/dir/a.md", "content": "x"}));
    written.ok();
    let mode = |path: &str| {
        let found = fs::metadata(run.project().join(path)).unwrap();
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode("new"), mode("new/dir"), "of the user's umask");
}
