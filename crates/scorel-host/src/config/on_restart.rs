use serde::Deserialize;

/// What recovery does with a turn that was running when the daemon ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnRestart {
    /// The turn ends as `interrupted`.
    #[default]
    Mark,
    /// The turn goes on, once: a second restart interrupts it.
    Resume,
}
