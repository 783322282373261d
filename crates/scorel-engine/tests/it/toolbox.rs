use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use scorel_engine::{
    Effect, ToolCall, ToolClass, ToolContext, ToolList, ToolOutcome, ToolPlan, ToolSpec,
    ToolUpdates,
};
use scorel_proto::Block;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Tools that do nothing, for a while.
#[derive(Debug)]
pub(crate) struct ScriptedTools {
    pub(crate) list: ToolList,
    record: Arc<Record>,
}

/// What the tools of a [`ScriptedTools`] did.
#[derive(Debug, Default)]
struct Record {
    /// What began and ended, in order.
    log: Mutex<Vec<Mark>>,
    /// The calls as they ran.
    calls: Mutex<Vec<ToolCall>>,
}

/// An entry of the list.
#[derive(Debug)]
struct ScriptedTool {
    spec: ToolSpec,
    tool: Tool,
    record: Arc<Record>,
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
            recorded: Box::default(),
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
        let record = Arc::<Record>::default();
        let entry = |tool: Tool| -> Arc<dyn scorel_engine::Tool> {
            Arc::new(ScriptedTool {
                spec: ToolSpec {
                    name: tool.name.to_owned(),
                    description: String::new(),
                    parameters: json!({"type": "object"}).into(),
                    read_only: tool.read_only,
                    class: ToolClass::Outside,
                },
                tool,
                record: Arc::clone(&record),
            })
        };
        let list = ToolList::new(tools.into_iter().map(entry).collect()).unwrap();
        Arc::new(Self { list, record })
    }

    pub(crate) fn marks(&self) -> Vec<Mark> {
        self.record.log.lock().unwrap().clone()
    }

    /// The calls that ran, in the order in which they began.
    pub(crate) fn calls(&self) -> Vec<ToolCall> {
        self.record.calls.lock().unwrap().clone()
    }
}

impl scorel_engine::Tool for ScriptedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The effect names the call, so that the gate can have a verdict for it.
    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let effect = Effect::CallOutside {
            tool: call.id.clone(),
            also: Vec::new(),
            input: call.input.clone(),
            digest: None,
            reads_only: false,
        };
        let plan = ToolPlan::new(vec![effect], move |_, context| self.run(call, context));
        std::future::ready(plan).boxed()
    }
}

impl ScriptedTool {
    async fn run(self: Arc<Self>, call: ToolCall, context: ToolContext) -> ToolOutcome {
        let mark = |mark| self.record.log.lock().unwrap().push(mark);
        self.record.calls.lock().unwrap().push(call.clone());
        mark(Mark::Began(call.id.clone()));
        let ToolContext { updates, cancel } = context;
        let tool = self.tool.clone();
        let outcome = tool.run(call.id.clone(), updates, cancel).await;
        mark(Mark::Ended(call.id));
        outcome
    }
}
