use crate::{Cost, Message, PersistentBody, PersistentEvent, Usage};

/// The model call that an event records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedCall<'a> {
    /// The model; `None` if the event does not name it.
    pub model: Option<&'a str>,
    /// The tokens that the call used; `None` if the endpoint did not say.
    pub usage: Option<Usage>,
    /// Its cost; `None` if that is not known.
    pub cost: Option<Cost>,
}

impl PersistentEvent {
    /// The model call that the event records, for every sum of usage and cost. `None` for a copied
    /// event: the session that it was copied from has paid.
    pub fn recorded_call(&self) -> Option<RecordedCall<'_>> {
        if self.origin.is_some() {
            return None;
        }
        match &self.body {
            PersistentBody::Message(body) => match &body.message {
                Message::Assistant(message) => Some(RecordedCall {
                    model: Some(&message.model),
                    usage: message.usage,
                    cost: message.cost,
                }),
                _ => None,
            },
            PersistentBody::Compact(body) => Some(RecordedCall {
                model: Some(&body.model),
                usage: body.usage,
                cost: body.cost,
            }),
            // A compaction that failed has used tokens too.
            PersistentBody::Compaction(body) if body.usage.is_some() => Some(RecordedCall {
                model: body.model.as_deref(),
                usage: body.usage,
                cost: body.cost,
            }),
            PersistentBody::AuxiliaryUsage(body) => Some(RecordedCall {
                model: Some(&body.model),
                usage: Some(body.usage),
                cost: body.cost,
            }),
            _ => None,
        }
    }
}
