//! Text of models, files and endpoints does nothing to the terminal that shows it.

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse};
use serde_json::json;

use super::tmux::Tmux;
use super::{attach, messages, said, scene};
use crate::under_test::scorelctl;

/// Sequences that set titles, read and write the clipboard, ask for answers, switch screens, modes and character sets, or
/// turn text around. Without a slash, so that a file can be named so.
const HOSTILE: &str = "\u{1b}]0;taken\u{7}\u{1b}]2;taken\u{1b}\\\u{1b}]52;c;dGFrZW4=\u{7}\u{1b}]52;c;?\u{7}\
    \u{1b}]10;?\u{7}\u{1b}P+q544e\u{1b}\\\u{1b}P$qm\u{1b}\\\u{1b}[5n\u{1b}[6n\u{1b}[c\u{1b}[>c\u{1b}[?1049h\u{1b}[?25l\
    \u{1b}[?1000h\u{1b}[3;9r\u{1b}(0\u{1b}c\u{9b}31m\u{9b}6n\u{9d}0;taken\u{9c}\u{90}q\u{9c}\u{8}\u{e}\u{7f}\
    \u{202e}\u{2066}\u{200f}\u{e0041}";

/// The state that no text may have changed.
const STATE: &str = "#{pane_title} #{alternate_on} #{mouse_any_flag} #{scroll_region_upper} \
    #{scroll_region_lower} #{window_name}";

struct Pane {
    tmux: Tmux,
    before: String,
}

impl Pane {
    fn open(daemon: &DaemonUnderTest, directory: Option<&str>) -> Option<Self> {
        let mut program = attach(daemon);
        if let Some(name) = directory {
            let directory = daemon.project().join(name);
            std::fs::create_dir(&directory).unwrap();
            program.current_dir(directory);
        }
        let tmux = Tmux::open(&program, daemon.root().join("tmux"), 100, 40)?;
        // A later text would go to the clipboard as well.
        tmux.run(&["set-option", "-s", "set-clipboard", "on"]);
        tmux.run(&["set-option", "-w", "automatic-rename", "off"]);
        tmux.run(&["set-buffer", "mine"]);
        tmux.until("idle");
        let before = tmux.run(&["display-message", "-p", STATE]);
        Some(Self { tmux, before })
    }

    /// The terminal must be as before, with nothing but the `typed` text in the composer.
    fn assert_untouched(&self, typed: &str) {
        self.tmux.until("idle");
        // An answer of the terminal would come before what is typed after it.
        self.tmux.run(&["send-keys", "-l", "--", typed]);
        self.tmux.until(&format!("❯ {typed}"));
        let after = self.tmux.run(&["display-message", "-p", STATE]);
        assert_eq!(after, self.before);
        assert_eq!(self.tmux.run(&["show-buffer"]).trim(), "mine");
        let all = self.tmux.all();
        assert!(all.contains("⟨1b⟩]0;taken⟨07⟩"), "{all}");
    }
}

/// A turn with hostile names in all that is called.
fn calls() -> ScriptedResponse {
    let name = HOSTILE.chars().take(60).collect::<String>();
    let chat = ScriptedChat::default()
        .text(&format!("# {HOSTILE}\n\n`{HOSTILE}` [{HOSTILE}](http://{HOSTILE})\n\n| {HOSTILE} |\n|-|\n| {HOSTILE} |\n\n"))
        .tool_call("1", "Write", &json!({"path": name, "content": HOSTILE}).to_string())
        .tool_call("2", "Bash", &json!({"command": HOSTILE, "description": HOSTILE}).to_string())
        .tool_call("3", HOSTILE, &json!({HOSTILE: HOSTILE}).to_string())
        .tool_call("4", "Read", &json!({"path": HOSTILE}).to_string());
    chat.finish("tool_calls").into()
}

async fn called() -> (DaemonUnderTest, ModelServer) {
    let (daemon, model) = scene(calls()).await;
    daemon.configure_more("[permissions]\nallow = [\"Write(**)\", \"Bash(*)\"]\n");
    model.answer(said("Done."));
    (daemon, model)
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_tools_files_and_directories_change_nothing() {
    let (daemon, _model) = called().await;
    let Some(pane) = Pane::open(&daemon, Some(&HOSTILE.chars().take(60).collect::<String>()))
    else {
        return;
    };
    pane.tmux.says("go");
    pane.tmux.until("Done.");
    pane.assert_untouched("typed");
    assert_eq!(messages(&daemon), ["go"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_and_errors_change_nothing() {
    let error = json!({"error": {"message": HOSTILE, "type": HOSTILE, "code": HOSTILE}});
    let (daemon, _model) = scene(ScriptedResponse::json(400, error.to_string())).await;
    let Some(pane) = Pane::open(&daemon, None) else {
        return;
    };
    pane.tmux.says("go");
    pane.tmux.until("status 400");
    pane.tmux.until("idle");
    // Controls in a title are refused.
    let title: String = HOSTILE.chars().filter(|it| !it.is_control()).collect();
    let renamed = scorelctl(&daemon, &["rename", &title], &[]).await;
    assert!(renamed.status.success(), "{renamed:?}");
    pane.tmux.press(&["C-x"]);
    pane.tmux.until("Go to");
    pane.tmux.press(&["Escape"]);
    // Directly after it a key would be one with Alt.
    pane.tmux
        .until_it("the list is closed", |screen| !screen.contains("Go to"));
    pane.assert_untouched("typed");
    assert_eq!(messages(&daemon), ["go"]);
}
