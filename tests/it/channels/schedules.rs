//! Schedules. Their times are in the past, so that they are due at once and not again before tomorrow.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use scorel_proto::{
    CronFire, CronFireState, ListChannels, ListChannelsParams, ListSessions, ListSessionsParams,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELD, connect, scorelctl, until};

const DAY: u64 = 24 * 3_600_000;

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_millis()).unwrap()
}

/// A schedule that was due an hour ago, and on every day before.
fn schedule(daemon: &DaemonUnderTest, more: &str) -> String {
    let minutes = (now_ms() / 60_000 - 60) % (24 * 60);
    let project = daemon.project();
    format!(
        "[[channels.cron]]\nname = \"look\"\nschedule = \"{} {} * * *\"\ntimezone = \"UTC\"\n\
         project = {project:?}\nprompt = \"Look around.\"\n{more}\n",
        minutes % 60,
        minutes / 60,
    )
}

/// The file of a daemon that last looked three days ago.
fn missed_three(daemon: &DaemonUnderTest) {
    let state = json!({ "version": 1, "cron": { "look": { "doneUntil": now_ms() - 3 * DAY } } });
    fs::create_dir_all(daemon.home()).unwrap();
    let path = daemon.home().join("channels.json");
    fs::write(&path, state.to_string()).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(path, mode).unwrap();
}

async fn model() -> ModelServer {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Seen.").finish("stop"));
    model
}

fn state(daemon: &DaemonUnderTest) -> Value {
    let text = fs::read_to_string(daemon.home().join("channels.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

async fn delivered(daemon: &DaemonUnderTest) {
    until(|| state(daemon)["cron"]["look"]["last"]["state"] == "delivered").await;
}

/// The last that came of the schedule, once its turn has ended.
async fn last(daemon: &DaemonUnderTest) -> CronFire {
    let client = connect(&daemon.socket()).await;
    let ended = async {
        loop {
            let params = ListChannelsParams::default();
            let listed = client.call::<ListChannels>(&params).await;
            let channel = listed.unwrap().channels.remove(0);
            let last = channel.cron.unwrap().last.unwrap();
            if last.outcome.is_some() {
                return last;
            }
            // The list has no event, and questions without a pause would keep the processor from the turn.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, ended).await.expect("its turn ends")
}

async fn session_count(daemon: &DaemonUnderTest) -> usize {
    let client = connect(&daemon.socket()).await;
    let params = ListSessionsParams::default();
    client
        .call::<ListSessions>(&params)
        .await
        .unwrap()
        .sessions
        .len()
}

#[tokio::test]
async fn three_missed_times_make_one_message_also_when_the_daemon_is_killed_behind_it() {
    for more in ["", "session = \"fixed\""] {
        let model = model().await;
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more(&schedule(&daemon, more));
        missed_three(&daemon);
        daemon.spawn().await;
        delivered(&daemon).await;
        let first = last(&daemon).await;
        assert!(first.external_id.starts_with("look@20"), "{first:?}");
        let id = first.session_id.unwrap().to_string();

        daemon.kill().await;
        missed_three(&daemon);
        daemon.spawn().await;
        delivered(&daemon).await;
        let again = last(&daemon).await;
        assert_eq!(
            (again.session_id, &again.external_id),
            (first.session_id, &first.external_id)
        );
        assert_eq!(session_count(&daemon).await, 1);
        let log = daemon.log(&id);
        let users: Vec<_> = log
            .iter()
            .filter(|it| it["message"]["role"] == "user")
            .collect();
        assert_eq!(users.len(), 1, "{more}");
        assert_eq!(users[0]["message"]["meta"]["channel"]["channel"], "cron");
        assert_eq!(users[0]["message"]["content"][0]["text"], "Look around.");
    }
}

#[tokio::test]
async fn a_schedule_that_is_added_while_the_daemon_runs_is_looked_at() {
    let model = model().await;
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    missed_three(&daemon);
    daemon.spawn().await;
    daemon.configure_more(&schedule(&daemon, "catchUp = \"none\""));
    until(|| state(&daemon)["cron"]["look"]["last"]["state"] == "skipped").await;
    assert_eq!(session_count(&daemon).await, 0);
}

#[tokio::test]
async fn a_schedule_is_listed_and_fired_by_the_command_line() {
    let model = model().await;
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&schedule(&daemon, "session = \"fixed\""));
    daemon.spawn().await;
    let run = async |line: &str| {
        let output = scorelctl(&daemon, &line.split(' ').collect::<Vec<_>>(), &[]).await;
        let text = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (output.status.success(), text.join("\n"))
    };
    let (ok, listed) = run("channels list").await;
    assert!(
        ok && listed.contains("look") && listed.contains("next 20"),
        "{listed}"
    );
    let (ok, fired) = run("channels fire look").await;
    assert!(ok && fired.contains("sent to ses_"), "{fired}");
    let fire = last(&daemon).await;
    assert_eq!(fire.state, CronFireState::Delivered);
    assert!(
        !fire.external_id.starts_with("look@20"),
        "made by hand: {fire:?}"
    );
    let (ok, listed) = run("channels list").await;
    assert!(
        ok && listed.contains("delivered") && listed.contains("completed"),
        "{listed}"
    );
    let (ok, unknown) = run("channels fire lok").await;
    assert!(!ok && unknown.contains("did you mean look?"), "{unknown}");
    let (ok, shown) = run("show").await;
    assert!(
        ok && shown.contains("cron (look@"),
        "its source is shown: {shown}"
    );
}
