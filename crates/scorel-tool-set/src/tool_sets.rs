use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use scorel_engine::BlobSink;
use scorel_outside_tool::{OutsideSource, ToldTool};
use scorel_proto::{
    BlobHash, Block, CustomMessageBody, ErrorChain, InternalMessage, Message, Meta, TOOLS_KIND,
    ToolSetBody,
};
use serde_json::Value;

use crate::listing::{Listing, list};
use crate::notices::notice;
use crate::reminder;
use crate::renewal::renewed;
use crate::set_tool::SetTool;
use crate::told_names::ToldNames;
use crate::tool_set::{ToolSet, ToolSetError};
use crate::turn_tools::TurnTools;

/// The blobs of a session.
pub trait SetBlobs: BlobSink {
    /// The content of a blob.
    ///
    /// # Errors
    /// It is not there, or is damaged.
    fn read(&self, blob: &BlobHash) -> io::Result<Vec<u8>>;
}

/// The sets of a session that is loaded. The last one is kept, by the hash of its blob.
#[derive(Debug, Default)]
pub struct ToolSets(Mutex<Option<(BlobHash, Arc<ToolSet>)>>);

/// The turn that wants tools from outside.
#[derive(Debug, Clone, Copy)]
pub struct ToolWish<'a> {
    /// The programs that may be used.
    pub sources: &'a [Arc<dyn OutsideSource>],
    /// The set that the model is offered.
    pub known: Option<&'a ToolSetBody>,
    /// Another one is to take its place.
    pub is_due: bool,
    /// The data of the newest message about such tools that the model has.
    pub told: Option<&'a Value>,
    /// Tools whose descriptions an endpoint has just refused.
    pub refused: &'a [String],
    /// The model's window, in tokens.
    pub window: u64,
    pub blobs: &'a dyn SetBlobs,
}

/// The reason why a turn has no tools from outside.
#[derive(Debug, thiserror::Error)]
pub enum ToolSetsError {
    #[error("the set of tools cannot be kept")]
    NotKept(#[from] io::Error),
    #[error(transparent)]
    NotWritten(#[from] ToolSetError),
    #[error("the endpoint refuses tools that are not described to it")]
    NotRefused,
}

impl ToolSets {
    /// The tools of a turn. Waits for programs only where a set is made.
    ///
    /// # Errors
    /// See [`ToolSetsError`].
    pub async fn turn(&self, wish: ToolWish<'_>) -> Result<TurnTools, ToolSetsError> {
        let known = wish.known.and_then(|body| self.known(body, wish.blobs));
        if known.is_none() && wish.sources.is_empty() {
            return Ok(TurnTools::default());
        }
        let (set, notices) = match known {
            Some(known) if !wish.is_due => match wish.refused {
                [] => (known, None),
                names => {
                    let refusing = known.refusing(names).ok_or(ToolSetsError::NotRefused)?;
                    (Arc::new(refusing), Some(Vec::new()))
                }
            },
            known => {
                let (set, listings) = self.renewed(known, wish).await;
                let sources = wish.sources.iter().zip(&listings);
                let notices = sources.filter_map(|(it, listing)| notice(it.name(), listing));
                (set, Some(notices.collect()))
            }
        };
        let mut tools = TurnTools::of(&set, wish.sources);
        let fingerprint = match notices {
            Some(notices) => {
                tools.notices = notices;
                let body = self.keep(&set, wish.blobs)?;
                let fingerprint = body.fingerprint.clone();
                tools.set = Some(body);
                fingerprint
            }
            None => wish
                .known
                .map(|it| it.fingerprint.clone())
                .unwrap_or_default(),
        };
        tools.message = message(&set, fingerprint, wish);
        Ok(tools)
    }

    async fn renewed(
        &self,
        known: Option<Arc<ToolSet>>,
        wish: ToolWish<'_>,
    ) -> (Arc<ToolSet>, Vec<Listing>) {
        let listings = list(wish.sources).await;
        let known = known.unwrap_or_default();
        let set = renewed(&known, wish.sources, &listings, wish.window);
        let set = set.refusing(wish.refused).unwrap_or(set);
        (Arc::new(set), listings)
    }

    /// The set of a record. One whose blob is damaged is made anew.
    fn known(&self, body: &ToolSetBody, blobs: &dyn SetBlobs) -> Option<Arc<ToolSet>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, set)) = kept.as_ref().filter(|(blob, _)| *blob == body.blob) {
            return Some(Arc::clone(set));
        }
        let read = blobs.read(&body.blob);
        let read = read.and_then(|blob| ToolSet::read(&blob).map_err(io::Error::other));
        match read {
            Ok(set) => {
                let set = Arc::new(set);
                *kept = Some((body.blob.clone(), Arc::clone(&set)));
                Some(set)
            }
            Err(error) => {
                let error = ErrorChain(&error);
                tracing::warn!(blob = %body.blob, %error, "a set of tools is made anew");
                None
            }
        }
    }

    fn keep(&self, set: &Arc<ToolSet>, blobs: &dyn SetBlobs) -> Result<ToolSetBody, ToolSetsError> {
        let blob = blobs.store(&set.blob()?)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((blob.clone(), Arc::clone(set)));
        Ok(set.body(blob))
    }
}

/// The message about tools that requests do not describe, and about new ones: once each.
fn message(set: &ToolSet, fingerprint: String, wish: ToolWish<'_>) -> Option<CustomMessageBody> {
    let told = ToldNames::read(wish.told);
    let mut texts = Vec::new();
    let searched: Vec<_> = set.searched().collect();
    if told.set != fingerprint && !searched.is_empty() {
        texts.push(reminder::searched(&searched));
    }
    let new = new_tools(set, wish.sources);
    let untold = new.iter().filter(|name| !told.added.contains(name));
    let untold: Vec<String> = untold.cloned().collect();
    if !untold.is_empty() {
        texts.push(reminder::added(&untold));
    }
    if texts.is_empty() {
        return None;
    }
    let data = ToldNames {
        set: fingerprint,
        added: new,
    };
    Some(CustomMessageBody {
        kind: TOOLS_KIND.to_owned(),
        message: Message::Internal(InternalMessage {
            content: vec![Block::text(texts.join("\n\n"))],
            meta: Meta::default(),
        }),
        data: serde_json::to_value(data).ok(),
        queue_item_id: None,
    })
}

/// The names of tools that sources list, and that are not in the set. Has sources look again, so that a later turn knows
/// theirs.
fn new_tools(set: &ToolSet, sources: &[Arc<dyn OutsideSource>]) -> Vec<String> {
    let in_set: HashSet<_> = set.tools().iter().map(SetTool::origin).collect();
    let mut names = Vec::new();
    for source in sources {
        let known = source.known();
        // One that has tools in the set is started by a call.
        let has_some = set.tools().iter().any(|it| it.source == source.name());
        if known.is_some() || !has_some {
            source.look();
        }
        for tool in known.unwrap_or_default() {
            if !in_set.contains(&(source.name(), tool.name.as_str())) {
                let told = ToldTool::new(source.name(), tool, |_| false);
                names.push(told.name().to_owned());
            }
        }
    }
    names.sort();
    names
}
