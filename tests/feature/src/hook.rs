//! The hook.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{BeforeCall, CallOpinion, Hooks, ToolCall};
use scorel_host::{HookSource, HookTurn};
use scorel_proto::SessionId;

use crate::pins::Pins;

/// The pins as a source of hooks.
#[derive(Debug)]
pub struct PinHooks(pub Arc<Pins>);

impl HookSource for PinHooks {
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>> {
        vec![Arc::new(PinHook {
            session_id: turn.session_id,
            directory: turn.directory.to_owned(),
            pins: Arc::clone(&self.0),
        })]
    }
}

#[derive(Debug)]
struct PinHook {
    session_id: SessionId,
    directory: PathBuf,
    pins: Arc<Pins>,
}

impl Hooks for PinHook {
    fn name(&self) -> &str {
        "pins"
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        let directory = self.directory.clone();
        let (pins, id) = (Arc::clone(&self.pins), self.session_id);
        let named = call.input["path"].as_str().map(|path| directory.join(path));
        Box::pin(async move {
            let opinion = match (named, pins.paths(id).await) {
                (None, _) => CallOpinion::None,
                (Some(named), Ok(paths)) => {
                    let pinned = paths.into_iter().find(|path| directory.join(path) == named);
                    pinned.map_or(CallOpinion::None, |path| {
                        CallOpinion::Ask(format!("`{path}` is pinned"))
                    })
                }
                // A guard that cannot look leaves the decision to the user.
                (Some(_), Err(error)) => CallOpinion::Ask(format!("pins are unknown: {error}")),
            };
            BeforeCall {
                opinion,
                ..BeforeCall::default()
            }
        })
    }
}
