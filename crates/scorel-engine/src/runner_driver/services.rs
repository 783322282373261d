use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;

use super::hooking::refusal;
use crate::ToolCall;
use crate::ports::{HookChain, RunnerAction, RunnerServices, ServiceReply, ServiceRequest};

/// Requests that may be served at a time.
const MAX_OPEN: usize = 64;

/// An answer for the runner, with the id of its request.
pub(super) type Served = (String, Result<ServiceReply, String>);

/// The service requests of a runner that are in progress.
pub(super) struct OpenServices {
    services: Arc<dyn RunnerServices>,
    hooks: HookChain,
    open: FuturesUnordered<BoxFuture<'static, Served>>,
    /// Actions that a client allowed in this turn and that no request has used up yet, one path each.
    allowed: Vec<RunnerAction>,
}

impl OpenServices {
    pub(super) fn new(services: Arc<dyn RunnerServices>, hooks: HookChain) -> Self {
        Self {
            services,
            hooks,
            open: FuturesUnordered::new(),
            allowed: Vec::new(),
        }
    }

    /// A client has allowed an action, of which requests may be a part.
    pub(super) fn allow(&mut self, action: RunnerAction) {
        let each = |paths: Vec<PathBuf>| paths.into_iter().map(|path| vec![path]);
        match action {
            RunnerAction::Read { paths } => {
                let read = each(paths).map(|paths| RunnerAction::Read { paths });
                self.allowed.extend(read);
            }
            RunnerAction::Write { paths } => {
                let write = each(paths).map(|paths| RunnerAction::Write { paths });
                self.allowed.extend(write);
            }
            other => self.allowed.push(other),
        }
    }

    /// A yes is for one time.
    fn take_allowed(&mut self, request: &ServiceRequest) -> bool {
        let mut allowed = self.allowed.iter();
        let found = allowed.position(|action| request.is_part_of(action));
        found.map(|at| self.allowed.swap_remove(at)).is_some()
    }

    pub(super) fn begin(&mut self, id: String, request: ServiceRequest) {
        if self.open.len() >= MAX_OPEN {
            let text = format!("more than {MAX_OPEN} requests are open");
            let refused = std::future::ready((id, Err(text)));
            self.open.push(Box::pin(refused));
            return;
        }
        let is_allowed = self.take_allowed(&request);
        // Hooks have seen what a client has allowed.
        let is_unseen = !is_allowed && !self.hooks.is_empty();
        let unseen = is_unseen.then(|| request.action()).flatten();
        let Some((action, input)) = unseen else {
            let serving = self.services.serve(request, is_allowed);
            self.open.push(Box::pin(async move { (id, serving.await) }));
            return;
        };
        let (services, hooks) = (Arc::clone(&self.services), self.hooks.clone());
        let call = ToolCall {
            id: id.clone(),
            name: String::new(),
            input,
            invalid_input: None,
        };
        self.open.push(Box::pin(async move {
            match refusal(&hooks, &call, &action).await {
                Some(refused) => (id, Err(refused)),
                None => (id, services.serve(request, false).await),
            }
        }));
    }

    /// The next answer. Cancel-safe.
    pub(super) async fn next(&mut self) -> Served {
        match self.open.next().await {
            Some(served) => served,
            None => std::future::pending().await,
        }
    }

    /// Returns whether the runner waits for the daemon.
    pub(super) fn is_busy(&self) -> bool {
        !self.open.is_empty()
    }

    /// The turn is over.
    pub(super) fn end(&mut self) {
        self.open.clear();
        self.allowed.clear();
        self.services.end();
    }
}
