use super::{ChatAnswer, Gate};

/// One HTTP response of a script.
#[derive(Debug, Clone)]
pub struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) steps: Vec<Step>,
    /// Where the response waits before its first byte.
    pub(super) hold: Option<Gate>,
    /// How many body bytes go into one write at most.
    write_size: usize,
}

/// What a response does next.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Writes part of the body, at once.
    Write(Vec<u8>),
    /// Waits.
    Wait(Gate),
    /// Closes the connection in the middle of the response.
    Cut,
}

impl Answer {
    /// A streamed chat completion, to be put together piece by piece.
    #[must_use]
    pub fn chat() -> ChatAnswer {
        ChatAnswer::default()
    }

    /// An empty response with that status.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            steps: Vec::new(),
            hold: None,
            write_size: usize::MAX,
        }
    }

    /// A response with a JSON text as its body.
    #[must_use]
    pub fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::status(status)
            .header("content-type", "application/json")
            .write(body)
    }

    /// A response of status 200 whose body is these bytes of an event stream.
    #[must_use]
    pub fn event_stream(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200)
            .header("content-type", "text/event-stream")
            .write(body)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds bytes to the body. They are sent in one write, apart from what went before.
    #[must_use]
    pub fn write(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        if !bytes.is_empty() {
            self.steps.push(Step::Write(bytes));
        }
        self
    }

    /// Waits at the gate before the first byte of the response.
    #[must_use]
    pub fn hold(mut self, gate: &Gate) -> Self {
        self.hold = Some(gate.clone());
        self
    }

    /// Waits at the gate before the rest of the body.
    #[must_use]
    pub fn wait(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Wait(gate.clone()));
        self
    }

    /// Closes the connection here, without the end of the response.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.steps.push(Step::Cut);
        self
    }

    /// Closes the connection after that many bytes of the body.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        let mut left = bytes;
        let mut steps = Vec::new();
        for step in self.steps {
            match step {
                Step::Write(bytes) if bytes.len() > left => {
                    steps.push(Step::Write(bytes[..left].to_vec()));
                    break;
                }
                Step::Write(bytes) => {
                    left -= bytes.len();
                    steps.push(Step::Write(bytes));
                }
                other => steps.push(other),
            }
        }
        steps.push(Step::Cut);
        self.steps = steps;
        self
    }

    /// Leaves out the last steps.
    pub(crate) fn without_last(mut self, steps: usize) -> Self {
        self.steps.truncate(self.steps.len().saturating_sub(steps));
        self
    }

    /// Sends the body in writes of at most that many bytes.
    #[must_use]
    pub const fn in_writes_of(mut self, bytes: usize) -> Self {
        self.write_size = bytes;
        self
    }

    pub(super) const fn write_size(&self) -> usize {
        if self.write_size == 0 {
            1
        } else {
            self.write_size
        }
    }
}
