//! Pasted text is sent by its user, and only then.

use std::time::{Duration, Instant};

use scorel_testkit::{DaemonUnderTest, ModelServer, TerminalWindow};
use serde_json::json;

use super::{attach, messages, said, scene, send};
use crate::under_test::PATIENCE;

const LINE: &str = "A line of text that is a paste, with its 63 characters in all.\r";

struct Pasted {
    daemon: DaemonUnderTest,
    model: ModelServer,
    window: TerminalWindow,
}

/// A window into which these bytes were pasted.
async fn pasted(bytes: &[u8]) -> Option<Pasted> {
    let (daemon, model) = scene(said("An answer.")).await;
    // A MiB is more than 128k tokens.
    daemon.configure_more("contextWindow = 4000000\n");
    let mut window = TerminalWindow::open(&attach(&daemon), 80, 24)?;
    window.until("idle");
    window.pastes(bytes);
    Some(Pasted {
        daemon,
        model,
        window,
    })
}

impl Pasted {
    /// Sends what is in the composer, nothing of which may have been sent before, and returns what arrives.
    async fn sent(mut self, shown: &str) -> String {
        self.window.until("idle");
        assert!(self.model.requests().is_empty(), "sent before Enter");
        assert!(messages(&self.daemon).is_empty(), "sent before Enter");
        send(&mut self.window, shown).await;
        self.window.until("An answer.");
        let mut messages = messages(&self.daemon);
        assert_eq!(messages.len(), 1);
        let request = String::from_utf8(self.model.requests().remove(0).body).unwrap();
        let message = messages.remove(0);
        let content = json!(message).to_string();
        let content = content.trim_matches('"');
        assert!(request.contains(content), "the model gets it whole");
        self.window.until("idle");
        self.window.types("\u{4}");
        assert_eq!(self.window.ended(), Some(0));
        message
    }
}

/// A text of a MiB as terminals hand it over, and as it is meant.
fn long() -> (String, String) {
    let text = LINE.repeat((1 << 20) / LINE.len()) + "its end";
    let meant = text.replace('\r', "\n");
    (text, meant)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mebibyte_in_brackets_is_sent_once_and_whole() {
    let (text, meant) = long();
    let bytes = format!("\u{1b}[200~{text}\u{1b}[201~");
    let Some(mut pasted) = pasted(bytes.as_bytes()).await else {
        return;
    };
    let lines = meant.lines().count();
    let label = format!("[paste 1: {lines} lines]");
    pasted.window.until(&label);
    let message = pasted.sent(&label).await;
    assert!(message == meant, "{} bytes", message.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mebibyte_without_brackets_is_sent_once_and_whole() {
    let (text, meant) = long();
    let Some(mut pasted) = pasted(text.as_bytes()).await else {
        return;
    };
    // A dot that comes too early belongs to the paste; one that stands behind its label says that all is there.
    let until = Instant::now() + PATIENCE;
    while !pasted.window.now().contains("].") {
        assert!(Instant::now() < until, "{}", pasted.window.now());
        pasted.window.types(".");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let message = pasted.sent("].").await;
    assert!(
        message.trim_end_matches(['.', '\n']) == meant,
        "{} bytes",
        message.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mark_of_a_pastes_end_within_it_sends_nothing() {
    for inner in [
        "\u{1b}[201~\r",
        "\u{1b}[201~\r\r",
        "\u{1b}[201~ more\rand more\r",
    ] {
        let bytes = format!("\u{1b}[200~one\rtwo{inner}\u{1b}[201~");
        let Some(mut pasted) = pasted(bytes.as_bytes()).await else {
            return;
        };
        pasted.window.types(".");
        pasted.window.until("\n  .");
        let meant = format!("one\rtwo{inner}.").replace("\u{1b}[201~", "");
        let message = pasted.sent("two").await;
        assert_eq!(message, meant.replace('\r', "\n"));
    }
}
