/// A model's reply. [`StrictServer`](crate::StrictServer) renders it for the API of the request, with
/// a signature on its reasoning that it checks when the reasoning comes back.
#[derive(Debug, Clone, Default)]
pub struct ModelReply {
    pub(crate) thinking: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<ReplyCall>,
    pub(crate) cut_off: bool,
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
