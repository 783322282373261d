//! Turns that a channel's message has started.

use scorel_engine::{Effect, Gatekeeper as _, Question, Verdict};
use scorel_permission::Mode;

use super::GateFixture;
use crate::GateChannel;

fn fixture(lowers: bool) -> GateFixture {
    GateFixture::with(&[], &[], |settings| {
        settings.mode = Mode::Ask;
        settings.channel = Some(GateChannel {
            label: "chat (42)".to_owned(),
            lowers,
        });
    })
}

fn question(verdict: Verdict) -> Question {
    match verdict {
        Verdict::Ask { question, .. } => question,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_question_names_the_channel_and_its_rules_hold_for_the_session_at_most() {
    let asked = question(fixture(false).command("touch a", false).await);
    assert!(
        asked.reason.ends_with("of the channel chat (42)"),
        "{}",
        asked.reason
    );
    assert!(asked.session_only && !asked.rules.is_empty(), "{asked:?}");
    let allowed = fixture(false).command("ls", false).await;
    assert!(matches!(allowed, Verdict::Allow(_)), "{allowed:?}");
}

#[tokio::test]
async fn an_agent_is_asked_about_where_it_may_do_more() {
    let spawn = || {
        [Effect::SpawnAgent {
            agent_type: "reviewer".to_owned(),
        }]
    };
    let asked = question(fixture(true).gate.judge(&spawn(), None).await);
    assert!(asked.rules.is_empty(), "each time: {asked:?}");
    let allowed = fixture(false).gate.judge(&spawn(), None).await;
    assert!(matches!(allowed, Verdict::Allow(_)), "{allowed:?}");
}
