//! The connection to a process that runs.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use scorel_peer::{CallError, Peer, check_content, request};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::read_part::LIMITS;
use crate::service_error::ServiceError;
use crate::service_words::ServiceWords;

/// Calls in flight to a process; further ones wait.
const MAX_CALLS: usize = 32;

/// Bytes that wait to be written to a process.
const OUTBOX: usize = 8 * 1024 * 1024;

/// The id of a call that stays open. Those that are waited for count from one.
const SUBSCRIPTION: u64 = 0;

/// Calls in a row that are not answered in time.
const MAX_TIMEOUTS: u32 = 3;

/// The time that a call may take.
#[derive(Debug, Clone)]
pub struct CallLimit {
    /// Without a sign of progress.
    pub quiet: Duration,
    /// In all.
    pub longest: Duration,
    /// Notified at a sign of progress.
    pub progress: Option<Arc<Notify>>,
}

impl CallLimit {
    /// A time that nothing extends.
    pub const fn of(limit: Duration) -> Self {
        Self {
            quiet: limit,
            longest: limit,
            progress: None,
        }
    }
}

/// A connection to a process: calls to it, and what is known of them.
#[derive(Debug)]
pub struct ServiceLink {
    name: String,
    words: ServiceWords,
    peer: Peer,
    calls: AtomicUsize,
    /// In a row.
    timeouts: AtomicU32,
    /// Since the last question for them.
    answered: AtomicUsize,
    last_used: Mutex<Instant>,
    /// Set when it has to end, or has ended.
    failure: OnceLock<String>,
    failed: CancellationToken,
}

impl ServiceLink {
    pub(crate) fn new(name: &str, words: ServiceWords) -> Self {
        Self {
            name: name.to_owned(),
            words,
            peer: Peer::new(OUTBOX, MAX_CALLS),
            calls: AtomicUsize::new(0),
            timeouts: AtomicU32::new(0),
            answered: AtomicUsize::new(0),
            last_used: Mutex::new(Instant::now()),
            failure: OnceLock::new(),
            failed: CancellationToken::new(),
        }
    }

    /// Calls the process. A call that is dropped, or takes too long, is withdrawn:
    /// [`ServiceWords::cancel`].
    ///
    /// # Errors
    /// See [`ServiceError`]. A result that breaks a limit is an error.
    pub async fn call(
        &self,
        method: &str,
        params: &RawValue,
        limit: &CallLimit,
    ) -> Result<Box<RawValue>, ServiceError> {
        let result = self.call_for_parts(method, params, limit).await?;
        match check_content(result.get(), LIMITS.nesting) {
            Ok(()) => Ok(result),
            Err(problem) => {
                let reason = format!("its answer cannot be read: {problem}");
                let error = RpcError::new(ErrorCode::InternalError, reason);
                Err(ServiceError::Answered(error))
            }
        }
    }

    /// As [`ServiceLink::call`], for a result whose parts are read one by one, by [`read_part`](crate::read_part): the limits
    /// on content are looked at there.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn call_for_parts(
        &self,
        method: &str,
        params: &RawValue,
        limit: &CallLimit,
    ) -> Result<Box<RawValue>, ServiceError> {
        let open = OpenCall::new(self);
        let answer = self
            .peer
            .call_named(method, Some(params), |id| open.sent(id));
        let result = tokio::select! {
            biased;
            answer = answer => answer,
            passed = overdue(limit) => {
                self.count_timeout();
                let (name, limit) = (self.name.clone(), passed);
                return Err(ServiceError::Overdue { name, limit });
            }
        };
        open.answered();
        match result {
            Ok(result) => {
                self.succeeded();
                Ok(result)
            }
            Err(CallError::Rpc(error)) => {
                self.succeeded();
                Err(ServiceError::Answered(error))
            }
            Err(CallError::Closed | CallError::Overdue) => Err(ServiceError::Lost {
                name: self.name.clone(),
                reason: self.reason(),
            }),
        }
    }

    /// Notifies the process if there is room for that. Returns whether there was.
    pub fn notify(&self, method: &str, params: &RawValue) -> bool {
        let text = request(None, method, Some(params));
        self.peer.outbox().try_send(text).is_ok()
    }

    /// Notifies the process once there is room for that. Fails only as it ends.
    pub async fn tell(&self, method: &str, params: &RawValue) {
        self.touch();
        let text = request(None, method, Some(params));
        let _ended = self.peer.outbox().send(text).await;
    }

    /// The failure of a call whose answer is none to its method.
    pub fn misanswered(&self, method: &str, error: &serde_json::Error) -> ServiceError {
        let reason = format!("its answer to `{method}` cannot be read: {error}");
        ServiceError::Answered(RpcError::new(ErrorCode::InternalError, reason))
    }

    /// Asks for notifications by a call that stays open, and waits for no answer. It keeps the process from nothing.
    pub async fn subscribe(&self, method: &str, params: &RawValue) {
        let text = request(Some(SUBSCRIPTION), method, Some(params));
        let _ended = self.peer.outbox().send(text).await;
    }

    /// Says that the end of the input is next, if there is a word for it.
    pub(crate) fn say_goodbye(&self) {
        if let Some(word) = self.words.goodbye {
            self.notify(word, RawValue::NULL);
        }
    }

    pub(crate) const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Ends the connection for a reason; only the first counts.
    pub(crate) fn fail(&self, reason: String) {
        let _first = self.failure.set(reason);
        self.failed.cancel();
        self.peer.end_calls();
    }

    /// Waits until it has to end.
    pub(crate) async fn failed(&self) -> String {
        self.failed.cancelled().await;
        self.reason()
    }

    /// Returns whether a call was answered since the last question.
    pub(crate) fn take_answered(&self) -> bool {
        self.answered.swap(0, Ordering::AcqRel) > 0
    }

    /// When it was used last; `None` while it is used.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let is_idle = self.calls.load(Ordering::Acquire) == 0;
        is_idle.then(|| {
            *self
                .last_used
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        })
    }

    fn touch(&self) {
        *self
            .last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn succeeded(&self) {
        self.timeouts.store(0, Ordering::Release);
        self.answered.fetch_add(1, Ordering::AcqRel);
    }

    fn count_timeout(&self) {
        if self.timeouts.fetch_add(1, Ordering::AcqRel) + 1 >= MAX_TIMEOUTS {
            self.fail(format!(
                "{MAX_TIMEOUTS} calls in a row had no answer in time"
            ));
        }
    }

    fn reason(&self) -> String {
        let reason = self.failure.get().cloned();
        reason.unwrap_or_else(|| "it ended".to_owned())
    }
}

/// Waits until a call has taken too long, and returns the limit that it had.
async fn overdue(limit: &CallLimit) -> Duration {
    let began = Instant::now();
    let end = began + limit.longest;
    let mut quiet_end = (began + limit.quiet).min(end);
    loop {
        tokio::select! {
            () = sleep_until(quiet_end) => {
                return match quiet_end == end {
                    true => limit.longest,
                    false => limit.quiet,
                };
            }
            () = progress(limit) => quiet_end = (Instant::now() + limit.quiet).min(end),
        }
    }
}

async fn progress(limit: &CallLimit) {
    match &limit.progress {
        Some(progress) => progress.notified().await,
        None => std::future::pending().await,
    }
}

/// Counts a call, and withdraws it if it is dropped without an answer.
struct OpenCall<'a> {
    link: &'a ServiceLink,
    id: AtomicU64,
    is_sent: AtomicBool,
    is_answered: AtomicBool,
}

impl<'a> OpenCall<'a> {
    fn new(link: &'a ServiceLink) -> Self {
        link.calls.fetch_add(1, Ordering::AcqRel);
        Self {
            link,
            id: AtomicU64::new(0),
            is_sent: AtomicBool::new(false),
            is_answered: AtomicBool::new(false),
        }
    }

    fn sent(&self, id: u64) {
        self.id.store(id, Ordering::Release);
        self.is_sent.store(true, Ordering::Release);
    }

    fn answered(&self) {
        self.is_answered.store(true, Ordering::Release);
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if self.is_sent.load(Ordering::Acquire) && !self.is_answered.load(Ordering::Acquire) {
            let (method, id) = self.link.words.cancel;
            let params = to_raw_value(&json!({ id: self.id.load(Ordering::Acquire) }));
            // Without room the process does not read, and would not see this either.
            let _told = params.is_ok_and(|it| self.link.notify(method, &it));
        }
        self.link.touch();
        self.link.calls.fetch_sub(1, Ordering::AcqRel);
    }
}
