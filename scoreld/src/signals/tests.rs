use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{self, kill};
use nix::unistd::Pid;

use scorel_host::Shutdown;
use scorel_testkit::Deadline;

use super::listen;

/// Set for the process that plays a daemon whose work does not end.
const PLAY: &str = "SCOREL_TEST_NEVER_STOPS";

#[test]
fn the_player_never_stops() {
    if std::env::var_os(PLAY).is_none() {
        return;
    }
    // Its only worker hangs.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let shutdown = Shutdown::default();
        listen(shutdown.clone()).unwrap();
        let (hangs, hung) = std::sync::mpsc::channel();
        tokio::spawn(async move {
            hangs.send(()).unwrap();
            loop {
                std::thread::park();
            }
        });
        hung.recv().unwrap();
        eprintln!("up");
        let cause = shutdown.begun().await;
        eprintln!("{cause:?}");
        std::future::pending::<()>().await;
    });
}

/// The process that plays the daemon, killed if the test does not end it.
struct Player {
    child: Child,
    _deadline: Deadline,
}

impl Player {
    fn signal(&self, signal: signal::Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn player() -> (Player, impl Iterator<Item = String>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "signals::tests::the_player_never_stops",
        "--nocapture",
    ]);
    command
        .env(PLAY, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let mut player = Player {
        _deadline: Deadline::of(&child),
        child,
    };
    let stderr = BufReader::new(player.child.stderr.take().unwrap());
    (player, stderr.lines().map(Result::unwrap))
}

#[test]
fn the_first_signal_asks_and_the_second_ends_it_at_once() {
    let cases = [
        (
            signal::Signal::SIGTERM,
            "Terminate",
            signal::Signal::SIGTERM,
            143,
        ),
        (
            signal::Signal::SIGTERM,
            "Terminate",
            signal::Signal::SIGINT,
            130,
        ),
        (
            signal::Signal::SIGINT,
            "Interrupt",
            signal::Signal::SIGINT,
            130,
        ),
    ];
    for (first, cause, second, code) in cases {
        let (mut player, mut lines) = player();
        assert!(lines.any(|line| line == "up"));
        player.signal(signal::Signal::SIGHUP);
        player.signal(first);
        assert!(lines.any(|line| line == cause));
        player.signal(signal::Signal::SIGHUP);
        player.signal(second);
        assert_eq!(player.child.wait().unwrap().code(), Some(code));
    }
}
