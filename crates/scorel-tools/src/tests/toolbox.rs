//! The toolbox around the tools.

use scorel_engine::{Permit, ToolCall, ToolClass, ToolList, ToolSpec};
use serde_json::{Value, json};

use super::project::{Project, ToolAnswer, block_on, call, context, tool_call};
use crate::ProjectTools;
use crate::error::ToolError;
use crate::file_plan::{FilePlan, on_files};
use crate::session_files::SessionFiles;

/// A tool with a defect: in its plan, if the input is `true`, else in its run.
#[expect(clippy::needless_pass_by_value, reason = "plans take it so")]
fn broken(_: &SessionFiles, input: Value) -> Result<FilePlan, ToolError> {
    assert_ne!(input, json!(true), "a defect");
    Ok(FilePlan::look(Vec::new(), |_| panic!("a defect")))
}

#[test]
fn an_unknown_tool_is_answered_with_the_known_ones() {
    let answer = Project::new().call("Bash", json!({ "command": "ls" }));
    assert_eq!(answer.code(), "E_UNKNOWN_TOOL");
    assert!(
        answer.text.ends_with(
            "no tool is named `Bash`; the tools are Read, Glob, Grep, Write, Edit, Todo"
        )
    );
}

#[test]
fn unparsable_arguments_are_quoted_in_part() {
    let project = Project::new();
    let broken = ToolCall {
        invalid_input: Some("{\"path\": \"é".to_owned() + &"é".repeat(10_000)),
        ..tool_call("Read", json!({}))
    };
    let answer = call(&project.tools(), broken);
    assert_eq!(answer.code(), "E_INVALID_ARGUMENTS");
    assert!(answer.text.contains("not a JSON object: {\"path\": \"éé"));
    assert!(answer.text.chars().count() < 300);
}

#[test]
fn a_panic_becomes_an_error() {
    let project = Project::new();
    let spec = ToolSpec {
        name: "Broken".to_owned(),
        description: String::new(),
        parameters: json!({}).into(),
        read_only: true,
        class: ToolClass::Inspect,
    };
    let list = ToolList::new(vec![on_files(spec, broken, project.tools().files())]).unwrap();
    for input in [json!(true), json!(false)] {
        let answer = ToolAnswer::new(block_on(async {
            let plan = list.plan(tool_call("Broken", input)).await;
            plan.run(Permit::default(), context()).await
        }));
        assert_eq!(answer.code(), "E_INTERNAL");
        assert!(answer.text.contains("a defect"));
    }
}

#[test]
fn an_error_is_reported_to_the_model_and_to_user_interfaces() {
    let answer = Project::new().call("Read", json!({ "path": "absent.txt" }));
    assert_eq!(
        answer.text,
        "ENOENT: absent.txt does not exist; find files with Glob"
    );
    assert_eq!(
        answer.details,
        json!({
            "ok": false,
            "error": {
                "code": "ENOENT",
                "message": "absent.txt does not exist; find files with Glob",
                "details": { "path": "@project/absent.txt" },
            },
        })
    );
}

#[test]
fn a_renamed_project_is_still_the_same_directory() {
    let project = Project::new();
    project.write("file", "old\n");
    let tools = project.tools();
    std::fs::rename(project.path(""), project.path("../moved")).unwrap();
    project.write("file", "new\n");
    let answer = call(&tools, tool_call("Read", json!({ "path": "file" })));
    assert_eq!(answer.ok(), "     1\told\n");
}

#[test]
fn a_missing_project_is_an_error() {
    let project = Project::new();
    let error = ProjectTools::new(&project.path("absent"), project.host()).unwrap_err();
    assert!(error.to_string().ends_with("absent as @project"), "{error}");
    project.write("file", "");
    assert!(ProjectTools::new(&project.path("file"), project.host()).is_err());
}

#[test]
fn a_skill_is_reached_by_its_name_and_not_written() {
    let project = Project::new();
    project.write("../skill/steps/one.md", "step\n");
    let tools = ProjectTools::new(&project.path(""), project.host()).unwrap();
    let skill = project.path("../skill");
    tools.files().skills().load("deploy", &skill).unwrap();
    let answer = |tool, input| call(&tools, tool_call(tool, input));
    let read = answer("Read", json!({ "path": "@skill/deploy/steps/one.md" }));
    assert_eq!(read.ok(), "     1\tstep\n");
    let found = answer("Glob", json!({ "pattern": "@skill/deploy/**/*.md" }));
    assert_eq!(found.ok(), "@skill/deploy/steps/one.md\n");
    let input = json!({ "pattern": "step", "path": "@skill/deploy" });
    assert_eq!(
        answer("Grep", input).ok(),
        "@skill/deploy/steps/one.md:1:step\n"
    );
    let input = json!({ "path": "@skill/deploy/new", "content": "x" });
    assert_eq!(answer("Write", input).code(), "EACCES");
    let absent = answer("Read", json!({ "path": "@skill/absent/a" }));
    assert_eq!(absent.code(), "ENOENT");
}
