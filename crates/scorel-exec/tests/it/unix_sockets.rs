//! Unix sockets of commands: to each other, and to nothing else.

use std::fs;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use scorel_exec::{
    CommandOrder, Run, RunEnd, SHARED_MEMORY, Sandbox, SharedSpace, ShellExit, Surroundings,
};

use crate::{open, order, processes, supervisors, trial};

const ATTACKS: &str = include_str!("unix_sockets/attacks.py");

/// Uses that programs make of their own sockets: a name, and a script that succeeds. `_with_` is followed
/// by a program that may be missing.
const USES: &[(&str, &str)] = &[
    (
        "serve_and_connect",
        "python3 -c '
import os, socket, socketserver, threading
class Echo(socketserver.StreamRequestHandler):
    def handle(self): self.wfile.write(self.rfile.readline())
class Server(socketserver.ThreadingUnixStreamServer): pass
for name in \"a.sock\", \"./b.sock\", os.getcwd() + \"/c.sock\":
    server = Server(name, Echo); threading.Thread(target=server.serve_forever, daemon=True).start()
    client = socket.socket(socket.AF_UNIX); client.connect(name); client.sendall(b\"text\\n\")
    assert client.recv(9) == b\"text\\n\" and client.getpeername() == name
'",
    ),
    (
        "use_every_kind_of_name",
        "mkdir -p d/e; ln -s d l; python3 -c '
import os, socket, threading
def listen(name, kind):
    s = socket.socket(socket.AF_UNIX, kind); s.bind(name); s.listen(); return s
def connect(name, kind):
    c = socket.socket(socket.AF_UNIX, kind); c.connect(name); return c
for kind in socket.SOCK_STREAM, socket.SOCK_SEQPACKET:
    s = listen(f\"d/e/{kind}\", kind)
    for name in f\"l/e/{kind}\", f\"d/e/../e/{kind}\", f\"{os.getcwd()}//d/e/{kind}\":
        c = connect(name, kind); a, _ = s.accept(); c.send(b\"x\"); assert a.recv(1) == b\"x\"
    a = listen(f\"\\0name{kind}\", kind); c = connect(f\"\\0name{kind}\", kind)
    s = listen(f\"/dev/shm/{kind}\", kind); connect(f\"/dev/shm/{kind}\", kind)
    s = listen(os.environ[\"TMPDIR\"] + f\"/t{kind}\", kind); connect(os.environ[\"TMPDIR\"] + f\"/t{kind}\", kind)
    os.chdir(\"d\"); s = listen(f\"x{kind}\", kind); os.rename(f\"x{kind}\", f\"y{kind}\"); connect(f\"y{kind}\", kind); os.chdir(\"..\")
a, b = socket.socketpair(); one, two = os.pipe()
socket.send_fds(a, [b\"x\"], [one]); os.write(two, b\"y\"); assert os.read(socket.recv_fds(b, 1, 1)[1][0], 1) == b\"y\"
'",
    ),
    (
        "get_the_usual_errors",
        "python3 -c '
import errno, socket
def fails(name, kind=socket.SOCK_STREAM, client=None):
    try: (client or socket.socket(socket.AF_UNIX, kind)).connect(name)
    except OSError as error: return errno.errorcode[error.errno]
s = socket.socket(socket.AF_UNIX); s.bind(\"s\"); assert fails(\"s\") == \"ECONNREFUSED\"
s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(\"s\"); assert fails(\"s\", client=c) == \"EISCONN\"
assert fails(\"s\", socket.SOCK_SEQPACKET) == \"EPROTOTYPE\"
s.close(); assert fails(\"s\") == \"ECONNREFUSED\"
assert fails(\"none\") == \"ENOENT\" and fails(\"s/x\") == \"ENOTDIR\" and fails(\"\\0none\") == \"ECONNREFUSED\"
open(\"file\", \"w\"); assert fails(\"file\") == \"ECONNREFUSED\"
t = socket.socket(); t.bind((\"127.0.0.1\", 0)); port = t.getsockname()[1]
assert fails((\"127.0.0.1\", port), client=socket.socket()) == \"ECONNREFUSED\"
t.listen(); assert fails((\"127.0.0.1\", port), client=socket.socket()) is None
full = socket.socket(socket.AF_UNIX); full.bind(\"full\"); full.listen(0); one = socket.socket(socket.AF_UNIX); one.connect(\"full\")
two = socket.socket(socket.AF_UNIX); two.setblocking(False); assert fails(\"full\", client=two) == \"EAGAIN\"
'",
    ),
    (
        "wait_for_a_full_queue",
        "python3 -c '
import socket, threading
s = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.listen(0)
def connect(): socket.socket(socket.AF_UNIX).connect(\"s\")
clients = [threading.Thread(target=connect) for _ in range(8)]
for it in clients: it.start()
for it in clients: s.accept()
for it in clients: it.join()
'",
    ),
    (
        "share_a_multiprocessing_manager",
        "cat > work.py <<'END'
import multiprocessing
def add(shared): shared.append(1)
if __name__ == '__main__':
    with multiprocessing.Manager() as manager:
        shared = manager.list()
        workers = [multiprocessing.Process(target=add, args=(shared,)) for _ in range(3)]
        for it in workers: it.start()
        for it in workers: it.join()
        assert list(shared) == [1, 1, 1]
END
python3 work.py",
    ),
    (
        "serve_a_path_with_node",
        "node -e '
const net = require(\"net\");
const server = net.createServer(it => it.end(\"text\")).listen(\"./x.sock\", () =>
  net.connect(\"./x.sock\").on(\"data\", it => { if (it != \"text\") process.exit(1); server.close(); }));
'",
    ),
    (
        "run_a_terminal_multiplexer_with_tmux",
        "export TMUX_TMPDIR=$TMPDIR; tmux -L x -f /dev/null new -d 'sleep 100' && tmux -L x ls | grep -q windows && tmux -L x kill-server",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let uses = USES
        .iter()
        .filter(|(name, _)| crate::sandbox::can_be_tried(name))
        .map(|(name, script)| trial(format!("sandbox::sockets_can_{name}"), move || used(script)));
    let others = [
        trial("sandbox::no_socket_outside_is_reached", attacked),
        trial(
            "sandbox::no_socket_outside_is_reached_in_a_shared_space",
            attacked_in_space,
        ),
        trial(
            "sandbox::commands_of_a_space_connect_to_each_other",
            meeting,
        ),
        trial(
            "sandbox::without_a_network_of_its_own_there_are_no_sockets",
            refused,
        ),
    ];
    uses.chain(others).collect()
}

/// A project, and listeners in this process: outside, and in the project before the command.
struct World {
    directory: tempfile::TempDir,
    abstract_name: String,
    listeners: Vec<(&'static str, OwnedFd)>,
    datagrams: UnixDatagram,
}

impl World {
    fn new() -> Self {
        // Short: a socket's path has 107 bytes.
        let directory = tempfile::Builder::new().prefix("u").tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["project/home", "project/protected", "outside", "tmp"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        let abstract_name = format!("scorel-test-{}", processes::canary());
        let mut listeners: Vec<(&'static str, OwnedFd)> = [
            "outside/stream",
            "project/theirs",
            "project/masked",
            "project/home/daemon",
            "project/protected/daemon",
        ]
        .map(|name| (name, UnixListener::bind(path(name)).unwrap().into()))
        .into();
        let name = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        listeners.push(("abstract", UnixListener::bind_addr(&name).unwrap().into()));
        listeners.push(("outside/packets", packets(path("outside/packets"))));
        for (_, listener) in &listeners {
            rustix::io::ioctl_fionbio(listener, true).unwrap();
        }
        let datagrams = UnixDatagram::bind(path("outside/datagrams")).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        Self {
            directory,
            abstract_name,
            listeners,
            datagrams,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn sandbox(&self) -> Sandbox {
        Sandbox {
            writable: vec![self.path("project"), self.path("tmp"), SHARED_MEMORY.into()],
            masked: vec![self.path("project/home"), self.path("project/masked")],
            protected: vec![self.path("project/protected")],
            surroundings: Surroundings::Own,
            ..Sandbox::default()
        }
    }

    fn start(&self, script: &str, sandbox: Sandbox, space: Option<&Arc<SharedSpace>>) -> Run {
        let mut order = CommandOrder {
            sandbox: Some(sandbox),
            space: space.map(Arc::clone),
            timeout: Some(Duration::from_secs(120)),
            ..order(script)
        };
        order.environment = order.environment.with_temporary_dir(&self.path("tmp"));
        let directory = open(&self.path("project")).unwrap();
        supervisors().start(order, directory.as_fd()).unwrap()
    }

    async fn run(
        &self,
        script: &str,
        sandbox: Sandbox,
        space: Option<&Arc<SharedSpace>>,
    ) -> (String, RunEnd) {
        let run = self.start(script, sandbox, space);
        let end = run.wait().await;
        let output = run.section(0, 1 << 16).bytes;
        (String::from_utf8_lossy(&output).into_owned(), end)
    }

    async fn attack(&self, space: Option<&Arc<SharedSpace>>) {
        fs::write(self.path("tmp/attacks.py"), ATTACKS).unwrap();
        let script = format!(
            "python3 $TMPDIR/attacks.py {} $PWD {}",
            self.path("outside").display(),
            self.abstract_name
        );
        let (output, end) = self.run(&script, self.sandbox(), space).await;
        assert_eq!(end.exit, Some(ShellExit::Code(0)), "{end:?}\n{output}");
        assert!(!output.contains("ESCAPED"), "{output}");
        for (name, listener) in &self.listeners {
            let peer = rustix::net::accept(listener).map(|it| it.as_raw_fd());
            assert_eq!(peer, Err(rustix::io::Errno::AGAIN), "{name}\n{output}");
        }
        let received = self.datagrams.recv(&mut [0]).map_err(|error| error.kind());
        assert_eq!(received, Err(io::ErrorKind::WouldBlock), "{output}");
        let count = output.trim_end().lines().last().unwrap_or_default();
        let count = count
            .strip_suffix(" attacks")
            .and_then(|it| it.parse().ok());
        assert!(count >= Some(60), "{output}");
    }
}

fn packets(path: PathBuf) -> OwnedFd {
    let kind = SocketType::SEQPACKET;
    let socket =
        rustix::net::socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).unwrap();
    rustix::net::bind(&socket, &SocketAddrUnix::new(path).unwrap()).unwrap();
    rustix::net::listen(&socket, 100).unwrap();
    socket
}

async fn attacked() {
    World::new().attack(None).await;
}

async fn attacked_in_space() {
    let space = supervisors().make_space().unwrap();
    World::new().attack(Some(&space)).await;
}

async fn used(script: &str) {
    let world = World::new();
    let script = format!("set -e\n{script}");
    let (output, end) = world.run(&script, world.sandbox(), None).await;
    assert_eq!(end.exit, Some(ShellExit::Code(0)), "{end:?}\n{output}");
}

const SERVER: &str = "python3 -c '
import socket
path = socket.socket(socket.AF_UNIX); path.bind(\"s\"); path.listen()
name = socket.socket(socket.AF_UNIX); name.bind(\"\\0name\"); name.listen()
print(\"ready\", flush=True)
while True: path.accept()[0].sendall(b\"path\"); name.accept()[0].sendall(b\"name\")
'";

const CLIENT: &str = "python3 -c '
import socket
for address in \"s\", \"\\0name\":
    c = socket.socket(socket.AF_UNIX); c.connect(address); print(c.recv(9).decode())
'";

async fn meeting() {
    let world = World::new();
    let space = supervisors().make_space().unwrap();
    let server = world.start(SERVER, world.sandbox(), Some(&space));
    server.wait_for_output(0).await;
    let (output, end) = world.run(CLIENT, world.sandbox(), Some(&space)).await;
    assert_eq!(
        (output.as_str(), end.exit),
        ("path\nname\n", Some(ShellExit::Code(0)))
    );
    let other = supervisors().make_space().unwrap();
    for space in [None, Some(&other)] {
        let (output, _) = world.run(CLIENT, world.sandbox(), space).await;
        assert!(output.contains("refused"), "another session: {output}");
    }
    server.stop();
    server.wait().await;
}

async fn refused() {
    let world = World::new();
    let script = "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'";
    let with_network = Sandbox {
        network: true,
        ..world.sandbox()
    };
    let on_the_host = Sandbox {
        surroundings: Surroundings::Host,
        ..world.sandbox()
    };
    for sandbox in [with_network, on_the_host] {
        let (output, _) = world.run(script, sandbox, None).await;
        assert!(output.contains("Operation not permitted"), "{output}");
    }
}
