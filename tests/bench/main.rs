//! Measures the daemon from outside and prints one JSON object per figure. See `README.md`.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "the figures are the output")]

mod agents;
mod answer;
mod append;
mod bare;
mod bench_client;
mod bench_daemon;
mod command_line;
mod config;
mod context;
mod disk_probe;
mod fan_out;
mod faulty_program;
mod figure;
mod hooks;
mod latency;
mod listing;
mod long_history;
mod mcp;
mod memory;
mod parents;
mod restart;
mod restore;
mod round_trip;
mod runners;
mod samples;
mod search;
mod start;
mod throughput;
mod travel;
mod turn_stand;
mod turns;
mod workflows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use figure::Figure;

const DAEMON: &str = env!("CARGO_BIN_EXE_scoreld-under-test");

/// Names another build to measure.
const OTHER_DAEMON: &str = "SCOREL_BENCH_DAEMON";

/// The groups of figures, in the order of measurement.
const GROUPS: [&str; 23] = [
    "roundTrip",
    "latency",
    "throughput",
    "fanOut",
    "turns",
    "answer",
    "context",
    "travel",
    "restore",
    "sessions",
    "commandLine",
    "memory",
    "window",
    "append",
    "restart",
    "config",
    "search",
    "runners",
    "agents",
    "parents",
    "hooks",
    "mcp",
    "workflows",
];

fn main() -> ExitCode {
    // `cargo bench` passes `--bench` to every benchmark.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["bare-echo", path] => bare::echo(path),
        ["bare-agent", path] => bare::agent(path),
        ["bare-fan-out", path, events, batch] => {
            bare::fan_out(path, events.parse().unwrap(), batch.parse().unwrap());
        }
        _ => return measure(&words),
    }
    ExitCode::SUCCESS
}

/// A single thread: endpoint and client share it, so that measurements contain no thread wake-ups
/// of our own.
#[tokio::main(flavor = "current_thread")]
async fn measure(wanted: &[&str]) -> ExitCode {
    let known = |group: &&str| GROUPS.contains(group);
    if !wanted.iter().all(known) {
        println!("groups of figures: {}", GROUPS.join(" "));
        return ExitCode::FAILURE;
    }
    let other_build = std::env::var_os(OTHER_DAEMON).map(PathBuf::from);
    let daemon = other_build.as_deref().unwrap_or(Path::new(DAEMON));
    let mut figures: Vec<Figure> = Vec::new();
    for group in GROUPS {
        if !wanted.is_empty() && !wanted.contains(&group) {
            continue;
        }
        let measured = match group {
            "roundTrip" => round_trip::measure(daemon).await,
            "latency" => latency::measure(daemon).await,
            "throughput" => throughput::measure(daemon).await,
            "fanOut" => fan_out::measure(daemon).await,
            "turns" => turns::measure(daemon).await,
            "answer" => answer::measure(daemon).await,
            "context" => context::measure(daemon).await,
            "travel" => travel::measure(daemon).await,
            "restore" => restore::measure(daemon).await,
            "sessions" => sessions(daemon).await,
            "commandLine" => command_line::measure(daemon).await,
            "memory" => memory::measure(daemon).await,
            "window" => memory::windows(daemon).await,
            "append" => append::measure(),
            "restart" => restart::measure(daemon).await,
            "config" => config::measure(daemon).await,
            "search" => search::measure(daemon).await,
            "runners" => runners::measure(daemon).await,
            "agents" => agents::measure(daemon).await,
            "parents" => vec![parents::start(daemon).await],
            "hooks" => hooks::measure(daemon).await,
            "mcp" => mcp::measure(daemon).await,
            _ => workflows::measure(daemon).await,
        };
        for figure in measured {
            println!("{}", figure.json());
            figures.push(figure);
        }
    }
    let summary = figure::summary(&figures);
    println!("{summary}");
    if figures.iter().all(Figure::is_ok) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn sessions(daemon: &Path) -> Vec<Figure> {
    let mut figures = vec![start::empty_home(daemon).await, memory::idle(daemon).await];
    let mut filled = bench_daemon::Filled::new(daemon).await;
    figures.push(start::filled_home(&mut filled).await);
    figures.push(memory::loaded(&filled).await);
    figures
}
