//! A thread swaps a directory and a link that leads out while tools use the path.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::project::{Project, RESOLVERS, run};
use crate::file_plan::PlanFiles;
use crate::root::Resolver;
use crate::tools::{edit, glob, grep, read, write};

/// `slot/deep/file` says PUBLIC while `slot` is a directory; while it is a link, the same path
/// leads outside, to SECRET.
fn project() -> Project {
    let project = Project::in_memory();
    project.write("slot/deep/file", "PUBLIC\n");
    project.write("../outside/deep/file", "SECRET\n");
    project.write("../outside/deep/SECRET-name", "SECRET\n");
    project.link("spare", "../outside");
    project
}

/// How many rounds may pass without a race.
const ROUNDS: u32 = 20;

/// Sets a flag when it goes out of scope.
struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does `work` while a thread swaps two paths of the project, which are as before at the end.
pub(super) fn while_swapping<T>(
    project: &Project,
    (one, other): (&str, &str),
    work: impl FnOnce() -> T,
) -> T {
    let done = AtomicBool::new(false);
    let (one, other) = (project.path(one), project.path(other));
    let third = project.path("third");
    thread::scope(|scope| {
        // Ends the swapping also when a try panics; the scope would wait for ever.
        let _end = OnDrop(&done);
        scope.spawn(|| {
            let mut swapped = false;
            while !done.load(Ordering::Relaxed) || swapped {
                exchange(&one, &other, &third);
                swapped = !swapped;
            }
        });
        work()
    })
}

/// Makes `tries` calls while a thread swaps; returns how many of them worked.
fn race(project: &Project, tool: PlanFiles, input: &Value, tries: u32) -> u32 {
    let call = project.call_context();
    while_swapping(project, ("slot", "spare"), || {
        let mut worked = 0;
        for _ in 0..tries {
            match run(tool, &call, input.clone()) {
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

#[cfg(target_os = "linux")]
fn exchange(one: &std::path::Path, other: &std::path::Path, _: &std::path::Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

#[cfg(not(target_os = "linux"))]
fn exchange(one: &std::path::Path, other: &std::path::Path, third: &std::path::Path) {
    std::fs::rename(one, third).unwrap();
    std::fs::rename(other, one).unwrap();
    std::fs::rename(third, other).unwrap();
}

fn check(tool: PlanFiles, input: &Value, tries: u32) {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        // On a loaded machine both sides may keep in step for a whole round.
        let raced = (0..ROUNDS).any(|_| {
            let worked = race(&project, tool, input, tries);
            (1..tries).contains(&worked)
        });
        assert!(raced, "no race with {resolver:?}");
    }
}

#[test]
fn twenty_thousand_reads_never_escape_a_swapping_thread() {
    check(read::plan, &json!({ "path": "slot/deep/file" }), 20_000);
}

#[test]
fn greps_never_escape_a_swapping_thread() {
    check(
        grep::plan,
        &json!({ "pattern": "SECRET|PUBLIC", "path": "slot" }),
        2_000,
    );
    check(
        grep::plan,
        &json!({ "pattern": "PUBLIC", "glob": "file", "path": "slot/deep" }),
        2_000,
    );
}

#[test]
fn globs_never_escape_a_swapping_thread() {
    check(glob::plan, &json!({ "pattern": "slot/**" }), 2_000);
    check(
        glob::plan,
        &json!({ "pattern": "*", "path": "slot/deep" }),
        2_000,
    );
}

/// How many writes of each kind are tried with each resolver.
const WRITES: u32 = 5_000;

/// Writes while a thread swaps; returns how many of them worked. `input` makes the arguments of a
/// try from its number.
fn race_writes(
    project: &Project,
    swapped: (&str, &str),
    tool: PlanFiles,
    input: impl Fn(u32) -> Value,
) -> u32 {
    let call = project.call_context();
    while_swapping(project, swapped, || {
        let mut worked = 0;
        for number in 1..=WRITES {
            match run(tool, &call, input(number)) {
                Ok(_) => worked += 1,
                Err(error) => assert!(!error.message.contains("SECRET"), "escaped: {error}"),
            }
        }
        worked
    })
}

fn check_outside(project: &Project, case: &str) {
    assert_eq!(
        project.content("../outside/deep/file"),
        "SECRET\n",
        "{case}"
    );
    assert_eq!(project.names("../outside"), ["deep"], "{case}");
    let names = project.names("../outside/deep");
    assert_eq!(names, ["SECRET-name", "file"], "{case}");
}

fn check_writes(swapped: (&str, &str), tool: PlanFiles, input: impl Fn(u32) -> Value) {
    for resolver in RESOLVERS {
        // As in `check`.
        let raced = (0..ROUNDS).any(|_| {
            let project = project().with_resolver(*resolver);
            project.write("leaf", "");
            project.link("leaf-link", "../outside/deep/file");
            project.write("slot/deep/file", "");
            let worked = race_writes(&project, swapped, tool, &input);
            let case = format!("{worked} of {WRITES} with {resolver:?}");
            check_outside(&project, &case);
            for directory in ["slot/deep", "slot", ""] {
                let left = project.names(directory);
                assert!(!left.iter().any(|name| name.ends_with(".tmp")), "{case}");
            }
            (1..WRITES).contains(&worked)
        });
        assert!(raced, "no race with {resolver:?}");
    }
}

fn content(number: u32) -> String {
    format!("{number}\n")
}

#[test]
fn replaced_files_never_escape_a_swapping_thread() {
    let input = |number| json!({ "path": "slot/deep/file", "content": content(number) });
    check_writes(("slot", "spare"), write::plan, input);
}

#[test]
fn new_files_never_escape_a_swapping_thread() {
    let input = |number| {
        let path = format!("slot/deep/{}/{number}", number % 100);
        json!({ "path": path, "content": content(number) })
    };
    check_writes(("slot", "spare"), write::plan, input);
}

#[test]
fn a_swapped_link_is_never_written_through() {
    let input = |number| json!({ "path": "leaf", "content": content(number) });
    check_writes(("leaf", "leaf-link"), write::plan, input);
}

#[test]
fn edits_never_escape_a_swapping_thread() {
    for resolver in RESOLVERS {
        // As in `check`.
        let raced = (0..ROUNDS).any(|_| edits_raced(*resolver));
        assert!(raced, "no race with {resolver:?}");
    }
}

/// Edits while a thread swaps; returns whether it was a race.
fn edits_raced(resolver: Resolver) -> bool {
    let project = project().with_resolver(resolver);
    let call = project.call_context();
    let first = json!({ "path": "slot/deep/edited", "content": "0\n" });
    run(write::plan, &call, first).unwrap();
    project.write("../outside/deep/file", "0\n1\n2\n");
    let worked = while_swapping(&project, ("slot", "spare"), || {
        let (mut worked, mut last) = (0, 0);
        for number in 1..=WRITES {
            let edit = json!({
                "oldString": format!("{last}\n"), "newString": format!("{number}\n"),
            });
            let input = json!({ "path": "slot/deep/edited", "edits": [edit] });
            if run(edit::plan, &call, input).is_ok() {
                (worked, last) = (worked + 1, number);
            }
        }
        (worked, last)
    });
    let case = format!("{worked:?} of {WRITES} with {resolver:?}");
    assert_eq!(
        project.content("slot/deep/edited"),
        format!("{}\n", worked.1)
    );
    assert_eq!(
        project.content("../outside/deep/file"),
        "0\n1\n2\n",
        "{case}"
    );
    assert_eq!(
        project.names("../outside/deep"),
        ["SECRET-name", "file"],
        "{case}"
    );
    (1..WRITES).contains(&worked.0)
}
