use std::sync::Arc;

use scorel_engine::{ToolList, TurnPorts, run_in_place};
use scorel_proto::{BlobHash, Context, RequestHasher, RequestProof};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::SessionError;
use crate::lane::Lane;

/// Says of each request of a turn what it was, in a session that belongs to a run of a workflow: the log has the
/// request's parts, and an audit compares.
pub(super) struct RequestProofs {
    lane: Arc<Lane>,
    /// The blob with the tools; `None` if they may have changed.
    tools: Option<BlobHash>,
    /// The last request that was hashed. The next one has its messages and more, unless its beginning has changed.
    hashed: Option<HashedRequest>,
}

struct HashedRequest {
    context: Context,
    hasher: RequestHasher,
}

/// A tool as the blob of a request has it.
#[derive(Serialize)]
struct OfferedTool<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl RequestProofs {
    /// `None` for a session that belongs to no run: nothing of its requests is hashed.
    pub(super) fn of(lane: &Arc<Lane>) -> Option<Self> {
        lane.header().run.is_some().then(|| Self {
            lane: Arc::clone(lane),
            tools: None,
            hashed: None,
        })
    }

    /// The requests to come have another system prompt, or other tools.
    pub(super) fn begins_anew(&mut self) {
        (self.tools, self.hashed) = (None, None);
    }

    /// The proof of the request that is made of `ports` and `context`. When this returns its tools are stored.
    pub(super) async fn of_request(
        &mut self,
        ports: &TurnPorts,
        context: &Context,
    ) -> Result<RequestProof, SessionError> {
        let tools = match &self.tools {
            Some(tools) => tools.clone(),
            None => self.store(&ports.tools).await?,
        };
        self.tools = Some(tools.clone());
        let before = self.hashed.take();
        let before = before.filter(|it| context.continues(&it.context));
        let (system, context) = (ports.system.clone(), context.clone());
        let hashed = run_in_place(move || hashed(before, &system, &tools, context)).await;
        let hashed = hashed.map_err(|error| SessionError::Internal(error.to_string()))?;
        let proof = hashed.hasher.proof();
        self.hashed = Some(hashed);
        Ok(proof)
    }

    /// Stores the tools, unless the last request of the session had the same: its record names their blob.
    async fn store(&self, tools: &ToolList) -> Result<BlobHash, SessionError> {
        let offered: Vec<OfferedTool<'_>> = tools.specs().map(OfferedTool::of).collect();
        let text = serde_json::to_string(&offered);
        let text = text.map_err(|error| SessionError::Internal(error.to_string()))?;
        let digest = format!("{:x}", Sha256::digest(&text));
        let known = self.lane.view(|view| {
            let run = view.state.run.as_ref();
            run.and_then(|run| run.calls.tools.clone())
        });
        match known.filter(|known| known.as_str() == digest) {
            Some(known) => Ok(known),
            None => self.lane.put_text(text).await,
        }
    }
}

impl<'a> OfferedTool<'a> {
    fn of(spec: &'a scorel_engine::ToolSpec) -> Self {
        Self {
            name: &spec.name,
            description: &spec.description,
            parameters: &spec.parameters,
        }
    }
}

fn hashed(
    before: Option<HashedRequest>,
    system: &str,
    tools: &BlobHash,
    context: Context,
) -> HashedRequest {
    let (known, mut hasher) = match before {
        Some(before) => (before.context.len(), before.hasher),
        None => (0, RequestHasher::new(system, tools)),
    };
    context.iter().skip(known).for_each(|it| hasher.add(it));
    HashedRequest { context, hasher }
}
