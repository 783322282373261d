//! `Grep` and `Glob` against ripgrep over the sources of crates: the same results, and at most 1.3
//! times its time.
//!
//! `cargo bench -p scorel-tools --bench ripgrep`. `SCOREL_RG` names the program if it is not `rg`,
//! `SCOREL_RG_DIR` the directory if it is not the sources in the cargo home.

#![expect(clippy::print_stdout, reason = "the figures are for people")]

use std::collections::BTreeSet;
use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use scorel_engine::{BlobSink, Permit, ToolCall, ToolContext, ToolList};
use scorel_proto::{BlobHash, Block};
use scorel_tools::{ProjectTools, ToolHost};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How often each program runs; the best time counts.
const RUNS: usize = 7;
/// How much longer than ripgrep may be taken.
const LIMIT: f64 = 1.3;
/// What ripgrep is told so that it looks at the same files in the same order.
const SAME: [&str; 9] = [
    "--no-config",
    "--hidden",
    "--no-messages",
    "--sort=path",
    "--color=never",
    "-g!.git",
    "-g!.hg",
    "-g!.svn",
    "-g!.jj",
];

/// Keeps nothing: no picture is read.
#[derive(Debug)]
struct NoPictures;

impl BlobSink for NoPictures {
    fn store(&self, _: &[u8]) -> io::Result<BlobHash> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Both programs on one directory.
struct Bench {
    runtime: Runtime,
    tools: ToolList,
    rg: String,
    dir: PathBuf,
}

impl Bench {
    fn call(&self, name: &str, input: Value) -> (String, Value) {
        let call = ToolCall {
            id: "call_1".to_owned(),
            name: name.to_owned(),
            input,
            invalid_input: None,
        };
        let context = ToolContext {
            updates: watch::Sender::new(None),
            cancel: CancellationToken::new(),
        };
        let outcome = self.runtime.block_on(async {
            let plan = self.tools.plan(call).await;
            plan.run(Permit::default(), context).await
        });
        let [Block::Text { text, .. }] = outcome.content.as_slice() else {
            panic!("a text expected: {outcome:?}")
        };
        assert!(!outcome.is_error, "{text}");
        let details = outcome.details.expect("every call has details");
        assert_eq!(details["exact"], json!(true), "{text}");
        (text.clone(), details)
    }

    /// All lines of an answer, page by page.
    fn all(&self, name: &str, input: &Value) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        let mut offset = json!(0);
        while !offset.is_null() {
            let mut input = input.clone();
            input["offset"] = offset;
            let (text, details) = self.call(name, input);
            let shown = text.lines().filter(|line| !line.starts_with('['));
            lines.extend(shown.map(str::to_owned));
            offset = details["nextOffset"].clone();
        }
        lines
    }

    fn ripgrep(&self, arguments: &[&str]) -> BTreeSet<String> {
        let output = Command::new(&self.rg)
            .args(SAME)
            .args(arguments)
            .current_dir(&self.dir)
            .output()
            .expect("ripgrep runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().map(|line| line.trim_start_matches("./"));
        lines.map(str::to_owned).collect()
    }

    /// Compares the results, then the times; returns whether both are as they should be.
    fn compare(&self, case: &str, name: &str, input: &Value, arguments: &[&str]) -> bool {
        let (ours, theirs) = (self.all(name, input), self.ripgrep(arguments));
        for line in ours.symmetric_difference(&theirs).take(10) {
            let side = if ours.contains(line) {
                "only here"
            } else {
                "only there"
            };
            println!("  {side}: {line}");
        }
        // In turns, so that what else the machine does slows both down.
        let (mut here, mut there) = (Duration::MAX, Duration::MAX);
        for _ in 0..RUNS {
            here = here.min(time(|| drop(self.call(name, input.clone()))));
            there = there.min(time(|| drop(self.ripgrep(arguments))));
        }
        let ratio = here.as_secs_f64() / there.as_secs_f64();
        println!(
            "{case:<24} {:>6} lines {:>7.1} ms, ripgrep {:>7.1} ms, ratio {ratio:.2}",
            ours.len(),
            here.as_secs_f64() * 1e3,
            there.as_secs_f64() * 1e3,
        );
        ours == theirs && ratio <= LIMIT
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn sources() -> Option<PathBuf> {
    if let Some(dir) = env::var_os("SCOREL_RG_DIR") {
        return Some(dir.into());
    }
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")))?;
    Some(home.join("registry/src"))
}

fn main() {
    let rg = env::var("SCOREL_RG").unwrap_or_else(|_| "rg".to_owned());
    let Some(dir) = sources().filter(|dir| dir.is_dir()) else {
        println!("skipped: no sources of crates are here");
        return;
    };
    if Command::new(&rg).arg("--version").output().is_err() {
        println!("skipped: ripgrep is not installed");
        return;
    }
    let host = ToolHost::new(Path::new("/nonexistent"), Arc::new(NoPictures));
    let tools = ProjectTools::new(&dir, host).expect("the sources can be opened");
    let bench = Bench {
        runtime: Builder::new_current_thread()
            .build()
            .expect("a runtime starts"),
        tools: ToolList::new(tools.list()).expect("no two tools have one name"),
        rg,
        dir,
    };
    let mut good = true;
    for (case, pattern) in [
        ("rare literal", "memmem::Finder"),
        ("alternation", "TODO|FIXME"),
        ("classes", r"fn \w+_test\("),
        ("anchored", r"^impl<.*> Drop for"),
    ] {
        let input = json!({ "pattern": pattern, "mode": "count", "limit": 100_000 });
        let arguments = ["-c", "--with-filename", pattern, "."];
        good &= bench.compare(&format!("count, {case}"), "Grep", &input, &arguments);
        let input = json!({ "pattern": pattern, "mode": "files", "limit": 100_000 });
        let arguments = ["-l", pattern, "."];
        good &= bench.compare(&format!("files, {case}"), "Grep", &input, &arguments);
    }
    for glob in ["**/*.rs", "**/Cargo.toml"] {
        let input = json!({ "pattern": glob, "limit": 100_000 });
        let arguments = ["--files", "-g", glob, "."];
        good &= bench.compare(&format!("glob, {glob}"), "Glob", &input, &arguments);
    }
    assert!(
        good,
        "results differ, or took more than {LIMIT} times as long"
    );
}
