use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_proto::{ProcessState, RpcError};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep};

use super::ServiceProcess;
use crate::service::{Service, StartedService};
use crate::service_error::ServiceError;
use crate::service_link::ServiceLink;

/// A program that is not there.
#[derive(Debug)]
struct Missing;

impl Service for Missing {
    fn name(&self) -> &str {
        "extension missing"
    }

    fn start(&self) -> BoxFuture<'_, Result<StartedService, String>> {
        Box::pin(ready(Err("notes is not installed".to_owned())))
    }

    fn open<'a>(&'a self, _: &'a ServiceLink) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(pending())
    }

    fn called(
        &self,
        _: Box<str>,
        _: Box<RawValue>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>> {
        Box::pin(pending())
    }

    fn notified(&self, _: &str, _: &RawValue) {}
}

fn state(process: &ServiceProcess) -> (ProcessState, u64) {
    let status = process.status();
    (status.state, status.starts)
}

#[tokio::test(start_paused = true)]
async fn a_process_that_fails_starts_again_and_then_waits_for_a_call() {
    let process = ServiceProcess::new(Arc::new(Missing));
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(state(&process), (ProcessState::Stopped, 0), "no need");
    let error = process.ready().await.unwrap_err();
    let ServiceError::Unavailable {
        state: at, reason, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(at, ProcessState::Backoff);
    assert!(reason.starts_with("notes is not installed"), "{reason}");
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(state(&process), (ProcessState::Failed, 5));
    process.ready().await.unwrap_err();
    assert_eq!(state(&process), (ProcessState::Backoff, 6), "an hour later");
    sleep(Duration::from_secs(3600)).await;
    let (_, before) = state(&process);
    process.restart();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(state(&process), (ProcessState::Backoff, before + 1));
    process.close().await;
    process.ready().await.unwrap_err();
    assert_eq!(process.status().state, ProcessState::Stopped);
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_a_start_that_is_near_and_not_for_a_later_one() {
    let process = ServiceProcess::new(Arc::new(Missing));
    process.ready().await.unwrap_err();
    let began = Instant::now();
    process.ready().await.unwrap_err();
    assert!(began.elapsed() > Duration::from_millis(500));
    assert_eq!(process.status().starts, 2);
    process.ready().await.unwrap_err();
    process.ready().await.unwrap_err();
    let began = Instant::now();
    let error = process.ready().await.unwrap_err().to_string();
    assert_eq!(began.elapsed(), Duration::ZERO, "{error}");
    assert!(error.contains("it starts again in "), "{error}");
}
