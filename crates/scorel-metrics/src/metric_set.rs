use prometheus::Registry;
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;

/// Metrics under their names, each registered once.
///
/// Not the registry of the process that the crate offers: a test may run several hosts.
#[derive(Debug, Default)]
pub(crate) struct MetricSet(Registry);

impl MetricSet {
    pub(crate) fn add<M: Collector + Clone + 'static>(&self, made: prometheus::Result<M>) -> M {
        let metric = made.expect("a metric's name, labels and bounds are constants");
        let registered = self.0.register(Box::new(metric.clone()));
        registered.expect("each name is registered once");
        metric
    }

    pub(crate) fn gather(&self) -> Vec<MetricFamily> {
        self.0.gather()
    }
}
