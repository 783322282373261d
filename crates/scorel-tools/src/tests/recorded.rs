//! What calls record about the files that they change.

use std::fs;
use std::sync::Arc;

use scorel_engine::{BegunCall, Permit, ToolList, ToolOutcome};
use scorel_files::{CheckpointLimits, FileRecorder};
use scorel_proto::{ChangedBy, FileState};
use serde_json::{Value, json};

use super::project::{Project, block_on, context, tool_call};
use crate::ProjectTools;
use crate::root::{Root, RootName};
use crate::roots::Roots;

/// A session of `project` that records.
struct Recorded {
    tools: ToolList,
    _session: tempfile::TempDir,
}

impl Recorded {
    fn on(project: &Project) -> Self {
        let session = tempfile::tempdir().unwrap();
        let root = Root::open(RootName::Project, &project.path("")).unwrap();
        let limits = CheckpointLimits::default();
        let recorder = FileRecorder::new(root.project_dir(), session.path(), limits);
        let host = project.host().with_recorder(Arc::new(recorder));
        let tools = ProjectTools::on(Roots::new(root), host);
        Self {
            tools: ToolList::new(tools.list()).unwrap(),
            _session: session,
        }
    }

    fn begin(&self, name: &str, input: Value) -> BegunCall {
        block_on(async {
            let plan = self.tools.plan(tool_call(name, input)).await;
            plan.begin(Permit::default()).await
        })
    }

    fn call(&self, name: &str, input: Value) -> ToolOutcome {
        end(self.begin(name, input))
    }
}

fn end(call: BegunCall) -> ToolOutcome {
    block_on(call.run(context()))
}

fn replacing(path: &str) -> Value {
    json!({ "path": path, "edits": [{ "oldString": "old", "newString": "new" }] })
}

#[test]
fn a_file_is_known_before_it_is_changed() {
    let project = Project::new();
    project.write("file", "old\n");
    project.link("link", "file");
    let session = Recorded::on(&project);
    session.call("Read", json!({ "path": "file" }));
    let begun = session.begin("Edit", replacing("link"));
    let [before] = begun.files() else {
        panic!("one file: {begun:?}")
    };
    assert_eq!(before.path.as_str(), "file", "links are followed");
    assert_eq!(project.content("file"), "old\n", "nothing has happened yet");
    let before = before.clone();
    let outcome = end(begun);
    let [change] = outcome.recorded.files.as_slice() else {
        panic!("one change: {outcome:?}")
    };
    assert_eq!(
        (&change.path, &change.before),
        (&before.path, &before.before)
    );
    assert_eq!(change.by, ChangedBy::Tool);
    let made = session.call("Write", json!({ "path": "dir/new", "content": "x" }));
    assert_eq!(made.recorded.files[0].before, FileState::Absent);
    assert!(made.recorded.files[0].after.content().is_some());
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let project = Project::new();
    project.write("file", "old\n");
    let session = Recorded::on(&project);
    session.call("Read", json!({ "path": "file" }));
    let edit = session.begin("Edit", replacing("file"));
    project.write("file", "old and new\n");
    let made = session.begin("Write", json!({ "path": "made", "content": "x" }));
    project.write("made", "");
    for outcome in [end(edit), end(made)] {
        assert!(outcome.is_error);
        let text = format!("{:?}", outcome.content);
        assert!(text.contains("was changed meanwhile"), "{text}");
        assert_eq!(outcome.recorded.files, []);
    }
    assert_eq!(project.content("file"), "old and new\n");
    assert_eq!(project.content("made"), "");
}

#[test]
fn what_is_outside_or_belongs_to_git_is_not_recorded() {
    let project = Project::new();
    fs::create_dir(project.path(".git")).unwrap();
    let session = Recorded::on(&project);
    let input = json!({ "path": ".git/description", "content": "x" });
    assert_eq!(session.begin("Write", input).files(), []);
    let outside = project.path("../beside");
    let input = json!({ "path": outside.to_str().unwrap(), "content": "x" });
    assert_eq!(session.begin("Write", input).files(), []);
    assert_eq!(session.begin("Read", json!({ "path": "x" })).files(), []);
}

#[test]
fn a_failed_call_has_changed_nothing() {
    let project = Project::new();
    project.write("file", "old\n");
    let session = Recorded::on(&project);
    let outcome = session.call("Edit", replacing("file"));
    assert!(outcome.is_error, "it was not read");
    assert_eq!(outcome.recorded.files, []);
}
