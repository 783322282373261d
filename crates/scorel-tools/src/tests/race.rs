//! Somebody swaps a directory and a link that leads out while tools use the path.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::project::{Project, RESOLVERS};
use crate::glob::GlobTool;
use crate::grep::GrepTool;
use crate::read::ReadTool;
use crate::tool::Tool;

/// `slot/deep/file` says PUBLIC while `slot` is a directory; while it is a link, the same path
/// leads outside, to SECRET.
fn project() -> Project {
    let project = Project::new();
    project.write("slot/deep/file", "PUBLIC\n");
    project.write("../outside/deep/file", "SECRET\n");
    project.write("../outside/deep/SECRET-name", "SECRET\n");
    project.link("spare", "../outside");
    project
}

/// Sets a flag when it goes out of scope.
struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Makes `tries` calls while a thread swaps; returns how many of them worked.
fn race(project: &Project, tool: &dyn Tool, input: &Value, tries: u32) -> u32 {
    let call = project.call_context();
    let done = AtomicBool::new(false);
    let (slot, spare) = (project.path("slot"), project.path("spare"));
    let third = project.path("third");
    thread::scope(|scope| {
        // Ends the swapping also when a try panics; the scope would wait for ever.
        let _end = OnDrop(&done);
        scope.spawn(|| {
            let mut swapped = false;
            while !done.load(Ordering::Relaxed) || swapped {
                exchange(&slot, &spare, &third);
                swapped = !swapped;
            }
        });
        let mut worked = 0;
        for _ in 0..tries {
            match tool.run(&call, input.clone()) {
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

fn check(tool: &dyn Tool, input: &Value, tries: u32) {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let worked = race(&project, tool, input, tries);
        let range = 1..tries;
        assert!(
            range.contains(&worked),
            "{worked} of {tries}: no race with {resolver:?}"
        );
    }
}

#[test]
fn twenty_thousand_reads_never_escape_a_swapping_thread() {
    check(&ReadTool, &json!({ "path": "slot/deep/file" }), 20_000);
}

#[test]
fn greps_never_escape_a_swapping_thread() {
    check(
        &GrepTool,
        &json!({ "pattern": "SECRET|PUBLIC", "path": "slot" }),
        2_000,
    );
    check(
        &GrepTool,
        &json!({ "pattern": "PUBLIC", "glob": "file", "path": "slot/deep" }),
        2_000,
    );
}

#[test]
fn globs_never_escape_a_swapping_thread() {
    check(&GlobTool, &json!({ "pattern": "slot/**" }), 2_000);
    check(
        &GlobTool,
        &json!({ "pattern": "*", "path": "slot/deep" }),
        2_000,
    );
}
