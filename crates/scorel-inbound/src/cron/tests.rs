//! The task of all schedules, with a clock of its own and a daemon that only notes what is sent.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use scorel_engine::Clock;
use scorel_proto::{
    ChannelKind, CronFireState, ErrorCode, EventId, FireChannelResult, PermissionMode, RpcError,
    SendMessageResult, Seq, SessionId, TurnId,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    CatchUp, ChannelsConfig, Cron, CronConfig, CronEntry, CronMessage, CronPort, CronSchedule,
    CronSession, CronZone, FireError, Overlap,
};
use crate::ChannelName;

const DAY: u64 = 24 * 3_600_000;
const MINUTE: u64 = 60_000;

/// A wall clock that is set, and whose sleeps are those of tokio.
#[derive(Debug)]
struct SetClock(Mutex<u64>);

impl SetClock {
    fn set(&self, text: &str) {
        *self.0.lock().unwrap() = ms(text);
    }

    fn pass(&self, time: u64) {
        *self.0.lock().unwrap() += time;
    }
}

impl Clock for SetClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn unix_ms(&self) -> u64 {
        *self.0.lock().unwrap()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(duration).boxed()
    }
}

/// A daemon that accepts each id once and notes it.
#[derive(Debug, Default)]
struct NotingPort {
    config: Mutex<ChannelsConfig>,
    changes: watch::Sender<u64>,
    sent: Mutex<Vec<String>>,
    fails: Mutex<Option<ErrorCode>>,
}

impl NotingPort {
    fn configure(&self, entries: &[CronEntry]) {
        self.config.lock().unwrap().cron = entries.to_vec();
        self.changes.send_modify(|it| *it += 1);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.sent.lock().unwrap())
    }

    fn fail(&self, code: impl Into<Option<ErrorCode>>) {
        *self.fails.lock().unwrap() = code.into();
    }
}

impl CronConfig for NotingPort {
    fn channels(&self) -> ChannelsConfig {
        self.config.lock().unwrap().clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

impl CronPort for NotingPort {
    fn deliver(
        &self,
        message: CronMessage,
    ) -> BoxFuture<'static, Result<FireChannelResult, RpcError>> {
        let failure = *self.fails.lock().unwrap();
        let answer = match failure {
            Some(code) => Err(RpcError::new(code, "no")),
            None => {
                self.sent.lock().unwrap().push(message.external_id);
                Ok(FireChannelResult {
                    session_id: message.last_session.unwrap_or_else(SessionId::generate),
                    message: SendMessageResult::Accepted {
                        user_event_id: EventId::generate(),
                        turn_id: TurnId::generate(),
                        seq: Seq::ZERO,
                    },
                })
            }
        };
        std::future::ready(answer).boxed()
    }
}

/// A daemon's schedules in a home.
struct Stage {
    cron: Arc<Cron>,
    clock: Arc<SetClock>,
    port: Arc<NotingPort>,
    home: tempfile::TempDir,
}

impl Stage {
    fn new(now: &str, entries: &[CronEntry]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let clock = Arc::new(SetClock(Mutex::new(ms(now))));
        let port = Arc::new(NotingPort::default());
        port.configure(entries);
        Self {
            cron: cron(home.path(), &clock, &port),
            clock,
            port,
            home,
        }
    }

    /// Another daemon in the same home.
    fn restart(&mut self) {
        self.cron = cron(self.home.path(), &self.clock, &self.port);
    }

    /// The ids of what is sent by a look.
    async fn look(&self) -> Vec<String> {
        self.cron.look().await;
        self.port.take()
    }

    async fn look_at(&self, now: &str) -> Vec<String> {
        self.clock.set(now);
        self.look().await
    }
}

fn cron(home: &Path, clock: &Arc<SetClock>, port: &Arc<NotingPort>) -> Arc<Cron> {
    let (clock, port) = (Arc::clone(clock), Arc::clone(port));
    let config = Arc::clone(&port);
    Arc::new(Cron::new(home.join("channels.json"), clock, config, port))
}

fn ms(text: &str) -> u64 {
    let time: Timestamp = text.parse().unwrap();
    u64::try_from(time.as_millisecond()).unwrap()
}

fn entry(schedule: &str, zone: &str) -> CronEntry {
    CronEntry {
        name: ChannelName::try_from("job".to_owned()).unwrap(),
        schedule: CronSchedule::try_from(schedule.to_owned()).unwrap(),
        zone: CronZone::try_from(zone.to_owned()).unwrap(),
        project: "/p".into(),
        session: CronSession::Fixed,
        prompt: "look".to_owned(),
        catch_up: CatchUp::One,
        overlap: Overlap::Skip,
        mode: PermissionMode::Readonly,
    }
}

#[tokio::test]
async fn a_new_schedule_begins_now_and_each_time_makes_one_message() {
    let stage = Stage::new("2026-11-30T01:59:00Z", &[entry("0 2 * * *", "UTC")]);
    assert_eq!(stage.look().await, [""; 0]);
    assert_eq!(
        stage.look_at("2026-11-30T02:00:10Z").await,
        ["job@2026-11-30T02:00:00Z"]
    );
    assert_eq!(stage.look_at("2026-11-30T02:00:40Z").await, [""; 0]);
    let listed = stage.cron.list().await.unwrap();
    assert_eq!(listed[0].next_due, Some(ms("2026-12-01T02:00:00Z")));
    let last = listed[0].last.as_ref().unwrap();
    assert_eq!(last.external_id, "job@2026-11-30T02:00:00Z");
    assert_eq!(last.state, CronFireState::Delivered);
}

#[tokio::test]
async fn three_times_that_were_missed_make_one_message_or_none() {
    for (catch_up, expected) in [
        (CatchUp::One, vec!["job@2026-12-03T02:00:00Z"]),
        (CatchUp::None, vec![]),
    ] {
        let missed = CronEntry {
            catch_up,
            ..entry("0 2 * * *", "UTC")
        };
        let mut stage = Stage::new("2026-11-30T03:00:00Z", &[missed]);
        stage.look().await;
        stage.restart();
        assert_eq!(stage.look_at("2026-12-03T09:00:00Z").await, expected);
        assert_eq!(stage.look().await, [""; 0]);
        let listed = stage.cron.list().await.unwrap();
        let state = listed[0].last.as_ref().unwrap().state;
        assert_eq!(state == CronFireState::Skipped, catch_up == CatchUp::None);
        assert_eq!(
            stage.look_at("2026-12-04T02:00:00Z").await,
            ["job@2026-12-04T02:00:00Z"]
        );
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_makes_no_second_message() {
    let stage = Stage::new("2026-11-30T01:59:00Z", &[entry("*/10 * * * *", "UTC")]);
    stage.look().await;
    assert_eq!(stage.look_at("2026-11-30T02:00:00Z").await.len(), 1);
    for back in ["2026-11-30T01:30:00Z", "2026-11-30T01:50:01Z"] {
        assert_eq!(stage.look_at(back).await, [""; 0], "{back}");
    }
    assert_eq!(
        stage.look_at("2026-11-30T02:10:00Z").await,
        ["job@2026-11-30T02:10:00Z"]
    );
    // One that was years ahead does not end the schedule.
    assert_eq!(stage.look_at("2031-01-01T00:00:00Z").await.len(), 1);
    assert_eq!(stage.look_at("2026-11-30T02:15:00Z").await, [""; 0]);
    assert_eq!(
        stage.look_at("2026-11-30T02:20:00Z").await,
        ["job@2026-11-30T02:20:00Z"]
    );
}

#[tokio::test]
async fn both_changes_of_the_clock_are_passed_minute_by_minute() {
    for (start, expected) in [
        (
            "2026-03-28T12:00:00Z",
            ["job@2026-03-29T01:00:00Z", "job@2026-03-30T00:30:00Z"],
        ),
        (
            "2026-10-24T12:00:00Z",
            ["job@2026-10-25T00:30:00Z", "job@2026-10-26T01:30:00Z"],
        ),
    ] {
        let stage = Stage::new(start, &[entry("30 2 * * *", "Europe/Berlin")]);
        let mut sent = Vec::new();
        for _ in 0..(2 * DAY / (10 * MINUTE)) {
            sent.extend(stage.look().await);
            stage.clock.pass(10 * MINUTE);
        }
        assert_eq!(sent, expected);
    }
}

#[tokio::test]
async fn a_crash_behind_the_delivery_sends_the_same_id_again() {
    let mut stage = Stage::new("2026-11-30T01:59:00Z", &[entry("0 2 * * *", "UTC")]);
    stage.look().await;
    let file = stage.home.path().join("channels.json");
    let before = std::fs::read(&file).unwrap();
    let first = stage.look_at("2026-11-30T02:00:00Z").await;
    std::fs::write(&file, before).unwrap();
    stage.restart();
    assert_eq!(stage.look().await, first, "and the session knows it");
}

#[tokio::test]
async fn a_failure_that_passes_is_tried_again_and_others_wait_for_the_next_time() {
    let stage = Stage::new("2026-11-30T01:59:00Z", &[entry("0 * * * *", "UTC")]);
    stage.look().await;
    stage.port.fail(ErrorCode::StorageStalled);
    assert_eq!(stage.look_at("2026-11-30T02:00:00Z").await, [""; 0]);
    stage.port.fail(None);
    assert_eq!(stage.look().await, ["job@2026-11-30T02:00:00Z"]);
    for (code, expected) in [
        (ErrorCode::AgentTaskBusy, CronFireState::Skipped),
        (ErrorCode::ProjectNotFound, CronFireState::Failed),
    ] {
        stage.port.fail(code);
        stage.clock.pass(60 * MINUTE);
        stage.look().await;
        stage.port.fail(None);
        assert_eq!(stage.look().await, [""; 0], "{code:?}");
        let listed = stage.cron.list().await.unwrap();
        assert_eq!(listed[0].last.as_ref().unwrap().state, expected);
    }
}

#[tokio::test]
async fn a_schedule_is_fired_by_hand_and_stays_due() {
    let stage = Stage::new("2026-11-30T01:59:00Z", &[entry("0 2 * * *", "UTC")]);
    let by_hand = stage.cron.fire("job", Some("a".to_owned())).await.unwrap();
    assert_eq!(stage.port.take(), ["job@a"]);
    assert_eq!(stage.look_at("2026-11-30T02:00:00Z").await.len(), 1);
    let listed = stage.cron.list().await.unwrap();
    let last = listed[0].last.as_ref().unwrap();
    assert_eq!(last.session_id, Some(by_hand.session_id), "the fixed one");
    let unknown = stage.cron.fire("jop", None).await;
    assert!(
        matches!(unknown, Err(FireError::Unknown { known, .. }) if known == ["job"]),
        "with what there is"
    );
    let odd = stage.cron.fire("job", Some("a b".to_owned())).await;
    assert!(matches!(odd, Err(FireError::InvalidId)));
    stage.port.config.lock().unwrap().enabled = vec![ChannelKind::Cli];
    let disabled = stage.cron.fire("job", None).await;
    assert!(matches!(disabled, Err(FireError::Disabled)));
    assert_eq!(stage.look_at("2026-12-01T02:00:00Z").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_task_wakes_for_what_is_due_for_a_change_and_after_a_jump() {
    let stage = Stage::new("2026-11-30T01:59:00Z", &[]);
    let closing = CancellationToken::new();
    let running = tokio::spawn(Arc::clone(&stage.cron).run(closing.clone()));
    let settle = || async {
        // The task's work on blocking threads is not in the paused time.
        for _ in 0..200 {
            tokio::task::yield_now().await;
            std::thread::sleep(Duration::from_millis(1));
            if !stage.port.sent.lock().unwrap().is_empty() {
                break;
            }
        }
        stage.port.take()
    };
    assert_eq!(settle().await, [""; 0]);
    stage.port.configure(&[entry("0 2 * * *", "UTC")]);
    assert_eq!(settle().await, [""; 0], "it has begun");
    // The machine has slept: the wall clock has gone on, the timer has not.
    stage.clock.set("2026-11-30T02:00:30Z");
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(settle().await, ["job@2026-11-30T02:00:00Z"]);
    closing.cancel();
    running.await.unwrap();
}
