//! A thread swaps a directory of a granted path and a link that leads elsewhere.

use std::path::PathBuf;
use std::sync::Arc;

use scorel_engine::{Effect, Permit};
use serde_json::{Value, json};

use super::project::{Project, RESOLVERS, run};
use super::race::while_swapping;
use crate::file_plan::PlanFiles;
use crate::running_call::RunningCall;
use crate::tools::{glob, grep, read, write};

/// The two paths that are swapped, beside the project.
const SWAPPED: (&str, &str) = ("../out/slot", "../out/spare");

/// How many rounds may pass without a race.
const ROUNDS: u32 = 20;

/// `../out/slot/deep/file` says PUBLIC while `slot` is a directory; while it is a link, the same path
/// leads to SECRET.
fn project() -> Project {
    let project = Project::in_memory();
    project.write("../out/slot/deep/file", "PUBLIC\n");
    project.write("../else/deep/file", "SECRET\n");
    project.write("../else/deep/SECRET-name", "SECRET\n");
    project.link("../out/spare", "../else");
    project
}

fn outside(project: &Project, path: &str) -> PathBuf {
    project.path("..").canonicalize().unwrap().join(path)
}

/// Makes `tries` calls with a permit for `granted`, each with a root of its own, while a thread swaps;
/// returns how many of them worked.
fn race(
    project: &Project,
    granted: &Effect,
    tool: PlanFiles,
    input: impl Fn(u32) -> Value,
    tries: u32,
) -> u32 {
    let session = project.call_context();
    let permit = Permit {
        granted: [granted.clone()].into(),
        ..Permit::default()
    };
    while_swapping(project, SWAPPED, || {
        let mut worked = 0;
        for number in 0..tries {
            let files = Arc::clone(&session.files);
            let call = RunningCall::new(files, permit.clone(), session.pace.clone());
            match run(tool, &call, input(number)) {
                Ok(report) => {
                    assert!(!report.text.contains("SECRET"), "escaped: {report:?}");
                    worked +=
                        u32::from(report.text.contains("file") || report.text.contains("PUB"));
                }
                Err(error) => assert!(!error.message.contains("SECRET"), "escaped: {error}"),
            }
        }
        worked
    })
}

fn check(granted: &str, tool: PlanFiles, input: impl Fn(&str) -> Value, tries: u32) {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let path = outside(&project, granted);
        let input = input(outside(&project, "out/slot").to_str().unwrap());
        let granted = Effect::ReadPath { path };
        // On a loaded machine both sides may keep in step for a whole round.
        let raced = (0..ROUNDS).any(|_| {
            let worked = race(&project, &granted, tool, |_| input.clone(), tries);
            (1..tries).contains(&worked)
        });
        assert!(raced, "no race with {resolver:?}");
    }
}

#[test]
fn granted_reads_never_escape_a_swapping_thread() {
    let file = |slot: &str| json!({ "path": format!("{slot}/deep/file") });
    check("out/slot/deep/file", read::plan, file, 10_000);
    check("out/slot", read::plan, file, 10_000);
    check("out", read::plan, file, 10_000);
}

#[test]
fn granted_searches_never_escape_a_swapping_thread() {
    let grep = |slot: &str| json!({ "pattern": "SECRET|PUBLIC", "path": slot });
    check("out/slot", grep::plan, grep, 2_000);
    let glob = |slot: &str| json!({ "pattern": "**", "path": slot });
    check("out/slot", glob::plan, glob, 2_000);
    let below = |slot: &str| json!({ "pattern": format!("{slot}/deep/*") });
    check("out/slot/deep", glob::plan, below, 2_000);
}

#[test]
fn granted_writes_never_escape_a_swapping_thread() {
    const WRITES: u32 = 5_000;
    for resolver in RESOLVERS {
        // As in `check`.
        let raced = (0..ROUNDS).any(|_| {
            let project = project().with_resolver(*resolver);
            project.write("../out/slot/deep/file", "");
            let path = outside(&project, "out/slot/deep/file");
            let granted = Effect::WritePath {
                path: path.clone(),
                named: String::new(),
                protection: None,
            };
            let input = |number| json!({ "path": path, "content": format!("{number}\n") });
            let worked = race(&project, &granted, write::plan, input, WRITES);
            let case = format!("{worked} of {WRITES} with {resolver:?}");
            assert_eq!(project.content("../else/deep/file"), "SECRET\n", "{case}");
            assert_eq!(project.names("../else"), ["deep"], "{case}");
            let names = project.names("../else/deep");
            assert_eq!(names, ["SECRET-name", "file"], "{case}");
            assert_eq!(project.names("../out/slot/deep"), ["file"], "{case}");
            (1..WRITES).contains(&worked)
        });
        assert!(raced, "no race with {resolver:?}");
    }
}
