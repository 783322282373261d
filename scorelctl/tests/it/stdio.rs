use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::thread;

use fs2::FileExt;
use serde_json::json;

use crate::answers::daemon;
use crate::program::{Running, TestHome};

#[test]
fn bytes_go_both_ways_and_the_end_of_input_ends_one_way_only() {
    let place = TestHome::new();
    let listener = UnixListener::bind(place.home().join("scoreld.sock")).expect("a socket");
    let daemon = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut received = Vec::new();
        stream.read_to_end(&mut received).expect("read");
        stream
            .write_all(b"\x00 after the end \xff\n")
            .expect("written");
        received
    });
    let mut running = Running::start(place.command(&["stdio"]).stdin(Stdio::piped()));
    let mut stdin = running.child.stdin.take().expect("a pipe");
    stdin
        .write_all(b"Content-Length: 2\r\n\r\n{}\x00\xff")
        .expect("written");
    drop(stdin);
    let output = running.raw();
    assert_eq!(
        daemon.join().expect("no panic"),
        b"Content-Length: 2\r\n\r\n{}\x00\xff"
    );
    assert_eq!(output, b"\x00 after the end \xff\n");
}

#[test]
fn a_daemon_that_hangs_up_ends_the_program_although_input_is_open() {
    let place = TestHome::new();
    let listener = UnixListener::bind(place.home().join("scoreld.sock")).expect("a socket");
    let daemon = thread::spawn(move || drop(listener.accept().expect("a connection")));
    let mut running = Running::start(place.command(&["stdio"]).stdin(Stdio::piped()));
    let open = running.child.stdin.take();
    running.wait().assert_code(0);
    drop(open);
    daemon.join().expect("no panic");
}

#[test]
fn stopping_waits_until_the_daemon_has_released_the_home() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    // The holder of the lock: the program takes another holder for the next daemon.
    daemon.answer("shutdown", json!({"pid": std::process::id()}));
    let lock = File::create(place.home().join("scoreld.lock")).expect("a file");
    lock.lock_exclusive().expect("locked");
    let mut running = Running::start(&mut place.command(&["stop"]));
    daemon.wait_for("shutdown", 1);
    daemon.hang_up_all();
    assert!(
        running.child.try_wait().expect("looked").is_none(),
        "the lock is held"
    );
    drop(lock);
    let ended = running.wait();
    ended.assert_code(0);
    assert_eq!(ended.out, "stopped\n");
}

#[test]
fn stopping_without_a_daemon_is_no_failure() {
    let place = TestHome::new();
    let ended = place.run(&["stop"]);
    ended.assert_code(0);
    assert!(ended.err.contains("no daemon is running"), "{}", ended.err);
}
