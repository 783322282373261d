use std::sync::Arc;

use scorel_proto::{ContextPart, ContextWindow, GetContextResult, Message, TokenEstimate};

use crate::SessionError;
use crate::context_size::{FixedParts, WindowSizes};
use crate::lane::Lane;

impl Lane {
    /// What the next request would hold, and how large it is.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotPrepared`] if the model cannot be used, or if the conversation cannot be
    /// read.
    pub async fn context_report(self: &Arc<Self>) -> Result<GetContextResult, SessionError> {
        self.published().check_exists()?;
        let prepared = self.prepare_outside_turn().await?;
        let (ports, setup) = prepared.map_err(|error| self.not_prepared(error))?;
        let window = self.read_window(ContextWindow::clone).await?;
        let (fixed, model) = (FixedParts::of(&ports), ports.provider.model());
        let size = self.size_of(&WindowSizes::of(&window), fixed, model);
        let tokens = |estimate| size.calibration.tokens(estimate);
        let part = |kind: &str, count: usize, estimate: TokenEstimate| ContextPart {
            kind: kind.to_owned(),
            count: count as u64,
            tokens: tokens(estimate),
        };
        let mut parts = vec![
            part("instructions", 1, fixed.system),
            part("tools", ports.tools.specs().count(), fixed.tools),
        ];
        for kind in ["summary", "user", "assistant", "toolResult", "reminder"] {
            let of_kind = window.items().filter(|(item, message)| {
                let is_summary = Some(item.seq) == window.barrier();
                kind == kind_of(message, is_summary)
            });
            let sizes: Vec<TokenEstimate> = of_kind.map(|(item, _)| item.tokens).collect();
            if !sizes.is_empty() {
                parts.push(part(kind, sizes.len(), sizes.into_iter().sum()));
            }
        }
        Ok(GetContextResult {
            model: model.name(),
            context_window: model.context_window,
            budget: setup.settings.budget(model),
            tokens: size.tokens,
            measured: size.counted.is_some(),
            automatic: !self.compaction_breaker(|breaker| breaker.is_open()),
            parts,
        })
    }
}

const fn kind_of(message: &Message, is_summary: bool) -> &'static str {
    match message {
        _ if is_summary => "summary",
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::ToolResult(_) => "toolResult",
        Message::Internal(_) => "reminder",
    }
}
