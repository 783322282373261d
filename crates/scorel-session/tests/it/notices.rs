//! What the daemon tells the user.

use scorel_proto::NoticeBody;

use crate::rig::Rig;

fn notice(code: &str) -> NoticeBody {
    NoticeBody {
        code: code.to_owned(),
        text: format!("about {code}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_says_each_notice_once_also_after_a_restart() {
    let rig = Rig::new();
    rig.plan(|plan| plan.notices = vec![notice("one")]);
    let id = rig.session().await;
    rig.exchange(id, "go").await;
    rig.exchange(id, "again").await;
    let rig = rig.restarted();
    rig.plan(|plan| plan.notices = vec![notice("one"), notice("two")]);
    rig.exchange(id, "once more").await;
    let log = rig.check(id).await;
    let said: Vec<_> = log.all("notice").iter().map(|it| &it["code"]).collect();
    assert_eq!(said, ["one", "two"]);
    let first = log.all("notice")[0];
    assert_eq!(first["text"], "about one");
    assert_eq!(first["parentId"], serde_json::Value::Null);
    let outcome = log.all("turn_outcome")[0];
    assert_eq!(first["turnId"], outcome["turnId"]);
}
