//! What `Read` shows of files.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::project::Project;

#[test]
fn a_file_is_shown_with_numbers_and_its_figures() {
    let project = Project::new();
    let content = "fn main() {\r\n\tprintln!(\"ü\");\n}";
    project.write("src/main.rs", content);
    let answer = project.call("Read", json!({ "path": "src/main.rs" }));
    assert_eq!(
        answer.ok(),
        "     1\tfn main() {\n     2\t\tprintln!(\"ü\");\n     3\t}\n"
    );
    assert_eq!(
        answer.details,
        json!({
            "ok": true,
            "path": "@project/src/main.rs",
            "bytes": content.len(),
            "sha256": format!("{:x}", Sha256::digest(content)),
            "startLine": 1,
            "endLine": 3,
            "totalLines": 3,
            "truncated": false,
        })
    );
}

#[test]
fn a_range_tells_where_to_go_on() {
    let project = Project::new();
    let lines: String = (1..=5_000).map(|n| format!("line {n}\n")).collect();
    project.write("log", &lines);
    let answer = project.call("Read", json!({ "path": "log" }));
    let note = "[Lines 1 to 2000 of 5000. Continue with offset 2001.]\n";
    assert!(answer.ok().ends_with(&format!("  2000\tline 2000\n{note}")));
    let answer = project.call("Read", json!({ "path": "log", "offset": 2001, "limit": 2 }));
    let note = "[Lines 2001 to 2002 of 5000. Continue with offset 2003.]\n";
    assert_eq!(
        answer.ok(),
        format!("  2001\tline 2001\n  2002\tline 2002\n{note}")
    );
    assert_eq!(answer.details["nextOffset"], json!(2003));
    assert_eq!(answer.details["truncated"], json!(true));
    let answer = project.call("Read", json!({ "path": "log", "offset": 4999, "limit": 2 }));
    assert_eq!(answer.ok(), "  4999\tline 4999\n  5000\tline 5000\n");
    assert_eq!(answer.details["truncated"], json!(false));
}

#[test]
fn following_the_offsets_gives_the_whole_file() {
    let project = Project::new();
    let lines: Vec<String> = (0..3_000).map(|n| "é".repeat(n % 700)).collect();
    project.write("log", lines.join("\n"));
    let (mut shown, mut offset) = (Vec::new(), Some(1));
    while let Some(at) = offset {
        let answer = project.call("Read", json!({ "path": "log", "offset": at }));
        let numbered = answer.ok().lines().filter(|line| !line.starts_with('['));
        shown.extend(numbered.map(|line| line.split_once('\t').unwrap().1.to_owned()));
        offset = answer.details["nextOffset"].as_u64();
        assert!(answer.ok().len() <= 257 * 1024);
    }
    assert_eq!(shown, lines);
}

#[test]
fn offsets_beyond_the_end_are_answered() {
    let project = Project::new();
    project.write("short", "one\ntwo\n");
    project.write("empty", "");
    for offset in [3u64, 1 << 63, u64::MAX] {
        let input = json!({ "path": "short", "offset": offset, "limit": u64::MAX });
        let answer = project.call("Read", input);
        assert_eq!(
            answer.ok(),
            "[short has only 2 lines; nothing is at this offset.]\n"
        );
        assert_eq!(answer.details["startLine"], json!(null));
    }
    assert_eq!(
        project.call("Read", json!({ "path": "empty" })).ok(),
        "[empty is empty.]\n"
    );
}

#[test]
fn binary_files_are_refused() {
    let project = Project::new();
    let late = [vec![b'x'; 100_000], b"\n\0\n".to_vec()].concat();
    for (name, content) in [
        ("nul", b"text\0text".to_vec()),
        ("late-nul", late),
        ("surrogate", b"\xed\xa0\x80".to_vec()),
        ("cyrillic", b"\xcf\xf0\xe8\xe2\xe5\xf2".to_vec()),
        ("utf-16-odd", b"\xff\xfeh\0i".to_vec()),
        ("utf-32", b"\xff\xfe\0\0h\0\0\0".to_vec()),
    ] {
        project.write(name, content);
        let answer = project.call("Read", json!({ "path": name }));
        assert_eq!(answer.code(), "E_BINARY", "{name}");
        assert!(answer.text.contains("not UTF-8 text"));
    }
}

#[test]
fn characters_across_pieces_are_kept() {
    let project = Project::new();
    for padding in 0..4 {
        let content = format!("{}{}", "x".repeat(padding), "🦀\n".repeat(40_000));
        project.write("crabs", &content);
        let answer = project.call("Read", json!({ "path": "crabs", "offset": 39_990 }));
        assert!(answer.ok().ends_with(" 40000\t🦀\n"));
        assert_eq!(answer.details["totalLines"], json!(40_000));
    }
}

#[test]
fn files_up_to_the_limit_are_hashed_and_counted() {
    let project = Project::new();
    let line = format!("{}\n", "x".repeat(1_023));
    project.write("whole", line.repeat(64 * 1024));
    project.write("large", line.repeat(64 * 1024 + 1));
    let whole = project.call("Read", json!({ "path": "whole", "limit": 1 }));
    assert_eq!(whole.details["totalLines"], json!(64 * 1024));
    assert!(whole.details["sha256"].is_string());
    let large = project.call("Read", json!({ "path": "large", "limit": 1 }));
    assert_eq!(large.details["totalLines"], json!(null));
    assert_eq!(large.details["sha256"], json!(null));
    assert_eq!(large.details["bytes"], json!(64 * 1024 * 1024 + 1024));
    let end = project.call("Read", json!({ "path": "large", "offset": 64 * 1024 + 1 }));
    assert!(end.ok().starts_with(" 65537\txxx"), "{end:?}");
    assert_eq!(end.details["totalLines"], json!(64 * 1024 + 1));
}

#[test]
fn one_endless_line_is_cut() {
    let project = Project::new();
    project.write("minified.js", "x".repeat(3_000_000));
    let answer = project.call("Read", json!({ "path": "minified.js" }));
    assert!(answer.ok().len() < 9_000);
    assert!(answer.ok().contains("[... 2991808 more bytes]"));
    assert!(
        answer
            .ok()
            .contains("1 long lines were cut after 8192 bytes")
    );
    assert_eq!(answer.details["truncated"], json!(true));
}

#[test]
fn the_rest_of_a_long_line_is_shown_by_column() {
    let project = Project::new();
    let long: String = (0..30_000).map(|n| format!("é{n},")).collect();
    project.write("data", format!("\u{feff}first\r\n{long}\r\nlast"));
    let first = project.call("Read", json!({ "path": "data" }));
    assert!(
        first
            .ok()
            .contains("give its number as `offset` and 8193 as `column`")
    );
    let (mut shown, mut column) = (String::new(), Some(1));
    while let Some(at) = column {
        let input = json!({ "path": "data", "offset": 2, "column": at });
        let answer = project.call("Read", input);
        let line = answer.ok().lines().next().unwrap();
        let part = line.strip_prefix("     2\t").unwrap();
        let part = part
            .strip_prefix(&format!("[{} bytes ...] ", at - 1))
            .unwrap_or(part);
        let part = part.split(" [... ").next().unwrap();
        shown.push_str(part);
        column = answer.details["nextColumn"].as_u64();
        assert!(answer.ok().len() < 66 * 1024);
        let goes_on = format!("The line continues at column {}.", column.unwrap_or(0));
        assert_eq!(answer.ok().contains(&goes_on), column.is_some());
    }
    assert_eq!(shown, long);
    let inside = json!({ "path": "data", "offset": 2, "column": 2 });
    let answer = project.call("Read", inside);
    assert!(
        answer.ok().starts_with("     2\té0,é1,"),
        "characters stay whole"
    );
    let beyond = json!({ "path": "data", "offset": 1, "column": 100 });
    let answer = project.call("Read", beyond);
    assert!(
        answer.ok().starts_with("     1\t[6 bytes ...] \n"),
        "{answer:?}"
    );
}
