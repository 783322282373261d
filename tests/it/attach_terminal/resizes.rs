use scorel_testkit::{ResponseGate, ScriptedChat};

use super::tmux::Tmux;
use super::{attach, scene};

const LINES: usize = 300;
const RESIZES: usize = 40;

/// Numbered lines, with a gate after some.
fn numbered() -> (ScriptedChat, Vec<ResponseGate>) {
    let gates: Vec<ResponseGate> = (0..RESIZES).map(|_| ResponseGate::new()).collect();
    let mut chat = ScriptedChat::default().text("```\n");
    let mut next = gates.iter();
    for line in 0..LINES {
        if line % (LINES / RESIZES) == 0
            && let Some(gate) = next.next()
        {
            chat = chat.wait(gate);
        }
        chat = chat.text(&format!("line {line:04}\n"));
    }
    for gate in next {
        chat = chat.wait(gate);
    }
    (chat.text("```\n\nThe end.").finish("stop"), gates)
}

/// Lines that end up in the scrollback in order, none missing and none twice, whatever becomes of the window.
async fn resized(seed: u32) {
    let (answer, gates) = numbered();
    let (daemon, _model) = scene(answer.into()).await;
    let socket = daemon.root().join("tmux");
    let Some(tmux) = Tmux::open(&attach(&daemon), socket, 80, 24) else {
        return;
    };
    tmux.until("idle");
    tmux.says("go");
    tmux.until("running");
    let mut random = Random(seed);
    for (at, gate) in gates.iter().enumerate() {
        gate.open();
        tmux.resize(random.between(30, 120), random.between(8, 50));
        match random.between(0, 6) {
            // Several sizes between two frames.
            0 => tmux.resize(random.between(30, 120), random.between(8, 50)),
            1 => tmux.press(&["x"]),
            2 => tmux.press(&["C-l"]),
            3 => {
                let last = format!("line {:04}", (at + 1) * (LINES / RESIZES) - 1);
                tmux.until_it(&last, |screen| {
                    screen.contains(&last) || screen.contains("line")
                });
            }
            _ => {}
        }
    }
    tmux.resize(100, 30);
    tmux.until("The end.");
    tmux.until("idle");
    let all = tmux.all();
    let shown: Vec<&str> = all
        .lines()
        .map(str::trim)
        .filter(|row| row.starts_with("line "))
        .collect();
    let expected: Vec<String> = (0..LINES).map(|line| format!("line {line:04}")).collect();
    assert!(shown == expected, "seed {seed}:\n{all}");
    assert_eq!(all.matches("The end.").count(), 1, "seed {seed}:\n{all}");
}

struct Random(u32);

impl Random {
    fn between(&mut self, low: u16, high: u16) -> u16 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        low + u16::try_from((self.0 >> 8) % u32::from(high - low)).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_40_resizes_each_line_is_there_once() {
    let seeds = match std::env::var("SCOREL_LONG") {
        Ok(_) => 1..=50,
        Err(_) => 1..=2,
    };
    for seed in seeds {
        resized(seed).await;
    }
}
