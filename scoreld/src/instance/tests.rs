use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::sync::mpsc;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::*;

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::open(dir.path(), None).unwrap();
    (dir, home)
}

/// Answers calls in the place of the daemon, until the test ends.
fn answering(home: &Home) {
    let listener = UnixListener::bind(home.socket()).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut call = String::new();
            BufReader::new(&stream).read_line(&mut call).unwrap();
            assert!(call.contains("\"hello\""), "{call}");
            let refusal = "{\"id\":1,\"error\":{\"code\":1,\"message\":\"another protocol\"}}\n";
            stream.write_all(refusal.as_bytes()).unwrap();
        }
    });
}

fn claim(home: &Home, timeout: Duration) -> Result<Instance, InstanceError> {
    Instance::claim(home, timeout)
}

#[test]
fn one_daemon_claims_the_home_and_the_other_finds_it_ready() {
    let (_dir, home) = home();
    let first = claim(&home, Duration::ZERO).unwrap();
    assert!(matches!(first, Instance::Ours(_)));
    assert_eq!(
        fs::metadata(home.lock()).unwrap().permissions().mode() & 0o777,
        0o600
    );
    answering(&home);
    let info = DaemonInfo {
        pid: 4_000_000,
        version: "1".into(),
        socket_path: home.socket().into(),
        started_at: 1,
        stopping_within: None,
    };
    let published = info.publish(&home.daemon()).unwrap();
    let second = claim(&home, Duration::ZERO).unwrap();
    assert!(
        matches!(
            second,
            Instance::Other {
                pid: Some(4_000_000)
            }
        ),
        "{second:?}"
    );
    drop(published);
    assert!(!home.daemon().exists());
}

#[test]
fn a_holder_that_does_not_listen_is_reported_and_nothing_is_changed() {
    let (_dir, home) = home();
    let _first = claim(&home, Duration::ZERO).unwrap();
    // A socket that a killed daemon left behind.
    drop(UnixListener::bind(home.socket()).unwrap());
    let refused = claim(&home, Duration::ZERO).unwrap_err();
    assert!(matches!(refused, InstanceError::NotReady { pid: None, .. }));
    assert!(home.socket().exists());
}

#[test]
fn a_holder_that_is_being_killed_is_not_a_daemon() {
    let (_dir, home) = home();
    let dying = claim(&home, Duration::ZERO).unwrap();
    // The kernel accepts for it, and resets the connection when it is gone.
    let listener = UnixListener::bind(home.socket()).unwrap();
    let waiting = std::thread::spawn(move || claim(&home, READY_TIMEOUT).unwrap());
    let mut fd = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
    poll(&mut fd, PollTimeout::NONE).unwrap();
    drop(dying);
    drop(listener);
    assert!(matches!(waiting.join().unwrap(), Instance::Ours(_)));
}

#[test]
fn a_claim_waits_until_the_holder_listens() {
    let (_dir, home) = home();
    let _first = claim(&home, Duration::ZERO).unwrap();
    let (sender, result) = mpsc::channel();
    let waiting = {
        let home = home.clone();
        std::thread::spawn(move || sender.send(claim(&home, READY_TIMEOUT).unwrap()).unwrap())
    };
    assert!(result.try_recv().is_err());
    answering(&home);
    assert!(matches!(
        result.recv().unwrap(),
        Instance::Other { pid: None }
    ));
    waiting.join().unwrap();
}

#[test]
fn a_claim_takes_over_when_the_holder_ends() {
    let (_dir, home) = home();
    let first = claim(&home, Duration::ZERO).unwrap();
    let waiting = std::thread::spawn(move || claim(&home, READY_TIMEOUT).unwrap());
    drop(first);
    assert!(matches!(waiting.join().unwrap(), Instance::Ours(_)));
}

#[test]
fn of_many_claims_at_once_one_wins() {
    let (_dir, home) = home();
    answering(&home);
    let claims: Vec<_> = (0..16)
        .map(|_| {
            let home = home.clone();
            std::thread::spawn(move || claim(&home, READY_TIMEOUT).unwrap())
        })
        .collect();
    let claims: Vec<_> = claims
        .into_iter()
        .map(|claim| claim.join().unwrap())
        .collect();
    let ours = claims
        .iter()
        .filter(|claim| matches!(claim, Instance::Ours(_)));
    assert_eq!(ours.count(), 1);
}

#[test]
fn other_files_are_refused_as_lock_files_and_left_alone() {
    let (_dir, home) = home();
    let elsewhere = home.root().join("elsewhere");
    fs::write(&elsewhere, "kept").unwrap();
    symlink(&elsewhere, home.lock()).unwrap();
    let not_regular = || {
        matches!(
            HomeLock::try_take(&home.lock()),
            Err(LockError::NotRegular { .. })
        )
    };
    assert!(not_regular());
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "kept");
    fs::remove_file(home.lock()).unwrap();
    fs::create_dir(home.lock()).unwrap();
    assert!(not_regular());
    fs::remove_dir(home.lock()).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(home.lock())
            .status()
            .unwrap()
            .success()
    );
    assert!(not_regular());
}
