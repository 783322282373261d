//! What `Grep` finds.

use serde_json::{Value, json};

use super::project::Project;

fn project() -> Project {
    let project = Project::new();
    project.write("a.rs", "one\nneedle two\nthree\nfour\nfive\nneedle six\n");
    project.write("b/c.py", "def needle():\n    pass\n");
    project.write("b/d.txt", "Needle\r\nhaystack\r\n");
    project
}

#[test]
fn content_shows_lines_with_their_places() {
    let answer = project().call("Grep", json!({ "pattern": "needle" }));
    assert_eq!(
        answer.ok(),
        "a.rs:2:needle two\na.rs:6:needle six\nb/c.py:1:def needle():\n"
    );
    assert_eq!(
        answer.details,
        json!({
            "ok": true, "path": "@project", "mode": "content", "shown": 3, "matchingFiles": 2,
            "matchingLines": 3, "searchedFiles": 3, "binaryFiles": 0, "exact": true,
            "truncated": false,
        })
    );
}

#[test]
fn every_option_narrows_or_widens_the_search() {
    let project = project();
    let all = "a.rs:2\nb/c.py:1\nb/d.txt:1\n";
    for (input, expected) in [
        (json!({ "mode": "files" }), "a.rs\nb/c.py\n"),
        (json!({ "mode": "count" }), "a.rs:2\nb/c.py:1\n"),
        (json!({ "mode": "count", "ignoreCase": true }), all),
        (json!({ "mode": "files", "path": "b" }), "b/c.py\n"),
        (json!({ "mode": "files", "path": "a.rs" }), "a.rs\n"),
        (json!({ "mode": "files", "type": "py" }), "b/c.py\n"),
        (json!({ "mode": "files", "type": "rust" }), "a.rs\n"),
        (json!({ "mode": "files", "glob": "*.py" }), "b/c.py\n"),
        (json!({ "mode": "files", "glob": "!*.py" }), "a.rs\n"),
        (json!({ "mode": "files", "glob": "!b" }), "a.rs\n"),
        (json!({ "mode": "files", "glob": "b/**" }), "b/c.py\n"),
        (json!({ "mode": "files", "glob": "*.{py,rb}" }), "b/c.py\n"),
        (
            json!({ "mode": "files", "type": null, "limit": null }),
            "a.rs\nb/c.py\n",
        ),
        (
            json!({ "pattern": "def.*pass", "multiline": true }),
            "b/c.py:1:def needle():\nb/c.py:2:    pass\n",
        ),
        (
            json!({ "pattern": r"one\nneedle", "multiline": true, "mode": "files" }),
            "a.rs\n",
        ),
        (
            json!({ "pattern": "^Needle", "path": "b/d.txt" }),
            "b/d.txt:1:Needle\n",
        ),
    ] {
        let mut input = input;
        if input.get("pattern").is_none() {
            input["pattern"] = json!("needle");
        }
        let answer = project.call("Grep", input.clone());
        assert_eq!(answer.ok(), expected, "{input}");
    }
}

#[test]
fn context_lines_surround_matches() {
    let project = project();
    let around = |options: Value| {
        let mut input = json!({ "pattern": "needle", "path": "a.rs" });
        input
            .as_object_mut()
            .unwrap()
            .extend(options.as_object().unwrap().clone());
        project.call("Grep", input).ok().to_owned()
    };
    assert_eq!(
        around(json!({ "context": 1 })),
        "a.rs-1-one\na.rs:2:needle two\na.rs-3-three\n--\na.rs-5-five\na.rs:6:needle six\n"
    );
    assert_eq!(
        around(json!({ "after": 1, "limit": 1 })),
        "a.rs:2:needle two\na.rs-3-three\n\
         [Matching lines 1 to 1 of 2 in 1 files. Continue with offset 1.]\n"
    );
    assert_eq!(
        around(json!({ "before": 1, "offset": 1 })),
        "a.rs-5-five\na.rs:6:needle six\n[Matching lines 2 to 2 of 2 in 1 files.]\n"
    );
    let both = project.call(
        "Grep",
        json!({ "pattern": "needle", "before": 1, "limit": 3 }),
    );
    assert!(
        both.ok()
            .ends_with("a.rs:6:needle six\n--\nb/c.py:1:def needle():\n")
    );
}

#[test]
fn pages_add_up_to_the_whole() {
    let project = Project::new();
    for file in 0..20 {
        project.write(format!("f{file:02}"), "needle\n".repeat(31));
    }
    let whole = project.call("Grep", json!({ "pattern": "needle", "limit": 10_000 }));
    assert_eq!(whole.ok().lines().count(), 620);
    let (mut text, mut offset) = (String::new(), Some(0));
    while let Some(at) = offset {
        let answer = project.call("Grep", json!({ "pattern": "needle", "offset": at }));
        text.extend(
            answer
                .ok()
                .split_inclusive('\n')
                .filter(|line| !line.starts_with('[')),
        );
        offset = answer.details["nextOffset"].as_u64();
        assert_eq!(answer.details["matchingLines"], json!(620));
        assert_eq!(answer.details["exact"], json!(true));
    }
    assert_eq!(text, whole.ok());
    let files = project.call(
        "Grep",
        json!({ "pattern": "needle", "mode": "files", "limit": 5 }),
    );
    assert!(
        files
            .ok()
            .ends_with("f04\n[Files 1 to 5 of 20. Continue with offset 5.]\n")
    );
}

#[test]
fn a_long_answer_is_cut_at_64_kib_and_says_so() {
    let project = Project::new();
    project.write("wide", format!("{}needle\n", "x".repeat(400)).repeat(1_000));
    let answer = project.call(
        "Grep",
        json!({ "pattern": "needle", "limit": 1_000, "context": 255 }),
    );
    assert!(answer.ok().len() <= 64 * 1024);
    let next = answer.details["nextOffset"].as_u64().unwrap();
    let note = format!("of 1000 in 1 files. Continue with offset {next}.]\n");
    assert!(answer.ok().ends_with(&note), "{}", answer.details);
}

#[test]
fn binary_files_are_skipped() {
    let project = Project::new();
    project.write("early", b"\0needle\n");
    project.write("text", "needle\n");
    project.write(
        "late",
        [b"needle\n", vec![b'x'; 200_000].as_slice(), b"\0needle"].concat(),
    );
    let answer = project.call("Grep", json!({ "pattern": "needle" }));
    assert_eq!(
        answer.ok(),
        "late:1:needle\ntext:1:needle\n\
         [1 of the files are binary; matches after their first NUL byte are left out.]\n"
    );
    assert_eq!(answer.details["binaryFiles"], json!(2));
    let answer = project.call("Grep", json!({ "pattern": "needle", "path": "early" }));
    assert!(answer.ok().ends_with("1 binary files were skipped.]\n"));
}

#[test]
fn bytes_that_are_not_text_are_shown_as_replaced() {
    let project = Project::new();
    project.write("latin-1", b"caf\xe9 needle\n");
    project.write("utf-16", b"\xff\xfen\0e\0e\0d\0l\0e\0\n\0");
    let answer = project.call("Grep", json!({ "pattern": "needle" }));
    assert_eq!(
        answer.ok(),
        "latin-1:1:caf\u{fffd} needle\nutf-16:1:needle\n"
    );
}

#[test]
fn ignored_files_and_links_are_left_out() {
    let project = project();
    project.write(".ignore", "/b\n");
    project.write(".git/needle", "needle\n");
    project.link("again", "a.rs");
    let answer = project.call("Grep", json!({ "pattern": "needle", "mode": "files" }));
    assert_eq!(answer.ok(), "a.rs\n");
    let answer = project.call(
        "Grep",
        json!({ "pattern": "needle", "mode": "files", "glob": "*" }),
    );
    assert_eq!(answer.ok(), "a.rs\n");
    let answer = project.call(
        "Grep",
        json!({ "pattern": "needle", "mode": "files", "path": "b" }),
    );
    assert_eq!(answer.ok(), "b/c.py\n");
    let answer = project.call(
        "Grep",
        json!({ "pattern": "needle", "mode": "files", "path": "again" }),
    );
    assert_eq!(answer.ok(), "again\n");
}

#[test]
fn an_empty_answer_says_what_was_searched() {
    let project = project();
    let answer = project.call("Grep", json!({ "pattern": "absent" }));
    assert_eq!(
        answer.ok(),
        "[No match in the project; files searched: 3.]\n"
    );
    let answer = project.call("Grep", json!({ "pattern": "needle", "glob": "*.go" }));
    assert_eq!(answer.ok(), "[No file in the project was searched.]\n");
}

#[test]
fn bad_patterns_are_refused_with_the_argument_named() {
    let project = project();
    for (input, named) in [
        (json!({ "pattern": "" }), "`pattern`"),
        (json!({ "pattern": "(" }), "`pattern`"),
        (json!({ "pattern": "(?=x)" }), "`pattern`"),
        (json!({ "pattern": r"(a)\1" }), "`pattern`"),
        (json!({ "pattern": r"a\nb" }), "`multiline`"),
        (json!({ "pattern": "x".repeat(1 << 20) }), "`pattern`"),
        (json!({ "pattern": r"\w{1000}{1000}" }), "`pattern`"),
        (json!({ "pattern": "x", "glob": "[" }), "`glob`"),
        (json!({ "pattern": "x", "type": "nonsense" }), "`type`"),
        (json!({ "pattern": "x", "context": 256 }), "`context`"),
    ] {
        let answer = project.call("Grep", input);
        assert_eq!(answer.code(), "E_INVALID_ARGUMENTS");
        assert!(answer.text.contains(named), "{named}: {answer:?}");
        assert!(answer.text.len() < 40_000);
    }
}

#[test]
fn nested_repetition_takes_linear_time() {
    let project = Project::new();
    project.write("long", "a".repeat(1_000_000) + "b");
    let answer = project.call("Grep", json!({ "pattern": "^(a+)+$", "mode": "files" }));
    assert_eq!(
        answer.ok(),
        "[No match in the project; files searched: 1.]\n"
    );
}

#[test]
fn lines_beyond_the_memory_bound_are_reported() {
    let project = Project::new();
    project.write("endless", "x".repeat(40 << 20));
    let answer = project.call("Grep", json!({ "pattern": "needle" }));
    assert!(
        answer
            .ok()
            .contains("1 files or directories could not be searched")
    );
    assert_eq!(answer.details["exact"], json!(false));
}
