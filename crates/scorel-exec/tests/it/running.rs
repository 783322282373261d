//! Runs without a sandbox: output, exit codes, timeouts, supervisors.

use std::fs;
use std::os::fd::AsFd as _;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, EndCause, Run, RunEnd, ShellExit, Umask, descends_from};

use crate::{OPEN_FILES, open, order, processes, supervisors, trial};

/// What waits for a `sleep` of these tests waits for years. Generous, since machines are busy.
const LONG: Duration = Duration::from_secs(60);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "running::output_and_exit_code_are_reported",
            output_and_exit_code_are_reported,
        ),
        trial(
            "running::a_killing_signal_is_reported",
            a_killing_signal_is_reported,
        ),
        trial(
            "running::there_is_no_input_and_no_terminal",
            there_is_no_input_and_no_terminal,
        ),
        trial(
            "running::commands_get_their_own_limit_of_open_files",
            commands_get_their_own_limit_of_open_files,
        ),
        trial(
            "running::commands_get_the_given_umask",
            commands_get_the_given_umask,
        ),
        trial(
            "running::only_standard_descriptors_are_open",
            only_standard_descriptors_are_open,
        ),
        trial(
            "running::the_working_directory_is_the_given_one",
            the_working_directory_is_the_given_one,
        ),
        trial(
            "running::a_long_script_runs_completely",
            a_long_script_runs_completely,
        ),
        trial(
            "running::an_inherited_pipe_does_not_delay_the_end",
            an_inherited_pipe_does_not_delay_the_end,
        ),
        trial(
            "running::the_end_of_a_pipeline_is_awaited",
            the_end_of_a_pipeline_is_awaited,
        ),
        trial(
            "running::a_command_that_ignores_sigterm_is_killed",
            stopped_in_time,
        ),
        trial(
            "running::a_stopped_supervisor_is_killed_with_its_command",
            a_stopped_supervisor_is_killed_with_its_command,
        ),
        trial(
            "running::a_flood_of_output_keeps_memory_bounded_and_counts_exact",
            a_flood,
        ),
        trial(
            "running::many_short_commands_leave_nothing",
            many_short_commands_leave_nothing,
        ),
        trial(
            "running::processes_of_a_command_descend_from_the_daemon",
            descent,
        ),
    ]
}

fn start(order: CommandOrder) -> Run {
    let directory = open("/".as_ref()).unwrap();
    supervisors().start(order, directory.as_fd()).unwrap()
}

async fn run(command: &str) -> (String, RunEnd) {
    let run = start(order(command));
    let end = run.wait().await;
    let output = run.section(0, 1 << 20).bytes;
    (String::from_utf8_lossy(&output).into_owned(), end)
}

async fn output_and_exit_code_are_reported() {
    let (output, end) = run("echo one; echo two >&2; echo three; exit 3").await;
    assert_eq!(output, "one\ntwo\nthree\n");
    assert_eq!(
        (end.cause, end.exit),
        (EndCause::Exited, Some(ShellExit::Code(3)))
    );
    assert_eq!((end.signalled, end.survivors), (0, 0));
}

async fn a_killing_signal_is_reported() {
    let (_, end) = run("kill -SEGV $$").await;
    assert_eq!(end.exit, Some(ShellExit::Signal(11)));
    let (_, end) = run("kill -40 $$").await;
    assert_eq!(end.exit, Some(ShellExit::Signal(40)));
}

async fn there_is_no_input_and_no_terminal() {
    let (output, _) = run("cat; tty; (exec 3<>/dev/tty) 2>/dev/null || echo none").await;
    assert_eq!(output, "not a tty\nnone\n");
}

async fn commands_get_their_own_limit_of_open_files() {
    let (output, _) = run("ulimit -Sn; ulimit -Hn").await;
    let (soft, hard) = output.trim_end().split_once('\n').unwrap();
    assert_eq!(soft, OPEN_FILES.to_string());
    assert_ne!(hard, soft, "a command may raise it");
}

async fn commands_get_the_given_umask() {
    let directory = tempfile::tempdir().unwrap();
    for (mask, expected) in [
        (0o022, "022\n644\n"),
        (0o077, "077\n600\n"),
        (0o002, "002\n664\n"),
    ] {
        let script = format!(
            "umask; cd {}; rm -f f; touch f; stat -c %a f",
            directory.path().display()
        );
        let run = start(CommandOrder {
            umask: Some(Umask::new(mask)),
            ..order(&script)
        });
        run.wait().await;
        let output = run.section(0, 100).bytes;
        assert_eq!(
            String::from_utf8_lossy(&output).trim_start_matches('0'),
            expected.trim_start_matches('0')
        );
    }
}

async fn only_standard_descriptors_are_open() {
    let (output, _) = run("exec ls /proc/self/fd").await;
    assert_eq!(output, "0\n1\n2\n3\n", "the last is the directory itself");
}

async fn the_working_directory_is_the_given_one() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let opened = open(&inner).unwrap();
    fs::rename(&inner, directory.path().join("moved")).unwrap();
    let run = supervisors().start(order("pwd"), opened.as_fd()).unwrap();
    run.wait().await;
    let output = String::from_utf8(run.section(0, 4096).bytes).unwrap();
    assert!(output.ends_with("/moved\n"), "{output}");
}

async fn a_long_script_runs_completely() {
    let text = "x".repeat(100_000);
    let (output, _) = run(&format!("printf %s {text} | wc -c")).await;
    assert_eq!(output.trim(), "100000");
    let (_, end) = run(&format!(": {}", "x".repeat(200_000))).await;
    let EndCause::NotStarted(message) = end.cause else {
        panic!("{end:?}")
    };
    assert!(message.contains("Argument list too long"), "{message}");
}

async fn an_inherited_pipe_does_not_delay_the_end() {
    let canary = processes::canary();
    let started = Instant::now();
    let script = format!("trap '' TERM; (sleep {canary}; sleep {canary}; echo late) & echo early");
    let (output, end) = run(&script).await;
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    assert_eq!((output.as_str(), end.cause), ("early\n", EndCause::Exited));
    assert!(end.signalled >= 2, "{}", end.signalled);
    assert_eq!(processes::with(&canary), [0; 0]);
}

async fn the_end_of_a_pipeline_is_awaited() {
    // The substitution has 200 ms after the shell's end, too little now and then on a busy machine.
    for _ in 0..50 {
        let (output, end) = run("echo text > >(read -r -t 0.05 <><(:); cat)").await;
        if (output.as_str(), end.signalled) == ("text\n", 0) {
            return;
        }
    }
    panic!("the end of the pipeline is never awaited");
}

async fn stopped_in_time() {
    let canary = processes::canary();
    let run = start(order(&format!(
        "trap '' TERM; echo ready; while :; do sleep {canary}; done"
    )));
    run.wait_for_output(0).await;
    let asked = Instant::now();
    run.stop();
    let end = run.wait().await;
    assert!(asked.elapsed() < LONG, "{:?}", asked.elapsed());
    assert_eq!((end.cause, end.survivors), (EndCause::Stopped, 0));
    assert_eq!(processes::with(&canary), [0; 0]);
}

async fn a_stopped_supervisor_is_killed_with_its_command() {
    let canary = processes::canary();
    let run = start(order(&format!(
        "setsid sleep {canary} & kill -STOP $PPID; echo ready; wait"
    )));
    run.wait_for_output(0).await;
    run.stop();
    let end = run.wait().await;
    assert_eq!(end.cause, EndCause::Stopped);
    assert_eq!(processes::with(&canary), [0; 0]);
}

pub(crate) const FLOOD: &str = "--flood";

async fn a_flood() {
    let flood = Command::new("/proc/self/exe").arg(FLOOD).output().unwrap();
    assert!(flood.status.success(), "{flood:?}");
}

/// Runs a command that writes without end. In a process of its own, whose memory no other test uses.
pub(crate) fn flood() -> ExitCode {
    const BYTES: u64 = 10 * 1024 * 1024 * 1024;
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let before = resident();
    let run = start(order(&format!(
        "head -c {BYTES} /dev/zero; echo; yes | head -n 1000000"
    )));
    let mut peak = before;
    let mut seen = 0;
    runtime.unwrap().block_on(async {
        while run.ended().is_none() {
            seen += BYTES / 100;
            run.wait_for_output(seen).await;
            peak = peak.max(resident());
        }
    });
    assert_eq!(run.counts(), (BYTES + 1 + 2_000_000, 1_000_001));
    assert!(peak - before < 16 * 1024, "{} KiB", peak - before);
    ExitCode::SUCCESS
}

/// The memory of this process, in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

async fn many_short_commands_leave_nothing() {
    let runs: Vec<_> = (0..100)
        .map(|n| start(order(&format!("exit {}", n % 7))))
        .collect();
    for (n, run) in (0..).zip(runs) {
        assert_eq!(run.wait().await.exit, Some(ShellExit::Code(n % 7)));
    }
}

async fn descent() {
    let canary = processes::canary();
    let script = format!("(setsid sleep {canary} &); echo $$; sleep {canary}; true");
    let run = start(order(&script));
    run.wait_for_output(0).await;
    let own = i32::try_from(std::process::id()).unwrap();
    let found = processes::with(&canary);
    assert!(!found.is_empty());
    for pid in found {
        assert!(descends_from(pid, own));
    }
    assert!(!descends_from(own, own) && !descends_from(1, own));
}
