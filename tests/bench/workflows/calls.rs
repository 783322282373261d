use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::run_stand::RunStand;
use crate::bench_daemon::{BenchDaemon, tool_call};
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;
use crate::turn_stand::{TurnStand, timed_turn};

const TURNS: usize = 300;

/// Another run is started after this many transitions, so that the history stays short.
const MOVES_PER_RUN: usize = 10;

/// The most that is shown of a file at once.
const FILE_BYTES: usize = 32 * 1024;

/// The steps of the workflow, which follow each other in a ring.
const STEPS: usize = 2;

/// The syncs of records that any call of a run has and a session without a run has not: of the model call that was
/// answered.
const RECORDS_OF_A_CALL: f64 = 1.0;

/// The syncs of records in the round trip of a transition beside those of any call: the new state of the run, the words
/// on its node for the model, and the model call that was answered. The document has two more.
const RECORDS_OF_A_TRANSITION: f64 = 3.0;

/// Calls of a run's tools: reading a file as a whole, and going on to the next node.
pub(super) async fn measure(program: &Path) -> Vec<Figure> {
    let mut plain = TurnStand::new(BenchDaemon::new(program).await).await;
    let mut plain_reading = BenchDaemon::new(program).await;
    let mut reading = RunStand::new(program, STEPS + 1).await;
    let mut moving = RunStand::new(program, STEPS + 1).await;
    let line = "a line of text that is as long as most\n";
    let text = line.repeat(FILE_BYTES / line.len());
    for project in [&reading.bench.daemon, &plain_reading.daemon] {
        project.write_project_file("large.txt", &text);
        project.write_project_file("small.txt", line);
    }
    let [first, read] = reads_with("fs_read", "@project/");
    let plain_calls = reads_with("Read", "");
    let mut disk = DiskProbe::new(reading.bench.daemon.root());
    let [mut reads, mut plain_reads, mut moves]: [Samples; 3] = Default::default();
    let [mut syncs, mut replacements] = Default::default();
    for turn in 0..TURNS {
        plain.turn().await;
        let took = read_in_session(&mut plain_reading, &plain_calls).await;
        plain_reads.push(took);
        // The request after it has one such file, and the first call of a session opens the project, as the
        // first one of the plain session has.
        reading.begin_run().await;
        reading.turn(&first).await;
        reads.push(reading.turn(&read).await.1);
        let completed = turn % MOVES_PER_RUN;
        if completed == 0 {
            moving.begin_run().await;
        }
        moves.push(transition(&mut moving, completed).await);
        Samples::push(&mut syncs, disk.sync());
        Samples::push(&mut replacements, disk.replace());
    }
    let [sync, replacement] = [syncs.p50(), replacements.p50()];
    let plain = plain.tools.p50();
    let of_records = |count: f64| json!({"syncs": count, "fdatasyncMs": rounded(sync)});
    let read = Figure {
        name: "fs_read of 32 KiB in a run less Read of them in a session, net of syncs, p50",
        value: reads.p50() - plain_reads.p50() - sync * RECORDS_OF_A_CALL,
        unit: "ms",
        goal: Goal::AtMost {
            must: 1.0,
            aim: 0.4,
        },
        with: json!({
            "grossMs": rounded(reads.p50()),
            "grossP99Ms": rounded(reads.p99()),
            "readMs": rounded(plain_reads.p50()),
            "readOfALineMs": rounded(plain),
            "records": of_records(RECORDS_OF_A_CALL),
        }),
    };
    let transition = Figure {
        name: "transition of a run less Read of a line in a session, net of syncs, p50",
        value: moves.p50() - plain - sync * RECORDS_OF_A_TRANSITION - replacement,
        unit: "ms",
        goal: Goal::AtMost {
            must: 2.0,
            aim: 1.0,
        },
        with: json!({
            "grossMs": rounded(moves.p50()),
            "grossP99Ms": rounded(moves.p99()),
            "readMs": rounded(plain),
            "records": of_records(RECORDS_OF_A_TRANSITION),
            "documentSyncsMs": rounded(replacement),
        }),
    };
    vec![read, transition]
}

/// The calls that read a small file, and the large one.
fn reads_with(tool: &str, mount: &str) -> [Vec<u8>; 2] {
    ["small", "large"].map(|name| {
        let arguments = json!({"path": format!("{mount}{name}.txt")});
        tool_call(tool, &arguments.to_string())
    })
}

/// The second of two calls, in turns of a session that has no run.
async fn read_in_session(bench: &mut BenchDaemon, calls: &[Vec<u8>; 2]) -> Duration {
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    let [first, read] = calls;
    timed_turn(bench, &mut watch, &session, first).await;
    let took = timed_turn(bench, &mut watch, &session, read).await.1;
    bench.model.take_requests();
    took
}

/// Has the model complete the node of a run that has completed so many.
async fn transition(stand: &mut RunStand, completed: usize) -> Duration {
    let node = |number: usize| format!("n{}", number % STEPS);
    let (from, to) = (node(completed), node(completed + 1));
    let before = fs::read(stand.document()).unwrap();
    let arguments = json!({
        "path": "@state/workflow.md",
        "operation": "updateFrontmatter",
        "update": {"currentNodeId": {"set": to}, "stepsCompleted": {"append": [from]}},
        "ifMatchSha256": format!("{:x}", Sha256::digest(&before)),
    });
    let call = tool_call("fs_apply_patch", &arguments.to_string());
    let took = stand.turn(&call).await.1;
    let after = fs::read_to_string(stand.document()).unwrap();
    let reached = format!("currentNodeId: \"{to}\"");
    assert!(after.contains(&reached), "the run is not at {to}:\n{after}");
    took
}
