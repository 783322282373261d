use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use scorel_proto::Block;
use scorel_runtime::{ToolCall, ToolOutcome, ToolSpec, ToolUpdates, Toolbox};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Tools that do nothing, for a while.
#[derive(Debug)]
pub(crate) struct ScriptedTools {
    specs: Vec<ToolSpec>,
    tools: Vec<Tool>,
    /// What began and ended, in order.
    pub(crate) log: Arc<Mutex<Vec<Mark>>>,
    /// The calls as they came.
    pub(crate) calls: Mutex<Vec<ToolCall>>,
}

/// One tool of a [`ScriptedTools`].
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    name: &'static str,
    read_only: bool,
    takes: Duration,
    /// How often it shows something, spread over its time.
    updates: u32,
    interruptible: bool,
    /// Whether it shows something in the very moment in which it ends.
    parting: bool,
}

/// A tool began or ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    Began(String),
    Ended(String),
}

impl Tool {
    /// A tool that changes nothing and ends at once.
    pub(crate) const fn reads(name: &'static str) -> Self {
        Self {
            name,
            read_only: true,
            takes: Duration::ZERO,
            updates: 0,
            interruptible: false,
            parting: false,
        }
    }

    /// A tool that changes something and ends at once.
    pub(crate) const fn writes(name: &'static str) -> Self {
        Self {
            read_only: false,
            ..Self::reads(name)
        }
    }

    pub(crate) const fn takes(mut self, duration: Duration) -> Self {
        self.takes = duration;
        self
    }

    pub(crate) const fn updates(mut self, count: u32) -> Self {
        self.updates = count;
        self
    }

    pub(crate) const fn interruptible(mut self) -> Self {
        self.interruptible = true;
        self
    }

    pub(crate) const fn parting(mut self) -> Self {
        self.parting = true;
        self
    }

    async fn run(self, id: String, updates: ToolUpdates, cancel: CancellationToken) -> ToolOutcome {
        let interrupt = async {
            if self.interruptible {
                cancel.cancelled().await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        let text = tokio::select! {
            () = self.work(&updates) => format!("{id} is done"),
            () = interrupt => format!("{id} was interrupted"),
        };
        if self.parting {
            updates.send_replace(Some(json!("good-bye")));
        }
        ToolOutcome {
            content: vec![Block::text(text)],
            is_error: false,
            details: None,
        }
    }

    async fn work(&self, updates: &ToolUpdates) {
        for number in 0..self.updates {
            sleep(self.takes / (self.updates + 1)).await;
            updates.send_replace(Some(Value::from(number)));
        }
        sleep(self.takes / (self.updates + 1)).await;
    }
}

impl ScriptedTools {
    pub(crate) fn new(tools: impl IntoIterator<Item = Tool>) -> Arc<Self> {
        let tools: Vec<Tool> = tools.into_iter().collect();
        let spec = |tool: &Tool| ToolSpec {
            name: tool.name.to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}),
            read_only: tool.read_only,
        };
        Arc::new(Self {
            specs: tools.iter().map(spec).collect(),
            tools,
            log: Arc::default(),
            calls: Mutex::default(),
        })
    }

    pub(crate) fn marks(&self) -> Vec<Mark> {
        self.log.lock().unwrap().clone()
    }
}

impl Toolbox for ScriptedTools {
    fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    fn call(
        &self,
        call: ToolCall,
        updates: ToolUpdates,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, ToolOutcome> {
        self.calls.lock().unwrap().push(call.clone());
        let tool = self.tools.iter().find(|tool| tool.name == call.name);
        let Some(tool) = tool.cloned() else {
            return async { ToolOutcome::error("no such tool") }.boxed();
        };
        let log = Arc::clone(&self.log);
        async move {
            log.lock().unwrap().push(Mark::Began(call.id.clone()));
            let outcome = tool.run(call.id.clone(), updates, cancel).await;
            log.lock().unwrap().push(Mark::Ended(call.id));
            outcome
        }
        .boxed()
    }
}
