use scorel_runtime::ProviderEvent;
use serde_json::Value;
use ulid::Ulid;

/// The tool calls of one answer while it streams.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    /// The number by which the endpoint continues the call.
    index: Option<u64>,
    /// The id that the endpoint gave; empty if none so far.
    id: String,
    /// Which block of the answer it is.
    block: usize,
    /// The id under which the call was announced, once it was.
    announced: Option<String>,
    /// Arguments that came before the name.
    held: String,
}

impl ToolCalls {
    pub(super) const fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes one element of a delta's `tool_calls`. `next_block` gives the number for a new call.
    pub(super) fn delta(
        &mut self,
        delta: &Value,
        next_block: impl FnOnce() -> usize,
        out: &mut Vec<ProviderEvent>,
    ) {
        let id = delta["id"].as_str().unwrap_or_default();
        let index = delta["index"].as_u64();
        let name = delta["function"]["name"].as_str().unwrap_or_default();
        let position = self.position(index, id, name).unwrap_or_else(|| {
            self.calls.push(Call {
                index,
                id: String::new(),
                block: next_block(),
                announced: None,
                held: String::new(),
            });
            self.calls.len() - 1
        });
        if self.calls[position].id.is_empty() {
            id.clone_into(&mut self.calls[position].id);
        }
        if !name.is_empty() {
            self.announce(position, name, out);
        }
        // A whole object is what some hosts send in place of its text.
        let arguments = match &delta["function"]["arguments"] {
            Value::String(text) => text.clone(),
            object @ Value::Object(_) => object.to_string(),
            _ => String::new(),
        };
        self.calls[position].append(arguments, out);
    }

    /// Announces what never got a name, so that no call is lost.
    pub(super) fn finish(&mut self, out: &mut Vec<ProviderEvent>) {
        for position in 0..self.calls.len() {
            self.announce(position, "", out);
        }
    }

    /// The call that a delta continues: by index, unless a new id stands under it; without an
    /// index by id; with neither the last one, unless a name begins another.
    fn position(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let continues = |call: &Call| id.is_empty() || call.id.is_empty() || call.id == id;
        match index {
            Some(_) => self
                .calls
                .iter()
                .rposition(|call| call.index == index)
                .filter(|position| continues(&self.calls[*position])),
            None if !id.is_empty() => self.calls.iter().rposition(|call| call.id == id),
            None if name.is_empty() => self.calls.len().checked_sub(1),
            None => None,
        }
    }

    fn announce(&mut self, position: usize, name: &str, out: &mut Vec<ProviderEvent>) {
        if self.calls[position].announced.is_some() {
            return;
        }
        let id = self.unique_id(&self.calls[position].id);
        let call = &mut self.calls[position];
        out.push(ProviderEvent::ToolCallStart {
            block: call.block,
            id: id.clone(),
            name: name.to_owned(),
            provider: None,
        });
        call.announced = Some(id);
        let held = std::mem::take(&mut call.held);
        call.append(held, out);
    }

    /// The id that the endpoint gave, or a new one if it gave none or gave it twice.
    fn unique_id(&self, id: &str) -> String {
        let mut announced = self
            .calls
            .iter()
            .filter_map(|call| call.announced.as_deref());
        if id.is_empty() || announced.any(|other| other == id) {
            format!("call_{}", Ulid::generate())
        } else {
            id.to_owned()
        }
    }
}

impl Call {
    fn append(&mut self, arguments: String, out: &mut Vec<ProviderEvent>) {
        if arguments.is_empty() {
            return;
        }
        if self.announced.is_some() {
            out.push(ProviderEvent::ToolCallDelta {
                block: self.block,
                delta: arguments,
            });
        } else {
            self.held.push_str(&arguments);
        }
    }
}
