use std::fmt;

use futures_util::future::BoxFuture;
use scorel_extension::ExtensionId;
use scorel_proto::{ClientId, ProjectId, RpcError};
use serde_json::Value;

/// Answers the calls of programs.
pub(crate) trait ProgramCalls: fmt::Debug + Send + Sync {
    fn call(
        &self,
        caller: ProgramCaller,
        method: &str,
        params: Value,
    ) -> BoxFuture<'static, Result<Value, RpcError>>;
}

/// The extension whose program calls.
#[derive(Debug, Clone)]
pub(crate) struct ProgramCaller {
    pub(crate) id: ExtensionId,
    /// The project whose extension it is; `None` for the user's.
    pub(crate) project: Option<ProjectId>,
    /// The channels that its manifest declares.
    pub(crate) channels: Vec<String>,
}

impl ProgramCaller {
    /// The author of its records.
    pub(crate) fn client_id(&self) -> ClientId {
        let of = self.project.map(|it| it.to_string());
        self.id.client_id(&of.unwrap_or_default())
    }

    /// Returns whether it may write and read records of this kind.
    pub(crate) fn owns(&self, kind: &str) -> bool {
        let rest = kind.strip_prefix(self.id.as_str());
        rest.and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|rest| !rest.is_empty())
    }
}
