//! Some of the tools of a toolbox.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_runtime::{ToolCall, ToolOutcome, ToolSpec, ToolUpdates, Toolbox};
use tokio_util::sync::CancellationToken;

use crate::error::{ErrorCode, ToolError};

/// A toolbox of which some tools are offered. The others are not there for the model.
#[derive(Debug)]
pub struct Selection {
    tools: Arc<dyn Toolbox>,
    specs: Vec<ToolSpec>,
}

impl Selection {
    /// The tools for which `is_offered` holds.
    #[must_use]
    pub fn new(tools: Arc<dyn Toolbox>, is_offered: impl Fn(&ToolSpec) -> bool) -> Self {
        let specs = tools.specs().iter().filter(|spec| is_offered(spec));
        Self {
            specs: specs.cloned().collect(),
            tools,
        }
    }
}

impl Toolbox for Selection {
    fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    fn call(
        &self,
        call: ToolCall,
        updates: ToolUpdates,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, ToolOutcome> {
        let is_known = |specs: &[ToolSpec]| specs.iter().any(|spec| spec.name == call.name);
        if is_known(&self.specs) || !is_known(self.tools.specs()) {
            return self.tools.call(call, updates, cancel);
        }
        let message = format!("the tool `{}` is not offered in this session", call.name);
        let error = ToolError::new(ErrorCode::UnknownTool, message);
        Box::pin(std::future::ready(error.into_outcome()))
    }
}
