/// Who answers the permission requests of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answering {
    /// People, elsewhere.
    People,
    /// The client too: it has a tool for it.
    Client,
}
