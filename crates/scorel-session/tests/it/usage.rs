//! What model calls used and cost.

use std::fs;
use std::time::Duration;

use scorel_engine::{ProviderError, TokenPrice};
use scorel_proto::{
    CostSource, CostTotal, GetUsageParams, GetUsageResult, ProjectId, SessionId, UsageGrouping,
};
use scorel_session::{SessionError, TitleAnswer};
use tokio::sync::oneshot;

use crate::compaction::{WINDOW, asks_for_summary, long, plain};
use crate::rig::{Rig, copy};
use crate::stage::{USAGE, overflow, provider_error};
use crate::wall::FakeWall;

pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);
/// What an answer costs at [`PRICE`], in millionths of a dollar.
pub(crate) const ANSWER: u64 = 10 * 2 + 5 * 10;
pub(crate) const PRICE: TokenPrice = TokenPrice {
    input: 2_000_000,
    output: 10_000_000,
    cache_read: None,
    cache_write: None,
    source: CostSource::Table,
};

pub(crate) fn priced(wall: &FakeWall) -> Rig {
    let rig = Rig::with(wall.settings());
    rig.plan(|plan| plan.price = Some(PRICE));
    rig
}

async fn usage(rig: &Rig, by: UsageGrouping) -> GetUsageResult {
    let params = GetUsageParams {
        by,
        ..GetUsageParams::default()
    };
    rig.sessions.usage(&params).await.expect("readable")
}

fn keys(result: &GetUsageResult) -> Vec<(&str, u64)> {
    let rows = result.rows.iter();
    rows.map(|row| (row.key.as_str(), row.total.cost.micro_usd))
        .collect()
}

/// A question whose first call fails and is charged, and its answer.
async fn exchange_after_failure(rig: &Rig, id: SessionId) {
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let error = ProviderError {
        usage: Some(USAGE),
        ..provider_error(true)
    };
    rig.model().await.fail(error).await;
    rig.model().await.answer("now").await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn turn_session_and_day_are_the_sum_of_all_calls() {
    let wall = FakeWall::new();
    let rig = priced(&wall);
    let (one, two) = (rig.session().await, rig.session().await);
    exchange_after_failure(&rig, one).await;
    rig.exchange(one, "again").await;
    rig.exchange(two, "other").await;
    let log = rig.check(one).await;
    let turns = log.all("turn_outcome");
    let costs: Vec<_> = turns.iter().map(|turn| &turn["cost"]["microUsd"]).collect();
    assert_eq!(costs, [2 * ANSWER, ANSWER]);
    let charged = log.only("auxiliary_usage");
    assert_eq!(charged["purpose"], "failed_call");
    assert_eq!(charged["cost"]["microUsd"], ANSWER);
    let session = rig.lane(one).await.session().expect("there");
    assert_eq!(session.cost.micro_usd, 3 * ANSWER);
    assert_eq!(session.usage.input_tokens, 30);

    let days = usage(&rig, UsageGrouping::Day).await;
    assert_eq!(keys(&days), [("2026-11-22", 4 * ANSWER)]);
    assert_eq!(days.total.calls, 4);
    assert_eq!(days.total.usage.total(), 60);
    let sessions = usage(&rig, UsageGrouping::Session).await;
    let (first, second) = (one.to_string(), two.to_string());
    let expected = [(first.as_str(), 3 * ANSWER), (second.as_str(), ANSWER)];
    assert_eq!(keys(&sessions), expected);
    assert_eq!(sessions.rows[0].name.as_deref(), Some("go"));
    let models = usage(&rig, UsageGrouping::Model).await;
    assert_eq!(keys(&models), [("script:script-1", 4 * ANSWER)]);
}

#[tokio::test(start_paused = true)]
async fn days_are_apart_and_can_be_chosen() {
    let wall = FakeWall::new();
    let rig = priced(&wall);
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    wall.set_forward(DAY);
    rig.exchange(id, "two").await;
    rig.exchange(id, "three").await;
    let all = usage(&rig, UsageGrouping::Day).await;
    let expected = [("2026-11-22", ANSWER), ("2026-11-23", 2 * ANSWER)];
    assert_eq!(keys(&all), expected);
    let of = |from: Option<&str>, to: Option<&str>| GetUsageParams {
        from: from.map(str::to_owned),
        to: to.map(str::to_owned),
        by: UsageGrouping::Day,
    };
    for (params, total) in [
        (of(Some("2026-11-23"), None), 2 * ANSWER),
        (of(None, Some("2026-11-22")), ANSWER),
        (of(Some("2026-11-24"), None), 0),
    ] {
        let result = rig.sessions.usage(&params).await.expect("readable");
        assert_eq!(result.total.cost.micro_usd, total, "{params:?}");
    }
    for text in ["yesterday", "2026-13-01", "2026-11-22T00:00"] {
        let result = rig.sessions.usage(&of(Some(text), None)).await;
        assert!(matches!(result, Err(SessionError::InvalidParams(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_lost_or_counted_twice_by_restarts_and_crashes() {
    let wall = FakeWall::new();
    let rig = priced(&wall);
    let id = rig.session().await;
    rig.exchange(id, "before the first query").await;
    assert_eq!(usage(&rig, UsageGrouping::Day).await.total.calls, 1);
    rig.exchange(id, "counted as it was committed").await;
    rig.sessions.sweep().await;
    assert!(rig.home().join("usage").exists());
    rig.exchange(id, "after the file was written").await;
    let again = rig.crashed().restarted_with(wall.settings());
    assert_eq!(usage(&again, UsageGrouping::Day).await.total.calls, 3);
    again.exchange(id, "more").await;
    assert_eq!(usage(&again, UsageGrouping::Day).await.total.calls, 4);
    assert!(again.sessions.drain(Duration::from_secs(5)).await);
    let third = again.restarted_with(wall.settings());
    assert_eq!(usage(&third, UsageGrouping::Day).await.total.calls, 4);
    // The file is derived, as long as no session was deleted.
    fs::write(third.home().join("usage"), "{").expect("writable");
    let fourth = third.restarted_with(wall.settings());
    assert_eq!(usage(&fourth, UsageGrouping::Day).await.total.calls, 4);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_session_keeps_its_place_in_the_sums() {
    let wall = FakeWall::new();
    let rig = priced(&wall);
    let project = ProjectId::generate();
    let id = rig.session_of(project, None).await;
    rig.exchange(id, "one").await;
    rig.sessions.delete(id).await.expect("deleted");
    let sessions = usage(&rig, UsageGrouping::Session).await;
    let key = format!("deleted:{project}");
    assert_eq!(keys(&sessions), [(key.as_str(), ANSWER)]);
    rig.sessions.sweep().await;
    let again = rig.restarted_with(wall.settings());
    let projects = usage(&again, UsageGrouping::Project).await;
    assert_eq!(keys(&projects), [(project.to_string().as_str(), ANSWER)]);
}

#[tokio::test(start_paused = true)]
async fn tokens_without_a_price_are_shown_as_such() {
    let rig = Rig::with(FakeWall::new().settings());
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let expected = CostTotal {
        micro_usd: 0,
        unpriced: USAGE.total(),
    };
    assert_eq!(usage(&rig, UsageGrouping::Day).await.total.cost, expected);
    let session = rig.lane(id).await.session().expect("there");
    assert_eq!(session.cost, expected);
}

#[tokio::test(start_paused = true)]
async fn summaries_titles_and_failed_calls_count_for_turn_session_and_day() {
    let wall = FakeWall::new();
    let rig = priced(&wall);
    rig.plan(|plan| plan.window = Some(WINDOW));
    let id = rig.session().await;
    let (asked, _request) = oneshot::channel();
    let (answer, answered) = oneshot::channel();
    rig.plan(|plan| plan.title = Some((asked, answered)));
    let mut follower = rig.follow(id).await;
    let mut calls = 0;
    for number in ["0", "1", "2"] {
        rig.exchange(id, &long(number)).await;
        calls += 1;
    }
    let title = TitleAnswer {
        title: Some("Numbers".to_owned()),
        model: "script/small".to_owned(),
        usage: Some(USAGE),
        cost: Some(PRICE.cost(&USAGE)),
    };
    answer.send(title).expect("a title is wanted");
    follower.until("auxiliary_usage").await;
    calls += 1;
    // A turn whose call fails, is too large, is summarised, and succeeds.
    rig.begin(id, "go").await;
    let charged = ProviderError {
        usage: Some(USAGE),
        ..provider_error(true)
    };
    rig.model().await.fail(charged).await;
    rig.model().await.fail(overflow()).await;
    let summary = rig.model().await;
    assert!(asks_for_summary(&summary));
    summary.answer("numbers").await;
    rig.model().await.answer("done").await;
    let outcome = follower.until("turn_outcome").await;
    assert_eq!(outcome["usage"]["inputTokens"], 3 * USAGE.input_tokens);
    assert_eq!(outcome["cost"]["microUsd"], 3 * ANSWER);
    calls += 3;
    // A summary without a turn.
    rig.exchange(id, &long("3")).await;
    rig.exchange(id, &long("4")).await;
    let lane = rig.lane(id).await;
    lane.compact(plain(), None).await.expect("it begins");
    rig.model().await.answer("numbers").await;
    follower.until("compact").await;
    calls += 3;

    let log = rig.check(id).await;
    let session = lane.session().expect("there");
    assert_eq!(session.usage.total(), calls * USAGE.total());
    assert_eq!(session.cost.micro_usd, calls * ANSWER);
    let day = usage(&rig, UsageGrouping::Day).await;
    assert_eq!(day.total.usage.total(), calls * USAGE.total());
    assert_eq!(
        (day.total.cost.micro_usd, day.total.calls),
        (calls * ANSWER, calls)
    );
    // Of the calls all but the title and the last summary belong to a turn.
    let turns = log.all("turn_outcome").into_iter();
    let turns: u64 = turns
        .filter_map(|turn| turn["cost"]["microUsd"].as_u64())
        .sum();
    assert_eq!(turns, (calls - 2) * ANSWER);
}

#[tokio::test(start_paused = true)]
async fn calls_after_a_restored_backup_count_although_their_numbers_are_smaller() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let backup = tempfile::tempdir().expect("a directory");
    copy(&rig.dir(id), backup.path());
    rig.exchange(id, "two").await;
    rig.exchange(id, "three").await;
    assert_eq!(usage(&rig, UsageGrouping::Day).await.total.calls, 3);
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    fs::remove_dir_all(rig.dir(id)).expect("removed");
    fs::create_dir(rig.dir(id)).expect("created");
    copy(backup.path(), &rig.dir(id));
    let again = rig.restarted();
    assert_eq!(usage(&again, UsageGrouping::Day).await.total.calls, 3);
    again.exchange(id, "four").await;
    assert_eq!(usage(&again, UsageGrouping::Day).await.total.calls, 4);
}
