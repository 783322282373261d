use scorel_proto::Usage;
use scorel_runtime::{ProviderError, ProviderEvent};

use crate::sse::Event;

/// One answer while it streams: takes the endpoint's events, gives the engine's.
pub(crate) trait Answer: Send + 'static {
    /// Takes one event. An error ends the answer.
    fn event(&mut self, event: &Event, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError>;

    /// Ends the answer: the events that are still due, or the error that it was cut off.
    fn end(self, out: &mut Vec<ProviderEvent>) -> Result<(), ProviderError>;

    /// Whether the endpoint said why it stopped: the answer is complete whatever breaks now, and
    /// what follows is not waited for long.
    fn is_finished(&self) -> bool;

    /// Whether the endpoint said that nothing follows.
    fn is_done(&self) -> bool;

    /// What the call used, as far as the endpoint said so.
    fn usage(&self) -> Option<Usage>;
}
