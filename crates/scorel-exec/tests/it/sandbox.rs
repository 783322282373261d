//! What a sandboxed command can and cannot do.

use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, EndCause, RunEnd, Sandbox, ShellExit, Support, default_caches};

use crate::{open, order, processes, supervisors, trial};

/// Hidden places below the home.
const HIDDEN: &[&str] = &[".aws", ".cargo/credentials.toml", ".scorel", ".ssh"];

/// Attempts that must fail. A script prints `ESCAPED` where its success has no other effect. `$P` is
/// the project, `$O` a directory outside, `$H` the home directory.
const ESCAPES: &[(&str, &str)] = &[
    ("write_a_new_file", "echo x > $O/new"),
    ("overwrite_a_file", "echo x > $O/file"),
    ("append_to_a_file", "echo x >> $O/file"),
    (
        "truncate_a_file",
        "truncate -s 0 $O/file; perl -e 'truncate(\"$O/file\", 0)'",
    ),
    (
        "truncate_while_reading",
        "perl -e 'use Fcntl; sysopen(F, \"$O/file\", O_RDONLY|O_TRUNC)'",
    ),
    ("remove_a_file", "rm -f $O/file"),
    ("make_a_directory", "mkdir $O/new"),
    ("make_a_link", "ln -s /etc/passwd $O/new"),
    ("move_a_file_in", "mv $O/file $P/"),
    ("move_a_file_out", "echo x > $P/new; mv $P/new $O/new"),
    (
        "swap_files",
        "echo x > $P/f; perl -e 'rename(\"$P/f\", \"$O/file\")'",
    ),
    (
        "write_through_a_link",
        "ln -s $O/file $P/link; echo x > $P/link",
    ),
    (
        "write_through_a_linked_directory",
        "ln -s $O $P/dir; echo x > $P/dir/new",
    ),
    (
        "write_through_a_second_name",
        "ln $O/file $P/hard && echo x > $P/hard",
    ),
    (
        "write_through_proc",
        "echo x > /proc/self/root$O/file; echo x > /proc/self/cwd/../outside/new",
    ),
    (
        "write_to_a_start_up_file",
        "echo x >> $H/.bashrc; echo x >> $H/.profile",
    ),
    ("read_a_secret", "cat $H/.ssh/id"),
    (
        "read_a_secret_through_a_link",
        "ln -s $H/.ssh/id $P/id; cat $P/id",
    ),
    (
        "read_a_secret_by_a_second_name",
        "ln $H/.ssh/id $P/id; cat $P/id",
    ),
    (
        "read_a_secret_through_proc",
        "cat /proc/self/root$H/.ssh/id /proc/$PPID/root$H/.ssh/id",
    ),
    (
        "read_the_daemons_home",
        "cat $H/.scorel/env; cp -r $H/.scorel $P/copy; cat $P/copy/env",
    ),
    (
        "read_a_disk",
        "for d in /dev/vda /dev/sda /dev/mem; do head -c 1 $d | grep -q . && echo ESCAPED; done",
    ),
    (
        "read_the_daemons_environment",
        "cat /proc/$DAEMON/environ | grep -q . && echo ESCAPED",
    ),
    (
        "read_the_daemons_memory",
        "head -c 1 /proc/$DAEMON/mem && echo ESCAPED; readlink /proc/$DAEMON/fd/0 /proc/$DAEMON/cwd && echo ESCAPED; cat /proc/$DAEMON/maps | grep -q . && echo ESCAPED",
    ),
    (
        "kill_the_supervisor",
        "kill -9 $PPID && echo ESCAPED; kill -STOP $PPID && echo ESCAPED",
    ),
    ("signal_the_daemon", "kill -0 $DAEMON && echo ESCAPED"),
    (
        "connect_to_the_daemon",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"$O/socket\"); print(\"ESCAPED\")'",
    ),
    (
        "connect_with_curl",
        "curl -s --unix-socket $O/socket http://x/ && echo ESCAPED",
    ),
    (
        "connect_to_an_abstract_address",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0$ABSTRACT\"); print(\"ESCAPED\")'",
    ),
    (
        "redirect_a_pair_of_sockets",
        "python3 -c 'import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print(\"ESCAPED\")'",
    ),
    (
        "ask_a_service_manager",
        "systemd-run --user touch $O/new; systemd-run touch $O/new",
    ),
    (
        "connect_over_tcp",
        "(exec 3<>/dev/tcp/127.0.0.1/$TCP) && echo ESCAPED",
    ),
    (
        "listen_on_tcp",
        "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(\"ESCAPED\")'",
    ),
    (
        "send_over_udp",
        "echo x > /dev/udp/127.0.0.1/$UDP && echo ESCAPED",
    ),
    (
        "use_io_uring",
        "python3 -c 'import ctypes; l = ctypes.CDLL(None, use_errno=True); r = l.syscall(425, 1, ctypes.create_string_buffer(120)); print(\"ESCAPED\" if r >= 0 or ctypes.get_errno() != 1 else \"\")'",
    ),
    (
        "make_x32_calls",
        "python3 -c 'import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39); print(\"ESCAPED\")'",
    ),
    (
        "mount_something",
        "mount -t tmpfs none $P && echo ESCAPED; mount --bind $O $P && echo ESCAPED",
    ),
    (
        "become_root_of_a_namespace",
        "unshare -Urm sh -c 'mount --bind $O $P && echo x > $P/file; echo x > $O/new'",
    ),
    (
        "move_the_root",
        "chroot / sh -c 'echo x > $O/file; cat $H/.ssh/id'",
    ),
    (
        "write_a_device",
        "mknod $P/disk b 254 0 && head -c 1 $P/disk && echo ESCAPED",
    ),
    (
        "replace_a_program",
        "echo x > $H/.cargo/bin/cargo; echo x > $H/.cargo/config.toml",
    ),
];

/// Everyday work that must succeed.
const ALLOWED: &[(&str, &str)] = &[
    (
        "write_in_the_project",
        "mkdir -p $P/a/b && echo x > $P/a/b/c && mv $P/a $P/d && rm -r $P/d && ln -s x $P/l",
    ),
    (
        "write_a_temporary_file",
        "f=$(mktemp) && echo x > $f && [ \"$(cat $f)\" = x ]",
    ),
    (
        "use_a_here_document",
        "cat <<< text && cat <<END\nmore\nEND",
    ),
    (
        "use_devices",
        "echo x > /dev/null && head -c 4 /dev/urandom | wc -c && head -c 4 < /dev/zero > /dev/null",
    ),
    ("use_a_terminal", "script -qec 'tty && stty size' /dev/null"),
    (
        "use_a_pair_of_sockets",
        "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); assert b.recv(1) == b\"x\"'",
    ),
    (
        "read_the_system",
        "ls / /etc /usr && cat /etc/passwd /proc/cpuinfo && cat $O/file",
    ),
    ("signal_its_own", "sleep 100 & kill $! && ! wait $!"),
    (
        "commit",
        "git init -q . && echo x > f && git add f && git -c user.name=n -c user.email=e commit -qm m && git log --oneline | grep -q m",
    ),
    (
        "write_a_cache",
        "echo x > $H/.cargo/registry/cache/x && echo x > $H/.cargo/.package-cache",
    ),
    (
        "build_with_cargo",
        "cargo init -q --vcs none --name sample . && cargo build -q --offline && ./target/debug/sample | grep Hello",
    ),
    (
        "install_with_npm",
        "mkdir dep && echo '{\"name\":\"dep\",\"version\":\"1.0.0\"}' > dep/package.json && echo '{\"name\":\"app\",\"version\":\"1.0.0\"}' > package.json && npm install --offline --no-audit --no-fund --cache $TMPDIR/npm ./dep && ls node_modules/dep",
    ),
];

/// Whether the program is installed that the trial's name ends with.
fn can_be_tried(name: &str) -> bool {
    let Some((_, program)) = name.split_once("_with_") else {
        return true;
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|dir| dir.join(program).exists());
    if !is_there {
        println!("skipped: {name}: {program} is not installed");
    }
    is_there
}

pub(crate) fn trials() -> Vec<Trial> {
    let escapes = ESCAPES
        .iter()
        .map(|(name, script)| trial(format!("sandbox::it_cannot_{name}"), move || escape(script)));
    let allowed = ALLOWED
        .iter()
        .filter(|(name, _)| can_be_tried(name))
        .map(|(name, script)| trial(format!("sandbox::it_can_{name}"), move || allowed(script)));
    let others = [
        trial("sandbox::the_kernel_supports_it", the_kernel_supports_it),
        trial("sandbox::protected_places_do_not_change", protected),
        trial(
            "sandbox::without_a_project_nothing_can_be_written",
            read_only,
        ),
        trial(
            "sandbox::with_the_network_tcp_works_and_unix_sockets_do_not",
            network,
        ),
        trial("sandbox::without_it_everything_is_allowed", without),
    ];
    escapes.chain(allowed).chain(others).collect()
}

/// A project, a home directory, and files and sockets outside.
struct World {
    directory: tempfile::TempDir,
    abstract_name: String,
    unix: UnixListener,
    abstract_unix: UnixListener,
    tcp: TcpListener,
    udp: UdpSocket,
}

const SECRET: &str = "not to be seen";

/// The time limit of a command, so that one that waits for a socket fails its test.
const COMMAND_LIMIT: Duration = Duration::from_secs(60);

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in [
            "project",
            "outside",
            "tmp",
            "home/.ssh",
            "home/.scorel",
            "home/.cargo/bin",
            "home/.cargo/registry/cache",
        ] {
            fs::create_dir_all(path(name)).unwrap();
        }
        fs::write(path("outside/file"), "old").unwrap();
        fs::write(path("home/.ssh/id"), SECRET).unwrap();
        fs::write(path("home/.scorel/env"), SECRET).unwrap();
        for name in [
            ".bashrc",
            ".profile",
            ".cargo/bin/cargo",
            ".cargo/config.toml",
            ".cargo/.package-cache",
        ] {
            fs::write(path("home").join(name), "").unwrap();
        }
        let abstract_name = format!("scorel-test-{}", processes::canary());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let unix = UnixListener::bind(path("outside/socket")).unwrap();
        let abstract_unix = UnixListener::bind_addr(&address).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        unix.set_nonblocking(true).unwrap();
        abstract_unix.set_nonblocking(true).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        Self {
            directory,
            abstract_name,
            unix,
            abstract_unix,
            tcp,
            udp,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn script(&self, script: &str) -> String {
        let port = |address: io::Result<std::net::SocketAddr>| address.unwrap().port().to_string();
        let text = |name: &str| self.path(name).to_str().unwrap().to_owned();
        [
            ("$ABSTRACT", self.abstract_name.clone()),
            ("$DAEMON", std::process::id().to_string()),
            ("$TCP", port(self.tcp.local_addr())),
            ("$UDP", port(self.udp.local_addr())),
            ("$PPID", "$PPID".to_owned()),
            ("$P/", format!("{}/", text("project"))),
            ("$P ", format!("{} ", text("project"))),
            ("$O", text("outside")),
            ("$H", text("home")),
        ]
        .into_iter()
        .fold(script.to_owned(), |script, (name, value)| {
            script.replace(name, &value)
        })
    }

    fn sandbox(&self) -> Sandbox {
        let home = self.path("home");
        let mut writable = default_caches(&home, None);
        writable.extend([self.path("project"), self.path("tmp")]);
        let hidden = HIDDEN.iter().map(|name| home.join(name)).collect();
        Sandbox {
            writable,
            hidden,
            ..Sandbox::default()
        }
    }

    async fn run(&self, script: &str, sandbox: Option<Sandbox>) -> (String, RunEnd) {
        let mut order = CommandOrder {
            sandbox,
            timeout: Some(COMMAND_LIMIT),
            ..order(&self.script(script))
        };
        order.environment = order.environment.with_temporary_dir(&self.path("tmp"));
        let directory = open(&self.path("project")).unwrap();
        let run = supervisors().start(order, directory.as_fd()).unwrap();
        let end = run.wait().await;
        let output = run.section(0, 1 << 16).bytes;
        (String::from_utf8_lossy(&output).into_owned(), end)
    }

    /// Checks that nothing outside has changed and no listener was reached.
    fn check(&self, output: &str) {
        assert!(
            !output.contains("ESCAPED") && !output.contains(SECRET),
            "{output}"
        );
        assert_eq!(names(&self.path("outside")), ["file", "socket"], "{output}");
        assert_eq!(
            fs::read_to_string(self.path("outside/file")).unwrap(),
            "old",
            "{output}"
        );
        for name in [
            ".bashrc",
            ".profile",
            ".cargo/bin/cargo",
            ".cargo/config.toml",
        ] {
            assert_eq!(
                fs::read_to_string(self.path("home").join(name)).unwrap(),
                "",
                "{name}"
            );
        }
        let no_peer = io::ErrorKind::WouldBlock;
        assert_eq!(self.unix.accept().unwrap_err().kind(), no_peer, "{output}");
        assert_eq!(
            self.abstract_unix.accept().unwrap_err().kind(),
            no_peer,
            "{output}"
        );
        assert_eq!(self.tcp.accept().unwrap_err().kind(), no_peer, "{output}");
        assert_eq!(
            self.udp.recv(&mut [0]).unwrap_err().kind(),
            no_peer,
            "{output}"
        );
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

async fn escape(script: &str) {
    let world = World::new();
    let (output, end) = world.run(script, Some(world.sandbox())).await;
    assert!(matches!(end.cause, EndCause::Exited), "{end:?}");
    world.check(&output);
}

async fn allowed(script: &str) {
    let world = World::new();
    let (output, end) = world
        .run(&format!("set -e\n{script}"), Some(world.sandbox()))
        .await;
    assert_eq!(end.exit, Some(ShellExit::Code(0)), "{end:?}\n{output}");
    world.check(&output);
}

async fn the_kernel_supports_it() {
    let support = Support::probe();
    assert!(support.mounts, "the tests run where mounts are possible");
    assert!(support.is_enough(), "{support:?}");
    assert!(!Support::NONE.is_enough());
}

async fn read_only() {
    let world = World::new();
    let sandbox = Sandbox {
        writable: vec![world.path("tmp")],
        ..world.sandbox()
    };
    let script =
        "echo x > $P/new; echo x > $H/.cargo/registry/cache/x; echo x > $TMPDIR/new; cat $O/file";
    let (output, _) = world.run(script, Some(sandbox)).await;
    assert!(output.ends_with("old"), "{output}");
    assert_eq!(names(&world.path("project")), [""; 0]);
    assert_eq!(names(&world.path("home/.cargo/registry/cache")), [""; 0]);
    assert_eq!(names(&world.path("tmp")), ["new"]);
    world.check(&output);
}

async fn network() {
    let world = World::new();
    let sandbox = Sandbox {
        network: true,
        ..world.sandbox()
    };
    let script = "exec 3<>/dev/tcp/127.0.0.1/$TCP && echo connected; curl -s --unix-socket $O/socket http://x/ && echo ESCAPED";
    let (output, end) = world.run(script, Some(sandbox)).await;
    // A connection to the socket that is not refused is never answered.
    assert!(matches!(end.cause, EndCause::Exited), "{end:?}: {output}");
    assert!(output.contains("connected"), "{output}");
    world.tcp.accept().unwrap();
    world.check(&output);
}

async fn without() {
    let world = World::new();
    let (output, _) = world.run("echo x > $O/new; cat $H/.ssh/id", None).await;
    assert_eq!(output, SECRET);
    assert_eq!(
        fs::read_to_string(world.path("outside/new")).unwrap(),
        "x\n"
    );
}

async fn protected() {
    let world = World::new();
    let git = |arguments: &str| {
        let mut command = std::process::Command::new("git");
        command
            .args(arguments.split(' '))
            .current_dir(world.path("project"));
        assert!(command.status().unwrap().success());
    };
    git("init -q .");
    let config = fs::read_to_string(world.path("project/.git/config")).unwrap();
    let hooks = names(&world.path("project/.git/hooks"));
    let protected = vec![
        world.path("project/.git/config"),
        world.path("project/.git/hooks"),
    ];
    let sandbox = Sandbox {
        protected,
        ..world.sandbox()
    };
    let script = "
        echo x >> .git/config; git config alias.x '!true'; git remote add origin /x
        echo x > .git/hooks/pre-commit; rm -f .git/hooks/*; mv .git/hooks .git/other; rmdir .git/hooks
        mv .git .other; cp -r .git .copy; umount .git/config .git/hooks .git; umount -l .git
        mount -o remount,rw .git/config; unshare -Urm umount .git/config
        ln .git/config hard && echo x > hard; perl -e 'rename(\"f\", \".git/config\")'
        echo x > f; git add f && git -c user.name=n -c user.email=e commit -qm m && git log --oneline";
    let (output, end) = world.run(script, Some(sandbox.clone())).await;
    assert_eq!(
        (end.exit, end.unprotected),
        (Some(ShellExit::Code(0)), false),
        "{output}"
    );
    assert_eq!(
        fs::read_to_string(world.path("project/.git/config")).unwrap(),
        config,
        "{output}"
    );
    assert_eq!(names(&world.path("project/.git/hooks")), hooks, "{output}");
    git("rev-parse -q --verify HEAD");
    let (output, _) = world
        .run("rm -rf .git; ls .git/config .git/hooks", Some(sandbox))
        .await;
    assert!(output.contains(".git/config\n"), "{output}");
    world.check(&output);
}
