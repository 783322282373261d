use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_outside_tool::{LONGEST_CALL, OpenCalls};
use scorel_process::{
    CallLimit, Service, ServiceError, ServiceLimits, ServiceLink, ServiceProcess, ServiceStatus,
    StartedService,
};
use scorel_proto::{ProcessState, RpcError};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc;

use super::port::ExtensionPort;
use super::tool_progress::ToolProgress;
use crate::ExtensionId;

/// The version of the protocol between the daemon and extensions.
const PROTOCOL: u64 = 1;

/// Events that wait for the program.
const MAX_EVENTS: usize = 256;

/// The program of an extension, which runs while it is needed.
#[derive(Debug)]
pub struct ExtensionProgram {
    process: Arc<ServiceProcess>,
    calls: Arc<OpenCalls>,
    /// Made for the first event.
    events: OnceLock<mpsc::Sender<Box<RawValue>>>,
}

impl ExtensionProgram {
    /// A program that is not started yet.
    pub fn new(id: &ExtensionId, port: Arc<dyn ExtensionPort>) -> Self {
        let calls = Arc::new(OpenCalls::default());
        let service = ExtensionService {
            name: format!("extension {id}"),
            port,
            calls: Arc::clone(&calls),
        };
        Self {
            process: Arc::new(ServiceProcess::new(Arc::new(service))),
            calls,
            events: OnceLock::new(),
        }
    }

    /// Its process.
    pub fn process(&self) -> &ServiceProcess {
        &self.process
    }

    pub fn status(&self) -> ServiceStatus {
        self.process.status()
    }

    /// Calls the program, which is started if it does not run.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn call(
        &self,
        method: &str,
        params: &Value,
        limit: Duration,
    ) -> Result<Value, ServiceError> {
        self.limited_call(method, params, &CallLimit::of(limit))
            .await
    }

    /// Has the program told of an event, behind those before. Starts it if it does not run. Returns whether there was
    /// room for the event.
    pub fn hears(&self, event: &Value) -> bool {
        let events = self.events.get_or_init(|| {
            let (sender, events) = mpsc::channel(MAX_EVENTS);
            tokio::spawn(tell(Arc::clone(&self.process), events));
            sender
        });
        events.try_send(raw(event)).is_ok()
    }

    /// Calls a tool. Signs of progress extend its time, and are shown.
    pub(super) async fn call_tool(
        &self,
        call_id: &str,
        params: &Value,
        limit: Duration,
        updates: scorel_engine::ToolUpdates,
    ) -> Result<Value, ServiceError> {
        let call = self.calls.begin(call_id.to_owned(), updates);
        let limit = CallLimit {
            quiet: limit,
            longest: LONGEST_CALL.max(limit),
            progress: Some(Arc::clone(&call.sign)),
        };
        self.limited_call("tool.call", params, &limit).await
    }

    async fn limited_call(
        &self,
        method: &str,
        params: &Value,
        limit: &CallLimit,
    ) -> Result<Value, ServiceError> {
        let answer = self.process.call(method, &raw(params), limit).await?;
        // A raw value is JSON.
        Ok(serde_json::from_str(answer.get()).unwrap_or_default())
    }
}

/// Tells a program of events, in their order, until it is forgotten.
async fn tell(process: Arc<ServiceProcess>, mut events: mpsc::Receiver<Box<RawValue>>) {
    while let Some(event) = events.recv().await {
        // One that fails at each start is started again for a call, not for each event.
        if process.status().state != ProcessState::Failed
            && let Ok(link) = process.ready().await
        {
            link.tell("event", &event).await;
        }
    }
}

/// The protocol of extensions.
#[derive(Debug)]
struct ExtensionService {
    name: String,
    port: Arc<dyn ExtensionPort>,
    calls: Arc<OpenCalls>,
}

impl Service for ExtensionService {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> BoxFuture<'_, Result<StartedService, String>> {
        Box::pin(async { self.port.start().await.map(Into::into) })
    }

    fn open<'a>(&'a self, link: &'a ServiceLink) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let mut params = self.port.initialize();
            params["protocol"] = PROTOCOL.into();
            let limit = CallLimit::of(ServiceLimits::default().start);
            let answered = link.call("initialize", &raw(&params), &limit).await;
            let refused = |error: ServiceError| format!("it refused `initialize`: {error}");
            answered.map(drop).map_err(refused)
        })
    }

    fn called(
        &self,
        method: Box<str>,
        params: Box<RawValue>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>> {
        let params = serde_json::from_str(params.get()).unwrap_or_default();
        let answering = self.port.called(&method, params);
        Box::pin(async move { Ok(raw(&answering.await?)) })
    }

    fn notified(&self, method: &str, params: &RawValue) {
        match method {
            "tool.progress" => ToolProgress::tell(&self.calls, params),
            other => {
                tracing::debug!(process = self.name, method = ?other, "an unknown notification");
            }
        }
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
