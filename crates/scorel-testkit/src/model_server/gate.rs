use tokio::sync::watch;

/// A point at which responses wait until the test opens it. Clones share the gate.
#[derive(Debug, Clone, Default)]
pub struct ResponseGate {
    state: watch::Sender<GateState>,
}

#[derive(Debug, Clone, Copy, Default)]
struct GateState {
    reached: bool,
    open: bool,
    abandoned: bool,
}

impl ResponseGate {
    pub fn new() -> Self {
        Self::default()
    }

    /// Releases the responses that wait here, and those to come.
    pub fn open(&self) {
        self.state.send_modify(|state| state.open = true);
    }

    pub fn is_open(&self) -> bool {
        self.state.borrow().open
    }

    /// Waits until a response has reached the gate, having sent everything before it.
    pub async fn reached(&self) {
        self.wait_for(|state| state.reached).await;
    }

    /// Waits until a client has closed its connection while its response waited here.
    pub async fn abandoned(&self) {
        self.wait_for(|state| state.abandoned).await;
    }

    pub(super) async fn pass(&self) {
        self.state.send_modify(|state| state.reached = true);
        self.wait_for(|state| state.open).await;
    }

    pub(super) fn abandon(&self) {
        self.state.send_modify(|state| state.abandoned = true);
    }

    async fn wait_for(&self, condition: impl Fn(&GateState) -> bool) {
        let mut state = self.state.subscribe();
        // The sender lives in `self`, so the channel cannot close while this waits.
        let _ = state.wait_for(condition).await;
    }
}
