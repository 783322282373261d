use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;
use scoreld::Shutdown;

use crate::daemon::Daemon;

/// Set for the process that plays a daemon whose work does not end.
const PLAY: &str = "SCOREL_TEST_NEVER_STOPS";

#[test]
fn never_stops_when_asked_to_play_that() {
    if std::env::var_os(PLAY).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let shutdown = Shutdown::install().unwrap();
        eprintln!("up");
        let cause = shutdown.begun().await;
        eprintln!("{cause:?}");
        std::future::pending::<()>().await;
    });
}

fn player() -> (Daemon, impl Iterator<Item = String>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "signals::never_stops_when_asked_to_play_that",
        "--nocapture",
    ]);
    command
        .env(PLAY, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut player = Daemon(command.spawn().unwrap());
    let stderr = BufReader::new(player.0.stderr.take().unwrap());
    (player, stderr.lines().map(Result::unwrap))
}

#[test]
fn the_first_signal_asks_and_the_second_ends_it_at_once() {
    let cases = [
        (Signal::SIGTERM, "Terminate", Signal::SIGTERM, 143),
        (Signal::SIGTERM, "Terminate", Signal::SIGINT, 130),
        (Signal::SIGINT, "Interrupt", Signal::SIGINT, 130),
    ];
    for (first, cause, second, code) in cases {
        let (mut player, mut lines) = player();
        assert!(lines.any(|line| line == "up"));
        player.signal(Signal::SIGHUP);
        player.signal(first);
        assert!(lines.any(|line| line == cause));
        player.signal(Signal::SIGHUP);
        player.signal(second);
        assert_eq!(player.0.wait().unwrap().code(), Some(code));
    }
}
