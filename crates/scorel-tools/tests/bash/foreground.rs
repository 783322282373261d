//! Commands that are waited for.

use std::fs;
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use scorel_engine::CommandAccess;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::session::{Session, canary, processes, wait_for_end};
use crate::trial;

/// What waits for a `sleep` of these tests waits for years. Generous, since machines are busy.
const LONG: Duration = Duration::from_secs(60);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_command_answers_its_output", a_command_answers_its_output),
        trial(
            "a_failure_is_an_error_with_its_code",
            a_failure_is_an_error_with_its_code,
        ),
        trial("bad_arguments_run_nothing", bad_arguments_run_nothing),
        trial(
            "a_directory_of_the_project_can_be_chosen",
            a_directory_can_be_chosen,
        ),
        trial("long_output_keeps_its_ends_and_exact_counts", long_output),
        trial(
            "output_that_cannot_be_stored_is_said_to_be_lost",
            output_without_room,
        ),
        trial(
            "output_is_shown_as_it_arrives",
            output_is_shown_as_it_arrives,
        ),
        trial("a_time_limit_ends_everything", a_time_limit_ends_everything),
        trial(
            "a_cancelled_call_answers_at_once_with_what_there_is",
            a_cancelled_call,
        ),
        trial(
            "processes_left_running_are_ended_and_reported",
            what_is_left_running,
        ),
        trial(
            "the_environment_has_no_secrets",
            the_environment_has_no_secrets,
        ),
        trial("a_sandbox_holds_the_command", a_sandbox_holds_the_command),
        trial(
            "files_that_other_programs_run_are_protected",
            what_others_run_is_protected,
        ),
        trial("a_grant_holds_for_one_call", a_grant_holds_for_one_call),
        trial("without_a_sandbox_the_answer_says_so", without_a_sandbox),
        trial("no_argument_widens_anything", no_argument_widens_anything),
    ]
}

async fn a_command_answers_its_output() {
    let session = Session::new();
    let answer = session.bash("pwd; echo error >&2; cat").await;
    let project = session.path("project").canonicalize().unwrap();
    assert_eq!(answer.text, format!("{}\nerror\n", project.display()));
    let details = &answer.details;
    assert_eq!(
        (&details["exitCode"], &details["timedOut"]),
        (&json!(0), &json!(false))
    );
    assert_eq!(
        (&details["lines"], &details["droppedBytes"]),
        (&json!(2), &json!(0))
    );
    assert!(details["durationMs"].is_u64());
    assert_eq!(session.bash("true").await.text, "[no output]");
}

async fn a_failure_is_an_error_with_its_code() {
    let session = Session::new();
    let answer = session.bash("printf out; exit 3").await;
    assert_eq!(
        (answer.code(), answer.text.as_str()),
        ("E_COMMAND_FAILED", "out\n[exit code 3]")
    );
    assert_eq!(answer.details["exitCode"], 3);
    let answer = session.bash("kill -9 $$").await;
    assert_eq!(answer.text, "[no output]\n[ended by signal 9]");
    assert_eq!(answer.details["signal"], 9);
    let answer = session.bash("echo 'unbalanced").await;
    assert_eq!(answer.details["exitCode"], 2);
}

async fn bad_arguments_run_nothing() {
    let session = Session::new();
    let touch = "touch touched";
    std::os::unix::fs::symlink("/etc", session.path("project/link")).unwrap();
    for (input, code) in [
        (json!({}), "E_INVALID_ARGUMENTS"),
        (json!({ "command": " \n" }), "E_INVALID_ARGUMENTS"),
        (
            json!({ "command": "touch touched\0" }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": format!("touch touched #{}", "x".repeat(1 << 20)) }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "timeoutMs": 0 }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "timeoutMs": -1 }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "timeoutMs": 1e12 }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "timeoutMs": 1_000_000_000_000u64 }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "env": { "LD_PRELOAD": "x" } }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "approved": true }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "dangerouslyDisableSandbox": true }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "cwd": "" }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "command": touch, "cwd": "/etc" }),
            "E_SANDBOX_VIOLATION",
        ),
        (
            json!({ "command": touch, "cwd": "../home" }),
            "E_SANDBOX_VIOLATION",
        ),
        (
            json!({ "command": touch, "cwd": "link" }),
            "E_SANDBOX_VIOLATION",
        ),
        (json!({ "command": touch, "cwd": "absent" }), "ENOENT"),
        (
            json!({ "command": touch, "cwd": "file" }),
            "E_NOT_A_DIRECTORY",
        ),
    ] {
        let shown = format!("{input:.100}");
        assert_eq!(session.call("Bash", input).await.code(), code, "{shown}");
    }
    assert!(!session.path("project/touched").exists());
}

async fn a_directory_can_be_chosen() {
    let session = Session::new();
    let answer = session
        .call("Bash", json!({ "command": "pwd", "cwd": "src" }))
        .await;
    assert!(answer.text.ends_with("/project/src\n"), "{}", answer.text);
}

async fn long_output() {
    let session = Session::new();
    let answer = session.bash("seq 1000000").await;
    let (dropped_bytes, dropped_lines) = (
        answer.details["droppedBytes"].as_u64().unwrap(),
        answer.details["droppedLines"].as_u64().unwrap(),
    );
    assert_eq!(answer.details["bytes"], 6_888_896);
    assert_eq!(answer.details["lines"], 1_000_000);
    let note = format!("[... {dropped_bytes} bytes with {dropped_lines} line ends left out ...]");
    let (head, tail) = answer.text.split_once(&note).unwrap();
    assert!(head.starts_with("1\n2\n3\n") && tail.ends_with("\n999999\n1000000\n"));
    assert!(answer.text.len() < 31_000, "{}", answer.text.len());
    let blobs = session.blobs.stored.lock().unwrap();
    assert_eq!((blobs.len(), blobs[0].len()), (1, 6_888_896));
    assert_eq!(answer.details["output"]["truncated"], false);
}

async fn output_without_room() {
    let session = Session::new();
    session.blobs.full.store(true, Ordering::Relaxed);
    let answer = session.bash("seq 100000; echo end").await;
    assert!(answer.text.starts_with("1\n2\n3\n"), "{}", answer.text);
    assert!(
        answer.text.contains("the omitted part is lost"),
        "{}",
        answer.text
    );
    assert_eq!(answer.details["output"], json!(null));
    assert_eq!(answer.details["outputProblem"], "no storage space");
}

async fn output_is_shown_as_it_arrives() {
    let session = Session::new();
    let (updates, mut shown) = watch::channel(None);
    let cancel = CancellationToken::new();
    let command = json!({ "command": format!("echo first; sleep {}", canary()) });
    let call = session.call_with("Bash", command, updates, cancel.clone());
    let watching = async {
        shown.wait_for(Option::is_some).await.unwrap();
        let update = shown.borrow().clone().unwrap();
        assert_eq!(update, json!({ "text": "first\n", "bytes": 6, "lines": 1 }));
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(call, watching);
    assert_eq!(answer.code(), "E_CANCELLED");
}

async fn a_time_limit_ends_everything() {
    let session = Session::new();
    let canary = canary();
    let command = format!("echo before; (setsid sleep {canary} &); sleep {canary}");
    // Within the first limits a busy machine may not get as far as the output.
    for limit in [300, 3_000, 30_000] {
        let answer = session
            .call("Bash", json!({ "command": command, "timeoutMs": limit }))
            .await;
        assert_eq!(answer.code(), "E_TIMED_OUT");
        assert_eq!(answer.details["timedOut"], true);
        assert_eq!(processes(&canary), [0; 0]);
        if answer.text.starts_with("before") {
            let expected = format!("before\n[ended at the time limit of {limit} ms]");
            assert_eq!(answer.text, expected);
            return;
        }
    }
    panic!("the command never came to its output");
}

async fn a_cancelled_call() {
    let session = Session::new();
    let canary = canary();
    let (updates, mut shown) = watch::channel(None);
    let cancel = CancellationToken::new();
    let command = format!("trap '' TERM; echo before; while :; do sleep {canary}; done");
    let call = session.call_with(
        "Bash",
        json!({ "command": command }),
        updates,
        cancel.clone(),
    );
    let cancelling = async {
        shown.wait_for(Option::is_some).await.unwrap();
        cancel.cancel();
        Instant::now()
    };
    let (answer, cancelled_at) = tokio::join!(call, cancelling);
    assert!(
        cancelled_at.elapsed() < LONG,
        "{:?}",
        cancelled_at.elapsed()
    );
    assert_eq!(
        answer.text,
        "before\n[cancelled; this is the output so far]"
    );
    assert_eq!(answer.code(), "E_CANCELLED");
    wait_for_end(&canary);
    assert_eq!(processes(&canary), [0; 0]);
}

async fn what_is_left_running() {
    let session = Session::new();
    let canary = canary();
    let started = Instant::now();
    let answer = session.bash(&format!("sleep {canary} & echo done")).await;
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    assert!(!answer.is_error);
    assert!(
        answer
            .text
            .starts_with("done\n[1 processes that were left running were ended")
    );
    assert_eq!(processes(&canary), [0; 0]);
}

async fn the_environment_has_no_secrets() {
    let answer = Session::new()
        .bash("env; echo $TMPDIR; touch $TMPDIR/x")
        .await;
    for name in [
        "SSH_AUTH_SOCK",
        "LISTEN_",
        "NOTIFY_",
        "LD_",
        "TOKEN",
        "CARGO_MANIFEST_DIR",
    ] {
        assert!(!answer.text.contains(name), "{}", answer.text);
    }
    assert!(answer.text.contains("TERM=dumb") && !answer.is_error);
}

async fn a_sandbox_holds_the_command() {
    let session = Session::new();
    let home = session.path("home");
    let home = home.display();
    let command = format!("cat {home}/key; echo x > {home}/new; echo x > src/new; ls src");
    let answer = session.bash(&command).await;
    assert!(
        answer.text.ends_with("new\n") && !answer.text.contains("hidden"),
        "{}",
        answer.text
    );
    assert_eq!(answer.details["sandbox"], "workspace");
    assert!(!session.path("home/new").exists());
    let session = Session::with(CommandAccess::Readonly);
    let answer = session
        .bash("echo x > new; echo x > $TMPDIR/new && cat file")
        .await;
    assert!(answer.text.ends_with("text"), "{}", answer.text);
    assert_eq!(answer.details["sandbox"], "readonly");
    assert!(!session.path("project/new").exists());
}

async fn what_others_run_is_protected() {
    let session = Session::new();
    for name in [".git/hooks", ".scorel"] {
        fs::create_dir_all(session.path("project").join(name)).unwrap();
    }
    fs::write(session.path("project/.git/config"), "old").unwrap();
    fs::write(session.path("project/.scorel/config.toml"), "old").unwrap();
    let command = "for f in .git/config .git/hooks/new .scorel/config.toml; do echo x > $f; done; \
                   mv .scorel other; mv .git other; rm -rf .git .scorel; echo x > .git/index";
    let answer = session.bash(command).await;
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
    let read = |name: &str| fs::read_to_string(session.path("project").join(name)).unwrap();
    assert_eq!(
        (
            read(".git/config").as_str(),
            read(".scorel/config.toml").as_str()
        ),
        ("old", "old")
    );
    assert!(!session.path("project/.git/hooks/new").exists());
    assert_eq!(read(".git/index"), "x\n");
}

async fn a_grant_holds_for_one_call() {
    let session = Session::with(CommandAccess::Readonly);
    let write = |text: &str| json!({ "command": format!("echo {text} > new") });
    let workspace = |network| CommandAccess::Workspace { network };
    assert!(session.call("Bash", write("x")).await.is_error);
    let granted = session.call_granted("Bash", write("x"), workspace(false));
    assert!(!granted.await.is_error);
    assert!(session.call("Bash", write("y")).await.is_error);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = format!("exec 3<>/dev/tcp/{}", listener.local_addr().unwrap()).replace(':', "/");
    let wish = json!({ "command": connect, "network": true });
    assert!(
        session.call("Bash", wish.clone()).await.is_error,
        "a wish is no grant"
    );
    let granted = session.call_granted("Bash", wish, workspace(true));
    assert!(!granted.await.is_error);
    assert_eq!(
        fs::read_to_string(session.path("project/new")).unwrap(),
        "x\n"
    );
}

async fn without_a_sandbox() {
    let session = Session::with(CommandAccess::Full);
    let answer = session.bash("echo text").await;
    assert_eq!(answer.text, "text\n[ran unsandboxed]");
    assert_eq!(answer.details["sandbox"], "unsandboxed");
}

async fn no_argument_widens_anything() {
    let session = Session::new();
    let fields = |name: &str| {
        let tools = session.tools.list();
        let tool = tools.iter().find(|tool| tool.spec().name == name).unwrap();
        let properties = tool.spec().parameters["properties"].as_object().unwrap();
        properties.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(
        fields("Bash"),
        [
            "command",
            "cwd",
            "timeoutMs",
            "background",
            "network",
            "outside",
            "reason",
            "description"
        ]
    );
    assert_eq!(fields("BashOutput"), ["id", "sinceBytes"]);
    assert_eq!(fields("BashStop"), ["id"]);
}
