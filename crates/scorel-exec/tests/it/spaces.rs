//! The loopback network and the shared memory of commands, and hidden files.

use std::fs;
use std::net::TcpListener;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{
    CommandOrder, EndCause, Run, RunEnd, SHARED_MEMORY, Sandbox, SharedSpace, ShellExit,
    Surroundings,
};

use crate::{daemon, open, order, processes, supervisors, trial};

/// The time limit of a command.
const LIMIT: Duration = Duration::from_secs(60);

const SECRET: &str = "not to be seen";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("sandbox::spaces_have_a_loopback_network", loopback),
        trial("sandbox::spaces_do_not_reach_the_host", host_network),
        trial(
            "sandbox::a_network_command_is_outside_of_the_space",
            network,
        ),
        trial("sandbox::commands_meet_in_a_shared_space", meeting),
        trial("sandbox::a_shared_space_ends_with_its_last_user", last_user),
        trial("sandbox::a_killed_daemon_leaves_no_holder", killed_daemon),
        trial(
            "sandbox::a_space_whose_holder_is_gone_is_an_error",
            no_holder,
        ),
        trial(
            "sandbox::shared_memory_is_private_and_bounded",
            shared_memory,
        ),
        trial("sandbox::python_multiprocessing_works", multiprocessing),
        trial("sandbox::hidden_files_are_masked", masked),
        trial("sandbox::hidden_files_cannot_be_uncovered", uncovering),
        trial(
            "sandbox::the_working_directory_is_below_the_mounts",
            working_directory,
        ),
        trial(
            "sandbox::a_hidden_working_directory_is_refused",
            hidden_directory,
        ),
    ]
}

struct Place(tempfile::TempDir);

impl Place {
    /// A project with a file, and two hidden places in it.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path();
        fs::create_dir_all(project.join("secrets/deep")).unwrap();
        fs::create_dir_all(project.join("a/b")).unwrap();
        fs::write(project.join("secrets/deep/key"), SECRET).unwrap();
        fs::write(project.join("a/b/key.pem"), SECRET).unwrap();
        fs::write(project.join("open"), "open").unwrap();
        Self(directory)
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn sandbox(&self) -> Sandbox {
        Sandbox {
            writable: vec![self.path(), SHARED_MEMORY.into()],
            surroundings: Surroundings::Own,
            ..Sandbox::default()
        }
    }

    fn masked(&self) -> Sandbox {
        Sandbox {
            masked: vec![self.path().join("secrets"), self.path().join("a/b/key.pem")],
            ..self.sandbox()
        }
    }

    fn start(&self, script: &str, sandbox: Sandbox, space: Option<&Arc<SharedSpace>>) -> Run {
        self.start_in("", script, sandbox, space)
    }

    fn start_in(
        &self,
        directory: &str,
        script: &str,
        sandbox: Sandbox,
        space: Option<&Arc<SharedSpace>>,
    ) -> Run {
        let order = CommandOrder {
            sandbox: Some(sandbox),
            space: space.map(Arc::clone),
            timeout: Some(LIMIT),
            ..order(script)
        };
        let directory = open(&self.path().join(directory)).unwrap();
        supervisors().start(order, directory.as_fd()).unwrap()
    }

    async fn run(&self, script: &str, sandbox: Sandbox) -> (String, RunEnd) {
        ended(&self.start(script, sandbox, None)).await
    }
}

async fn ended(run: &Run) -> (String, RunEnd) {
    let end = run.wait().await;
    let output = run.section(0, 1 << 16).bytes;
    (String::from_utf8_lossy(&output).into_owned(), end)
}

fn succeeded((output, end): &(String, RunEnd)) {
    assert_eq!(end.exit, Some(ShellExit::Code(0)), "{end:?}\n{output}");
}

/// A server on a free port, which is written to the file `port`, and its answer to one client.
const SERVER: &str = "python3 -c '
import socket
s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()
open(\"port.new\", \"w\").write(str(s.getsockname()[1]))
import os; os.rename(\"port.new\", \"port\")
print(\"ready\", flush=True)
while True: c, _ = s.accept(); c.sendall(b\"hello\"); c.close()
'";

/// Reads what a server says whose port is in the file `port`.
const CLIENT: &str = "python3 -c '
import socket
s = socket.create_connection((\"127.0.0.1\", int(open(\"port\").read())))
print(s.recv(9).decode())
'";

async fn ready(run: &Run) {
    let mut said = Vec::new();
    while !said.windows(5).any(|part| part == b"ready") {
        assert_eq!(run.ended(), None, "{}", String::from_utf8_lossy(&said));
        run.wait_for_output(said.len() as u64).await;
        said = run.section(0, 4096).bytes;
    }
}

async fn loopback() {
    let place = Place::new();
    let script = "python3 -c '
import socket
for family, host in (socket.AF_INET, \"127.0.0.1\"), (socket.AF_INET6, \"::1\"):
    s = socket.socket(family); s.bind((host, 0)); s.listen()
    c = socket.create_connection(s.getsockname()[:2]); c.sendall(b\"x\")
    assert s.accept()[0].recv(1) == b\"x\"
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind((\"127.0.0.1\", 0)); u.sendto(b\"x\", u.getsockname())
assert u.recv(1) == b\"x\"
'";
    succeeded(&place.run(script, place.sandbox()).await);
    let (output, end) = place
        .run(
            script,
            Sandbox {
                surroundings: Surroundings::Host,
                ..place.sandbox()
            },
        )
        .await;
    assert_eq!(end.exit, Some(ShellExit::Code(1)), "{output}");
}

async fn host_network() {
    let place = Place::new();
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "
        for host in 127.0.0.1 localhost $(hostname -I) 1.1.1.1 8.8.8.8; do
            (exec 3<>/dev/tcp/$host/{port}) && echo ESCAPED $host
            echo x > /dev/udp/$host/{port} && [ $host = 1.1.1.1 ] && echo ESCAPED $host
        done
        ip link add dummy0 type dummy && echo ESCAPED; ip addr add 10.0.0.1/8 dev lo && echo ESCAPED
        nsenter -t {} -n true && echo ESCAPED; nsenter -t $PPID -n true && echo ESCAPED
        unshare -Ur nsenter -t {} -n true && echo ESCAPED
        cat /proc/net/tcp | grep -c : ",
        std::process::id(),
        std::process::id()
    );
    let (output, _) = place.run(&script, place.sandbox()).await;
    assert!(!output.contains("ESCAPED"), "{output}");
    assert!(
        output.ends_with("0\n"),
        "sockets of the host are not listed: {output}"
    );
    assert_eq!(
        listener.accept().unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock
    );
}

async fn network() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let allowed = Sandbox {
        network: true,
        ..place.sandbox()
    };
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port} && echo x > /dev/shm/x && df /dev/shm | grep shm"
    );
    succeeded(&place.run(&script, allowed.clone()).await);
    listener.accept().unwrap();
    let space = supervisors().make_space().unwrap();
    succeeded(&ended(&place.start(&script, allowed, Some(&space))).await);
    listener.accept().unwrap();
}

async fn meeting() {
    let place = Place::new();
    let space = supervisors().make_space().unwrap();
    let server = place.start(
        &format!("echo shared > /dev/shm/note; {SERVER}"),
        place.sandbox(),
        Some(&space),
    );
    ready(&server).await;
    let client = format!("cat /dev/shm/note; {CLIENT}");
    let met = ended(&place.start(&client, place.masked(), Some(&space))).await;
    succeeded(&met);
    assert_eq!(met.0, "shared\nhello\n");
    let (output, end) = place.run(&client, place.sandbox()).await;
    assert_eq!(
        end.exit,
        Some(ShellExit::Code(1)),
        "another space: {output}"
    );
    assert!(output.contains("refused"), "{output}");
    let other = supervisors().make_space().unwrap();
    let (output, _) = ended(&place.start(&client, place.sandbox(), Some(&other))).await;
    assert!(
        output.contains("refused"),
        "another session's space: {output}"
    );
    server.stop();
    server.wait().await;
}

async fn last_user() {
    let place = Place::new();
    let space = supervisors().make_space().unwrap();
    let holder = space.holder();
    let canary = processes::canary();
    let run = place.start(
        &format!("echo ready; sleep {canary}"),
        place.sandbox(),
        Some(&space),
    );
    ready(&run).await;
    assert!(space.is_alive());
    drop(space);
    assert!(processes::exists(holder), "the run holds it");
    run.stop();
    run.wait().await;
    processes::wait_for_end(holder, processes::LIMIT);
    assert!(!processes::exists(holder));
}

async fn killed_daemon() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let canary = processes::canary();
    let mut daemon = daemon::start(&format!("echo ready; sleep {canary}"), Some(path));
    let holders = processes::children(daemon.id(), "--hold-space");
    assert_eq!(holders.len(), 1, "the daemon has a shared space");
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    for holder in holders {
        processes::wait_for_end(holder, processes::LIMIT);
        assert!(!processes::exists(holder));
    }
    assert_eq!(processes::left_after(&canary, processes::LIMIT), [0; 0]);
}

async fn no_holder() {
    let place = Place::new();
    let space = supervisors().make_space().unwrap();
    let pid = rustix::process::Pid::from_raw(space.holder()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    processes::wait_for_end(space.holder(), LIMIT);
    assert!(!space.is_alive());
    let (output, end) = ended(&place.start("echo ran", place.sandbox(), Some(&space))).await;
    assert!(matches!(end.cause, EndCause::NotStarted(_)), "{end:?}");
    assert_eq!(output, "");
}

async fn shared_memory() {
    let place = Place::new();
    let name = format!("scorel-{}", processes::canary());
    let outside = Path::new("/dev/shm").join(&name);
    fs::write(&outside, "host").unwrap();
    let script = format!(
        "
        ls -A /dev/shm; cat /dev/shm/{name} && echo ESCAPED
        echo x > /dev/shm/{name}-own && cat /dev/shm/{name}-own
        fallocate -l 900M /dev/shm/big && echo fits; fallocate -l 1100M /dev/shm/big && echo ESCAPED
        [ $(stat -c %a /dev/shm) = 1777 ] && echo mode"
    );
    let (output, _) = place.run(&script, place.sandbox()).await;
    fs::remove_file(&outside).unwrap();
    assert!(!output.contains("ESCAPED"), "{output}");
    assert!(
        output.contains("x\n") && output.contains("fits\n") && output.ends_with("mode\n"),
        "{output}"
    );
    assert!(!Path::new("/dev/shm").join(format!("{name}-own")).exists());
    let host = Sandbox {
        surroundings: Surroundings::Host,
        writable: vec![place.path()],
        ..place.sandbox()
    };
    let (output, _) = place.run("echo x > /dev/shm/x && echo ESCAPED", host).await;
    assert!(!output.contains("ESCAPED"), "{output}");
}

async fn multiprocessing() {
    let place = Place::new();
    let script = "cat > work.py <<'END'
import multiprocessing as m
from multiprocessing import shared_memory
def double(n): return 2 * n
if __name__ == '__main__':
    with m.Pool(2) as pool: assert pool.map(double, range(100)) == list(range(0, 200, 2))
    lock, queue = m.Lock(), m.Queue()
    with lock: queue.put(1)
    assert queue.get() == 1
    block = shared_memory.SharedMemory(create=True, size=4096)
    block.buf[0] = 7; block.close(); block.unlink()
    print('done')
END
python3 work.py";
    let ran = place.run(script, place.sandbox()).await;
    succeeded(&ran);
    assert_eq!(ran.0, "done\n");
}

async fn masked() {
    let place = Place::new();
    let script = "
        cat a/b/key.pem; cat secrets/deep/key; ls secrets secrets/deep; head -c 5 a/b/key.pem
        grep -r seen .; grep -rs . secrets a; tar c . 2>/dev/null | grep -a seen
        git init -q . && git add -A 2>&1; git grep --no-index seen; git grep --cached seen
        perl -e 'open F, \"a/b/key.pem\" or die; print <F>'
        cat > main.c <<'END'
#include <stdio.h>
int main(void) { int c; FILE *f = fopen(\"a/b/key.pem\", \"r\"); while (f && (c = getc(f)) != EOF) putchar(c); return !!f; }
END
        TMPDIR=. cc main.c -o main && ./main && echo compiled
        echo x > secrets/new && echo CHANGED; echo x > a/b/key.pem && echo CHANGED; chmod 777 secrets && echo CHANGED
        rm -rf secrets a/b/key.pem; mv a elsewhere && cat elsewhere/b/key.pem; cat open";
    let (output, end) = place.run(script, place.masked()).await;
    assert_eq!(end.exit, Some(ShellExit::Code(0)), "{output}");
    assert!(
        !output.contains("seen") && !output.contains("CHANGED"),
        "{output}"
    );
    assert!(output.ends_with("open"), "{output}");
    let has_compiler = std::process::Command::new("cc")
        .arg("--version")
        .output()
        .is_ok();
    assert!(!has_compiler || output.contains("compiled\n"), "{output}");
    let path = place.path();
    assert_eq!(
        fs::read_to_string(path.join("secrets/deep/key")).unwrap(),
        SECRET
    );
    assert_eq!(
        fs::read_to_string(path.join("a/b/key.pem")).unwrap(),
        SECRET,
        "moved, it would be open to the next command: {output}"
    );
    let (output, _) = place.run("cat secrets/deep/key", place.sandbox()).await;
    assert_eq!(output, SECRET, "without masks it is readable");
}

async fn uncovering() {
    let place = Place::new();
    let script = format!("
        umount secrets a/b/key.pem; umount -l secrets; umount -R /; unshare -Urm umount secrets
        unshare -Urm sh -c 'mount --bind / /mnt; cat /mnt$PWD/secrets/deep/key'
        cat /proc/self/root$PWD/secrets/deep/key /proc/{}/root$PWD/secrets/deep/key /proc/$PPID/root$PWD/secrets/deep/key
        cat /proc/self/cwd/secrets/deep/key; cd secrets; cat deep/key; cd ..; mount --move secrets /mnt; ln a/b/key.pem hard; cat hard", std::process::id());
    let (output, _) = place.run(&script, place.masked()).await;
    assert!(!output.contains(SECRET), "{output}");
}

async fn working_directory() {
    let place = Place::new();
    let git = place.path().join(".git");
    fs::create_dir(&git).unwrap();
    fs::write(git.join("config"), "old").unwrap();
    let sandbox = Sandbox {
        protected: vec![git.join("config")],
        ..place.masked()
    };
    let run = place.start_in(
        ".git",
        "echo x > config; echo x > ../.git/config; pwd",
        sandbox.clone(),
        None,
    );
    let (output, _) = ended(&run).await;
    assert!(
        output.ends_with(&format!("{}\n", git.display())),
        "{output}"
    );
    assert_eq!(
        fs::read_to_string(git.join("config")).unwrap(),
        "old",
        "{output}"
    );
    let host = Sandbox {
        surroundings: Surroundings::Host,
        ..sandbox
    };
    let (output, _) = ended(&place.start_in(".git", "echo x > config", host, None)).await;
    assert_eq!(
        fs::read_to_string(git.join("config")).unwrap(),
        "old",
        "{output}"
    );
}

async fn hidden_directory() {
    let place = Place::new();
    let run = place.start_in("secrets/deep", "cat key", place.masked(), None);
    let (output, end) = ended(&run).await;
    let EndCause::NotStarted(reason) = end.cause else {
        panic!("{end:?} {output}");
    };
    assert!(reason.contains("hidden from commands"), "{reason}");
    assert_eq!(output, "");
}
