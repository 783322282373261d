use scorel_proto::HookTestEffect;

use super::HookRun;

/// The doings of a hook that was tested with a sample.
#[derive(Debug)]
pub struct HookTrial {
    /// The reason why the sample does not match.
    pub unmatched: Option<String>,
    pub runs: Vec<HookRun>,
    pub effects: Vec<HookTestEffect>,
    pub failure: Option<String>,
}
