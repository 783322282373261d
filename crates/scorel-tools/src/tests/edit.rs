//! What `Edit` makes of files.

use std::fs;

use serde_json::{Value, json};

use super::project::{Project, Session, ToolAnswer};

/// One edit of a file with this content that was read before; gives the answer and the new content.
fn edit(content: &str, edits: Value) -> (ToolAnswer, String) {
    let project = Project::new();
    project.write("file", content);
    let session = Session::on(&project);
    session.read("file").ok();
    let answer = session.edits("file", edits);
    let after = project.content("file");
    assert_eq!(project.names(""), ["file"]);
    assert!(!answer.is_error || after == content, "{answer:?}");
    (answer, after)
}

fn replaced(content: &str, old: &str, new: &str) -> String {
    let edits = json!([{ "oldString": old, "newString": new }]);
    let (answer, after) = edit(content, edits);
    answer.ok();
    after
}

#[test]
fn a_text_is_replaced_literally() {
    for (old, new) in [
        ("b", "x"),
        ("b", "$&$1$$`\\1\\n"),
        ("b", ""),
        ("a\nb", "é🦀"),
        ("a\nb\nc", "\n"),
        ("b", "b\u{feff}\0"),
    ] {
        let expected = "a\nb\nc".replacen(old, new, 1);
        assert_eq!(replaced("a\nb\nc", old, new), expected, "{old:?}");
    }
    assert_eq!(replaced("a.c abc", "a.c", "x"), "x abc");
    assert_eq!(replaced("(a+)+$", "(a+)+$", "[x"), "[x");
}

#[test]
fn the_answer_reports_the_change() {
    let edits = json!([{ "oldString": "b\n", "newString": "x\ny\n" }]);
    let (answer, after) = edit("a\nb\nc\n", edits);
    assert_eq!(answer.ok(), "Changed file: 1 text replaced, +2 -1 lines.\n");
    assert_eq!(after, "a\nx\ny\nc\n");
    let details = &answer.details;
    assert_eq!(
        details["diff"],
        json!("--- a/file\n+++ b/file\n@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n")
    );
    assert_eq!(
        (&details["linesAdded"], &details["linesRemoved"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(details["bytes"], json!(8));
    assert_ne!(details["sha256"], details["sha256Before"]);
}

#[test]
fn line_ends_the_last_line_and_the_byte_order_mark_are_kept() {
    assert_eq!(
        replaced("a\r\nb\r\nc", "a\nb", "x\ny\nz"),
        "x\r\ny\r\nz\r\nc"
    );
    assert_eq!(replaced("a\r\nb\r\nc", "b\nc", "b\nd"), "a\r\nb\r\nd");
    assert_eq!(replaced("a\r\nb\r\nc", "b\r\nc", "b\r\nd"), "a\r\nb\r\nd");
    assert_eq!(replaced("a\r\nb\n", "b", "x\ny"), "a\r\nx\ny\n");
    assert_eq!(replaced("a\r\nb\n", "a\nb", "x\ny"), "x\r\ny\n");
    assert_eq!(replaced("a\r\nb", "\n", ""), "ab");
    assert_eq!(replaced("\u{feff}a\r\n", "a", "b\nc"), "\u{feff}b\r\nc\r\n");
    assert_eq!(replaced("a\nb", "b", "c"), "a\nc");
    assert_eq!(replaced("a\n", "a", "b"), "b\n");
}

#[test]
fn a_text_that_is_there_more_than_once_is_refused_with_its_lines() {
    let edits = json!([{ "oldString": "x", "newString": "y" }]);
    let (answer, _) = edit("x\na\nx x\n", edits);
    assert_eq!(answer.code(), "E_AMBIGUOUS");
    assert!(
        answer.text.contains("3 times, in line 1, 3, 3;"),
        "{answer:?}"
    );
    assert_eq!(
        answer.details["error"]["details"]["lines"],
        json!([1, 3, 3])
    );
    let edits = json!([{ "oldString": "x", "newString": "y" }]);
    let (answer, _) = edit(&"x\n".repeat(1_000), edits);
    assert!(
        answer
            .text
            .contains("1000 times, in line 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more;")
    );
    // Which of two overlapping ones is meant is open, too.
    let (answer, _) = edit("aaa", json!([{ "oldString": "aa", "newString": "b" }]));
    assert_eq!(answer.code(), "E_AMBIGUOUS");
    let edits = json!([{ "oldString": "a\nb", "newString": "y" }]);
    let (answer, _) = edit("a\nb\na\r\nb\n", edits);
    assert_eq!(answer.code(), "E_AMBIGUOUS");
}

#[test]
fn every_occurrence_is_replaced_where_that_is_wanted() {
    let all = |old, new| json!([{ "oldString": old, "newString": new, "replaceAll": true }]);
    let (answer, after) = edit("x\na x\r\nxx", all("x", "yx"));
    assert_eq!(after, "yx\na yx\r\nyxyx");
    assert!(answer.ok().contains("4 texts replaced"));
    assert_eq!(answer.details["replacements"], json!(4));
    assert_eq!(edit("aaa", all("aa", "b")).1, "ba");
    assert_eq!(edit("a\r\nb\nc", all("\n", "\n\n")).1, "a\r\n\r\nb\n\nc");
    assert_eq!(edit("a", all("x", "y")).0.code(), "E_TEXT_NOT_FOUND");
}

#[test]
fn several_edits_are_made_in_order_and_all_or_none() {
    let (answer, after) = edit(
        "one\ntwo\nthree\n",
        json!([
            { "oldString": "one", "newString": "1\ntwo" },
            { "oldString": "two\ntwo", "newString": "2" },
            { "oldString": "three\n", "newString": "" },
        ]),
    );
    assert!(
        answer.ok().contains("3 texts replaced, +2 -3 lines"),
        "{answer:?}"
    );
    assert_eq!(after, "1\n2\n");
    let (answer, _) = edit(
        "one\ntwo\n",
        json!([
            { "oldString": "one", "newString": "1" },
            { "oldString": "three", "newString": "3" },
        ]),
    );
    assert_eq!(answer.code(), "E_TEXT_NOT_FOUND");
    assert!(answer.text.contains("edit 2 of 2: "), "{answer:?}");
    assert_eq!(answer.details["error"]["details"]["edit"], json!(2));
}

#[test]
fn a_text_that_is_not_there_is_explained() {
    let code = "fn main() {\n    let x = 1;\n    let y = 2;\n}\n";
    let numbered = "     2\t    let x = 1;\n     3\t    let y = 2;";
    for (old, advice) in [
        ("let z", "copy it exactly"),
        (numbered, "leave out the line numbers"),
        (
            "let x = 1;\nlet y = 2;",
            "the text in line 2 differs in white space only",
        ),
        (
            "\tlet y = 2;",
            "the text in line 3 differs in white space only",
        ),
        ("x = 1;  ", "the text in line 2 differs in white space only"),
        ("LET X", "copy it exactly"),
        (" \n \n", "copy it exactly"),
    ] {
        let edits = json!([{ "oldString": old, "newString": "" }]);
        let (answer, _) = edit(code, edits);
        assert_eq!(answer.code(), "E_TEXT_NOT_FOUND", "{old:?}");
        assert!(answer.text.contains(advice), "{old:?}: {answer:?}");
    }
}

#[test]
fn invalid_edits_are_refused() {
    for edits in [
        json!([]),
        json!([{ "oldString": "", "newString": "x" }]),
        json!([{ "oldString": "a", "newString": "a" }]),
        json!([{ "oldString": "a", "newString": "z" }, { "oldString": "z", "newString": "a" }]),
        json!([{ "oldString": "a\r\nb", "newString": "a\nb" }]),
        json!([{ "oldString": "a" }]),
        json!([{ "oldString": "a", "newString": "b", "all": true }]),
        json!("a"),
        Value::Array(vec![json!({ "oldString": "a", "newString": "b" }); 501]),
    ] {
        let (answer, _) = edit("a\r\nb", edits.clone());
        assert_eq!(answer.code(), "E_INVALID_ARGUMENTS", "{edits}");
    }
}

#[test]
fn only_a_file_whose_current_content_was_read_can_be_edited() {
    let project = Project::new();
    project.write("file", "one\ntwo\nthree\n");
    let session = Session::on(&project);
    assert_eq!(session.edit("file", "one", "1").code(), "E_NOT_READ");
    assert_eq!(session.edit("absent", "one", "1").code(), "ENOENT");
    assert_eq!(session.edit("no/such", "one", "1").code(), "ENOENT");
    session.read("file").ok();
    project.write("file", "one\ntwo\nfour\n");
    assert_eq!(session.edit("file", "one", "1").code(), "E_STALE");
    session.read("file").ok();
    session.edit("file", "one", "1").ok();
    // The content after an edit counts as read as well.
    session.edit("file", "1\ntwo", "1\n2").ok();
    assert_eq!(project.content("file"), "1\n2\nfour\n");
    let other = Session::on(&project);
    assert_eq!(other.edit("file", "1", "one").code(), "E_NOT_READ");
}

#[test]
fn the_edited_lines_are_enough_to_have_read() {
    let project = Project::new();
    let lines: String = (1..=5_000).map(|n| format!("line {n}\r\n")).collect();
    project.write("file", &lines);
    let session = Session::on(&project);
    let input = json!({ "path": "file", "offset": 3_000, "limit": 11 });
    session.call("Read", input).ok();
    session
        .edit("file", "line 3005\n", "five\nand a half\n")
        .ok();
    session.edit("file", "line 3010\n", "").ok();
    session.edit("file", "half\n", "a half\n").ok();
    let answer = session.edit("file", "line 3010", "ten");
    assert_eq!(answer.code(), "E_TEXT_NOT_FOUND");
    for (old, line) in [
        ("line 2999", 2999),
        ("line 3011", 3011),
        ("line 3009\nline 3011", 3010),
    ] {
        let answer = session.edit("file", old, "x");
        assert_eq!(answer.code(), "E_NOT_READ", "{answer:?}");
        assert!(
            answer
                .text
                .contains(&format!("line {line} of file was not")),
            "{answer:?}"
        );
    }
    let everywhere = json!([{ "oldString": "line", "newString": "row", "replaceAll": true }]);
    assert_eq!(session.edits("file", everywhere).code(), "E_NOT_READ");
    let expected = lines
        .replace("line 3005\r\n", "five\r\nand a a half\r\n")
        .replace("line 3010\r\n", "");
    assert_eq!(project.content("file"), expected);
}

#[test]
fn the_columns_that_were_read_of_a_long_line_can_be_edited() {
    let project = Project::new();
    let long: String = (0..20_000).map(|n| format!("[{n}]")).collect();
    project.write("long.js", &long);
    let session = Session::on(&project);
    session.read("long.js").ok();
    session.edit("long.js", "[1000]", "[a]").ok();
    let answer = session.edit("long.js", "[15000]", "[b]");
    assert_eq!(answer.code(), "E_NOT_READ");
    let column = project.content("long.js").find("[14990]").unwrap() + 1;
    let input = json!({ "path": "long.js", "column": column });
    session.call("Read", input).ok();
    session.edit("long.js", "[15000]", "[b]").ok();
    let expected = long.replace("[1000]", "[a]").replace("[15000]", "[b]");
    assert_eq!(project.content("long.js"), expected);
}

#[test]
fn permissions_and_links_are_kept() {
    let project = Project::new();
    project.write("real/script", "#!/bin/sh\n");
    project.set_mode("real/script", 0o750);
    project.link("link", "real/script");
    let session = Session::on(&project);
    session.read("link").ok();
    session.edit("link", "sh", "bash").ok();
    assert_eq!(project.content("real/script"), "#!/bin/bash\n");
    assert_eq!(project.mode("real/script"), 0o750);
    assert!(project.path("link").is_symlink());
}

#[test]
fn what_cannot_be_edited_stays() {
    let project = Project::new();
    project.write("cyrillic", b"\xcf\xf0\xe8");
    project.write("nul", b"a\0b");
    project.write("read-only", "old\n");
    project.set_mode("read-only", 0o444);
    project.write("large", vec![b'x'; 64 * 1024 * 1024 + 1]);
    project.write("grows", "x".repeat(1024 * 1024));
    fs::create_dir(project.path("dir")).unwrap();
    let session = Session::on(&project);
    session.read("read-only").ok();
    for (path, code) in [
        ("cyrillic", "E_BINARY"),
        ("nul", "E_BINARY"),
        ("read-only", "EACCES"),
        ("large", "E_WRITE_LIMIT"),
        ("dir", "E_IS_DIRECTORY"),
    ] {
        assert_eq!(session.edit(path, "o", "x").code(), code, "{path}");
    }
    session.write("seen", &"x".repeat(1024 * 1024)).ok();
    let grow =
        json!([{ "oldString": "x", "newString": "0123456789".repeat(7), "replaceAll": true }]);
    assert_eq!(session.edits("seen", grow).code(), "E_WRITE_LIMIT");
}

#[test]
fn what_was_read_can_be_forgotten() {
    let project = Project::new();
    project.write("file", "a\nb\n");
    let session = Session::on(&project);
    session.read("file").ok();
    session.tools.forget_reads();
    let edits = json!([{ "oldString": "b", "newString": "x" }]);
    let answer = session.edits("file", edits.clone());
    assert_eq!(answer.code(), "E_NOT_READ");
    session.read("file").ok();
    session.edits("file", edits).ok();
}
