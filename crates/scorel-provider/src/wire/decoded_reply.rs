use scorel_engine::ProviderEvent;
use serde_json::Value;

use super::{ModelOrigin, ReplyTally};

/// The events that a decoder has made of one reply, with the count of what it keeps.
#[derive(Debug)]
pub(crate) struct DecodedReply {
    /// The model that replies. Metadata goes back to no other.
    pub(crate) origin: ModelOrigin,
    pub(crate) tally: ReplyTally,
    /// The events that are still to be passed on.
    pub(crate) events: Vec<ProviderEvent>,
}

impl DecodedReply {
    pub(crate) fn new(origin: ModelOrigin) -> Self {
        Self {
            origin,
            tally: ReplyTally::default(),
            events: Vec::new(),
        }
    }

    /// Adds a text to a block; nothing if it is empty. The same goes for [`Self::thinking`] and
    /// [`Self::arguments`].
    pub(crate) fn text(&mut self, block: usize, delta: impl Into<String>) {
        let delta = delta.into();
        if !delta.is_empty() {
            self.events.push(ProviderEvent::Text { block, delta });
        }
    }

    pub(crate) fn thinking(&mut self, block: usize, delta: impl Into<String>) {
        let delta = delta.into();
        if !delta.is_empty() {
            self.events.push(ProviderEvent::Thinking { block, delta });
        }
    }

    pub(crate) fn arguments(&mut self, block: usize, delta: impl Into<String>) {
        let delta = delta.into();
        if !delta.is_empty() {
            self.events
                .push(ProviderEvent::ToolCallDelta { block, delta });
        }
    }

    /// Begins a call. `fact` is stored with it, under a name.
    pub(crate) fn call(
        &mut self,
        block: usize,
        id: String,
        name: &str,
        fact: Option<(&str, Value)>,
    ) {
        self.events.push(ProviderEvent::ToolCallStart {
            block,
            id,
            name: name.to_owned(),
            provider: fact.map(|(name, fact)| self.origin.tag(name, fact)),
        });
    }

    /// Stores a fact with a block of text.
    pub(crate) fn text_fact(&mut self, block: usize, name: &str, fact: Value) {
        let provider = self.origin.tag(name, fact);
        self.events
            .push(ProviderEvent::TextMeta { block, provider });
    }

    /// Stores a fact with a block of reasoning.
    pub(crate) fn thinking_fact(&mut self, block: usize, name: &str, fact: Value) {
        self.events.push(ProviderEvent::ThinkingMeta {
            block,
            signature: None,
            redacted: false,
            provider: Some(self.origin.tag(name, fact)),
        });
    }
}
