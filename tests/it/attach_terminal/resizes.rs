use scorel_testkit::{ResponseGate, SeededDice};

use super::numbered::{Numbered, Step, assert_whole};
use super::tmux::Tmux;
use super::{attach, scene};

/// The resizes of an answer; there are three, and some more in between.
const RESIZES: usize = 14;

/// Has the terminal to itself until Enter.
const PAGER: &str =
    "printf '\\033[?1049hthe pager'; cat >/dev/null; read -r key </dev/tty; printf '\\033[?1049l'";

/// Three answers to two messages: the first asks for permission, the second ends with its daemon.
struct Run {
    tmux: Tmux,
    dice: SeededDice,
}

/// Lines that end up in the scrollback in order, none missing and none twice, whatever becomes of the window.
async fn resized(seed: u64, lines: usize) {
    let third = lines / 3;
    let answers = [0..third, third..2 * third, 2 * third..lines];
    let [first, second, last] = answers.map(|lines| Numbered::new(lines, RESIZES));
    let input = r#"{"path": "asked.txt", "content": "text"}"#;
    let asks = first.chat().text("```\n").tool_call("1", "Write", input);
    let (mut daemon, model) = scene(asks.finish("tool_calls").into()).await;
    daemon.configure_more("[permissions]\nask = [\"Write(**)\"]\n");
    model.answer(second.chat().wait(&ResponseGate::new()));
    let end = last.chat().text("```\n\nThe end.");
    model.answer(end.finish("stop"));
    let mut program = attach(&daemon);
    program.env("PAGER", PAGER);
    let Some(tmux) = Tmux::open(&program, daemon.root().join("tmux"), 80, 24) else {
        return;
    };
    let dice = SeededDice::from_seed(seed);
    let mut run = Run { tmux, dice };
    run.tmux.until("idle");
    run.tmux.says("go");
    run.tmux.until("running");
    run.answer(&first.steps);
    run.allow();
    run.answer(&second.steps);

    run.tmux.resize(80, 24);
    run.tmux.until_ever(&second.steps[RESIZES - 1].last());
    daemon.kill().await;
    run.tmux.until("reconnecting");
    run.resize();
    daemon.spawn().await;
    run.tmux.resize(80, 24);
    run.tmux.until("· live");
    run.tmux.until("idle");
    run.tmux.says("go on");
    run.answer(&last.steps);

    run.tmux.resize(100, 30);
    run.tmux.until("The end.");
    run.tmux.until("idle");
    let all = run.tmux.all();
    assert_whole(all.lines(), lines, seed);
}

impl Run {
    /// Lets an answer come, in the middle of resizes, redraws, keys and once the pager.
    fn answer(&mut self, steps: &[Step]) {
        let (paged, redrawn) = (self.dice.index(1..RESIZES), self.dice.index(1..RESIZES));
        for (at, step) in steps.iter().enumerate() {
            step.gate.open();
            self.resize();
            match self.dice.index(0..6) {
                // Several sizes between two frames.
                0 => self.resize(),
                1 => self.tmux.press(&["x"]),
                2 => self.tmux.press(&["C-l"]),
                _ => self.tmux.until_ever(&step.last()),
            }
            if at == redrawn {
                self.tmux.press(&["C-l"]);
            }
            if at == paged {
                self.page();
            }
        }
    }

    fn page(&mut self) {
        self.tmux.press(&["C-o"]);
        self.tmux.until("the pager");
        self.resize();
        self.tmux.press(&["Enter"]);
        self.tmux
            .until_it("the pager is over", |screen| !screen.contains("the pager"));
    }

    /// Allows what a card asks, once it was seen in several sizes.
    fn allow(&mut self) {
        const ASKED: &str = "Ctrl+Y, then  y once";
        self.tmux.resize(80, 24);
        self.tmux.until(ASKED);
        for _ in 0..5 {
            self.resize();
        }
        self.tmux.resize(80, 24);
        self.tmux.until(ASKED);
        self.tmux.press(&["C-y"]);
        self.tmux.until("Esc back");
        while self.tmux.screen().contains("y once") {
            self.tmux.press(&["y"]);
        }
        // For a moment keys go nowhere.
        let is_typed = |screen: &str| {
            screen
                .lines()
                .any(|row| row.starts_with('❯') && row.contains('z'))
        };
        while !is_typed(&self.tmux.screen()) {
            self.tmux.press(&["z"]);
        }
    }

    fn resize(&mut self) {
        let between =
            |dice: &mut SeededDice, low, high| u16::try_from(dice.roll(low..high)).unwrap();
        let columns = between(&mut self.dice, 30, 120);
        let rows = between(&mut self.dice, 8, 50);
        self.tmux.resize(columns, rows);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_40_resizes_each_line_is_there_once() {
    let (seeds, lines) = match std::env::var_os("SCOREL_LONG") {
        Some(_) => (50, 2000),
        None => (5, 300),
    };
    for seed in 1..=seeds {
        resized(seed, lines).await;
    }
}
