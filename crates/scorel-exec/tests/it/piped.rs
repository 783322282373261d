//! Runs with pipes to the caller.

use std::os::fd::AsFd as _;
use std::process::Child;

use libtest_mimic::Trial;
use scorel_exec::{CommandLine, CommandOrder, EndCause, PipedRun, RunEnd, Sandbox, ShellExit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{daemon, open, order, processes, supervisors, trial};

/// The default capacity of a pipe.
const PIPE: usize = 64 * 1024;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("piped::what_is_written_comes_back", round_trip),
        trial("piped::outputs_are_separate", outputs_are_separate),
        trial("piped::arguments_are_passed_as_they_are", arguments),
        trial("piped::pipes_reach_a_command_in_a_sandbox", in_a_sandbox),
        trial("piped::nothing_is_read_ahead", nothing_is_read_ahead),
        trial("piped::a_command_is_ended_gently_first", gentle_end),
        trial("piped::a_child_that_holds_the_pipes_is_ended", held_pipes),
        trial("piped::a_missing_program_is_reported", missing_program),
        trial("piped::no_process_outlives_a_killed_daemon", killed_daemon),
        trial("piped::no_other_descriptor_is_open", descriptors),
    ]
}

fn start(order: CommandOrder) -> PipedRun {
    let directory = open("/".as_ref()).unwrap();
    let started = supervisors().start_piped(order, directory.as_fd());
    started.unwrap()
}

/// Closes the input, and reads all output and errors.
async fn finish(piped: PipedRun) -> (String, String, RunEnd) {
    let PipedRun {
        run,
        stdin,
        mut stdout,
        mut stderr,
    } = piped;
    drop(stdin);
    let (mut output, mut errors) = (String::new(), String::new());
    let read = tokio::join!(
        stdout.read_to_string(&mut output),
        stderr.read_to_string(&mut errors)
    );
    assert!(read.0.is_ok() && read.1.is_ok());
    (output, errors, run.wait().await)
}

async fn round_trip() {
    let mut piped = start(order("cat"));
    for line in ["one\n", "zwei\n"] {
        piped.stdin.write_all(line.as_bytes()).await.unwrap();
        let mut back = vec![0; line.len()];
        piped.stdout.read_exact(&mut back).await.unwrap();
        assert_eq!(back, line.as_bytes());
    }
    let (output, _, end) = finish(piped).await;
    assert_eq!((output.as_str(), end.cause), ("", EndCause::Exited));
    assert_eq!(end.exit, Some(ShellExit::Code(0)));
}

async fn outputs_are_separate() {
    let piped = start(order("echo out; echo err >&2; exit 3"));
    let captured = piped.run.clone();
    let (output, errors, end) = finish(piped).await;
    assert_eq!((output.as_str(), errors.as_str()), ("out\n", "err\n"));
    assert_eq!(end.exit, Some(ShellExit::Code(3)));
    assert_eq!(captured.counts(), (0, 0));
}

async fn arguments() {
    let arguments = ["%s|", "a b", "$HOME", "'\"", "", "*"].map(str::to_owned);
    let piped = start(CommandOrder {
        command: CommandLine::Program {
            program: "printf".into(),
            arguments: arguments.to_vec(),
        },
        ..order("")
    });
    let (output, ..) = finish(piped).await;
    assert_eq!(output, "a b|$HOME|'\"||*|");
}

async fn in_a_sandbox() {
    let mut piped = start(CommandOrder {
        sandbox: Some(Sandbox::default()),
        ..order("read line; echo \"got $line\"; echo err >&2; cat")
    });
    piped.stdin.write_all(b"one\ntwo").await.unwrap();
    let (output, errors, end) = finish(piped).await;
    assert_eq!(output, "got one\ntwo");
    assert_eq!((errors.as_str(), end.cause), ("err\n", EndCause::Exited));
}

async fn nothing_is_read_ahead() {
    let piped = start(order("yes"));
    piped.stdout.readable().await.unwrap();
    piped.run.stop();
    piped.run.wait().await;
    let (output, ..) = finish(piped).await;
    assert!(output.len() <= PIPE, "{} bytes", output.len());
}

/// The shell has a second for its trap, too little now and then on a busy machine.
async fn gentle_end() {
    for _ in 0..20 {
        let (output, end) = stopped_in_a_trap().await;
        assert_eq!(end.cause, EndCause::Stopped);
        if end.exit == Some(ShellExit::Code(7)) {
            assert_eq!(output, "saved\n");
            return;
        }
    }
    panic!("the trap never ends");
}

async fn stopped_in_a_trap() -> (String, RunEnd) {
    let mut piped = start(order(
        "trap 'echo saved; exit 7' TERM; echo ready; while :; do sleep 0.01; done",
    ));
    let mut ready = [0; 6];
    piped.stdout.read_exact(&mut ready).await.unwrap();
    piped.run.stop();
    let (output, _, end) = finish(piped).await;
    (output, end)
}

async fn held_pipes() {
    let canary = processes::canary();
    let piped = start(order(&format!(
        "sleep {canary} & setsid sleep {canary} & exit 0"
    )));
    let (.., end) = finish(piped).await;
    assert_eq!((end.signalled, end.survivors), (2, 0));
    assert_eq!(processes::with(&canary), Vec::<i32>::new());
}

async fn missing_program() {
    let piped = start(CommandOrder {
        command: CommandLine::Program {
            program: "no-such-program".into(),
            arguments: Vec::new(),
        },
        ..order("")
    });
    let (output, errors, end) = finish(piped).await;
    assert_eq!((output, errors), (String::new(), String::new()));
    let EndCause::NotStarted(reason) = end.cause else {
        panic!("{:?}", end.cause);
    };
    assert!(
        reason.starts_with("cannot start no-such-program: "),
        "{reason}"
    );
}

async fn killed_daemon() {
    let canary = processes::canary();
    let script = format!("trap '' TERM HUP; setsid sleep {canary} & echo ready; sleep {canary}");
    let mut daemon: Child = daemon::start_piped(&script);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let left = processes::left_after(&canary, processes::LIMIT);
    assert_eq!(left, Vec::<i32>::new());
}

async fn descriptors() {
    let piped = start(order("ls /proc/self/fd | tr '\\n' ' '"));
    let (output, ..) = finish(piped).await;
    // The last one is the directory that `ls` reads.
    assert_eq!(output, "0 1 2 3 ");
}
