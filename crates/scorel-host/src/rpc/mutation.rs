//! Mutations of the host, each applied once however often the command is sent; see
//! [`receipts`](scorel_home::receipts) for the protocol.

mod agents;
mod attempt;
mod import;
mod orchestrator;
mod project;
mod run;
mod trash;
mod worktree;

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_home::receipts::{BeginOutcome, CommandKey, Effect, RunChange, Subject};
use scorel_proto::{ClientId, CloneSessionParams, CreateSessionParams, SessionId, SessionKind};
use scorel_runs::RunIds;
use scorel_session::{CloneRequest, Deletion, MutationCommand, NewSession, SessionError};

use crate::host::Host;
use crate::rpc::call_error::CallError;
use attempt::Attempt;

impl Host {
    /// Applies the effect of a command, unless its receipt says that this was done, and returns its
    /// subject, which may have been deleted since. Runs in its own task: a client that disconnects
    /// does not leave a half-applied effect.
    pub(crate) async fn mutate(
        self: &Arc<Self>,
        command: MutationCommand,
        effect: Effect,
    ) -> Result<Subject, CallError> {
        let host = Arc::clone(self);
        tokio::spawn(async move { host.mutate_once(command, effect).await }).await?
    }

    async fn mutate_once(
        &self,
        command: MutationCommand,
        effect: Effect,
    ) -> Result<Subject, CallError> {
        let client_id = command.client_id;
        let Some(command_id) = command.id else {
            return self.apply(client_id, effect, Attempt::First).await;
        };
        let key = CommandKey {
            client_id,
            command_id,
        };
        // Held until the receipt has ended: a concurrent retry then finds the outcome.
        let _taken = self.receipts.take(&key).await;
        let begun = self.receipts.begin(key.clone(), command.digest, effect);
        match begun.await? {
            BeginOutcome::Done(subject) => Ok(subject),
            BeginOutcome::New(effect) => self.finish(key, effect, Attempt::First).await,
            BeginOutcome::Retried(effect) => self.finish(key, effect, Attempt::Again).await,
        }
    }

    /// Applies the effects that a previous daemon began and did not finish. Call it before serving.
    ///
    /// A deletion that waits for turns to end, and for a disk to write that, goes on beside the service; a
    /// client that repeats its command waits for it.
    pub async fn finish_begun(self: &Arc<Self>) {
        self.sessions.remove_unfinished_clones().await;
        for (key, effect) in self.receipts.unfinished().await {
            let waits = matches!(
                effect,
                Effect::DeleteSession {
                    children: Some(_),
                    ..
                }
            );
            let taken = self.receipts.take(&key).await;
            if waits {
                let host = Arc::clone(self);
                tokio::spawn(async move {
                    host.finish_again(key, effect).await;
                    drop(taken);
                });
            } else {
                self.finish_again(key, effect).await;
            }
        }
    }

    async fn finish_again(&self, key: CommandKey, effect: Effect) {
        let method = effect.method();
        match self.finish(key, effect, Attempt::Again).await {
            Ok(subject) => tracing::info!(?method, ?subject, "a command was finished"),
            Err(error) => tracing::warn!(?method, %error, "a command was not finished"),
        }
    }

    /// Applies an effect that has a receipt, and ends the receipt.
    async fn finish(
        &self,
        key: CommandKey,
        effect: Effect,
        attempt: Attempt,
    ) -> Result<Subject, CallError> {
        let result = self.apply(key.client_id, effect.clone(), attempt).await;
        match &result {
            Ok(subject) => self.receipts.done(key, subject.clone()).await,
            // Created, but not completely: the receipt stays open, and a retry completes it by its id.
            Err(_) if self.is_there(&effect).await => {}
            Err(_) => self.receipts.abandon(key).await,
        }
        result
    }

    /// Returns whether the object exists although creating it failed.
    async fn is_there(&self, effect: &Effect) -> bool {
        match effect {
            Effect::CreateSession { session_id, .. }
            | Effect::CloneSession { session_id, .. }
            | Effect::ImportSession { session_id, .. }
            | Effect::OpenOrchestrator { session_id, .. }
            | Effect::ChangeRun {
                session_id,
                change: RunChange::Start(_),
                ..
            } => {
                let found = self.sessions.get(*session_id).await;
                !matches!(found, Err(SessionError::NotFound(_)))
            }
            _ => false,
        }
    }

    /// Boxed, or the code of all effects is compiled into each caller.
    fn apply(
        &self,
        client_id: ClientId,
        effect: Effect,
        attempt: Attempt,
    ) -> BoxFuture<'_, Result<Subject, CallError>> {
        async move {
            match effect {
                Effect::CreateSession { session_id, params } => {
                    self.create_session(client_id, session_id, params).await
                }
                Effect::CloneSession { session_id, params } => {
                    self.clone_session(client_id, session_id, params).await
                }
                Effect::ImportSession { session_id, params } => {
                    self.import_session(client_id, session_id, params).await
                }
                Effect::DeleteSession {
                    session_id,
                    children,
                    now,
                } => {
                    let way = if now {
                        Deletion::Now
                    } else {
                        Deletion::ToTrash
                    };
                    self.delete_session(session_id, children, way, attempt)
                        .await
                }
                Effect::UndeleteSession { session_id } => {
                    self.undelete_session(session_id, attempt).await
                }
                Effect::OpenOrchestrator {
                    session_id,
                    project_id,
                } => {
                    self.open_orchestrator(client_id, session_id, project_id)
                        .await
                }
                Effect::RegisterProject { project_id, params } => {
                    self.register_project(project_id, params).await
                }
                Effect::UpdateProject { params } => self.update_project(params).await,
                Effect::RemoveProject { project_id } => {
                    self.remove_project(project_id, attempt).await
                }
                Effect::SetAgent { params } => self.set_agent(params).await,
                Effect::SetQuota { params } => self.set_quota(params).await,
                Effect::RemoveWorktree {
                    owner,
                    branch,
                    force,
                } => self.remove_worktree(owner, branch, force, attempt).await,
                Effect::ChangeRun {
                    run_id,
                    session_id,
                    change,
                } => {
                    let ids = RunIds { run_id, session_id };
                    self.change_run(ids, change, attempt).await
                }
            }
        }
        .boxed()
    }

    async fn create_session(
        &self,
        client_id: ClientId,
        session_id: SessionId,
        params: CreateSessionParams,
    ) -> Result<Subject, CallError> {
        let project_id = params.project_id;
        let dir = self.project_dir(project_id)?;
        if params.model.is_some() || params.thinking_level.is_some() {
            let level = params.thinking_level.unwrap_or_default();
            self.models.accept(dir, params.model.clone(), level).await?;
        }
        let new = NewSession {
            project_id,
            kind: SessionKind::User,
            parent: None,
            client_id,
            title: params.title,
            agent: None,
            run: None,
            worktree: None,
            model: params.model,
            runner: params.runner,
            thinking_level: params.thinking_level,
            tools: params.tools,
        };
        self.sessions.create_as(session_id, new).await?;
        Ok(Subject::SessionId(session_id))
    }

    async fn clone_session(
        &self,
        client_id: ClientId,
        session_id: SessionId,
        params: CloneSessionParams,
    ) -> Result<Subject, CallError> {
        let request = CloneRequest {
            source: params.session_id,
            event_id: params.event_id,
            client_id,
        };
        self.sessions.clone_as(session_id, request).await?;
        Ok(Subject::SessionId(session_id))
    }

    async fn delete_session(
        &self,
        session_id: SessionId,
        children: Option<Vec<SessionId>>,
        way: Deletion,
        attempt: Attempt,
    ) -> Result<Subject, CallError> {
        let subject = Subject::SessionId(session_id);
        match children {
            None => self.orchestrator.check_unused(session_id).await?,
            Some(children) => {
                let orchestrator = &self.orchestrator;
                orchestrator
                    .delete_children(session_id, &children, way)
                    .await?;
            }
        }
        // Before deleting: an open receipt of its creation would recreate it at the next start.
        self.receipts.settle(subject.clone()).await;
        match self.sessions.delete_by(session_id, way).await {
            // The first attempt deleted it and did not get to end its receipt.
            Err(SessionError::NotFound(_)) if attempt == Attempt::Again => {}
            deleted => deleted?,
        }
        self.forget_orchestrator(session_id).await;
        Ok(subject)
    }
}

#[cfg(test)]
mod tests;
