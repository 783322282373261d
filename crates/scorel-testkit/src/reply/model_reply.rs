use crate::ResponseGate;

/// A model's reply. [`StrictServer`](crate::StrictServer) renders it for the API of the request, with
/// a signature on its reasoning that it checks when the reasoning comes back.
#[derive(Debug, Clone, Default)]
pub struct ModelReply {
    pub(crate) thinking: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<ReplyCall>,
    pub(crate) cut_off: bool,
    pub(crate) hold: Option<ResponseGate>,
    pub(crate) stall: Option<ResponseGate>,
    pub(crate) usage: ReplyUsage,
}

/// The tokens that a reply reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyUsage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

impl Default for ReplyUsage {
    fn default() -> Self {
        Self {
            input: 100,
            output: 10,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ReplyCall {
    pub(crate) id: String,
    pub(crate) name: String,
    /// JSON text, not necessarily valid.
    pub(crate) arguments: String,
}

impl ModelReply {
    /// Reasoning before everything else.
    #[must_use]
    pub fn thinking(mut self, text: &str) -> Self {
        self.thinking = Some(text.to_owned());
        self
    }

    /// The text before the calls.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// Appends a tool call; `arguments` is JSON text.
    #[must_use]
    pub fn tool_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls.push(ReplyCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        });
        self
    }

    /// Waits at the gate before the first byte.
    #[must_use]
    pub fn hold(mut self, gate: &ResponseGate) -> Self {
        self.hold = Some(gate.clone());
        self
    }

    /// Waits at the gate before the stop reason.
    #[must_use]
    pub fn stall(mut self, gate: &ResponseGate) -> Self {
        self.stall = Some(gate.clone());
        self
    }

    /// The tokens that the reply reports; 100 and 10 if it is not called.
    #[must_use]
    pub const fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = ReplyUsage { input, output };
        self
    }

    /// Closes the connection before the stop reason.
    #[must_use]
    pub const fn cut_off(mut self) -> Self {
        self.cut_off = true;
        self
    }
}

/// The signature of a model's reasoning, which no other model accepts.
pub(crate) fn proof(model: &str) -> String {
    format!("proof-of-{model}")
}
