use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Cost, Usage};

/// Body of `auxiliary_usage`: a model call that no other event records.
///
/// It counts for the turn that its `turnId` names, and without one for the session only.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuxiliaryUsageBody {
    /// The purpose of the call: `failed_call` (a call that failed, and left no message), `title`, or a later
    /// one.
    pub purpose: String,
    /// The model, as `provider:id`, or as a runner names it.
    pub model: String,
    /// The tokens used.
    pub usage: Usage,
    /// Its cost; absent if that is not known.
    pub cost: Option<Cost>,
}

impl AuxiliaryUsageBody {
    /// `purpose` of a model call that failed and left no message.
    pub const FAILED_CALL: &'static str = "failed_call";
    /// `purpose` of the model calls that a runner made.
    pub const RUNNER: &'static str = "runner";
    /// `purpose` of a model call that made a session's title.
    pub const TITLE: &'static str = "title";
}
