use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

use crate::daemon::{TestHome, ended, output};

/// The shell passes what it has as standard input on as descriptor 3.
const PASS: &str = "exec 3<&0 </dev/null";

pub(crate) fn activated(place: &TestHome, passed: OwnedFd, variables: &str) -> Command {
    let mut command = place.command_after(&format!("{PASS}\nexport {variables}"));
    command.stdin(Stdio::from(passed));
    command
}

fn listener(place: &TestHome) -> (PathBuf, UnixListener) {
    place.write("config.toml", "");
    let path = place.path("scoreld.sock");
    (path.clone(), UnixListener::bind(path).unwrap())
}

#[test]
fn a_passed_socket_is_used_and_stays_at_the_end() {
    let place = TestHome::new();
    let (path, listener) = listener(&place);
    // A client that was there before the daemon.
    let mut early = UnixStream::connect(&path).unwrap();
    early.write_all(b"\n").unwrap();
    let mut command = activated(&place, listener.into(), "LISTEN_FDS=1 LISTEN_PID=$$");
    let mut daemon = place.start_with(&mut command);
    // The command holds the socket too.
    drop(command);
    place.connect().unwrap();
    assert_eq!(daemon.stop().code(), Some(0));
    assert!(path.exists());
    assert!(place.connect().is_err());
}

#[test]
fn invalid_passed_sockets_are_refused() {
    let place = TestHome::new();
    let dir = place.dir.path();
    let stream = |name: &str| OwnedFd::from(UnixListener::bind(dir.join(name)).unwrap());
    let datagram = OwnedFd::from(UnixDatagram::bind(dir.join("d")).unwrap());
    let tcp = OwnedFd::from(std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let file = OwnedFd::from(fs::File::create(dir.join("f")).unwrap());
    let silent = socket(
        AddressFamily::Unix,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    )
    .unwrap();
    let ours = "LISTEN_FDS=1 LISTEN_PID=$$";
    let cases = [
        (
            stream("1"),
            "LISTEN_FDS=1 LISTEN_PID=1",
            "not for this process",
        ),
        (stream("2"), "LISTEN_FDS=1", "not for this process"),
        (
            stream("3"),
            "LISTEN_FDS=2 LISTEN_PID=$$",
            "passed 2 sockets",
        ),
        (stream("4"), "LISTEN_FDS=x LISTEN_PID=$$", "not a number"),
        (datagram, ours, "not a Unix stream socket"),
        (tcp, ours, "not a Unix stream socket"),
        (file, ours, "not a Unix stream socket"),
        (silent, ours, "does not listen"),
    ];
    for (passed, variables, message) in cases {
        let (code, stderr) = ended(&output(&mut activated(&place, passed, variables)));
        assert_eq!(code, Some(78), "{variables}: {stderr}");
        assert!(stderr.contains(message), "{variables}: {stderr}");
    }
    assert!(!place.home().exists());
}

#[test]
fn no_socket_at_all_is_no_activation() {
    let place = TestHome::new();
    let passed = UnixListener::bind(place.dir.path().join("1")).unwrap();
    let mut command = activated(&place, passed.into(), "LISTEN_FDS=0 LISTEN_PID=$$");
    let _daemon = place.start_with(&mut command);
    place.connect().unwrap();
}
