use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{
    Counter, Histogram, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry,
};

/// Metrics under their names, each registered once.
///
/// Not the registry of the process that the crate offers: a test may run several hosts.
#[derive(Debug, Default)]
pub(super) struct MetricSet(Registry);

impl MetricSet {
    pub(super) fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.add(IntGauge::new(name, help))
    }

    pub(super) fn gauges(&self, name: &str, help: &str, label: &str) -> IntGaugeVec {
        self.add(IntGaugeVec::new(Opts::new(name, help), &[label]))
    }

    pub(super) fn sum(&self, name: &str, help: &str) -> Counter {
        self.add(Counter::new(name, help))
    }

    pub(super) fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.add(IntCounterVec::new(Opts::new(name, help), labels))
    }

    pub(super) fn histogram(&self, name: &str, help: &str, bounds: &[f64]) -> Histogram {
        let opts = HistogramOpts::new(name, help).buckets(bounds.to_vec());
        self.add(Histogram::with_opts(opts))
    }

    pub(super) fn histograms(
        &self,
        name: &str,
        help: &str,
        label: &str,
        bounds: &[f64],
    ) -> HistogramVec {
        let opts = HistogramOpts::new(name, help).buckets(bounds.to_vec());
        self.add(HistogramVec::new(opts, &[label]))
    }

    pub(super) fn gather(&self) -> Vec<MetricFamily> {
        self.0.gather()
    }

    fn add<M: Collector + Clone + 'static>(&self, made: prometheus::Result<M>) -> M {
        let metric = made.expect("a metric's name, labels and bounds are constants");
        let registered = self.0.register(Box::new(metric.clone()));
        registered.expect("each name is registered once");
        metric
    }
}
