//! The model that is asked for a summary.

use std::sync::Arc;

use scorel_engine::Provider;
use scorel_proto::Message;

use super::summary::Summarizer;
use crate::SessionError;
use crate::context_size::{ContextSize, FixedParts, WindowSizes};

/// A model that writes a summary.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) provider: Arc<dyn Provider>,
    /// The parts of a quotation; `None` if the request that the model knows is sent.
    pub(super) parts: Option<Vec<String>>,
}

impl Writer {
    /// One call is better than many, whichever model it asks: of those that can be asked so, the auxiliary one,
    /// then the session's, then the one that the session had before, unless that one has `failed`.
    pub(super) async fn choose(
        summarizer: &Summarizer<'_>,
        auxiliary: Option<&Arc<dyn Provider>>,
        failed: Option<&Self>,
    ) -> Result<Self, SessionError> {
        let own = &summarizer.ports.provider;
        let mut quoted = None;
        if let Some(auxiliary) = auxiliary {
            let writer = Self::of_quotation(auxiliary, summarizer).await?;
            if writer.parts.as_ref().is_some_and(|it| it.len() <= 1) {
                return Ok(writer);
            }
            quoted = Some(writer);
        }
        if summarizer.fits(own.model(), summarizer.calibration) {
            return Ok(Self::of_known(own));
        }
        if let Some(former) = former(summarizer, failed).await? {
            return Ok(Self::of_known(&former));
        }
        match quoted {
            Some(quoted) => Ok(quoted),
            None => Self::of_quotation(own, summarizer).await,
        }
    }

    fn of_known(provider: &Arc<dyn Provider>) -> Self {
        Self {
            provider: Arc::clone(provider),
            parts: None,
        }
    }

    async fn of_quotation(
        provider: &Arc<dyn Provider>,
        summarizer: &Summarizer<'_>,
    ) -> Result<Self, SessionError> {
        let parts = summarizer.quote(provider.model().context_window).await?;
        Ok(Self {
            provider: Arc::clone(provider),
            parts: Some(parts),
        })
    }
}

/// The model of the newest answer, if that is not the session's any more and has room for the request that it
/// knows: the user has changed to a model with a smaller window.
async fn former(
    summarizer: &Summarizer<'_>,
    failed: Option<&Writer>,
) -> Result<Option<Arc<dyn Provider>>, SessionError> {
    let window = summarizer.conversation;
    let mut answers = window.items().filter_map(|(_, message)| match message {
        // A runner's name of its model says nothing here.
        Message::Assistant(answer) if answer.meta.runner.is_none() => Some(&answer.model),
        _ => None,
    });
    let name = answers.next_back().filter(|name| name.contains(':'));
    let name = name.filter(|name| **name != summarizer.ports.provider.model().name());
    let is_known_to_fail =
        |name: &&String| failed.is_some_and(|it| it.provider.model().name() == **name);
    let Some(name) = name.filter(|name| !is_known_to_fail(name)) else {
        return Ok(None);
    };
    let found = summarizer.lane.summary_model(name.clone()).await?;
    let (sizes, fixed) = (WindowSizes::of(window), FixedParts::of(summarizer.ports));
    let snapshot = summarizer.lane.view(|view| view.state.snapshot_seq);
    Ok(found.filter(|former| {
        let model = former.model();
        let size = ContextSize::of(&sizes, fixed, model, None, snapshot);
        summarizer.fits(model, &size.calibration)
    }))
}
