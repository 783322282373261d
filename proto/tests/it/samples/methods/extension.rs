use scorel_proto::{
    ExtensionInfo, ListExtensions, ListExtensionsParams, ListExtensionsResult, ProcessState,
    RestartProcess, RestartProcessParams, RestartProcessResult,
};

use super::{method, params_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<ListExtensions>(
        &ListExtensionsParams {
            project_id: Some(ids::project()),
            logs: true,
        },
        &ListExtensionsResult {
            extensions: vec![notes()],
        },
    ));
    all.push(params_of::<ListExtensions>(
        ".all",
        &ListExtensionsParams::default(),
    ));
    all.extend(method::<RestartProcess>(
        &RestartProcessParams {
            process: "extension:notes".into(),
        },
        &RestartProcessResult { restarted: 1 },
    ));
    all
}

fn notes() -> ExtensionInfo {
    ExtensionInfo {
        id: "notes".into(),
        project_id: Some(ids::project()),
        path: "/home/ada/site/.scorel/extensions/notes".into(),
        version: "1.0".into(),
        command: vec!["python3".into(), "notes.py".into()],
        tools: vec!["ext__notes__add".into()],
        hooks: vec!["beforeToolCall".into()],
        state: ProcessState::Failed,
        reason: Some("it exited with code 1".into()),
        problems: vec!["3:1: `nmae`: there is no such key here; did you mean `name`?".into()],
        log: Some("cannot read notes.txt".into()),
    }
}
