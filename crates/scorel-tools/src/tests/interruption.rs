//! Calls that have to end early.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::project::Project;
use crate::error::ErrorCode;
use crate::pace::TIME_LIMIT;
use crate::tools::{glob, grep, read};

fn cancelled() -> CancellationToken {
    let token = CancellationToken::new();
    token.cancel();
    token
}

#[test]
fn a_cancelled_call_says_so() {
    let project = Project::new();
    project.write("file", "needle\n");
    let glob = json!({ "pattern": "*" });
    let report = project
        .run(glob::plan, glob, cancelled(), TIME_LIMIT)
        .unwrap();
    assert!(
        report
            .text
            .contains("[Nothing in the project matches. Cancelled before everything")
    );
    assert_eq!(report.details["exact"], json!(false));
    let grep = json!({ "pattern": "needle" });
    let report = project
        .run(grep::plan, grep, cancelled(), TIME_LIMIT)
        .unwrap();
    assert!(
        report
            .text
            .contains("Cancelled after 0 files: the answer is incomplete")
    );
    let grep = json!({ "pattern": "needle", "path": "file" });
    let report = project
        .run(grep::plan, grep, cancelled(), TIME_LIMIT)
        .unwrap();
    assert!(
        report.text.contains("the answer is incomplete"),
        "{report:?}"
    );
    assert_eq!(report.details["truncated"], json!(true));
    let read = json!({ "path": "file" });
    let error = project
        .run(read::plan, read, cancelled(), TIME_LIMIT)
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Cancelled);
}

#[test]
fn a_call_that_takes_too_long_says_so() {
    let project = Project::new();
    project.write("file", "needle\n");
    let none = CancellationToken::new;
    let glob = json!({ "pattern": "*" });
    let report = project
        .run(glob::plan, glob, none(), Duration::ZERO)
        .unwrap();
    assert!(
        report
            .text
            .contains("Stopped at the time limit of 10 s before everything was seen")
    );
    let grep = json!({ "pattern": "needle" });
    let report = project
        .run(grep::plan, grep, none(), Duration::ZERO)
        .unwrap();
    assert!(
        report
            .text
            .contains("Stopped at the time limit of 10 s after 0 files")
    );
    let read = json!({ "path": "file", "offset": 9 });
    let error = project
        .run(read::plan, read, none(), Duration::ZERO)
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::ReadLimit);
}
