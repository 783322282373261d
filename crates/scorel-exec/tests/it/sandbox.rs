//! What a sandboxed command can and cannot do.

mod scripts;

use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, EndCause, RunEnd, Sandbox, ShellExit, Support};

use scripts::{ALLOWED, ESCAPES};

use crate::{open, order, processes, supervisors, trial};

/// Hidden places below the home.
const HIDDEN: &[&str] = &[".aws", ".cargo/credentials.toml", ".scorel", ".ssh"];

/// Returns whether the program is installed that the trial's name ends with.
pub(crate) fn can_be_tried(name: &str) -> bool {
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
        let caches = [".cargo/registry/cache", ".cargo/.package-cache"];
        let mut writable: Vec<_> = caches.iter().map(|name| home.join(name)).collect();
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
