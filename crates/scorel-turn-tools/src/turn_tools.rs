use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_engine::{OwnCalls, RunnerAnswer, RunnerEvent, ToolList};
use scorel_proto::{ClientId, ErrorCode, RpcError, SessionId, TurnId};
use scorel_rpc::{
    AccessLevel, BindError, Caller, DuplicateMethod, InvalidLimits, Listener, MethodKind,
    MethodSpec, ParamNames, Params, Principal, RpcLimits, Service, Table, local_user,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::net::unix::UCred;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::open_calls::OpenCalls;
use crate::replies::{CallParams, CalledTool, ListParams, ListedTools};

/// The turn as which a socket's clients act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    pub session_id: SessionId,
    pub turn_id: TurnId,
    /// The user whose processes may connect.
    pub uid: u32,
}

/// The tools of a turn on its socket, until this is dropped.
#[derive(Debug)]
pub struct TurnTools {
    calls: Arc<OpenCalls>,
    events: Mutex<mpsc::Receiver<RunnerEvent>>,
    _stop: DropGuard,
}

/// The reason why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum TurnToolsError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Limits(#[from] InvalidLimits),
    #[error(transparent)]
    Methods(#[from] DuplicateMethod),
}

impl TurnTools {
    /// Serves tools on a socket. Needs the runtime.
    ///
    /// # Errors
    /// The socket cannot be made.
    pub fn open(turn: Turn, socket: &Path, tools: ToolList) -> Result<Arc<Self>, TurnToolsError> {
        let (calls, events) = OpenCalls::new(tools);
        let stop = CancellationToken::new();
        let limits = RpcLimits {
            connections: 64,
            drain: Duration::from_secs(1),
            ..RpcLimits::default()
        };
        let service = Service::new(table(&calls)?.build(), limits, stop.clone())?;
        // A turn of the session that a killed daemon ran may have left one.
        let listener = Listener::bind(socket, true)?;
        tokio::spawn(async move { service.listen(listener, admit(turn)).await });
        Ok(Arc::new(Self {
            calls,
            events: Mutex::new(events),
            _stop: stop.drop_guard(),
        }))
    }
}

impl OwnCalls for TurnTools {
    fn next(&self) -> BoxFuture<'_, RunnerEvent> {
        Box::pin(async {
            let event = self.events.lock().await.recv().await;
            match event {
                Some(event) => event,
                None => std::future::pending().await,
            }
        })
    }

    fn answer(&self, question: &str, answer: &RunnerAnswer) -> bool {
        self.calls.answer(question, answer)
    }

    fn is_busy(&self) -> bool {
        self.calls.is_busy()
    }

    fn end(&self) {
        self.calls.end();
    }
}

impl Drop for TurnTools {
    fn drop(&mut self) {
        // First, so that no call begins that nothing answers.
        self.events.get_mut().close();
        self.calls.end();
    }
}

/// Admits processes of the turn's user. They are not clients, but the turn.
fn admit(turn: Turn) -> impl Fn(&UCred) -> Option<Caller> + Send + Sync {
    let is_user = local_user(turn.uid);
    move |peer| {
        is_user(peer).map(|_| Caller {
            principal: Principal::Turn {
                session_id: turn.session_id,
                turn_id: turn.turn_id,
            },
            client_id: Some(ClientId::Daemon),
            access: AccessLevel::Read,
        })
    }
}

fn table(calls: &Arc<OpenCalls>) -> Result<Table<OpenCalls>, DuplicateMethod> {
    let mut table = Table::new(Arc::clone(calls));
    table.method(spec("listTools", &[]), |calls, _, params| async move {
        let ListParams {} = params.parse()?;
        reply(&calls.tools().specs().collect::<ListedTools>())
    })?;
    table.method(
        spec("callTool", &["name", "input"]),
        |calls, _, params: Params| async move {
            let CallParams { name, input } = params.parse()?;
            match calls.call(name, input).await {
                Some(outcome) => reply(&CalledTool::from(outcome)),
                None => Err(RpcError::new(ErrorCode::Conflict, "the turn is over")),
            }
        },
    )?;
    Ok(table)
}

const fn spec(name: &'static str, params: ParamNames) -> MethodSpec {
    MethodSpec {
        name,
        access: AccessLevel::Read,
        kind: MethodKind::Call,
        params,
        reply: 0,
    }
}

fn reply(result: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    to_raw_value(result).map_err(|error| RpcError::new(ErrorCode::InternalError, error.to_string()))
}
