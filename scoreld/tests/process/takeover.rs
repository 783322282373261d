//! A start by a service manager that finds the home held.

use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::activation::activated;
use crate::daemon::{Daemon, TestHome, ended};

/// How long a silent holder is waited for.
const SILENCE: Duration = Duration::from_secs(10);

const OURS: &str = "LISTEN_FDS=1 LISTEN_PID=$$";

/// Reads messages to the service manager until the daemon is ready, and returns those before.
fn messages_until_ready(place: &TestHome) -> Vec<String> {
    let messages = std::iter::repeat_with(|| place.message());
    messages
        .take_while(|message| !message.starts_with("READY=1\n"))
        .collect()
}

fn pid_of(place: &TestHome) -> Value {
    place.information().expect("daemon.json")["pid"].clone()
}

/// Puts another listening socket in the place of the daemon's, as a service manager does.
fn replace_socket(place: &TestHome) -> UnixListener {
    let path = place.path("scoreld.sock");
    loop {
        fs::remove_file(&path).unwrap();
        match UnixListener::bind(&path) {
            Ok(listener) => return listener,
            // On a busy machine the daemon, which misses its socket, may have bound it again first.
            Err(error) => assert_eq!(error.kind(), ErrorKind::AddrInUse),
        }
    }
}

/// The program as the service of a manager that has taken the path of the home's socket.
fn activated_at_the_path(place: &TestHome) -> Command {
    activated(place, replace_socket(place).into(), OURS)
}

#[test]
fn a_service_takes_over_from_a_daemon_that_was_started_by_hand() {
    let place = TestHome::new();
    let mut first = place.start_by_hand();
    let second = Daemon(place.command().spawn().unwrap());
    let before = messages_until_ready(&place);
    assert_eq!(first.wait().code(), Some(0));
    assert_eq!(pid_of(&place), second.0.id());
    place.connect().unwrap();
    let waits = format!("STATUS=waiting for scoreld (pid {})", first.0.id());
    assert!(before[0].starts_with(&waits), "{before:?}");
    let all_extend = |message: &String| message.contains("\nEXTEND_TIMEOUT_USEC=");
    assert!(before.iter().all(all_extend), "{before:?}");
    assert!(place.log().contains("cause=Park"), "{}", place.log());
}

#[test]
fn a_service_does_not_take_over_from_another_service() {
    let place = TestHome::new();
    let first = place.start();
    let (code, text) = ended(&place.run(&[]));
    assert_eq!(code, Some(69), "{text}");
    let expected = format!("another scoreld (pid {})", first.0.id());
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains("systemd runs it"), "{text}");
    place.connect().unwrap();
    assert_eq!(pid_of(&place), first.0.id());
}

/// Starts a service while the holder is stopped; returns the holder, which goes on then.
fn start_beside_silent(place: &TestHome, command: impl FnOnce() -> Command) -> Daemon {
    let first = place.start_by_hand();
    first.signal(Signal::SIGSTOP);
    let began = Instant::now();
    let mut second = Daemon(command().spawn().unwrap());
    assert_eq!(second.wait().code(), Some(69));
    assert!(began.elapsed() >= SILENCE, "{:?}", began.elapsed());
    let text = second.stderr();
    let expected = format!("another scoreld (pid {})", first.0.id());
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains("was silent for 10 s"), "{text}");
    first.signal(Signal::SIGCONT);
    first
}

#[test]
fn a_silent_holder_keeps_the_home() {
    let place = TestHome::new();
    let mut first = start_beside_silent(&place, || place.command());
    assert_eq!(pid_of(&place), first.0.id());
    first.signal(Signal::SIGINT);
    assert_eq!(first.wait().code(), Some(0));
    assert!(place.log().contains("cause=Interrupt"), "{}", place.log());
}

#[test]
fn a_silent_holder_without_its_socket_keeps_the_home() {
    let place = TestHome::new();
    let mut first = start_beside_silent(&place, || activated_at_the_path(&place));
    // Now it finds its socket replaced.
    assert_eq!(first.wait().code(), Some(0));
    assert!(place.log().contains("SocketReplaced"), "{}", place.log());
}

#[test]
fn a_service_takes_the_home_of_a_silent_daemon_that_ends() {
    let place = TestHome::new();
    let first = place.start_by_hand();
    first.signal(Signal::SIGSTOP);
    let second = Daemon(place.command().spawn().unwrap());
    first.signal(Signal::SIGKILL);
    messages_until_ready(&place);
    assert_eq!(pid_of(&place), second.0.id());
}

#[test]
fn a_daemon_whose_socket_is_replaced_parks_and_ends() {
    let place = TestHome::new();
    let mut daemon = place.start_by_hand();
    let _other = replace_socket(&place);
    assert_eq!(daemon.wait().code(), Some(0));
    assert!(place.path("scoreld.sock").exists(), "it is another one's");
    assert!(place.log().contains("SocketReplaced"), "{}", place.log());
}

#[test]
fn a_service_with_the_socket_at_the_path_waits_until_the_holder_has_ended() {
    let place = TestHome::new();
    let mut first = place.start_by_hand();
    let mut command = activated_at_the_path(&place);
    let mut second = Daemon(command.spawn().unwrap());
    drop(command);
    messages_until_ready(&place);
    assert_eq!(first.wait().code(), Some(0));
    assert_eq!(pid_of(&place), second.0.id());
    place.connect().unwrap();
    assert_eq!(second.stop().code(), Some(0));
    assert!(place.path("scoreld.sock").exists(), "it is the manager's");
}

#[test]
fn a_service_with_a_socket_elsewhere_asks_the_holder() {
    let place = TestHome::new();
    let mut first = place.start_by_hand();
    let other = UnixListener::bind(place.dir.path().join("other.sock")).unwrap();
    let mut command = activated(&place, other.into(), OURS);
    let second = Daemon(command.spawn().unwrap());
    drop(command);
    messages_until_ready(&place);
    assert_eq!(first.wait().code(), Some(0));
    assert_eq!(pid_of(&place), second.0.id());
}

#[test]
fn of_twenty_services_that_start_at_once_one_serves() {
    let place = TestHome::new();
    let mut first = place.start_by_hand();
    let mut starts: Vec<_> = (0..20)
        .map(|_| Daemon(place.command().stderr(Stdio::null()).spawn().unwrap()))
        .collect();
    messages_until_ready(&place);
    assert_eq!(first.wait().code(), Some(0));
    let serving = pid_of(&place);
    let position = starts.iter().position(|start| serving == start.0.id());
    let mut winner = starts.remove(position.expect("one of them serves"));
    for mut start in starts {
        assert_eq!(start.wait().code(), Some(69));
    }
    place.connect().unwrap();
    assert_eq!(winner.stop().code(), Some(0));
}

/// Holds the home and answers calls with what `answer` says, in a thread.
fn play_holder(place: &TestHome, answer: fn(&str) -> Value) -> fs::File {
    place.write("scoreld.lock", "");
    let lock = fs::File::open(place.path("scoreld.lock")).unwrap();
    fs2::FileExt::try_lock_exclusive(&lock).unwrap();
    let listener = UnixListener::bind(place.path("scoreld.sock")).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            for line in BufReader::new(&stream).lines() {
                let call: Value = serde_json::from_str(&line.unwrap()).unwrap();
                let mut reply = answer(call["method"].as_str().unwrap());
                reply["id"] = call["id"].clone();
                writeln!(&stream, "{reply}").unwrap();
            }
        }
    });
    lock
}

#[test]
fn a_holder_that_does_not_know_parking_is_left_alone() {
    let place = TestHome::new();
    let _lock = play_holder(&place, |method| match method {
        "getStatus" => json!({"result": {
            "version": "0.0.1", "protocol": {"min": 1, "max": 1}, "pid": 4711,
            "deviceId": "dev_01K1H9Q8000000000000000001", "displayName": "old", "home": "/h",
            "startedAt": 1, "connections": 1, "loadedSessions": 0, "active": [],
            "defaultModel": "demo/demo", "draining": false,
        }}),
        _ => json!({"error": {"code": -32602, "message": "unknown field `park`"}}),
    });
    let (code, text) = ended(&place.run(&[]));
    assert_eq!(code, Some(69), "{text}");
    assert!(text.contains("(pid 4711)"), "{text}");
    assert!(text.contains("unknown field `park`"), "{text}");
    assert!(text.contains("`scorelctl stop`"), "{text}");
}
