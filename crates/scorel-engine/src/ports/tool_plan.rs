use std::fmt;

use futures_util::future::{BoxFuture, ready};
use scorel_proto::FileBefore;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::arguments::CODE;
use super::{Effect, Permit, Prerequisite, ToolOutcome};

/// A call that was parsed and not yet run: its effects, and the run itself. The gate judges the effects,
/// then the call is begun, then `tool_started` is recorded, then the call runs.
///
/// The parsed arguments and the resolved targets are inside the run, so that what the gate judged and
/// what is executed cannot differ.
pub struct ToolPlan {
    effects: Vec<Effect>,
    /// Why the arguments do not fit, if they do not.
    misfit: Option<String>,
    prepare: Option<Preparation>,
    need: Option<Need>,
    begin: PlannedBegin,
}

type Preparation = Box<dyn FnOnce(Permit) + Send + 'static>;

type Need = Box<dyn FnOnce() -> Option<Prerequisite> + Send + 'static>;

type PlannedBegin = Box<dyn FnOnce(Permit) -> BoxFuture<'static, BegunCall> + Send + 'static>;

/// A call that is about to run within its permit. It has had no effect.
pub struct BegunCall {
    files: Vec<FileBefore>,
    run: BegunRun,
}

type BegunRun = Box<dyn FnOnce(ToolContext) -> BoxFuture<'static, ToolOutcome> + Send + 'static>;

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
    pub fn new<F>(
        effects: Vec<Effect>,
        run: impl FnOnce(Permit, ToolContext) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ToolOutcome> + Send + 'static,
    {
        Self::recorded(effects, move |permit| {
            ready(BegunCall::new(Vec::new(), move |context| {
                run(permit, context)
            }))
        })
    }

    /// A plan that, once it may run, looks first at the files that it will change.
    pub fn recorded<F>(
        effects: Vec<Effect>,
        begin: impl FnOnce(Permit) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = BegunCall> + Send + 'static,
    {
        Self {
            effects,
            misfit: None,
            prepare: None,
            need: None,
            begin: Box::new(move |permit| Box::pin(begin(permit))),
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

    /// The same plan, which begins when what `need` returns is there. It is asked once the call may run.
    #[must_use]
    pub fn needing(self, need: impl FnOnce() -> Option<Prerequisite> + Send + 'static) -> Self {
        Self {
            need: Some(Box::new(need)),
            ..self
        }
    }

    /// A call whose result is already known, such as one with invalid arguments. It has no effects.
    pub fn answered(outcome: impl Into<ToolOutcome>) -> Self {
        let outcome = outcome.into();
        let misfit = outcome.message_of(CODE).map(str::to_owned);
        Self {
            misfit,
            ..Self::new(Vec::new(), |_, _| std::future::ready(outcome))
        }
    }

    /// Why the arguments do not fit the tool, if they do not. Such a call has no effects.
    pub(crate) fn misfit(&self) -> Option<&str> {
        self.misfit.as_deref()
    }

    /// What the run would do.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Lets the call prepare while its permission request is open. `permit` is what an approval would
    /// grant: it grants nothing yet, and the preparation has no effect and ends with the plan. Returns
    /// at once; does nothing when called again.
    pub fn prepare(&mut self, permit: &Permit) {
        if let Some(prepare) = self.prepare.take() {
            prepare(permit.clone());
        }
    }

    /// Takes the condition that the call waits for before it begins.
    pub(crate) fn take_prerequisite(&mut self) -> Option<Prerequisite> {
        self.need.take()?()
    }

    /// Prepares the run within what `permit` grants. Never fails: a call that cannot run says so when
    /// it is run.
    pub fn begin(self, permit: Permit) -> BoxFuture<'static, BegunCall> {
        (self.begin)(permit)
    }

    /// Begins the call and runs it to its end, within what `permit` grants.
    ///
    /// Never fails: errors become outcomes with `is_error`. The future must not be dropped before it
    /// completes.
    pub fn run(self, permit: Permit, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        let begun = self.begin(permit);
        Box::pin(async move { begun.await.run(context).await })
    }
}

impl BegunCall {
    /// A call that will change no files but `files`, and those only if they are still like this.
    pub fn new<F>(
        files: Vec<FileBefore>,
        run: impl FnOnce(ToolContext) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ToolOutcome> + Send + 'static,
    {
        Self {
            files,
            run: Box::new(move |context| Box::pin(run(context))),
        }
    }

    /// A call whose result is already known.
    pub fn answered(outcome: impl Into<ToolOutcome>) -> Self {
        let outcome = outcome.into();
        Self::new(Vec::new(), |_| ready(outcome))
    }

    /// The files that the run may change, as they are.
    pub fn files(&self) -> &[FileBefore] {
        &self.files
    }

    /// Runs the call to its end, as [`ToolPlan::run`].
    pub fn run(self, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        (self.run)(context)
    }
}

impl fmt::Debug for BegunCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BegunCall")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ToolPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolPlan")
            .field("effects", &self.effects)
            .finish_non_exhaustive()
    }
}
