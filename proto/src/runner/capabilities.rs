use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The abilities of a runner beyond running a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a yes or no of its own, and clients get them by name"
)]
pub struct RunnerCapabilities {
    /// It takes messages while it works. Without this a steer becomes a follow-up.
    pub steer: bool,
    /// It resumes a context in a new process.
    pub resume: bool,
    /// It asks before what it does.
    pub permissions: bool,
    /// It ends a turn on request and stays usable.
    pub cancel: bool,
    /// It reports tokens.
    pub usage: bool,
    /// It reports money.
    pub cost: bool,
    /// It takes images.
    pub images: bool,
}

impl RunnerCapabilities {
    /// Everything.
    pub const ALL: Self = Self {
        steer: true,
        resume: true,
        permissions: true,
        cancel: true,
        usage: true,
        cost: true,
        images: true,
    };
}
