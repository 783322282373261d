use super::gate::ResponseGate;

/// One HTTP response of a script.
#[derive(Debug, Clone)]
pub struct ScriptedResponse {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) steps: Vec<ResponseStep>,
    /// Delays the first byte.
    pub(super) hold: Option<ResponseGate>,
    /// The largest write of the body, in bytes.
    write_size: usize,
}

#[derive(Debug, Clone)]
pub(super) enum ResponseStep {
    /// Sends part of the body in one chunk.
    Write(Vec<u8>),
    Wait(ResponseGate),
    /// Closes the connection without the end of the response.
    Cut,
}

impl ScriptedResponse {
    /// An empty response.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            steps: Vec::new(),
            hold: None,
            write_size: usize::MAX,
        }
    }

    /// A response with a JSON body.
    pub fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::status(status)
            .header("content-type", "application/json")
            .write(body)
    }

    /// A response with status 200 and these bytes of an event stream.
    pub fn event_stream(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200)
            .header("content-type", "text/event-stream")
            .write(body)
    }

    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Appends bytes to the body, sent in a write of their own.
    #[must_use]
    pub fn write(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        if !bytes.is_empty() {
            self.steps.push(ResponseStep::Write(bytes));
        }
        self
    }

    /// Waits at the gate before the response's first byte.
    #[must_use]
    pub fn hold(mut self, gate: &ResponseGate) -> Self {
        self.hold = Some(gate.clone());
        self
    }

    /// Waits at the gate before the rest of the body.
    #[must_use]
    pub fn wait(mut self, gate: &ResponseGate) -> Self {
        self.steps.push(ResponseStep::Wait(gate.clone()));
        self
    }

    /// Closes the connection here.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.steps.push(ResponseStep::Cut);
        self
    }

    /// Closes the connection after `bytes` bytes of the body.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        let mut left = bytes;
        let mut steps = Vec::new();
        for step in self.steps {
            match step {
                ResponseStep::Write(bytes) if bytes.len() > left => {
                    steps.push(ResponseStep::Write(bytes[..left].to_vec()));
                    break;
                }
                ResponseStep::Write(bytes) => {
                    left -= bytes.len();
                    steps.push(ResponseStep::Write(bytes));
                }
                other => steps.push(other),
            }
        }
        steps.push(ResponseStep::Cut);
        self.steps = steps;
        self
    }

    pub(crate) fn without_last(mut self, steps: usize) -> Self {
        self.steps.truncate(self.steps.len().saturating_sub(steps));
        self
    }

    /// Waits at the gate before the last steps.
    pub(crate) fn wait_before_last(mut self, steps: usize, gate: &ResponseGate) -> Self {
        let place = self.steps.len().saturating_sub(steps);
        self.steps.insert(place, ResponseStep::Wait(gate.clone()));
        self
    }

    /// Splits the body into writes of at most `bytes` bytes, at least one.
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
