//! Recorded streams of the real programs, whole and cut after every line.
//!
//! A recording has a line for each that went to the program (`> `) or came from it (`< `). It was made
//! with Codex 0.169.0, Claude Code 2.1.197 and Gemini CLI 0.61.0 against a scripted model; lists without
//! a meaning for the wires were shortened.

use libtest_mimic::Trial;
use scorel_engine::{Permission, RunnerAction, RunnerFact};
use scorel_runner::WireKind;

use crate::scripted;
use crate::trial;
use crate::turn::{Bench, Turn};

/// Writes what the program wrote, once it has read what that had read; at most as many lines as said.
const PLAYER: &str = r#"
left=$2
while IFS= read -r line <&3; do
    case $line in
        '> '*) IFS= read -r _ || exit 0 ;;
        *) [ "$left" -gt 0 ] || exit 0; left=$((left - 1)); printf '%s\n' "${line#< }" ;;
    esac
done 3<"$1"
exec cat >/dev/null
"#;

struct Recording {
    name: &'static str,
    wire: WireKind,
    prompts: &'static [&'static str],
}

const RECORDINGS: [Recording; 3] = [
    Recording {
        name: "codex",
        wire: WireKind::Codex,
        prompts: &["one", "two", "three"],
    },
    Recording {
        name: "claude-code",
        wire: WireKind::ClaudeCode,
        prompts: &["one", "two"],
    },
    Recording {
        name: "gemini",
        wire: WireKind::Acp,
        prompts: &["one", "two"],
    },
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for recording in RECORDINGS {
        let name = format!(
            "replay::{}_after_every_line_has_one_outcome",
            recording.name
        );
        trials.push(trial(name, move || cut_after_every_line(recording)));
    }
    let [codex, claude, gemini] = RECORDINGS;
    trials.push(trial("replay::codex", || replay_codex(codex)));
    trials.push(trial("replay::claude_code", || replay_claude(claude)));
    trials.push(trial("replay::gemini", || replay_gemini(gemini)));
    trials
}

impl Recording {
    fn path(&self) -> String {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
        format!("{fixtures}/{}.txt", self.name)
    }

    /// How many lines came from the program.
    fn lines(&self) -> usize {
        let text = std::fs::read_to_string(self.path()).unwrap();
        text.lines().filter(|line| line.starts_with("< ")).count()
    }

    /// Runs its turns until one does not complete.
    async fn play(&self, lines: usize) -> (Bench, Vec<Turn>) {
        let (path, lines) = (self.path(), lines.to_string());
        let command = ["bash", "-c", PLAYER, "player", &path, &lines];
        let runner = scripted::runner(scripted::setup(self.wire, &command));
        let mut bench = Bench::new(runner, "/".as_ref());
        let mut turns = Vec::new();
        for prompt in self.prompts {
            let turn = bench.turn(prompt, Permission::Granted).await;
            let is_complete = turn.outcome() == "completed";
            turns.push(turn);
            if !is_complete {
                break;
            }
        }
        (bench, turns)
    }
}

async fn cut_after_every_line(recording: Recording) {
    let all = recording.lines();
    for lines in 0..all {
        // That each turn is well formed is checked by the bench.
        let (_, turns) = recording.play(lines).await;
        let last = turns.last().unwrap().outcome();
        let expected = match lines {
            0 => "runner_protocol",
            _ => "runner_failed",
        };
        assert_eq!(last, expected, "after {lines} lines");
    }
    let (mut bench, turns) = recording.play(all).await;
    assert_eq!(turns.len(), recording.prompts.len());
    assert_eq!(turns.last().unwrap().outcome(), "completed");
    assert_eq!(bench.release().await.unwrap().code, Some(0));
}

async fn replay_codex(recording: Recording) {
    let (bench, turns) = recording.play(usize::MAX >> 1).await;
    let texts: Vec<String> = turns.iter().map(Turn::text).collect();
    assert_eq!(texts, ["Hello there", "Running|Done", "End"]);
    let command = ("commandExecution".to_owned(), false, "hi\n".to_owned());
    assert_eq!(turns[1].results(), [command]);
    let change = ("fileChange".to_owned(), false, "completed".to_owned());
    assert_eq!(turns[2].results(), [change]);
    let used = turns.iter().map(|turn| turn.end.usage);
    let tokens: Vec<_> = used.map(|it| (it.input_tokens, it.output_tokens)).collect();
    assert_eq!(tokens, [(100, 7), (230, 12), (270, 9)]);
    let actions = format!("{:?}", bench.gate.actions());
    assert!(
        actions.contains("Command") && actions.contains("/project/note.txt"),
        "{actions}"
    );
    let Some(RunnerFact::Started(start)) = turns[0].facts().next() else {
        panic!("{turns:?}");
    };
    assert_eq!(start.version.as_deref(), Some("0.169.0"));
    assert_eq!(start.context_id, turns[0].context());
}

async fn replay_claude(recording: Recording) {
    let (bench, turns) = recording.play(usize::MAX >> 1).await;
    let texts: Vec<String> = turns.iter().map(Turn::text).collect();
    assert_eq!(texts, ["Hello there", "Running|Done"]);
    let result = "(Bash completed with no output)".to_owned();
    assert_eq!(turns[1].results(), [("Bash".to_owned(), false, result)]);
    let used = turns.iter().map(|turn| turn.end.usage);
    let tokens: Vec<_> = used.map(|it| (it.input_tokens, it.output_tokens)).collect();
    assert_eq!(tokens, [(100, 7), (230, 12)]);
    let costs: Vec<u64> = turns.iter().map(|turn| turn.end.cost.micro_usd).collect();
    assert_eq!(costs, [675, 1450]);
    assert!(format!("{:?}", bench.gate.actions()).contains("echo hi"));
    assert!(turns[0].context().is_some());
}

async fn replay_gemini(recording: Recording) {
    let (bench, turns) = recording.play(usize::MAX >> 1).await;
    let texts: Vec<String> = turns.iter().map(Turn::text).collect();
    assert_eq!(texts, ["Hello there", "Running|Done"]);
    // Gemini names the call in its question only.
    assert_eq!(
        turns[1].results(),
        [("execute".to_owned(), false, String::new())]
    );
    let used = turns.iter().map(|turn| turn.end.usage);
    let tokens: Vec<_> = used.map(|it| (it.input_tokens, it.output_tokens)).collect();
    assert_eq!(tokens, [(100, 7), (230, 12)]);
    // Its command is in a title only.
    let tool = "execute".to_owned();
    assert_eq!(bench.gate.actions(), [RunnerAction::Untold { tool }]);
}
