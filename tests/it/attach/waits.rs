//! A turn that waits, at the screen of the interactive client.

use scorel_testkit::ScriptedResponse;

use super::{said, scene, window};
use crate::under_test::{Watch, new_session, scorelctl, send};

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_while_a_turn_waits_sees_until_when() {
    let body = r#"{"error": {"message": "too many requests"}}"#;
    let limited = ScriptedResponse::json(429, body).header("retry-after", "3600");
    let (daemon, _model) = scene([limited, said("Now it went.")]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "go").await;
    watch.until("turn_waiting").await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    let status = |screen: &str| screen.trim_end().lines().last().map(str::to_owned);
    window.until_it("its status says until when it waits", |screen| {
        status(screen).is_some_and(|it| it.starts_with("waiting until ") && it.ends_with("live"))
    });
    assert!(
        scorelctl(&daemon, &["end-wait"], &[])
            .await
            .status
            .success()
    );
    window.until("Now it went.");
    window.until_it("it is idle", |screen| {
        status(screen).is_some_and(|it| it.starts_with("idle"))
    });
}
