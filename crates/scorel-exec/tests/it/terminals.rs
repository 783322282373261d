//! Terminals: those of the user are out of reach, and a command can have its own.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::Duration;

use libtest_mimic::Trial;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::pty::{OpenptyResult, openpty};
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use nix::unistd::ttyname;
use scorel_exec::{CommandOrder, Isolation, Run, RunEnd, Sandbox, ShellExit};

use crate::{open, order, supervisors, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (how, isolation) in [
        ("its_own_mounts", Isolation::default()),
        ("landlock_only", Isolation::NONE),
    ] {
        for (name, script) in ATTEMPTS {
            trials.push(trial(
                format!("terminals::in_a_sandbox_with_{how}_it_cannot_{name}"),
                move || attempt(script, isolation),
            ));
        }
    }
    let own = OWN.iter();
    trials.extend(own.map(|(name, script)| {
        let name = format!("terminals::in_a_sandbox_it_can_{name}");
        trial(name, move || works(script))
    }));
    trials
}

/// The attempts of a command on the terminal `$T`.
const ATTEMPTS: &[(&str, &str)] = &[
    (
        "write_to_it",
        "echo x > $T; echo x >> $T; printf x | tee $T; dd if=/dev/zero of=$T bs=1 count=1 conv=notrunc",
    ),
    (
        "write_to_it_from_a_program",
        "python3 -c \"open('$T', 'w').write('x')\"; perl -e \"open(F, '+<', '$T') and syswrite(F, 'x')\"",
    ),
    (
        "read_what_is_typed",
        "head -c 6 $T; timeout 2 cat $T; python3 -c \"import os; print(os.read(os.open('$T', os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK), 9))\"",
    ),
    (
        "change_its_settings",
        "stty -F $T -echo raw; stty -echo raw < $T; python3 -c \"import os, termios as t; f = os.open('$T', os.O_RDWR | os.O_NOCTTY); a = t.tcgetattr(f); a[3] &= ~t.ECHO; t.tcsetattr(f, 0, a)\"",
    ),
    (
        "make_it_its_own",
        "setsid -c sh -c 'echo x > /dev/tty' < $T; python3 -c \"import os, fcntl, termios; os.setsid(); os.open('$T', os.O_RDWR); os.write(os.open('/dev/tty', os.O_RDWR), b'x')\"",
    ),
    (
        "put_characters_into_it",
        "python3 -c \"import fcntl, termios, os; f = os.open('$T', os.O_RDWR | os.O_NOCTTY); fcntl.ioctl(f, termios.TIOCSTI, b'x')\"",
    ),
    (
        "reach_it_by_other_names",
        "N=$(basename $T); for p in /proc/self/root$T /proc/1/root$T /dev/fd/../../../..$T /proc/self/cwd/../../../..$T //dev/./pts/$N; do echo x > $p; done; cd /dev/pts && echo x > $N; ln -s $T t; echo x > t; ln $T h; echo x > h",
    ),
    (
        "reach_it_by_a_mount",
        "mount -t devpts devpts . && echo x > 0; unshare -Urm sh -c \"umount -l /dev/pts; echo x > $T; mount -t devpts none /dev/pts; echo x > $T\"",
    ),
    (
        "make_its_device",
        "mknod t c 136 $(basename $T) && echo x > t; unshare -Ur mknod u c 136 $(basename $T) && echo x > u",
    ),
    (
        "change_its_mode",
        "chmod 666 $T; chown 0 $T; touch $T; chmod 777 /dev/pts; rm -f $T",
    ),
];

const OWN: &[(&str, &str)] = &[
    (
        "have_a_terminal",
        "script -qec 'tty && stty size && test -t 0 && echo x > /dev/tty' /dev/null",
    ),
    (
        "open_a_pair",
        "python3 -c 'import os, pty; m, s = pty.openpty(); n = os.ttyname(s); assert n.startswith(\"/dev/pts/\"), n; os.write(s, b\"x\"); assert os.read(m, 1) == b\"x\"; os.write(os.open(n, os.O_RDWR | os.O_NOCTTY), b\"y\"); assert os.read(m, 1) == b\"y\"'",
    ),
    (
        "run_a_program_in_one",
        "python3 -c 'import pty, sys; sys.exit(pty.spawn([\"sh\", \"-c\", \"test -t 1 && tty\"]))' < /dev/null",
    ),
    (
        "change_its_own",
        "script -qec 'stty raw -echo && stty -a | grep -q -- -echo && chmod 600 $(tty)' /dev/null",
    ),
    (
        "have_many",
        "python3 -c 'import pty; p = [pty.openpty() for _ in range(40)]; print(len(p))'",
    ),
];

/// A terminal of the user's, on which a line was typed.
struct Terminal {
    pair: OpenptyResult,
    path: PathBuf,
    directory: tempfile::TempDir,
}

impl Terminal {
    fn new() -> Self {
        let pair = openpty(None, None).unwrap();
        let mut settings = tcgetattr(&pair.slave).unwrap();
        // What is typed comes back to the master only by echo: whatever else arrives, a command wrote.
        settings.local_flags.remove(LocalFlags::ECHO);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &settings).unwrap();
        for end in [&pair.master, &pair.slave] {
            fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        }
        let path = ttyname(&pair.slave).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let mut master = File::from(pair.master.try_clone().unwrap());
        master.write_all(b"typed\n").unwrap();
        Self {
            pair,
            path,
            directory,
        }
    }

    async fn run(&self, script: &str, isolation: Isolation) -> (Run, RunEnd) {
        let script = script.replace("$T", self.path.to_str().unwrap());
        let project = self.directory.path().canonicalize().unwrap();
        let order = CommandOrder {
            sandbox: Some(Sandbox {
                writable: vec![project.clone()],
                isolation,
                ..Sandbox::default()
            }),
            timeout: Some(Duration::from_secs(60)),
            ..order(&script)
        };
        let run = supervisors()
            .start(order, open(&project).unwrap().as_fd())
            .unwrap();
        let end = run.wait().await;
        (run, end)
    }
}

async fn attempt(script: &str, isolation: Isolation) {
    let terminal = Terminal::new();
    let before = tcgetattr(&terminal.pair.slave).unwrap();
    let (run, _) = terminal.run(script, isolation).await;
    let output = run.section(0, 1 << 16).bytes;
    let output = String::from_utf8_lossy(&output);
    let mut text = [0; 64];
    let mut master = File::from(terminal.pair.master);
    let written = master.read(&mut text);
    assert!(written.is_err(), "{written:?} {text:?}: {output}");
    assert_eq!(tcgetattr(&terminal.pair.slave).unwrap(), before, "{output}");
    let mut slave = File::from(terminal.pair.slave);
    let typed = slave.read(&mut text).unwrap();
    assert_eq!(&text[..typed], b"typed\n", "{output}");
    assert!(!output.contains("typed"), "{output}");
}

async fn works(script: &str) {
    let terminal = Terminal::new();
    let (run, end) = terminal.run(script, Isolation::default()).await;
    let output = run.section(0, 1 << 16).bytes;
    let output = String::from_utf8_lossy(&output);
    assert_eq!(end.exit, Some(ShellExit::Code(0)), "{output}");
}
