//! Files in other encodings than UTF-8.

use std::fs;

use serde_json::json;

use super::project::{Project, Session};

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_utf16_file_is_shown_and_stays_one() {
    let project = Project::new();
    project.write("file", utf16le("\u{feff}one\r\ntwo 🦀\r\n"));
    let session = Session::on(&project);
    let answer = session.read("file");
    assert!(
        answer.ok().starts_with("     1\tone\n     2\ttwo 🦀\n["),
        "{answer:?}"
    );
    assert_eq!(answer.details["encoding"], json!("UTF-16LE"));
    let answer = session.edit("file", "two 🦀", "zwei\nü");
    assert_eq!(answer.details["encoding"], json!("UTF-16LE"), "{answer:?}");
    let edited = utf16le("\u{feff}one\r\nzwei\r\nü\r\n");
    assert_eq!(fs::read(project.path("file")).unwrap(), edited);
    // The edited content counts as read, and may be replaced.
    session.write("file", "new\n").ok();
    let written = utf16le("\u{feff}new\n");
    assert_eq!(fs::read(project.path("file")).unwrap(), written);
}

#[test]
fn a_big_endian_file_stays_one() {
    let project = Project::new();
    project.write("file", b"\xfe\xff\0a\0\n");
    let session = Session::on(&project);
    session.read("file").ok();
    session.edit("file", "a", "é").ok();
    assert_eq!(
        fs::read(project.path("file")).unwrap(),
        b"\xfe\xff\0\xe9\0\n"
    );
}

#[test]
fn a_latin1_file_is_shown_and_stays_one() {
    let project = Project::new();
    project.write("file", b"caf\xe9\nna\xefve\n");
    let session = Session::on(&project);
    assert_eq!(session.edit("file", "naïve", "x").code(), "E_NOT_READ");
    let answer = session.read("file");
    assert!(
        answer
            .ok()
            .starts_with("     1\tcafé\n     2\tnaïve\n[The file is in Latin-1")
    );
    session.edit("file", "naïve", "größer").ok();
    let edited = b"caf\xe9\ngr\xf6\xdfer\n";
    assert_eq!(fs::read(project.path("file")).unwrap(), edited);
    let answer = session.edit("file", "größer", "漢");
    assert_eq!(answer.code(), "E_ENCODING");
    assert!(
        answer.text.contains("line 2") && answer.text.contains("Latin-1"),
        "{answer:?}"
    );
    assert_eq!(session.write("file", "漢").code(), "E_ENCODING");
    assert_eq!(fs::read(project.path("file")).unwrap(), edited);
    session.write("file", "ä").ok();
    assert_eq!(fs::read(project.path("file")).unwrap(), b"\xe4");
}

#[test]
fn stray_bytes_stay_where_they_are_in_a_utf8_file() {
    let project = Project::new();
    project.write(
        "file",
        "Größe\nline x\n"
            .as_bytes()
            .iter()
            .copied()
            .chain(*b"\xff\n")
            .collect::<Vec<u8>>(),
    );
    let session = Session::on(&project);
    let answer = session.read("file");
    assert_eq!(
        answer.details["encoding"],
        json!("UTF-8 with stray bytes"),
        "{answer:?}"
    );
    session.edit("file", "line x", "line é€ 日本").ok();
    let edited = ["Größe\nline é€ 日本\n".as_bytes(), b"\xff\n"].concat();
    assert_eq!(fs::read(project.path("file")).unwrap(), edited);
}

#[test]
fn gbk_is_no_latin1() {
    let project = Project::new();
    let content = b"int x = 1; // \xb2\xe2\xca\xd4, a test of encodings\n";
    project.write("file", content);
    let session = Session::on(&project);
    let answer = session.read("file");
    assert_eq!(answer.code(), "E_BINARY");
    assert!(answer.text.contains("iconv"), "{answer:?}");
}

#[test]
fn letters_that_are_composed_in_another_way_are_told() {
    let project = Project::new();
    fs::create_dir(project.path("cafe\u{301}")).unwrap();
    project.write("cafe\u{301}/file", "one\nre\u{301}sume\u{301} of\n");
    let session = Session::on(&project);
    for tool in ["Read", "Write", "Edit"] {
        for path in ["caf\u{e9}/file", "caf\u{e9}/other/file"] {
            let input = match tool {
                "Write" => json!({"path": path, "content": "x"}),
                "Edit" => json!({"path": path, "edits": [{"oldString": "a", "newString": "b"}]}),
                _ => json!({"path": path}),
            };
            let answer = session.call(tool, input);
            assert_eq!(answer.code(), "ENOENT", "{tool} {path}");
            assert!(answer.text.contains("written `cafe\\u0301`"), "{answer:?}");
        }
    }
    assert_eq!(fs::read_dir(project.path("")).unwrap().count(), 1);
    session.read("cafe\u{301}/file").ok();
    let answer = session.edit("cafe\u{301}/file", "r\u{e9}sum\u{e9}", "CV");
    assert_eq!(answer.code(), "E_TEXT_NOT_FOUND");
    assert!(
        answer.text.contains("line 2 differs in the composition"),
        "{answer:?}"
    );
    session.write("cafe\u{301}/na\u{ef}ve", "x").ok();
}

#[test]
fn extended_attributes_are_kept() {
    let project = Project::new();
    project.write("file", "one\n");
    let path = project.path("file");
    let name = "user.scorel";
    if rustix::fs::setxattr(&path, name, b"kept", rustix::fs::XattrFlags::empty()).is_err() {
        return;
    }
    let session = Session::on(&project);
    session.read("file").ok();
    session.edit("file", "one", "two").ok();
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&path, name, value.as_mut_slice()).unwrap();
    assert_eq!(&value[..length], b"kept");
}

#[test]
fn latin1_after_a_long_beginning_in_ascii_is_found() {
    let project = Project::new();
    let content = [b"line\n".repeat(40_000), b"caf\xe9\n".to_vec()].concat();
    project.write("file", content);
    let answer = project.call("Read", json!({ "path": "file", "offset": 40_001 }));
    assert!(answer.ok().starts_with(" 40001\tcafé\n"), "{answer:?}");
}

#[test]
fn a_notebook_is_shown_as_cells_and_changed_as_json() {
    let project = Project::new();
    let json = r#"{"cells": [{"cell_type": "code", "execution_count": 1, "source": ["print(1)"],
 "outputs": [{"output_type": "stream", "text": ["1\n"]}]}]}"#;
    project.write("book.ipynb", json);
    let session = Session::on(&project);
    let answer = session.read("book.ipynb");
    let shown = answer.ok();
    assert!(
        shown.contains("[cell 1: code, executed 1]") && shown.contains("print(1)"),
        "{shown}"
    );
    assert!(
        shown.contains("[output of cell 1]") && shown.contains("`raw`"),
        "{shown}"
    );
    assert_eq!(answer.details["shownAs"], json!("notebook"));
    assert_eq!(
        session.edit("book.ipynb", "print(1)", "print(2)").code(),
        "E_NOT_READ"
    );
    let raw = session.call("Read", json!({ "path": "book.ipynb", "raw": true }));
    assert!(raw.ok().contains("cell_type"), "{raw:?}");
    session.edit("book.ipynb", "print(1)", "print(2)").ok();
    assert!(project.content("book.ipynb").contains("print(2)"));
    project.write("broken.ipynb", "{not json");
    let answer = session.read("broken.ipynb");
    assert_eq!(answer.ok(), "     1\t{not json\n");
}
