//! Supervisors that are started before their commands. In a process of its own each, since few may
//! stand by at a time.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Instant;

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, HeldRun, Run, Sandbox, Surroundings};

use crate::{open, order, processes, supervisors, trial};

pub(crate) const ARGUMENT: &str = "--standing-by";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("sandbox::a_standby_runs_its_command", runs),
        trial(
            "sandbox::a_standby_without_a_sandbox_runs_its_command",
            runs_open,
        ),
        trial("sandbox::a_standby_for_other_namespaces_is_not_used", other),
        trial("sandbox::a_killed_standby_is_replaced", killed),
        trial("sandbox::a_dropped_standby_leaves_nothing", dropped),
        trial("sandbox::a_killed_daemon_leaves_no_standby", killed_daemon),
        trial("sandbox::a_standby_that_was_stopped_is_killed", stopped),
        trial("sandbox::few_supervisors_stand_by", bounded),
        trial("sandbox::a_held_command_waits_for_its_start", held),
        trial(
            "sandbox::a_dropped_held_command_leaves_nothing",
            dropped_held,
        ),
        trial(
            "sandbox::a_killed_daemon_leaves_no_held_command",
            killed_daemon_of_held,
        ),
    ]
}

/// Has a supervisor stand by for a command in the directory of the first line, sandboxed unless that is
/// empty. Then does what the lines of standard input say, and writes `end` after each.
pub(crate) fn serve() -> ExitCode {
    let mut lines = io::stdin().lock().lines().map_while(Result::ok);
    let directory = lines.next().unwrap();
    let sandbox = (!directory.is_empty()).then(|| Sandbox {
        writable: vec![PathBuf::from(&directory)],
        surroundings: Surroundings::Own,
        ..Sandbox::default()
    });
    let mut standby = supervisors().stand_by(sandbox.clone());
    let (mut held, mut others) = (None::<HeldRun>, Vec::new());
    for line in lines {
        match line.split_once(' ') {
            Some((kind, command)) => {
                let sandbox = sandbox.clone().map(|sandbox| Sandbox {
                    network: kind == "network",
                    ..sandbox
                });
                let mut order = order(command);
                order.environment.set("ONLY", "this");
                let order = CommandOrder { sandbox, ..order };
                let place = open(&Path::new("/").join(&directory)).unwrap();
                let prepared = supervisors().hold(standby.take(), order, place.as_fd());
                match kind {
                    "hold" => held = Some(prepared.unwrap()),
                    _ => finish(&prepared.unwrap().start()),
                }
            }
            _ if line == "start" => finish(&held.take().unwrap().start()),
            _ if line == "drop" => drop((standby.take(), held.take())),
            _ => {
                others.push(supervisors().stand_by(sandbox.clone()));
                println!("{}", others.iter().flatten().count());
            }
        }
        println!("end");
    }
    ExitCode::SUCCESS
}

/// Waits for the end of a command and prints what it wrote.
fn finish(run: &Run) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let end = runtime.unwrap().block_on(run.wait());
    io::stdout()
        .write_all(&run.section(0, 1 << 16).bytes)
        .unwrap();
    println!("{:?} {:?}", end.cause, end.exit);
}

/// A process with a supervisor that stands by.
struct Waiting {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    directory: tempfile::TempDir,
    supervisor: i32,
}

impl Waiting {
    fn start(in_sandbox: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut process = Command::new("/proc/self/exe")
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("SECRET_OF_THE_DAEMON", "1")
            .spawn()
            .unwrap();
        let mut input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let path = directory.path().canonicalize().unwrap();
        let line = if in_sandbox {
            path.to_str().unwrap()
        } else {
            ""
        };
        writeln!(input, "{line}").unwrap();
        let supervisor = child(process.id(), "--supervise");
        Self {
            process,
            input,
            output,
            directory,
            supervisor,
        }
    }

    /// The process that waits in the namespaces. The stage that starts it is a child of the supervisor too, and ends.
    fn init(&self) -> i32 {
        let supervisor = u32::try_from(self.supervisor).unwrap();
        let deadline = Instant::now() + processes::LIMIT;
        loop {
            let child = child(supervisor, "--supervise");
            if processes::is_init(child) {
                return child;
            }
            assert!(Instant::now() < deadline, "no init");
            std::thread::yield_now();
        }
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        let mut said = String::new();
        while !said.ends_with("end\n") {
            assert!(self.output.read_line(&mut said).unwrap() > 0, "{said}");
        }
        said
    }

    /// The processes that the process has, also those that have ended and were not waited for.
    fn children(&self) -> String {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.process.id())).unwrap();
        let children = |task: io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default()
        };
        tasks.map(children).collect()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The child of a process with this argument, once there is one.
fn child(parent: u32, argument: &str) -> i32 {
    let deadline = Instant::now() + processes::LIMIT;
    loop {
        if let [found] = processes::children(parent, argument)[..] {
            return found;
        }
        assert!(Instant::now() < deadline, "no process {argument}");
        std::thread::yield_now();
    }
}

fn ended(pid: i32) {
    processes::wait_for_end(pid, processes::LIMIT);
    assert!(!processes::exists(pid));
}

async fn runs() {
    let mut waiting = Waiting::start(true);
    let init = waiting.init();
    let said = waiting.ask(
        "run env | sort; pwd; ls /proc/self/fd; echo x > own; echo x > /etc/x && echo ESCAPED; \
         exit 3",
    );
    let directory = waiting.directory.path().canonicalize().unwrap();
    assert!(
        said.contains(&format!("{}\n0\n1\n2\n3\n", directory.display())),
        "{said}"
    );
    assert!(
        said.contains("ONLY=this") && !said.contains("SECRET"),
        "{said}"
    );
    assert!(
        !said.contains("ESCAPED") && said.contains("Exited Some(Code(3))"),
        "{said}"
    );
    assert!(directory.join("own").exists());
    ended(init);
    ended(waiting.supervisor);
    assert_eq!(waiting.children(), "", "{said}");
}

async fn runs_open() {
    let mut waiting = Waiting::start(false);
    let said = waiting.ask("run echo supervisor $PPID; pwd; env | grep -c SECRET");
    let expected = format!("supervisor {}\n/\n0\n", waiting.supervisor);
    assert!(said.starts_with(&expected), "{said}");
    ended(waiting.supervisor);
}

async fn other() {
    let mut waiting = Waiting::start(true);
    let init = waiting.init();
    let said = waiting.ask("network readlink /proc/self/ns/net");
    let own = std::fs::read_link("/proc/self/ns/net").unwrap();
    assert!(said.starts_with(own.to_str().unwrap()), "{said}");
    ended(init);
    ended(waiting.supervisor);
}

async fn killed() {
    for of_the_init in [true, false] {
        let mut waiting = Waiting::start(true);
        let init = waiting.init();
        let victim = if of_the_init {
            init
        } else {
            waiting.supervisor
        };
        let pid = rustix::process::Pid::from_raw(victim).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        // Zombies have ended, too.
        processes::wait_for_end(init, processes::LIMIT);
        processes::wait_for_end(waiting.supervisor, processes::LIMIT);
        let said = waiting.ask("run echo ran");
        assert!(said.starts_with("ran\nExited Some(Code(0))"), "{said}");
        assert_eq!(waiting.children(), "", "{said}");
    }
}

async fn dropped() {
    let mut waiting = Waiting::start(true);
    let init = waiting.init();
    waiting.ask("drop");
    ended(init);
    ended(waiting.supervisor);
}

async fn killed_daemon() {
    for with_init in [true, false] {
        let mut waiting = Waiting::start(true);
        let init = with_init.then(|| waiting.init());
        waiting.process.kill().unwrap();
        waiting.process.wait().unwrap();
        ended(waiting.supervisor);
        init.into_iter().for_each(ended);
    }
}

async fn stopped() {
    let mut waiting = Waiting::start(true);
    let init = waiting.init();
    let pid = rustix::process::Pid::from_raw(waiting.supervisor).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    waiting.ask("drop");
    ended(waiting.supervisor);
    ended(init);
}

async fn bounded() {
    let mut waiting = Waiting::start(true);
    for _ in 0..3 {
        assert_eq!(waiting.ask("another"), "1\nend\n");
    }
}

/// Has a command held, and runs another one to its end, which takes longer than preparing the first.
fn hold(waiting: &mut Waiting, command: &str) {
    assert_eq!(waiting.ask(&format!("hold {command}")), "end\n");
    let other = waiting.ask("run echo other");
    assert!(other.starts_with("other\nExited Some(Code(0))"), "{other}");
}

async fn held() {
    for in_sandbox in [true, false] {
        let mut waiting = Waiting::start(in_sandbox);
        let made = waiting.directory.path().join("made");
        hold(
            &mut waiting,
            &format!("echo x > {}; echo ran", made.display()),
        );
        assert!(!made.exists(), "{in_sandbox}");
        let said = waiting.ask("start");
        assert!(said.starts_with("ran\nExited Some(Code(0))"), "{said}");
        assert!(made.exists(), "{in_sandbox}");
        ended(waiting.supervisor);
        assert_eq!(waiting.children(), "", "{in_sandbox}");
    }
}

async fn dropped_held() {
    for in_sandbox in [true, false] {
        let mut waiting = Waiting::start(in_sandbox);
        let made = waiting.directory.path().join("made");
        hold(&mut waiting, &format!("echo x > {}", made.display()));
        waiting.ask("drop");
        ended(waiting.supervisor);
        assert!(!made.exists(), "{in_sandbox}");
    }
}

async fn killed_daemon_of_held() {
    for in_sandbox in [true, false] {
        let mut waiting = Waiting::start(in_sandbox);
        let made = waiting.directory.path().join("made");
        hold(&mut waiting, &format!("echo x > {}", made.display()));
        waiting.process.kill().unwrap();
        waiting.process.wait().unwrap();
        ended(waiting.supervisor);
        assert!(!made.exists(), "{in_sandbox}");
    }
}
