use std::fmt;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Effect, Permit, ToolOutcome};

/// A call that was parsed and not yet run: its effects, and the run itself.
///
/// The parsed arguments and the resolved targets are inside the run, so that what the gate judged and
/// what is executed cannot differ.
pub struct ToolPlan {
    effects: Vec<Effect>,
    prepare: Option<Preparation>,
    run: PlannedRun,
}

type Preparation = Box<dyn FnOnce(Permit) + Send + 'static>;

type PlannedRun =
    Box<dyn FnOnce(Permit, ToolContext) -> BoxFuture<'static, ToolOutcome> + Send + 'static>;

/// What a running call has besides its plan and permit.
#[derive(Debug)]
pub struct ToolContext {
    /// For output while the call runs.
    pub updates: ToolUpdates,
    /// When it fires, an interruptible tool returns early with what it has; any other finishes.
    pub cancel: CancellationToken,
}

/// Where a running call puts its latest output. Each value replaces the one before, so a slow
/// reader costs nothing.
pub type ToolUpdates = watch::Sender<Option<Value>>;

impl ToolPlan {
    /// A plan whose run has `effects` and no others.
    #[must_use]
    pub fn new<F>(
        effects: Vec<Effect>,
        run: impl FnOnce(Permit, ToolContext) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ToolOutcome> + Send + 'static,
    {
        Self {
            effects,
            prepare: None,
            run: Box::new(move |permit, context| Box::pin(run(permit, context))),
        }
    }

    /// Adds work that makes the run start faster if there is time before it; see
    /// [`prepare`](Self::prepare).
    #[must_use]
    pub fn prepared_by(self, prepare: impl FnOnce(Permit) + Send + 'static) -> Self {
        Self {
            prepare: Some(Box::new(prepare)),
            ..self
        }
    }

    /// A call whose result is already known, such as one with invalid arguments. It has no effects.
    #[must_use]
    pub fn answered(outcome: impl Into<ToolOutcome>) -> Self {
        let outcome = outcome.into();
        Self::new(Vec::new(), |_, _| std::future::ready(outcome))
    }

    /// What the run would do.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Lets the call get ready while people are asked about it. `permit` is what a yes will grant: so
    /// far it grants nothing, and what was got ready has no effect and ends with the plan. Returns at
    /// once; does nothing when called again.
    pub fn prepare(&mut self, permit: &Permit) {
        if let Some(prepare) = self.prepare.take() {
            prepare(permit.clone());
        }
    }

    /// Runs the call to its end, within what `permit` grants.
    ///
    /// Never fails: errors become outcomes with `is_error`. The future must not be dropped before it
    /// completes.
    pub fn run(self, permit: Permit, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        (self.run)(permit, context)
    }
}

impl fmt::Debug for ToolPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolPlan")
            .field("effects", &self.effects)
            .finish_non_exhaustive()
    }
}
