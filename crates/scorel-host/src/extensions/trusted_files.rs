use std::collections::BTreeMap;
use std::path::PathBuf;

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use scorel_engine::{BeforeCall, CallOpinion, Effect, Hooks, ToolCall, ToolList};

/// Has a person asked before a call changes a file that the command of a trusted hook names: the hook would be inert
/// from then on, and guard nothing.
#[derive(Debug)]
pub(super) struct TrustedFiles {
    pub(super) tools: ToolList,
    /// Each file, without links, with its hook.
    pub(super) files: BTreeMap<PathBuf, String>,
}

impl Hooks for TrustedFiles {
    fn name(&self) -> &str {
        "trust"
    }

    fn only_reads(&self) -> bool {
        true
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        let call = self.tools.canonical(call);
        // Calls of other tools are not planned twice.
        if !matches!(call.name.as_str(), "Write" | "Edit") {
            return ready(BeforeCall::default()).boxed();
        }
        let (plan, files) = (self.tools.plan(call), self.files.clone());
        async move {
            let plan = plan.await;
            let hook = plan.effects().iter().find_map(|effect| match effect {
                Effect::WritePath { path, .. } => files.get(path),
                _ => None,
            });
            let asked = hook
                .map(|hook| CallOpinion::Ask(format!("the trusted hook `{hook}` runs this file")));
            BeforeCall {
                opinion: asked.unwrap_or_default(),
                ..BeforeCall::default()
            }
        }
        .boxed()
    }
}
