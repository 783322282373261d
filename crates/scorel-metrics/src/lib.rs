//! The daemon's counters, and its process with what it uses, in the text format of Prometheus.
//!
//! No label value is from a client or a model: outcomes, kinds, phases and methods are names of the
//! protocol, and providers are names of the configuration, of which the first few have values of their
//! own. There are no ids, no paths and no texts.

mod executable;
mod metric_set;
mod model_calls;
mod process_memory;
mod timed_storage;

use std::time::Duration;

use prometheus::{
    Counter, Histogram, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    TextEncoder,
};
use scorel_proto::{
    CostTotal, OutcomeReason, PersistentBody, PersistentEvent, SessionsByPhase, Usage,
};
use scorel_rpc::CallObserver;
use scorel_session::{Section, SessionFeature};

use metric_set::MetricSet;

pub use executable::Executable;
use model_calls::ModelCalls;
pub use process_memory::resident_bytes;
pub use timed_storage::TimedStorage;

/// Bounds of buckets in seconds: from a reply out of memory to one that waits for an endpoint.
const RPC_SECONDS: [f64; 9] = [0.0005, 0.002, 0.005, 0.02, 0.05, 0.2, 1.0, 5.0, 30.0];

/// Bounds of buckets in seconds: from a disk with a cache of its own to one that is in trouble.
const FSYNC_SECONDS: [f64; 9] = [0.0002, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0];

/// The metrics of a daemon since its start.
#[derive(Debug)]
pub struct Metrics {
    set: MetricSet,
    sessions: IntGaugeVec,
    turns: IntCounterVec,
    model_calls: ModelCalls,
    tokens: IntCounterVec,
    cost: Counter,
    rpc: HistogramVec,
    fsync: Histogram,
    lag: IntGauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let set = MetricSet::default();
        let sessions = Opts::new("scorel_sessions", "Loaded sessions by phase.");
        let turns = Opts::new("scorel_turns_total", "Turns that have ended, by outcome.");
        let tokens = Opts::new(
            "scorel_tokens_total",
            "Tokens of recorded model calls. The cached kinds are parts of input, reasoning is one of output.",
        );
        let rpc = HistogramOpts::new(
            "scorel_rpc_seconds",
            "From the begin of a call to its reply, by method.",
        );
        let fsync = HistogramOpts::new(
            "scorel_fsync_seconds",
            "The time of each sync of a log, or of a list of sessions.",
        );
        let metrics = Self {
            sessions: set.add(IntGaugeVec::new(sessions, &["phase"])),
            turns: set.add(IntCounterVec::new(turns, &["outcome"])),
            model_calls: ModelCalls::new(&set),
            tokens: set.add(IntCounterVec::new(tokens, &["kind"])),
            cost: set.add(Counter::new(
                "scorel_cost_usd_total",
                "What recorded model calls cost in US dollars, as far as it is known.",
            )),
            rpc: set.add(HistogramVec::new(
                rpc.buckets(RPC_SECONDS.to_vec()),
                &["method"],
            )),
            fsync: set.add(Histogram::with_opts(fsync.buckets(FSYNC_SECONDS.to_vec()))),
            lag: set.add(IntGauge::new(
                "scorel_subscriber_lag_events",
                "How many events the slowest subscriber is behind its session.",
            )),
            set,
        };
        metrics.begin_at_zero();
        metrics
    }
}

impl Metrics {
    /// Makes the series that are known, so that a rate can be computed from the first count on.
    fn begin_at_zero(&self) {
        for reason in OutcomeReason::ALL {
            self.turns.with_label_values(&[reason.name()]);
        }
        self.add_tokens(&Usage::default());
    }

    pub const fn model_calls(&self) -> &ModelCalls {
        &self.model_calls
    }

    pub const fn fsync(&self) -> &Histogram {
        &self.fsync
    }

    /// The page, with the current counts of sessions and the current lag of subscribers.
    pub fn text(&self, sessions: &SessionsByPhase, lag_events: u64) -> String {
        for (phase, count) in sessions.counts() {
            self.sessions
                .with_label_values(&[phase])
                .set(i64::from(count));
        }
        self.lag.set(i64::try_from(lag_events).unwrap_or(i64::MAX));
        let mut text = String::new();
        let families = self.set.gather();
        if let Err(error) = TextEncoder::new().encode_utf8(&families, &mut text) {
            tracing::error!(%error, "the metrics cannot be written");
        }
        text
    }

    fn add_tokens(&self, usage: &Usage) {
        for (kind, tokens) in [
            ("input", usage.input_tokens),
            ("output", usage.output_tokens),
            ("cache_read", usage.cache_read_tokens),
            ("cache_write", usage.cache_write_tokens),
            ("reasoning", usage.reasoning_tokens),
        ] {
            self.tokens.with_label_values(&[kind]).inc_by(tokens);
        }
    }
}

impl SessionFeature for Metrics {
    fn committed(&self, _: &Section<'_>, event: &PersistentEvent) {
        if let Some(call) = event.recorded_call() {
            let usage = call.usage.unwrap_or_default();
            self.add_tokens(&usage);
            let mut cost = CostTotal::default();
            cost.add(&usage, call.cost);
            self.cost.inc_by(dollars(cost));
        }
        // A copied event is history of another session.
        if let (PersistentBody::TurnOutcome(body), None) = (&event.body, &event.origin) {
            self.turns.with_label_values(&[body.reason.name()]).inc();
        }
    }
}

impl CallObserver for Metrics {
    fn answered(&self, method: &'static str, took: Duration) {
        let seconds = self.rpc.with_label_values(&[method]);
        seconds.observe(took.as_secs_f64());
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "exact up to nine billion dollars"
)]
fn dollars(cost: CostTotal) -> f64 {
    cost.micro_usd as f64 / 1e6
}

#[cfg(test)]
mod tests;
