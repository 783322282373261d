//! Other processes, which a sandboxed command can neither change nor look into.

use std::fs;
use std::os::fd::AsFd as _;
use std::process::{Child, Command};

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, EndCause, Isolation, RunEnd, Sandbox};

use crate::{open, order, processes, supervisors, trial};

/// System calls of x86-64 that name the process `$v`, with their arguments in Perl. Each must fail.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(&str, &str)] = &[
    ("prlimit64", "302, $v, 7, $limit, 0"),
    ("prlimit64_to_read", "302, $v, 7, 0, $b"),
    ("setpriority", "141, 0, $v, 19"),
    ("ioprio_set", "251, 1, $v, 3 << 13"),
    ("sched_setaffinity", "203, $v, 8, $one"),
    ("sched_setscheduler", "144, $v, 3, $zero"),
    ("sched_setparam", "142, $v, $zero"),
    ("sched_setattr", "314, $v, $policy, 0"),
    ("kcmp", "312, $v, $$, 0, 0, 0"),
    ("migrate_pages", "256, $v, 8, $one, $one"),
    ("move_pages", "279, $v, 0, 0, 0, 0, 0"),
    ("process_vm_readv", "310, $v, $i, 1, $i, 1, 0"),
    ("process_vm_writev", "311, $v, $i, 1, $i, 1, 0"),
    ("process_madvise", "440, $p, 0, 0, 20, 0"),
    ("pidfd_getfd", "438, $p, 0, 0"),
    ("process_mrelease", "448, $p, 0"),
    ("ptrace_attach", "101, 16, $v, 0, 0"),
    ("ptrace_seize", "101, 0x4206, $v, 0, 0"),
    ("kill", "62, $v, 0"),
];

#[cfg(not(target_arch = "x86_64"))]
const CALLS: &[(&str, &str)] = &[];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (place, isolation) in [
        ("sandbox", Isolation::default()),
        ("filters", Isolation::NONE),
    ] {
        for (name, call) in CALLS {
            let name = format!("sandbox::it_cannot_{name}_another_process_in_{place}");
            trials.push(trial(name, move || refused(call, isolation)));
        }
        let name = format!("sandbox::groups_and_users_are_not_reached_in_{place}");
        trials.push(trial(name, move || groups(isolation)));
        let name = format!("sandbox::system_v_ipc_does_not_outlive_the_command_in_{place}");
        trials.push(trial(name, move || ipc(isolation)));
    }
    trials.push(trial(
        "sandbox::it_sees_its_own_processes_only",
        own_processes,
    ));
    trials.push(trial("sandbox::its_own_threads_can_be_bound", own_threads));
    trials
}

/// A process of the same user, ended with this value.
struct Bystander(Child);

impl Bystander {
    fn start() -> Self {
        Self(
            Command::new("sleep")
                .arg(processes::canary())
                .spawn()
                .unwrap(),
        )
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Niceness, scheduling policy, limits and processors.
    fn state(&self) -> [String; 4] {
        let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.pid())).unwrap();
        let stat = read("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split(' ').collect();
        let status = read("status");
        let mut lines = status.lines();
        let allowed = lines
            .find(|line| line.starts_with("Cpus_allowed:"))
            .unwrap();
        [
            fields[17].to_owned(),
            fields[39].to_owned(),
            read("limits"),
            allowed.to_owned(),
        ]
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

async fn run(command: &str, isolation: Isolation) -> (String, RunEnd) {
    let directory = tempfile::tempdir().unwrap();
    let order = CommandOrder {
        sandbox: Some(Sandbox {
            writable: vec![directory.path().to_owned()],
            isolation,
            ..Sandbox::default()
        }),
        ..order(command)
    };
    let opened = open(directory.path()).unwrap();
    let run = supervisors().start(order, opened.as_fd()).unwrap();
    let end = run.wait().await;
    let output = run.section(0, 1 << 16).bytes;
    (String::from_utf8_lossy(&output).into_owned(), end)
}

async fn refused(call: &str, isolation: Isolation) {
    let bystander = Bystander::start();
    let before = bystander.state();
    // The supervisor or the init, this process, and one that has nothing to do with the command.
    for victim in [
        "$PPID",
        &std::process::id().to_string(),
        &bystander.pid().to_string(),
    ] {
        let perl = format!(
            "my ($v) = @ARGV; $v += 0; my $b = q( ) x 64; \
             my ($one, $zero, $limit) = (pack(q(Q), 1), pack(q(Q), 0), pack(q(QQ), 5, 5)); \
             my $policy = pack(q(LLQlLQQQ), 48, 3, 0, 0, 0, 0, 0, 0); \
             my $i = pack(q(QQ), unpack(q(Q), pack(q(p), $b)), 64); my $p = syscall(434, $v, 0); \
             my $r = syscall({call}); print $r == -1 ? \"refused\" : \"ESCAPED\""
        );
        let (output, end) = run(&format!("perl -e '{perl}' {victim}"), isolation).await;
        let is_init = victim == "$PPID" && isolation.processes;
        // The init of its own namespace is not another's process, and these have no effect there.
        let may_name_init = ["141,", "251,", "203,", "144,", "142,", "314,"];
        if !(is_init && may_name_init.iter().any(|number| call.starts_with(number))) {
            assert_eq!(output, "refused", "{victim}: {call}: {end:?}");
        }
    }
    assert_eq!(bystander.state(), before);
}

async fn groups(isolation: Isolation) {
    let bystander = Bystander::start();
    let before = bystander.state();
    let perl = "syscall(141, 1, 0, 19); syscall(141, 2, 0, 19); syscall(141, 2, $<, 19); \
                syscall(251, 3, 0, 3 << 13); syscall(251, 2, 0, 3 << 13)";
    let (output, end) = run(&format!("perl -e '{perl}'; echo done"), isolation).await;
    assert_eq!((output.as_str(), end.cause), ("done\n", EndCause::Exited));
    assert_eq!(bystander.state(), before);
    // The command's process group is not the supervisor's.
    let (output, end) = run(
        "trap '' TERM; kill -TERM 0; kill -KILL 0; echo no",
        isolation,
    )
    .await;
    assert_eq!(
        (output.as_str(), end.cause),
        ("", EndCause::Exited),
        "{output}"
    );
}

async fn ipc(isolation: Isolation) {
    let key =
        0x5c0_0000 + i32::try_from(std::process::id()).unwrap() * 2 + i32::from(isolation.mounts);
    let perl = format!(
        "my $m = shmget({key}, 4096, 01666); my $q = msgget({key}, 01666); \
         print defined($m) ? \"memory \" : \"\", defined($q) ? \"queue\" : \"\""
    );
    let (output, _) = run(&format!("perl -e '{perl}'"), isolation).await;
    assert_eq!(output, if isolation.mounts { "memory queue" } else { "" });
    for table in ["shm", "msg"] {
        let left = fs::read_to_string(format!("/proc/sysvipc/{table}")).unwrap();
        let keys = left
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        assert!(!keys.into_iter().any(|it| it == key.to_string()), "{left}");
    }
}

async fn own_processes() {
    let daemon = std::process::id();
    let script = format!(
        "[ -e /proc/{daemon} ] && echo another; ls -d /proc/[0-9]* | wc -l; \
         readlink /proc/self/exe > /dev/null && echo self; echo $PPID"
    );
    let (output, _) = run(&script, Isolation::default()).await;
    let lines: Vec<&str> = output.lines().collect();
    let [count, "self", "1"] = lines.as_slice() else {
        panic!("{output}");
    };
    // The init, the shell, and those of the pipeline.
    assert!((3..=5).contains(&count.parse::<u32>().unwrap()), "{output}");
}

/// As `pthread_setaffinity_np` does.
async fn own_threads() {
    let script = "taskset -p 1 $$ > /dev/null && renice -n 5 -p $$ > /dev/null && echo bound";
    let (output, _) = run(script, Isolation::default()).await;
    assert_eq!(output, "bound\n");
}
