use std::sync::{Arc, Mutex};

use futures_util::stream::{self, StreamExt as _};
use scorel_engine::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderEvent, ProviderStream,
};
use scorel_journal::{FileStorage, Storage as _};
use scorel_proto::{Context, Phase, StopReason, ThinkingLevel};

use super::*;

/// Plays one list of events for every call.
#[derive(Debug)]
struct PlayedModel {
    info: ModelInfo,
    events: Mutex<Vec<Result<ProviderEvent, ProviderError>>>,
}

impl Provider for PlayedModel {
    fn model(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, _: ModelRequest) -> ProviderStream {
        let events = std::mem::take(&mut *self.events.lock().unwrap());
        stream::iter(events).boxed()
    }
}

fn counted(
    metrics: &Metrics,
    provider: &str,
    events: Vec<Result<ProviderEvent, ProviderError>>,
) -> ProviderStream {
    let played = PlayedModel {
        info: ModelInfo {
            provider: provider.to_owned(),
            id: "m".to_owned(),
            context_window: 1,
            max_output_tokens: 1,
            price: None,
        },
        events: Mutex::new(events),
    };
    let counted = (metrics.model_calls().watch())(Arc::new(played));
    counted.stream(ModelRequest {
        system: String::new(),
        messages: Context::default(),
        tools: Vec::new(),
        thinking: ThinkingLevel::default(),
    })
}

fn done() -> ProviderEvent {
    ProviderEvent::Done {
        stop_reason: StopReason::EndTurn,
        usage: None,
        charged: None,
        provider: None,
    }
}

fn page(metrics: &Metrics) -> String {
    metrics.text(&SessionsByPhase::default(), 0)
}

fn assert_line(page: &str, line: &str) {
    assert!(page.lines().any(|it| it == line), "no {line} in:\n{page}");
}

#[tokio::test]
async fn each_attempt_is_counted_once_by_its_result() {
    let metrics = Metrics::default();
    let start = || Ok(ProviderEvent::Start { model: None });
    let refused = ProviderError {
        category: ErrorCategory::RateLimit,
        retryable: true,
        retry_after: None,
        status: Some(429),
        message: "later".to_owned(),
        hint: None,
        usage: None,
    };
    let answered = counted(&metrics, "lab", vec![start(), Ok(done())]);
    assert_eq!(answered.count().await, 2);
    let failed = counted(&metrics, "lab", vec![start(), Err(refused)]);
    assert_eq!(failed.count().await, 2);
    let mut cancelled = counted(&metrics, "lab", vec![start(), Ok(done())]);
    assert!(cancelled.next().await.is_some());
    drop(cancelled);
    let page = page(&metrics);
    for result in ["ok", "rate_limit", "cancelled"] {
        let line = format!("scorel_model_calls_total{{provider=\"lab\",result=\"{result}\"}} 1");
        assert_line(&page, &line);
    }
}

#[test]
fn providers_beyond_the_first_share_a_value() {
    let metrics = Metrics::default();
    for number in 0..100 {
        drop(counted(&metrics, &format!("p{number}"), Vec::new()));
    }
    drop(counted(&metrics, "p0", Vec::new()));
    let page = page(&metrics);
    let calls = page
        .lines()
        .filter(|line| line.starts_with("scorel_model_calls_total{"));
    assert_eq!(calls.count(), 33, "{page}");
    assert_line(
        &page,
        r#"scorel_model_calls_total{provider="p0",result="cancelled"} 2"#,
    );
    assert_line(
        &page,
        r#"scorel_model_calls_total{provider="other",result="cancelled"} 68"#,
    );
}

#[test]
fn phases_and_lag_are_those_of_the_moment() {
    let metrics = Metrics::default();
    let mut by_phase = SessionsByPhase::default();
    by_phase.add(Phase::Running);
    let busy = metrics.text(&by_phase, 7);
    assert_line(&busy, r#"scorel_sessions{phase="running"} 1"#);
    assert_line(&busy, "scorel_subscriber_lag_events 7");
    let idle = page(&metrics);
    assert_line(&idle, r#"scorel_sessions{phase="running"} 0"#);
    assert_line(&idle, "scorel_subscriber_lag_events 0");
}

#[test]
fn only_syncs_are_timed() {
    let metrics = Metrics::default();
    let dir = tempfile::tempdir().unwrap();
    let storage = TimedStorage::new(metrics.fsync().clone());
    let file = storage.create_new(&dir.path().join("log")).unwrap();
    file.append(b"x").unwrap();
    assert_line(&page(&metrics), "scorel_fsync_seconds_count 0");
    file.sync_data().unwrap();
    assert_line(&page(&metrics), "scorel_fsync_seconds_count 1");
    assert_eq!(FileStorage.status(&dir.path().join("log")).unwrap().len, 1);
}
