use tokio::sync::watch;

/// A point at which an answer waits until the test lets it go on.
///
/// Clones are the same gate. Several answers may wait at one gate.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    state: watch::Sender<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    reached: bool,
    open: bool,
    abandoned: bool,
}

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets everything that waits here go on, now and later.
    pub fn open(&self) {
        self.state.send_modify(|state| state.open = true);
    }

    /// Waits until an answer has sent all that stands before the gate.
    pub async fn reached(&self) {
        self.wait_for(|state| state.reached).await;
    }

    /// Waits until a client closed its connection while its answer waited here.
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

    async fn wait_for(&self, condition: impl Fn(&State) -> bool) {
        let mut state = self.state.subscribe();
        // The sender lives in `self`, so the channel cannot close while this waits.
        let _ = state.wait_for(condition).await;
    }
}
