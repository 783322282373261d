use std::fs;
use std::io::{BufRead as _, BufReader};
use std::thread;
use std::time::Instant;

use nix::sys::signal::Signal;

use crate::daemon::{Daemon, PATIENCE, TestHome, ended, output};

#[test]
fn a_daemon_is_ready_when_it_says_so_and_leaves_nothing_behind() {
    let place = TestHome::new();
    let mut daemon = place.start();
    place.connect().unwrap();
    let information = place.information().unwrap();
    assert_eq!(information["pid"], daemon.0.id());
    assert_eq!(information["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        information["socketPath"],
        place.path("scoreld.sock").to_str().unwrap()
    );
    assert!(information["startedAt"].as_u64().unwrap() > 1_600_000_000_000);
    assert_eq!(daemon.stop().code(), Some(0));
    assert!(place.message().starts_with("STOPPING=1\n"));
    assert!(!place.path("scoreld.sock").exists());
    assert!(!place.path("daemon.json").exists());
    let log = place.log();
    for line in ["starting", "ready", "stopp"] {
        assert!(log.contains(line), "{line} is missing in {log}");
    }
}

#[test]
fn a_service_manager_that_is_behind_with_reading_hears_that_the_daemon_is_ready() {
    let place = TestHome::new();
    place.fill_messages();
    let mut daemon = Daemon(place.command().spawn().unwrap());
    let mut log = BufReader::new(daemon.0.stderr.take().unwrap()).lines();
    assert!(log.any(|line| line.unwrap().contains("ready")), "it ended");
    while !place.message().starts_with("READY=1\n") {}
    assert_eq!(daemon.stop().code(), Some(0));
}

#[test]
fn a_second_daemon_finds_the_first_and_leaves_it_alone() {
    let place = TestHome::new();
    let first = place.start();
    let (code, text) = ended(&output(&mut place.command_by_hand()));
    assert_eq!(code, Some(0), "{text}");
    let pid = first.0.id();
    assert!(
        text.contains(&format!("already running (pid {pid})")),
        "{text}"
    );
    place.connect().unwrap();
    assert_eq!(place.information().unwrap()["pid"], pid);
}

#[test]
fn a_killed_daemon_does_not_keep_the_next_from_starting() {
    let place = TestHome::new();
    for _ in 0..5 {
        let mut daemon = place.start();
        daemon.0.kill().unwrap();
        daemon.wait();
        assert!(place.path("scoreld.sock").exists());
        // A child that it had just made holds the socket until it executes its program.
        let end = Instant::now() + PATIENCE;
        while place.connect().is_ok() {
            assert!(Instant::now() < end, "something listens");
            thread::yield_now();
        }
    }
    place.start();
}

#[test]
fn a_daemon_whose_home_is_deleted_or_replaced_ends_and_says_so() {
    let replaced = |place: &TestHome| {
        fs::rename(place.home(), place.dir.path().join("elsewhere")).unwrap();
        place.write("scoreld.lock", "");
    };
    let losses: [&dyn Fn(&TestHome); 3] = [
        // The daemon may be writing a file there.
        &|place| while fs::remove_dir_all(place.home()).is_err() {},
        &replaced,
        &|place| fs::remove_file(place.path("scoreld.lock")).unwrap(),
    ];
    for lose in losses {
        let place = TestHome::new();
        let mut daemon = place.start();
        lose(&place);
        assert!(place.message().starts_with("STOPPING=1\n"));
        assert_eq!(daemon.wait().code(), Some(78));
        let text = daemon.stderr();
        assert!(text.contains("was deleted or replaced"), "{text}");
    }
}

#[test]
fn the_watchdog_is_fed_while_the_daemon_runs() {
    let place = TestHome::new();
    let _daemon = place.start_with(place.command().env("WATCHDOG_USEC", "6000000"));
    assert_eq!(place.message(), "WATCHDOG=1\n");
    assert_eq!(place.message(), "WATCHDOG=1\n");
}

#[test]
fn interrupt_stops_it_and_hangup_does_not() {
    let place = TestHome::new();
    let mut daemon = place.start();
    daemon.signal(Signal::SIGHUP);
    place.connect().unwrap();
    daemon.signal(Signal::SIGINT);
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn the_command_line_has_documented_exit_codes() {
    let place = TestHome::new();
    let code = |arguments: &[&str]| place.run(arguments).status.code();
    assert_eq!(code(&["--version"]), Some(0));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["--nonsense"]), Some(64));
    assert_eq!(code(&["serve"]), Some(64));
    assert!(!place.home().exists());
}
