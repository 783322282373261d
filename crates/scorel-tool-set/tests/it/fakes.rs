use std::collections::HashMap;
use std::future::{pending, ready};
use std::io;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use scorel_engine::{BlobSink, ToolCall, ToolOutcome, ToolUpdates};
use scorel_outside_tool::{ListedTool, OutsideReading, OutsideRun, OutsideSource, ToolSchema};
use scorel_proto::BlobHash;
use scorel_tool_set::SetBlobs;
use serde_json::json;

/// A source whose tools a test chooses.
#[derive(Debug, Clone)]
pub(crate) struct FakeSource {
    name: String,
    state: Arc<Mutex<FakeState>>,
}

#[derive(Debug)]
enum FakeState {
    Hangs,
    Fails(String),
    Lists(Vec<Arc<ListedTool>>),
}

impl FakeSource {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            state: Arc::new(Mutex::new(FakeState::Hangs)),
        }
    }

    pub(crate) fn list(&self, tools: Vec<ListedTool>) {
        let tools = tools.into_iter().map(Arc::new).collect();
        *self.state.lock().expect("not poisoned") = FakeState::Lists(tools);
    }

    pub(crate) fn hang(&self) {
        *self.state.lock().expect("not poisoned") = FakeState::Hangs;
    }

    pub(crate) fn fail(&self, reason: &str) {
        *self.state.lock().expect("not poisoned") = FakeState::Fails(reason.to_owned());
    }
}

impl OutsideSource for FakeSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn known(&self) -> Option<Vec<Arc<ListedTool>>> {
        match &*self.state.lock().expect("not poisoned") {
            FakeState::Lists(tools) => Some(tools.clone()),
            FakeState::Hangs | FakeState::Fails(_) => None,
        }
    }

    fn look(&self) {}

    fn list(&self) -> BoxFuture<'static, Result<Vec<Arc<ListedTool>>, String>> {
        match &*self.state.lock().expect("not poisoned") {
            FakeState::Lists(tools) => Box::pin(ready(Ok(tools.clone()))),
            FakeState::Fails(reason) => Box::pin(ready(Err(reason.clone()))),
            FakeState::Hangs => Box::pin(pending()),
        }
    }

    fn ready(&self) -> BoxFuture<'static, Result<(), ToolOutcome>> {
        Box::pin(ready(Ok(())))
    }

    fn reading(&self, _: bool) -> OutsideReading {
        OutsideReading::Unknown
    }

    fn run(&self, _: &Arc<ListedTool>) -> Result<Arc<dyn OutsideRun>, String> {
        Ok(Arc::new(FakeRun))
    }
}

#[derive(Debug)]
struct FakeRun;

impl OutsideRun for FakeRun {
    fn run(self: Arc<Self>, _: ToolCall, _: ToolUpdates) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(ready(ToolOutcome::error("not run")))
    }
}

/// Blobs in memory.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<HashMap<String, Vec<u8>>>);

impl Kept {
    pub(crate) fn lose(&self) {
        self.0.lock().expect("not poisoned").clear();
    }
}

impl BlobSink for Kept {
    fn store(&self, content: &[u8]) -> io::Result<BlobHash> {
        let mut kept = self.0.lock().expect("not poisoned");
        let hash = format!("{:064x}", kept.len());
        kept.insert(hash.clone(), content.to_vec());
        hash.parse().map_err(io::Error::other)
    }
}

impl SetBlobs for Kept {
    fn read(&self, blob: &BlobHash) -> io::Result<Vec<u8>> {
        let kept = self.0.lock().expect("not poisoned");
        let content = kept.get(blob.as_str()).cloned();
        content.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

pub(crate) fn listed(name: &str, description: &str) -> ListedTool {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    ListedTool {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: Arc::new(ToolSchema::new(schema).expect("a schema")),
        says_read_only: false,
    }
}

pub(crate) fn sources(of: &[&FakeSource]) -> Vec<Arc<dyn OutsideSource>> {
    let sources = of.iter().map(|source| Arc::new((*source).clone()) as _);
    sources.collect()
}
