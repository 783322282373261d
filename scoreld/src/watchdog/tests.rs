//! Each case runs in a process of its own, this program with a variable, since what it shows is how a
//! process ends.

use std::env;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use scorel_testkit::Deadline;
use tokio::runtime::Builder;

use super::*;

const CASE: &str = "SCOREL_WATCHED_CASE";

/// Long enough for a busy machine to run a task in four of them.
const INTERVAL: Duration = Duration::from_millis(500);

/// After how many turns a process that does not hang ends.
const TURNS: usize = 12;

const SESSION: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// A process that hangs as `case` says, from its third turn on, or that ends after some turns.
#[test]
fn a_watched_process_behaves_as_its_case_says() {
    let Ok(case) = env::var(CASE) else { return };
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let lock: Arc<Mutex<()>> = Arc::default();
    let (turns, taken) = channel();
    let tried = Arc::clone(&lock);
    let try_locks = move |at: &dyn Fn(WatchedPlace)| {
        at(WatchedPlace::Session(SESSION.parse().unwrap()));
        turns.send(()).unwrap();
        drop(tried.lock());
    };
    let unheard = case == "a stop is not heard";
    let stop_time = move || unheard.then_some(INTERVAL * 2);
    let watchdog =
        Watchdog::with_interval(INTERVAL, runtime.handle(), try_locks, stop_time, || {}).unwrap();
    let turn = || taken.recv().unwrap();
    turn();
    turn();
    match case.as_str() {
        "a lock is stuck" => {
            let _held = lock.lock().unwrap();
            loop {
                thread::park();
            }
        }
        // The workers wait for a lock, of which the watchdog does not know.
        "the runtime is stuck" => {
            let unknown: Arc<Mutex<()>> = Arc::default();
            let _held = unknown.lock().unwrap();
            for _ in 0..2 {
                let unknown = Arc::clone(&unknown);
                runtime.spawn(async move { drop(unknown.lock()) });
            }
            loop {
                thread::park();
            }
        }
        // Each worker comes to an end of its work in time, but not to that of a call.
        "the runtime is slow" => {
            for _ in 0..2 {
                runtime.spawn(async {
                    loop {
                        thread::sleep(INTERVAL);
                        tokio::task::yield_now().await;
                    }
                });
            }
            loop {
                thread::park();
            }
        }
        "a stop is not heard" => {}
        "a stop is late" => watchdog.stopping(INTERVAL * 2),
        "a lock is slow" => {
            for _ in 0..3 {
                let held = lock.lock().unwrap();
                thread::sleep(INTERVAL * (MISSED - 2));
                drop(held);
                turn();
            }
        }
        "it is suspended" => println!("running"),
        other => panic!("{other}"),
    }
    (0..TURNS).for_each(|_| turn());
}

fn start(case: &str) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "watchdog::tests::a_watched_process_behaves_as_its_case_says",
            "--nocapture",
        ])
        .env(CASE, case)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// The exit code, and what the process said.
fn ended(child: Child) -> (Option<i32>, String) {
    let _deadline = Deadline::of(&child);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), text)
}

#[test]
fn a_process_that_hangs_says_where_and_ends() {
    let place = format!("the state of session {SESSION} stays locked");
    // All at once, since they only wait.
    let cases = [
        ("a lock is stuck", &*place),
        ("the runtime is stuck", "the runtime runs no task"),
        ("the runtime is slow", "the runtime runs no task"),
        ("a stop is not heard", "it has not stopped in time"),
        ("a stop is late", "it has not stopped in time"),
    ]
    .map(|(case, said)| (case, said, start(case)));
    for (case, said, child) in cases {
        let (code, text) = ended(child);
        assert_eq!(code, Some(75), "{case}: {text}");
        assert!(text.contains(said), "{case}: {text}");
    }
}

#[test]
fn a_process_that_is_slow_or_was_suspended_goes_on() {
    let slow = start("a lock is slow");
    let mut child = start("it is suspended");
    let mut output = io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("running") {
        line.clear();
        assert_ne!(io::BufRead::read_line(&mut output, &mut line).unwrap(), 0);
    }
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    kill(pid, Signal::SIGSTOP).unwrap();
    waitpid(pid, Some(WaitPidFlag::WUNTRACED)).unwrap();
    thread::sleep(INTERVAL * MISSED * 2);
    kill(pid, Signal::SIGCONT).unwrap();
    for child in [slow, child] {
        let (code, text) = ended(child);
        assert_eq!(code, Some(0), "{text}");
    }
}
