use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use scorel_engine::{BeforeCall, CallOpinion, Effect, Hooks, ToolCall, ToolList};

/// Has a person asked before a call changes a file that the command of a trusted item names: a hook would be inert from
/// then on, and guard nothing, and a server would run what an agent has written.
#[derive(Debug)]
pub(crate) struct TrustedFiles {
    tools: ToolList,
    /// Each file, without links, with what runs it.
    files: BTreeMap<PathBuf, String>,
}

impl TrustedFiles {
    /// One for the files, if there are any.
    pub(crate) fn of(tools: &ToolList, files: BTreeMap<PathBuf, String>) -> Option<Arc<dyn Hooks>> {
        let tools = tools.clone();
        (!files.is_empty()).then(|| Arc::new(Self { tools, files }) as _)
    }
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
            let item = plan.effects().iter().find_map(|effect| match effect {
                Effect::WritePath { path, .. } => files.get(path),
                _ => None,
            });
            let asked =
                item.map(|item| CallOpinion::Ask(format!("the trusted {item} runs this file")));
            BeforeCall {
                opinion: asked.unwrap_or_default(),
                ..BeforeCall::default()
            }
        }
        .boxed()
    }
}
