//! Questions at a terminal: what was typed before one was read answers none.

use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;
use scorel_testkit::Terminal;
use serde_json::{Value, json};

use crate::answers::{OTHER_CLIENT, TURN, daemon, decision, outcome, question, request_id, user};
use crate::daemon::Daemon;
use crate::program::{Running, TestHome};

/// The keys Ctrl-S and Ctrl-Q.
const STOP_OUTPUT: &str = "\u{13}";
const START_OUTPUT: &str = "\u{11}";

/// A turn that runs, followed at a terminal.
fn running(place: &TestHome) -> Option<(Daemon, Terminal)> {
    let daemon = daemon(place);
    daemon.answer("respondPermission", json!({"seq": 9}));
    daemon.after_send(&[user(3, 2, TURN, None)]);
    let terminal = Terminal::start(&place.command(&["send", "Clean up."]))?;
    daemon.wait_for("sendMessage", 1);
    Some((daemon, terminal))
}

/// The turn ends after the record with this number.
fn ends(daemon: &Daemon, terminal: Terminal, last: u64) -> String {
    daemon.publish(&[outcome(last + 1, last, TURN, "completed")]);
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    shown
}

/// The only answer so far.
fn answer(daemon: &Daemon) -> (Value, Value, Value) {
    let answer = daemon.wait_for("respondPermission", 1);
    assert_eq!(daemon.calls("respondPermission").len(), 1);
    let field = |name: &str| answer[name].clone();
    (field("requestId"), field("decision"), field("reason"))
}

#[test]
fn what_was_typed_before_the_question_answers_nothing() {
    for early in [
        "y\n",
        "y",
        "yes\n\n\ny\n",
        "\u{1b}[200~y\ny\n\u{1b}[201~",
        "y\u{4}",
        "\u{4}",
    ] {
        let place = TestHome::new();
        let Some((daemon, mut terminal)) = running(&place) else {
            return;
        };
        terminal.types(early);
        daemon.publish(&[question(4, 3, 1, "rm -rf sub")]);
        terminal.until("command: rm -rf sub");
        // Still unread.
        terminal.types(early);
        terminal.until("allow Bash `rm -rf sub`? ");
        terminal.types("n not this one\n");
        let expected = (request_id(1).into(), "deny".into(), "not this one".into());
        assert_eq!(answer(&daemon), expected, "{early:?}");
        ends(&daemon, terminal, 4);
    }
}

#[test]
fn what_was_typed_while_the_output_was_stopped_answers_nothing() {
    for _ in 0..20 {
        let place = TestHome::new();
        let Some((daemon, mut terminal)) = running(&place) else {
            return;
        };
        daemon.publish(&[question(4, 3, 1, "make")]);
        terminal.until("command: make");
        terminal.types(STOP_OUTPUT);
        // The client's own clock has to pass the 500 ms of a prompt, and nothing tells of that: the output is
        // stopped.
        std::thread::sleep(Duration::from_secs(1));
        // A busy machine takes the key that stops the output late: then the prompt is on the screen, and what is
        // typed answers it.
        let is_too_late = terminal.shows("allow Bash `make`? ");
        if !is_too_late {
            terminal.types("y\n");
        }
        terminal.types(START_OUTPUT);
        terminal.until("allow Bash `make`? ");
        terminal.types("n\n");
        assert_eq!(answer(&daemon).1, "deny");
        ends(&daemon, terminal, 4);
        if !is_too_late {
            return;
        }
    }
    panic!("the prompt always came before the output was stopped");
}

#[test]
fn a_line_that_was_begun_for_one_question_is_no_answer_to_the_next() {
    for begun in ["y", "y\u{4}"] {
        let place = TestHome::new();
        let Some((daemon, mut terminal)) = running(&place) else {
            return;
        };
        daemon.publish(&[
            question(4, 3, 1, "rm -rf s1"),
            question(5, 4, 2, "rm -rf s2"),
        ]);
        terminal.until("allow Bash `rm -rf s1`? ");
        terminal.types(begun);
        daemon.publish(&[decision(6, 5, 1, "deny")]);
        terminal.until(&format!("answered elsewhere: denied by {OTHER_CLIENT}"));
        terminal.until("command: rm -rf s2");
        terminal.types("\n");
        terminal.until("allow Bash `rm -rf s2`? ");
        terminal.types("n\n");
        let expected = (request_id(2).into(), "deny".into(), Value::Null);
        assert_eq!(answer(&daemon), expected);
        ends(&daemon, terminal, 6);
    }
}

#[test]
fn lines_pasted_at_one_question_do_not_answer_the_next() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    daemon.publish(&[question(4, 3, 1, "make one"), question(5, 4, 2, "make two")]);
    terminal.until("allow Bash `make one`? ");
    terminal.types("y\ny\ny\ny\n");
    terminal.until("allow Bash `make two`? ");
    terminal.types("n\n");
    daemon.wait_for("respondPermission", 2);
    let decisions: Vec<Value> = daemon
        .calls("respondPermission")
        .iter()
        .map(|call| call["decision"].clone())
        .collect();
    assert_eq!(decisions, ["once", "deny"]);
    ends(&daemon, terminal, 5);
}

#[test]
fn a_suspended_program_asks_again_and_takes_nothing_from_before() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    daemon.publish(&[question(4, 3, 1, "make")]);
    terminal.until("allow Bash `make`? ");
    terminal.signal(Signal::SIGSTOP);
    terminal.types("y\n");
    terminal.signal(Signal::SIGCONT);
    terminal.until_again("allow Bash `make`? ");
    terminal.types("n\n");
    assert_eq!(answer(&daemon).1, "deny");
    ends(&daemon, terminal, 4);
}

#[test]
fn a_size_change_leaves_the_line_and_a_note_brings_the_prompt_back() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    daemon.publish(&[question(4, 3, 1, "make")]);
    terminal.until("allow Bash `make`? ");
    terminal.types("n w");
    terminal.signal(Signal::SIGWINCH);
    terminal.types("hy\n");
    assert_eq!(answer(&daemon).2, "why");
    daemon.publish(&[decision(5, 4, 1, "deny"), question(6, 5, 2, "make all")]);
    terminal.until("allow Bash `make all`? ");
    terminal.types("y");
    daemon.hang_up();
    terminal.until("the connection was lost");
    terminal.until_again("allow Bash `make all`? ");
    let shown = ends(&daemon, terminal, 6);
    assert!(
        shown.contains("[?]: y\r\n\u{1b}[2m- the connection"),
        "{shown}"
    );
    assert_eq!(daemon.calls("respondPermission").len(), 1);
}

#[test]
fn a_typo_says_what_is_accepted_and_the_question_is_said_once() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    daemon.publish(&[question(4, 3, 1, "make")]);
    terminal.until("allow Bash `make`? [y]es, [s]ession, [a]lways, [n]o WHY, [?]: ");
    terminal.types("?\n");
    terminal.until("the reason may follow on this line");
    terminal.until_again("allow Bash `make`? ");
    terminal.types("yes please\n");
    terminal.until_again("allow Bash `make`? ");
    terminal.types("s\n");
    assert_eq!(answer(&daemon).1, "session");
    daemon.publish(&[decision(5, 4, 1, "session")]);
    let shown = ends(&daemon, terminal, 5);
    assert_eq!(shown.matches("no rule allows it").count(), 1, "{shown}");
    assert!(!shown.contains("prm_"), "{shown}");
}

#[test]
fn the_end_of_the_input_leaves_the_question_open_and_says_how_to_answer_it() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    daemon.publish(&[question(4, 3, 1, "make")]);
    terminal.until("allow Bash `make`? ");
    terminal.types("\u{4}");
    terminal.until("[?]: \r\nstill open: answer with `scorelctl approve");
    ends(&daemon, terminal, 4);
    assert!(daemon.calls("respondPermission").is_empty());
}

#[test]
fn a_second_answer_learns_the_first() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    let answer = json!({
        "requestId": request_id(1), "decision": "once", "clientId": OTHER_CLIENT, "decidedAt": 1,
    });
    let details = json!({"kind": "answered", "answer": answer});
    daemon.refuse_with("respondPermission", (1005, "conflict"), &details);
    daemon.publish(&[question(4, 3, 1, "make")]);
    terminal.until("allow Bash `make`? ");
    terminal.types("n\n");
    terminal.until(&format!("already answered: allowed once by {OTHER_CLIENT}"));
    ends(&daemon, terminal, 4);
}

#[test]
fn a_question_is_asked_again_if_its_answer_was_refused() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    daemon.refuse("respondPermission", -32602, "invalid_params");
    daemon.publish(&[question(4, 3, 1, "make")]);
    terminal.until("allow Bash `make`? ");
    terminal.types("n a long story\n");
    terminal.until(
        "the answer was not accepted: it is invalid_params\u{1b}[0m\r\n\rallow Bash `make`? ",
    );
    daemon.answer("respondPermission", json!({"seq": 9}));
    terminal.types("n\n");
    assert_eq!(daemon.wait_for("respondPermission", 2)["decision"], "deny");
    daemon.publish(&[decision(5, 4, 1, "deny")]);
    let shown = ends(&daemon, terminal, 5);
    assert!(!shown.contains("answered elsewhere"), "{shown}");
    assert_eq!(shown.matches("no rule allows it").count(), 1, "{shown}");
}

#[test]
fn a_question_that_is_no_longer_open_is_not_asked_again() {
    let place = TestHome::new();
    let Some((daemon, mut terminal)) = running(&place) else {
        return;
    };
    let details = json!({"kind": "not_open"});
    daemon.refuse_with("respondPermission", (1005, "conflict"), &details);
    daemon.publish(&[question(4, 3, 1, "make one"), question(5, 4, 2, "make two")]);
    terminal.until("allow Bash `make one`? ");
    terminal.types("n\n");
    terminal.until("the answer was not accepted: it is conflict\u{1b}[0m");
    terminal.until("allow Bash `make two`? ");
    let shown = ends(&daemon, terminal, 5);
    assert_eq!(
        shown.matches("allow Bash `make one`? ").count(),
        1,
        "{shown}"
    );
}

#[test]
fn a_pipe_answers_one_question_after_the_other() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("respondPermission", json!({"seq": 9}));
    daemon.after_send(&[
        user(3, 2, TURN, None),
        question(4, 3, 1, "make one"),
        question(5, 4, 2, "make two"),
        question(6, 5, 3, "make three"),
    ]);
    let arguments = ["send", "--on-ask", "ask", "Clean up."];
    let mut running = Running::start(place.command(&arguments).stdin(Stdio::piped()));
    let mut stdin = running.child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, b"y\nwhat\nn no\n").expect("written");
    drop(stdin);
    daemon.wait_for("respondPermission", 2);
    daemon.publish(&[outcome(7, 6, TURN, "completed")]);
    let ended = running.wait();
    ended.assert_code(0);
    let said: Vec<(Value, Value)> = daemon
        .calls("respondPermission")
        .into_iter()
        .map(|call| (call["requestId"].clone(), call["decision"].clone()))
        .collect();
    let expected = [(request_id(1), "once"), (request_id(2), "deny")];
    assert_eq!(said, expected.map(|(id, word)| (id.into(), word.into())));
}

#[test]
fn without_any_input_every_question_stays_open() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    for input in ["<&-", "</dev/null"] {
        daemon.after_send(&[user(3, 2, TURN, None), question(4, 3, 1, "make")]);
        let program = place.command(&["send", "--on-ask", "ask", "Clean up."]);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec \"$@\" {input}"), "sh"])
            .arg(program.get_program())
            .args(program.get_args())
            .env("SCOREL_HOME", place.home())
            .current_dir(place.work());
        let sent = daemon.calls("sendMessage").len();
        let running = Running::start(&mut shell);
        daemon.wait_for("sendMessage", sent + 1);
        daemon.publish(&[outcome(5, 4, TURN, "completed")]);
        running.wait().assert_code(0);
        assert!(daemon.calls("respondPermission").is_empty());
    }
}

#[test]
fn a_confirmation_takes_nothing_that_was_typed_before_it() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("deleteSession", json!({"deleted": true}));
    let Some(mut terminal) = Terminal::start(&place.command(&["delete"])) else {
        return;
    };
    terminal.types("y\ny\ny");
    terminal.until("Delete ses_");
    terminal.types("y\ny");
    terminal.until("[y/N] ");
    terminal.types("\n");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(130), "{shown}");
    assert!(daemon.calls("deleteSession").is_empty());
}
