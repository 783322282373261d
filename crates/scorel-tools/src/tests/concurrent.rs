//! Another program changes a file between its check and its replacement.

use std::fs;

use super::project::Project;
use crate::error::ErrorCode;
use crate::session_files::PlannedWrite;

fn original(project: &Project, between: impl FnOnce()) -> Result<Vec<String>, ErrorCode> {
    let call = project.call_context();
    let PlannedWrite {
        location, target, ..
    } = call.files.writing("dir/file").1.unwrap();
    let access = call.write_access(&target);
    let (mut destination, original) = call.files.roots.destination(&location, access).unwrap();
    between();
    let put = destination.put(b"model's\n", original.as_ref());
    assert_eq!(project.names("dir"), ["file"]);
    put.map_err(|error| error.code)
}

#[test]
fn another_content_is_not_overwritten() {
    let project = Project::new();
    project.write("dir/file", "old\n");
    let put = original(&project, || project.write("dir/file", "new\n"));
    assert_eq!(put, Err(ErrorCode::Stale));
    assert_eq!(project.content("dir/file"), "new\n");
}

#[test]
fn another_file_with_the_same_content_is_not_overwritten() {
    let project = Project::new();
    project.write("dir/file", "old\n");
    let put = original(&project, || {
        project.write("other", "old\n");
        fs::rename(project.path("other"), project.path("dir/file")).unwrap();
    });
    assert_eq!(put, Err(ErrorCode::Stale));
}

#[test]
fn a_link_created_meanwhile_is_neither_followed_nor_replaced() {
    let project = Project::new();
    project.write("dir/file", "old\n");
    project.write("other", "old\n");
    let put = original(&project, || {
        fs::remove_file(project.path("dir/file")).unwrap();
        project.link("dir/file", "../other");
    });
    assert_eq!(put, Err(ErrorCode::Stale));
    assert!(project.path("dir/file").is_symlink());
    assert_eq!(project.content("other"), "old\n");
}

#[test]
fn a_file_created_meanwhile_is_not_overwritten() {
    let project = Project::new();
    let put = original(&project, || project.write("dir/file", "another writer's\n"));
    assert_eq!(put, Err(ErrorCode::Stale));
    assert_eq!(project.content("dir/file"), "another writer's\n");
}

#[test]
fn a_file_removed_meanwhile_is_not_created_again() {
    let project = Project::new();
    project.write("dir/file", "old\n");
    let call = project.call_context();
    let PlannedWrite {
        location, target, ..
    } = call.files.writing("dir/file").1.unwrap();
    let access = call.write_access(&target);
    let (mut destination, original) = call.files.roots.existing(&location, access).unwrap();
    fs::remove_file(project.path("dir/file")).unwrap();
    let error = destination.put(b"x", Some(&original)).unwrap_err();
    assert_eq!(error.code, ErrorCode::Stale);
    assert!(project.names("dir").is_empty());
}
