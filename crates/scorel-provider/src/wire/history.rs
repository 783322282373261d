use std::fmt::Debug;

use scorel_proto::Message;

use super::{JsonBody, ModelEndpoint};

/// The conversation of a request, rendered message by message, and so that it can go on with the
/// messages of the next request.
///
/// Starts empty. Holds back what a later message may still change, and no more than that: the rest is
/// written once and never looked at again.
pub(crate) trait WireHistory<D>: Debug + Default + Send + 'static {
    /// Adds the next message. Items that are final now are written to the list that is open in `body`.
    fn add(&mut self, endpoint: &ModelEndpoint<D>, message: &Message, body: &mut JsonBody);

    /// Writes the items that were held back, in the form they have if no message follows.
    fn finish(&self, endpoint: &ModelEndpoint<D>, body: &mut JsonBody);
}
