use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use scorel_mcp_http::{HttpState, connect};
use scorel_outside_tool::OpenCalls;
use scorel_process::{
    Service, ServiceError, ServiceLimits, ServiceLink, ServiceWords, StartedService,
};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;
use serde_json::value::RawValue;

use crate::era::{Era, EraGuess, EraMemory};
use crate::handshake::{Capabilities, greet};
use crate::listing::McpListing;
use crate::params::{params, raw};
use crate::port::{McpPort, McpStart};
use crate::progress::progressed;
use crate::settings::McpSettings;

/// Bytes of the largest text of a server.
const FRAME: usize = 16 * 1024 * 1024;

/// The protocol of servers, over the pipes of a program or over HTTP.
#[derive(Debug)]
pub(crate) struct McpService {
    name: String,
    settings: McpSettings,
    port: Arc<dyn McpPort>,
    eras: Arc<EraMemory>,
    guess: EraGuess,
    listing: Mutex<Option<Arc<McpListing>>>,
    /// The server has said that its tools or prompts are others.
    is_changed: AtomicBool,
    /// Held while the list is read again.
    renewing: tokio::sync::Mutex<()>,
    pub(crate) calls: OpenCalls,
    pub(crate) http: Arc<HttpState>,
}

impl McpService {
    pub(crate) fn new(settings: McpSettings, port: Arc<dyn McpPort>, eras: Arc<EraMemory>) -> Self {
        Self {
            name: format!("MCP server {}", settings.name),
            http: Arc::new(HttpState::new(&settings.name)),
            settings,
            port,
            eras,
            guess: EraGuess::default(),
            listing: Mutex::default(),
            is_changed: AtomicBool::new(false),
            renewing: tokio::sync::Mutex::default(),
            calls: OpenCalls::default(),
        }
    }

    pub(crate) const fn settings(&self) -> &McpSettings {
        &self.settings
    }

    /// The tools as they were listed last; `None` before the first start.
    pub(crate) fn listing(&self) -> Option<Arc<McpListing>> {
        self.listed().clone()
    }

    /// Returns whether the list may be another one by now.
    pub(crate) fn is_stale(&self, listing: &McpListing) -> bool {
        self.is_changed.load(Ordering::Acquire) || listing.is_expired()
    }

    /// The tools, read again if they may be others.
    pub(crate) async fn renewed(
        &self,
        link: &ServiceLink,
    ) -> Result<Option<Arc<McpListing>>, ServiceError> {
        let _renewing = self.renewing.lock().await;
        let Some(known) = self.listing() else {
            return Ok(None);
        };
        if !self.is_stale(&known) {
            return Ok(Some(known));
        }
        let read = self.read(link, known.era, known.features.clone());
        read.await.map(Some)
    }

    async fn read(
        &self,
        link: &ServiceLink,
        era: Era,
        features: Capabilities,
    ) -> Result<Arc<McpListing>, ServiceError> {
        // Before the question: a change while it is answered is another one.
        self.is_changed.store(false, Ordering::Release);
        let listing = McpListing::read(link, era, features, &self.http).await;
        let listing = listing.inspect_err(|_| self.is_changed.store(true, Ordering::Release))?;
        Ok(self.keep(listing))
    }

    fn keep(&self, listing: McpListing) -> Arc<McpListing> {
        for problem in &listing.problems {
            tracing::warn!(
                process = self.name,
                problem,
                "what an MCP server lists is left out"
            );
        }
        Arc::clone(self.listed().insert(Arc::new(listing)))
    }

    async fn open_now(&self, link: &ServiceLink) -> Result<(), String> {
        let era = self.eras.known().unwrap_or_else(|| self.guess.begin());
        let capabilities = greet(link, era).await?;
        self.eras.learn(era);
        self.guess.end();
        let tells = capabilities.tells_of_tools || capabilities.tells_of_prompts;
        if tells && era == Era::Stateless {
            let wanted = json!({ "notifications": {
                "toolsListChanged": capabilities.tells_of_tools,
                "promptsListChanged": capabilities.tells_of_prompts,
            }});
            link.subscribe("subscriptions/listen", &params(era, wanted, None))
                .await;
        }
        let read = self.read(link, era, capabilities).await;
        read.map(drop)
            .map_err(|error| format!("what it offers cannot be listed: {error}"))
    }

    fn listed(&self) -> MutexGuard<'_, Option<Arc<McpListing>>> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service for McpService {
    fn name(&self) -> &str {
        &self.name
    }

    fn limits(&self) -> ServiceLimits {
        ServiceLimits {
            idle: self.settings.idle,
            frame: FRAME,
            ..ServiceLimits::default()
        }
    }

    fn start(&self) -> BoxFuture<'_, Result<StartedService, String>> {
        Box::pin(async {
            Ok(match self.port.start().await? {
                McpStart::Program(program) => StartedService::Program(*program),
                McpStart::Http(server) => {
                    StartedService::Connection(connect(*server, Arc::clone(&self.http)))
                }
            })
        })
    }

    fn open<'a>(&'a self, link: &'a ServiceLink) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(self.open_now(link))
    }

    fn called(
        &self,
        method: Box<str>,
        _: Box<RawValue>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>> {
        Box::pin(ready(match &*method {
            "ping" => Ok(raw(&json!({}))),
            // No capability was declared by which it could ask for more.
            _ => Err(RpcError::new(ErrorCode::MethodNotFound, "no such method")),
        }))
    }

    fn notified(&self, method: &str, params: &RawValue) {
        match method {
            "notifications/progress" => progressed(&self.calls, params),
            "notifications/tools/list_changed" | "notifications/prompts/list_changed" => {
                self.is_changed.store(true, Ordering::Release);
            }
            other => {
                tracing::debug!(process = self.name, method = ?other, "an unused notification");
            }
        }
    }

    fn words(&self) -> ServiceWords {
        ServiceWords {
            cancel: ("notifications/cancelled", "requestId"),
            goodbye: None,
        }
    }

    fn greets_again(&self) -> bool {
        self.eras.forget();
        self.guess.failed()
    }
}
