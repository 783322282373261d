use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use scorel_engine::ToolUpdates;
use scorel_mcp_http::HttpFailure;
use scorel_outside_tool::LONGEST_CALL;
use scorel_process::{CallLimit, ServiceError, ServiceLink, ServiceProcess};
use scorel_proto::ProcessState;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::era::{Era, EraMemory};
use crate::listing::McpListing;
use crate::pages::PagedList;
use crate::params::params;
use crate::port::McpPort;
use crate::service::McpService;
use crate::settings::McpSettings;

/// A server that is started on first need, with what it has listed.
#[derive(Debug)]
pub struct McpClient {
    process: ServiceProcess,
    service: Arc<McpService>,
    last_call: AtomicU64,
}

impl McpClient {
    /// A server that is not started yet. `eras` is shared by all with its configuration.
    pub fn new(settings: McpSettings, port: Arc<dyn McpPort>, eras: Arc<EraMemory>) -> Self {
        let service = Arc::new(McpService::new(settings, port, eras));
        Self {
            process: ServiceProcess::new(Arc::clone(&service) as _),
            service,
            last_call: AtomicU64::new(0),
        }
    }

    /// Its process.
    pub const fn process(&self) -> &ServiceProcess {
        &self.process
    }

    pub fn settings(&self) -> &McpSettings {
        self.service.settings()
    }

    /// The tools as they were listed last; `None` before the first start. Waits for nothing.
    pub fn known(&self) -> Option<Arc<McpListing>> {
        self.service.listing()
    }

    /// Returns whether [`Self::listing`] would ask the server.
    pub fn may_have_others(&self) -> bool {
        let is_ready = self.process.status().state == ProcessState::Ready;
        let known = self.known();
        known.is_none_or(|known| is_ready && self.service.is_stale(&known))
    }

    /// Its tools. Starts the server if they are not known, and reads them again if they may be others. Those of a
    /// server that does not run are the ones that it had: a call starts it.
    ///
    /// # Errors
    /// It cannot be started, or did not list them. See [`ServiceError`].
    pub async fn listing(&self) -> Result<Arc<McpListing>, ServiceError> {
        let known = self.known();
        match known {
            Some(known) if !self.may_have_others() => return Ok(known),
            _ => {}
        }
        let link = self.process.ready().await?;
        match (self.service.renewed(&link).await, known) {
            (Ok(Some(listing)), _) => Ok(listing),
            (Err(error), Some(known)) => {
                tracing::warn!(server = self.settings().name, %error, "its tools are not read again");
                Ok(known)
            }
            (Err(error), None) => Err(error),
            // One that is ready has listed them, so it was closed meanwhile.
            (Ok(None), _) => Err(self.process.unavailable()),
        }
    }

    /// Asks for what is not a tool's. Starts the server if it does not run.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn ask(&self, method: &str, asked: Value) -> Result<Box<RawValue>, ServiceError> {
        let link = self.process.ready().await?;
        let limit = CallLimit::of(self.settings().timeout);
        let asked = params(self.era(), asked, None);
        let asked = link.call(method, &asked, &limit).await;
        asked.map_err(|error| self.told(error))
    }

    /// Asks for a list. `key` has the entries of a page.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn list(&self, method: &str, key: &str) -> Result<PagedList, ServiceError> {
        let link = self.process.ready().await?;
        let list = PagedList::read(&link, self.era(), method, key).await;
        list.map_err(|error| self.told(error))
    }

    /// The era of one that was started.
    fn era(&self) -> Era {
        self.known().map_or(Era::Stateless, |it| it.era)
    }

    /// Waits until it is ready, with its tools as they are then.
    ///
    /// # Errors
    /// It cannot be started. See [`ServiceError`].
    pub async fn ready(&self) -> Result<(), ServiceError> {
        let link = self.process.ready().await?;
        if let Err(error) = self.service.renewed(&link).await {
            tracing::warn!(server = self.settings().name, %error, "its tools are not read again");
        }
        Ok(())
    }

    /// The command with which a person logs in, if the server waits for that.
    pub fn login(&self) -> Option<String> {
        self.service.http.login()
    }

    /// Calls a tool. Signs of progress extend its time, and are shown. A call that is lost is made once more if
    /// it changes nothing.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        is_read_only: bool,
        updates: ToolUpdates,
    ) -> Result<Box<RawValue>, ServiceError> {
        let link = self.process.ready().await?;
        let called = self
            .call_once(&link, tool, arguments, updates.clone())
            .await;
        match called {
            Err(ServiceError::Lost { .. }) if is_read_only => {
                let link = self.process.ready().await?;
                self.call_once(&link, tool, arguments, updates).await
            }
            called => called,
        }
    }

    async fn call_once(
        &self,
        link: &ServiceLink,
        tool: &str,
        arguments: &Value,
        updates: ToolUpdates,
    ) -> Result<Box<RawValue>, ServiceError> {
        let token = self.last_call.fetch_add(1, Ordering::Relaxed);
        let call = self.service.calls.begin(token.to_string(), updates);
        let timeout = self.settings().timeout;
        let limit = CallLimit {
            quiet: timeout,
            longest: LONGEST_CALL.max(timeout),
            progress: Some(Arc::clone(&call.sign)),
        };
        let asked = json!({ "name": tool, "arguments": arguments });
        let params = params(self.era(), asked, Some(token));
        let called = link.call("tools/call", &params, &limit);
        called.await.map_err(|error| self.told(error))
    }

    /// The failure of a call that HTTP tells in an answer.
    fn told(&self, error: ServiceError) -> ServiceError {
        let ServiceError::Answered(answer) = &error else {
            return error;
        };
        let name = format!("MCP server {}", self.settings().name);
        match HttpFailure::of(answer) {
            Some(HttpFailure::Lost(reason)) => ServiceError::Lost { name, reason },
            Some(HttpFailure::Unreachable(reason) | HttpFailure::Login(reason)) => {
                let state = self.process.status().state;
                ServiceError::Unavailable {
                    name,
                    state,
                    reason,
                }
            }
            Some(HttpFailure::Refused(_)) | None => error,
        }
    }
}
