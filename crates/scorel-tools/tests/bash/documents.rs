//! PDF documents, shown as text.

use std::fs;

use libtest_mimic::Trial;
use serde_json::json;

use crate::document::Document;
use crate::session::Session;
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "documents::a_document_is_shown_page_by_page",
            a_document_is_shown_page_by_page,
        ),
        trial(
            "documents::what_cannot_be_shown_is_an_error_with_a_reason",
            what_cannot_be_shown_is_an_error_with_a_reason,
        ),
    ]
}

async fn a_document_is_shown_page_by_page() {
    let session = Session::new();
    let mut document = Document::default();
    document.page("The first page");
    document.content("0 0 9 9 re f");
    document.page("The last page");
    let file = session.directory.path().join("project/a.pdf");
    fs::write(&file, document.build()).unwrap();
    let shown = session.call("Read", json!({ "path": "a.pdf" })).await;
    let lines: Vec<String> = shown
        .text
        .lines()
        .filter_map(|line| Some(line.split_once('\t')?.1.trim().to_owned()))
        .filter(|line| !line.is_empty())
        .collect();
    let expected = [
        "[page 1]",
        "The first page",
        "[page 2]",
        "[no text]",
        "[page 3]",
        "The last page",
    ];
    assert_eq!(lines, expected, "{shown:?}");
    assert_eq!(shown.details["shownAs"], json!("pdf"));
    let edit = json!({ "path": "a.pdf", "edits": [{ "oldString": "first", "newString": "x" }] });
    assert!(session.call("Edit", edit).await.is_error);
}

async fn what_cannot_be_shown_is_an_error_with_a_reason() {
    let session = Session::new();
    let mut pictures = Document::default();
    pictures.content("0 0 9 9 re f");
    let mut secret = Document::default();
    secret.page("Secret");
    for (content, code, reason) in [
        (pictures.build(), "E_NO_TEXT", "only pictures"),
        (secret.encrypted(), "E_ENCRYPTED", "password"),
        (b"%PDF-1.7 and no more".to_vec(), "E_BINARY", "damaged"),
    ] {
        fs::write(session.directory.path().join("project/a.pdf"), content).unwrap();
        let answer = session.call("Read", json!({ "path": "a.pdf" })).await;
        assert_eq!(answer.code(), code);
        assert!(answer.text.contains(reason), "{answer:?}");
    }
}
