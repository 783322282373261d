use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use scorel_exec::{Sandbox, ShellExit, Surroundings};
use serde_json::{Value, json};

use super::{SandboxFacts, find};

/// A machine with a project, a place that the sandbox keeps from writing, and one that it hides.
struct Machine {
    dir: tempfile::TempDir,
    network: bool,
    surroundings: Surroundings,
    is_readonly: bool,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "project/.git",
            "project/sub",
            "elsewhere",
            "home/.ssh",
            "read-only",
        ] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("home/.ssh/id"), "key").unwrap();
        fs::write(dir.path().join("project/.git/config"), "").unwrap();
        Self {
            dir,
            network: false,
            surroundings: Surroundings::Host,
            is_readonly: false,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    fn facts(&self) -> SandboxFacts {
        let sandbox = Sandbox {
            writable: vec![self.path("project")],
            protected: vec![self.path("project/.git/config")],
            hidden: vec![self.path("home/.ssh")],
            network: self.network,
            surroundings: self.surroundings,
            ..Sandbox::default()
        };
        SandboxFacts::new(&sandbox, self.is_readonly, &self.path("project"))
    }

    /// The denial found in an output, in which `@` is the machine's directory.
    fn found(&self, output: &str, exit: ShellExit) -> Value {
        let output = output.replace('@', self.path("").to_str().unwrap().trim_end_matches('/'));
        serde_json::to_value(find(&self.facts(), exit, &output)).unwrap()
    }

    fn failed(&self, output: &str) -> Value {
        self.found(output, ShellExit::Code(1))
    }
}

#[test]
fn a_write_elsewhere_is_recognised_in_the_words_of_many_programs() {
    let machine = Machine::new();
    let path = machine.path("elsewhere/x");
    for output in [
        "touch: cannot touch '@/elsewhere/x': Read-only file system",
        "touch: cannot touch '@/elsewhere/x': Permission denied",
        "bash: line 1: @/elsewhere/x: Permission denied",
        "OSError: [Errno 30] Read-only file system: '@/elsewhere/x'",
        "Error: EROFS: read-only file system, open '@/elsewhere/x'",
        "npm error EACCES: permission denied, mkdir '@/elsewhere/x'",
        "open @/elsewhere/x: permission denied",
        "error: failed to create file `@/elsewhere/x`\n\nCaused by:\n  Permission denied (os error 13)",
        "rm: cannot remove '../elsewhere/x': Read-only file system\nmake: *** [clean] Error 1",
    ] {
        let found = machine.failed(output);
        assert_eq!(found["denied"], "write", "{output}: {found}");
        assert_eq!(found["path"], json!(path), "{output}");
        assert_eq!(found["wish"], "outside", "{output}");
    }
    let found = machine.failed("mkdir: cannot create directory 'x': Read-only file system");
    assert_eq!(
        found["denied"], "write",
        "after a `cd` the place is not known: {found}"
    );
    assert_eq!(found.get("path"), None);
    let evidence = "mkdir: cannot create directory 'x': Read-only file system";
    assert_eq!(found["evidence"], evidence);
}

#[test]
fn protected_and_hidden_files_have_wishes_of_their_own() {
    let machine = Machine::new();
    let found = machine.failed("bash: line 1: .git/config: Read-only file system");
    assert_eq!(
        (&found["denied"], &found["wish"]),
        (&json!("protectedWrite"), &json!("edit"))
    );
    for output in [
        "cat: @/home/.ssh/id: Permission denied",
        "cat: @/home/.ssh/id: No such file or directory",
        "ls: cannot open directory '@/home/.ssh': Permission denied",
        "git@example.com: Permission denied (publickey).",
    ] {
        let found = machine.failed(output);
        assert_eq!(
            (&found["denied"], &found["wish"]),
            (&json!("read"), &json!("outside")),
            "{output}"
        );
    }
}

#[test]
fn places_that_cannot_be_removed_or_renamed_are_protected() {
    let machine = Machine::new();
    for output in [
        "error: could not write config file .git/config: Device or resource busy",
        "mv: cannot move '.git' to 'x': Device or resource busy",
        "rm: cannot remove '@/project/.git/config': Device or resource busy",
        "Error: EBUSY: resource busy or locked, rename '.git/config'",
        "OSError: [Errno 16] Device or resource busy: '.git/config' -> 'x'",
        "Error: .git: Device or resource busy (os error 16)",
    ] {
        let found = machine.failed(output);
        assert_eq!(
            (&found["denied"], &found["wish"]),
            (&json!("protectedWrite"), &json!("edit")),
            "{output}: {found}"
        );
    }
    for output in [
        "umount: /mnt: Device or resource busy",
        "error: x: Device or resource busy",
    ] {
        let found = machine.failed(output);
        assert!(found.is_null(), "{found}");
    }
}

#[test]
fn calls_that_are_not_permitted_are_recognised() {
    let machine = Machine {
        surroundings: Surroundings::Own,
        ..Machine::new()
    };
    for (output, denied) in [
        (
            "error connecting to /tmp/tmux-0/default (Operation not permitted)",
            "socket",
        ),
        (
            "Error: listen EPERM: operation not permitted /tmp/x.sock",
            "socket",
        ),
        (
            "called `Result::unwrap()` on an `Err` value: Os { code: 1, kind: PermissionDenied, message: \
          \"Operation not permitted\" }",
            "systemCall",
        ),
        (
            "remote: fatal: unable to create temporary object directory",
            "write",
        ),
        (
            "/bin/bash: line 1: @/elsewhere/x: Read-only file system",
            "write",
        ),
    ] {
        let found = machine.failed(output);
        assert_eq!(found["denied"], denied, "{output}: {found}");
        assert_eq!(found["wish"], "outside", "{output}");
    }
    let found = machine.failed("/bin/bash: line 1: @/elsewhere/x: Read-only file system");
    assert_eq!(found["path"], json!(machine.path("elsewhere/x")));
}

#[test]
fn a_socket_that_is_refused_beside_a_loopback_network_is_no_internet_socket() {
    let machine = Machine {
        surroundings: Surroundings::Own,
        ..Machine::new()
    };
    let output = "  File \"socket.py\", line 2\n    _socket.socket.__init__(self, family)\n\
         PermissionError: [Errno 1] Operation not permitted";
    let found = machine.failed(output);
    assert_eq!(
        (&found["denied"], &found["wish"]),
        (&json!("socket"), &json!("outside"))
    );
    let found = machine.failed("ping: socket: Operation not permitted");
    assert_eq!(found["denied"], "network");
}

#[test]
fn the_missing_network_is_recognised() {
    let machine = Machine::new();
    for output in [
        "curl: (6) Could not resolve host: example.com",
        "curl: (7) Failed to connect to 1.1.1.1 port 80 after 0 ms: Could not connect to server",
        "fatal: unable to access 'https://x.org/': Could not resolve host: x.org",
        "ssh: Could not resolve hostname x.org: Temporary failure in name resolution",
        "npm error getaddrinfo EAI_AGAIN registry.npmjs.org",
        "dial tcp: lookup proxy.golang.org: operation not permitted",
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "  File \"x.py\", line 1\n    s = socket.socket()\nPermissionError: [Errno 1] Operation not permitted",
        "Error: listen EPERM: operation not permitted 127.0.0.1:3000",
        "connect: Network is unreachable",
        "error: failed to download\nCaused by:\n  dns error: failed to lookup address information",
    ] {
        let found = machine.failed(output);
        assert_eq!(
            (&found["denied"], &found["wish"]),
            (&json!("network"), &json!("network")),
            "{output}"
        );
        let online = Machine {
            network: true,
            ..Machine::new()
        };
        assert_eq!(online.failed(output), Value::Null, "{output}");
        let readonly = Machine {
            is_readonly: true,
            ..Machine::new()
        };
        assert_eq!(readonly.failed(output)["wish"], "none", "{output}");
    }
}

#[test]
fn a_refused_connection_counts_only_where_a_server_listens_outside() {
    let machine = Machine::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    for output in [
        format!("Error: connect ECONNREFUSED 127.0.0.1:{port}"),
        format!(
            "curl: (7) Failed to connect to localhost port {port} after 0 ms: Couldn't connect to server"
        ),
        format!("dial tcp [::1]:{port}: connect: connection refused"),
    ] {
        let found = machine.failed(&output);
        assert_eq!(found["denied"], "localServer", "{output}");
        assert_eq!(found["port"], port, "{output}");
    }
    // A port that is taken and not listened at. A closed server may still listen: in a program that another test forks.
    let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let port = client.local_addr().unwrap().port();
    let output = format!("Error: connect ECONNREFUSED 127.0.0.1:{port}");
    assert_eq!(
        machine.failed(&output),
        Value::Null,
        "a server of the test did not start"
    );
}

#[test]
fn a_unix_socket_counts_only_where_there_is_one() {
    let machine = Machine::new();
    let outputs = [
        "Cannot connect to the Docker daemon at unix://@/elsewhere/docker.sock. Is the docker daemon running?",
        "error: connection to server on socket \"@/elsewhere/docker.sock\" failed",
        "dial unix @/elsewhere/docker.sock: socket: operation not permitted",
    ];
    for output in &outputs[..2] {
        assert_eq!(machine.failed(output), Value::Null, "{output}");
    }
    let _server = UnixListener::bind(machine.path("elsewhere/docker.sock")).unwrap();
    for output in outputs {
        let found = machine.failed(output);
        assert_eq!(
            (&found["denied"], &found["wish"]),
            (&json!("socket"), &json!("outside")),
            "{output}"
        );
    }
    let output = "  File \"x.py\", line 1\n    s.connect('@/elsewhere/docker.sock')\n    ^^^^^\n\
         PermissionError: [Errno 13] Permission denied";
    assert_eq!(machine.failed(output)["denied"], "socket");
    let output =
        "    s = socket.socket(socket.AF_UNIX)\nPermissionError: [Errno 1] Operation not permitted";
    assert_eq!(machine.failed(output)["denied"], "socket");
}

#[test]
fn in_the_project_a_unix_socket_counts_only_where_a_server_listens_outside() {
    let machine = Machine {
        surroundings: Surroundings::Own,
        ..Machine::new()
    };
    let output = "ConnectionRefusedError: connection to '@/project/db.sock' refused";
    let server = UnixListener::bind(machine.path("project/db.sock")).unwrap();
    assert_eq!(machine.failed(output)["denied"], "socket");
    drop(server);
    // A program that another test starts has the socket from its fork until its exec.
    while UnixStream::connect(machine.path("project/db.sock")).is_ok() {
        std::thread::yield_now();
    }
    assert_eq!(
        machine.failed(output),
        Value::Null,
        "a server of the test is gone"
    );
}

#[test]
fn refused_system_calls_are_recognised() {
    let machine = Machine::new();
    let output = "io_uring_queue_init: Operation not permitted";
    assert_eq!(machine.failed(output)["denied"], "systemCall");
    let killed = machine.found("", ShellExit::Signal(31));
    assert_eq!(
        (&killed["denied"], &killed["wish"]),
        (&json!("systemCall"), &json!("outside"))
    );
}

#[test]
fn a_plain_failure_gives_no_hint() {
    let machine = Machine::new();
    fs::write(machine.path("project/not-executable"), "").unwrap();
    for output in [
        "",
        "test result: FAILED. 3 passed; 1 failed",
        "assertion `left == right` failed\n  left: 1\n right: 2",
        "AssertionError: expected 'Permission denied' to equal 'ok'",
        "expected error \"Read-only file system\", got none",
        "thread 'main' panicked at src/io.rs:12:5: called `unwrap()` on Permission denied (os error 13)",
        "cat: sub/absent: No such file or directory",
        "cat: @/elsewhere/absent: No such file or directory",
        "rm: cannot remove 'sub/x': Permission denied",
        "open sub/locked: permission denied",
        "ls: cannot access '/proc/1/fd': Permission denied",
        "bash: ./not-executable: Permission denied",
        "chown: changing ownership of 'x': Operation not permitted",
        "kill: (1) - Operation not permitted",
        "Error: connect ECONNREFUSED 127.0.0.1:1",
        "FAIL tests/test_net.py::test_refused - Connection refused",
        "error[E0432]: unresolved import `crate::socket`",
        "connection to server at \"localhost\", port 1 failed: Connection refused",
        "git@example.com: Permission denied, please try again.",
        "ModuleNotFoundError: No module named 'requests'",
        "make: *** [Makefile:2: test] Error 2",
    ] {
        assert_eq!(machine.failed(output), Value::Null, "{output}");
    }
    let denied = "touch: cannot touch '@/elsewhere/x': Permission denied";
    assert_eq!(machine.found(denied, ShellExit::Code(0)), Value::Null);
    assert_eq!(machine.found(denied, ShellExit::Signal(9)), Value::Null);
    assert_eq!(machine.found(denied, ShellExit::Code(126)), Value::Null);
    let old = format!("{denied}{}", "\nok".repeat(100));
    assert_eq!(machine.failed(&old), Value::Null);
}
