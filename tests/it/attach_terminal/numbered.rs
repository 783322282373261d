use std::ops::Range;

use scorel_testkit::{ResponseGate, ScriptedChat};

/// The lines of an answer, with a gate before each step.
pub(super) struct Numbered {
    pub(super) steps: Vec<Step>,
}

pub(super) struct Step {
    pub(super) gate: ResponseGate,
    lines: Range<usize>,
}

impl Numbered {
    pub(super) fn new(lines: Range<usize>, steps: usize) -> Self {
        let (first, count) = (lines.start, lines.len());
        let steps = (0..steps).map(|at| Step {
            gate: ResponseGate::new(),
            lines: first + count * at / steps..first + count * (at + 1) / steps,
        });
        Self {
            steps: steps.collect(),
        }
    }

    /// The lines as code that begins, each a piece of its own.
    pub(super) fn chat(&self) -> ScriptedChat {
        let mut chat = ScriptedChat::default().text("```\n");
        for step in &self.steps {
            chat = chat.wait(&step.gate);
            for number in step.lines.clone() {
                chat = chat.text(&format!("{}\n", line(number)));
            }
        }
        chat
    }
}

impl Step {
    /// Its last line.
    pub(super) fn last(&self) -> String {
        line(self.lines.end - 1)
    }
}

fn line(number: usize) -> String {
    format!("line {number:04}")
}

/// Each line must be there once and in order, among others.
#[track_caller]
pub(super) fn assert_whole<'a>(rows: impl Iterator<Item = &'a str>, lines: usize, seed: u64) {
    let rows: Vec<&str> = rows.map(str::trim).collect();
    let shown = rows.iter().filter(|row| row.starts_with("line "));
    let shown: Vec<&str> = shown.copied().collect();
    let expected: Vec<String> = (0..lines).map(line).collect();
    assert!(shown == expected, "seed {seed}:\n{}", rows.join("\n"));
    let ends = rows.iter().filter(|row| row.contains("The end."));
    assert_eq!(ends.count(), 1, "seed {seed}:\n{}", rows.join("\n"));
}
