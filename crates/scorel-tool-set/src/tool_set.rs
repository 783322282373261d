use scorel_proto::{BlobHash, ToolSetBody};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::set_tool::{SetTool, StoredTool, Telling};

/// The tools from outside that a model is offered, sorted by name.
#[derive(Debug, Default)]
pub struct ToolSet {
    tools: Vec<SetTool>,
}

/// The blob of a set is not one that can be used.
#[derive(Debug, thiserror::Error)]
#[error("the blob is not a set of tools: {0}")]
pub struct ToolSetError(#[from] serde_json::Error);

#[derive(Serialize, Deserialize)]
struct StoredSet {
    tools: Vec<StoredTool>,
}

impl ToolSet {
    pub fn new(mut tools: Vec<SetTool>) -> Self {
        tools.sort_by(|one, other| one.told.name().cmp(other.told.name()));
        Self { tools }
    }

    /// The set of a blob.
    ///
    /// # Errors
    /// See [`ToolSetError`].
    pub fn read(blob: &[u8]) -> Result<Self, ToolSetError> {
        let stored: StoredSet = serde_json::from_slice(blob)?;
        Ok(Self::new(
            stored.tools.into_iter().map(Into::into).collect(),
        ))
    }

    /// The content of its blob.
    ///
    /// # Errors
    /// See [`ToolSetError`].
    pub fn blob(&self) -> Result<Vec<u8>, ToolSetError> {
        let tools = self.tools.iter().map(Into::into).collect();
        Ok(serde_json::to_vec(&StoredSet { tools })?)
    }

    /// The record of it, with the hash of its blob.
    pub fn body(&self, blob: BlobHash) -> ToolSetBody {
        ToolSetBody {
            fingerprint: self.fingerprint(),
            blob,
            tools: self.tools.len() as u64,
            deferred: self.searched().count() as u64,
        }
    }

    pub fn tools(&self) -> &[SetTool] {
        &self.tools
    }

    /// The tools that requests do not describe.
    pub fn searched(&self) -> impl Iterator<Item = &SetTool> {
        let tools = self.tools.iter();
        tools.filter(|tool| tool.telling != Telling::Described)
    }

    /// The tool of a source, as that names it.
    pub(crate) fn of(&self, source: &str, tool: &str) -> Option<&SetTool> {
        self.tools.iter().find(|it| it.origin() == (source, tool))
    }

    /// The same set, with these tools searched for since an endpoint refuses them; `None` if that changes nothing.
    pub(crate) fn refusing(&self, names: &[String]) -> Option<Self> {
        let mut tools = self.tools.clone();
        let mut has_changed = false;
        for tool in &mut tools {
            if tool.telling == Telling::Described
                && names.iter().any(|name| name == tool.told.name())
            {
                tool.telling = Telling::Refused;
                has_changed = true;
            }
        }
        has_changed.then_some(Self { tools })
    }

    fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        for tool in &self.tools {
            let is_described = tool.telling == Telling::Described;
            digest.update([u8::from(is_described)]);
            digest.update(tool.told.digest());
        }
        format!("{:x}", digest.finalize())
    }
}
