//! `listChannels`, `fireChannel`, and the messages of schedules.

use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use scorel_engine::spawn_blocking;
use scorel_home::receipts::Effect;
use scorel_inbound::{CRON, ChannelSender, CronMessage, CronPort, LastSession, author};
use scorel_proto::{
    ChannelKind, CommandId, CreateSession, ErrorCode, FireChannelParams, FireChannelResult,
    ListChannelsParams, ListChannelsResult, Method, Phase, ProjectId, RegisterProject, RpcError,
    SessionId,
};
use scorel_session::MutationCommand;

use super::channel_command::channel_command;
use super::conversation::accept;
use crate::host::Host;
use crate::rpc::call_error::Reply;

pub(super) async fn list(host: Arc<Host>, params: ListChannelsParams) -> Reply<ListChannelsResult> {
    let project = params.project_id.map(|id| host.skill_project(id));
    let project = project.transpose()?;
    let mut channels = Vec::new();
    let schedules = host.schedules()?.list().await;
    for report in schedules.map_err(RpcError::from)? {
        let session = match report.session_id() {
            Some(id) => host.sessions.get(id).await.ok(),
            None => None,
        };
        let outcome = session.and_then(|it| it.view(|view| view.state.last_outcome));
        channels.push(report.channel(outcome));
    }
    let extensions = host.extensions.clone();
    let found = spawn_blocking(move || extensions.find(project.as_ref())).await??;
    let enabled = host.config().channels.is_enabled(ChannelKind::Extension);
    let of_extensions = found.iter().flat_map(|it| it.channels(enabled));
    channels.extend(of_extensions);
    Ok(ListChannelsResult { channels })
}

pub(super) async fn fire(host: Arc<Host>, params: FireChannelParams) -> Reply<FireChannelResult> {
    let fired = host.schedules()?.fire(&params.name, params.fire_id).await;
    Ok(fired.map_err(RpcError::from)?)
}

/// The daemon as its schedules need it.
#[derive(Debug)]
pub(super) struct HostCron(pub(super) Weak<Host>);

impl CronPort for HostCron {
    fn deliver(
        &self,
        message: CronMessage,
    ) -> BoxFuture<'static, Result<FireChannelResult, RpcError>> {
        let host = self.0.upgrade();
        Box::pin(async move {
            let ending = || RpcError::new(ErrorCode::ShuttingDown, "the daemon is ending");
            let host = host.ok_or_else(ending)?;
            host.deliver(&message).await.map_err(RpcError::from)
        })
    }
}

impl Host {
    async fn deliver(self: &Arc<Self>, message: &CronMessage) -> Reply<FireChannelResult> {
        let params = message.project();
        let command = own_command::<RegisterProject>(None, &params);
        let project_id = ProjectId::generate();
        let registered = Effect::RegisterProject { project_id, params };
        let project_id = self.mutate(command, registered).await?.project()?;
        let last = self.last_session(message, project_id).await;
        let session_id = match message.session(last)? {
            Some(known) => known,
            None => {
                let (id, params) = message.new_session(project_id);
                let command = own_command::<CreateSession>(Some(id), &params);
                let session_id = SessionId::generate();
                let created = Effect::CreateSession { session_id, params };
                self.mutate(command, created).await?.session()?
            }
        };
        let params = message.params(session_id);
        let command = channel_command(self, ChannelSender::Cron, &params)?;
        Ok(FireChannelResult {
            session_id,
            message: accept(self, command, params).await?,
        })
    }

    async fn last_session(
        &self,
        message: &CronMessage,
        project_id: ProjectId,
    ) -> Option<LastSession> {
        let lane = self.sessions.get(message.last_session?).await.ok()?;
        (lane.project_id() == project_id).then(|| LastSession {
            id: lane.id(),
            works: !matches!(lane.phase().0, Phase::Idle | Phase::Failed),
            is_archived: lane.view(|view| view.state.archived),
        })
    }
}

fn own_command<M: Method>(id: Option<CommandId>, params: &M::Params) -> MutationCommand {
    MutationCommand::new(author(CRON), id, M::NAME, params)
}
