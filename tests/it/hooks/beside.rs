//! Hooks that nothing waits for.

use super::{hook, writing};
use crate::under_test::{Watch, new_session, send};

#[tokio::test]
async fn a_hook_that_nothing_waits_for_answers_no_question() {
    let asks = r#"echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}'"#;
    let denies = r#"echo '{"hookSpecificOutput": {"decision": {"behavior": "deny"}}}'"#;
    let asks = hook("asks", "PreToolUse", asks, "");
    let denies = hook("denies", "PermissionRequest", denies, "async = true");
    let calls = [("out.txt".to_owned(), "asked")];
    let (daemon, _model) = writing(&format!("{asks}{denies}"), &calls).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Write it.").await;
    watch.until("permission_request").await;
}
