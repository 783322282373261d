//! The method table of the tests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use scorel_proto::{ErrorCode, RpcError};
use scorel_rpc::{
    AccessLevel, CallError, Connection, MethodKind, MethodSpec, MethodTable, ParamNames, Params,
    RpcCall, Sink, Table,
};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{Notify, Semaphore};

use crate::peer::PATIENCE;

/// The time that `askBack` waits for the client.
pub(crate) const QUESTION_LIMIT: Duration = Duration::from_secs(20);

type MethodResult = Result<Box<RawValue>, RpcError>;

/// State shared by handlers and tests.
#[derive(Debug)]
pub(crate) struct Probe {
    /// One permit releases one call of `slow`.
    pub(crate) gate: Semaphore,
    /// Calls of `slow` that have started.
    pub(crate) begun: AtomicUsize,
    /// Calls of `slow` and pumps that have returned or were dropped.
    pub(crate) ended: AtomicUsize,
    /// Notified at each start and end.
    pub(crate) changed: Notify,
    /// The arguments of all calls of `note`.
    pub(crate) notes: Mutex<Vec<String>>,
    /// The largest use of an outbox that any flood saw, in bytes.
    pub(crate) peak: AtomicUsize,
    /// The last connection that called `whoami`.
    pub(crate) connection: Mutex<Option<Connection>>,
}

impl Probe {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            gate: Semaphore::new(0),
            begun: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            changed: Notify::new(),
            notes: Mutex::default(),
            peak: AtomicUsize::new(0),
            connection: Mutex::default(),
        })
    }

    pub(crate) async fn until(&self, counter: &AtomicUsize, value: usize) {
        loop {
            let changed = self.changed.notified();
            if counter.load(Ordering::SeqCst) >= value {
                return;
            }
            let patient = tokio::time::timeout(PATIENCE, changed).await;
            assert!(patient.is_ok(), "{counter:?} does not become {value}");
        }
    }

    fn count(&self, counter: &AtomicUsize) {
        counter.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_waiters();
    }
}

/// Counts its end, by return or by drop.
struct Ending(Arc<Probe>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.count(&self.0.ended);
    }
}

pub(crate) fn spec(name: &'static str, params: ParamNames) -> MethodSpec {
    MethodSpec {
        name,
        access: AccessLevel::Read,
        kind: MethodKind::Call,
        params,
        reply: 0,
    }
}

fn subscribe(name: &'static str, params: ParamNames) -> MethodSpec {
    MethodSpec {
        kind: MethodKind::Subscribe,
        ..spec(name, params)
    }
}

fn raw(value: &impl serde::Serialize) -> MethodResult {
    Ok(to_raw_value(value).unwrap())
}

pub(crate) fn table(probe: &Arc<Probe>) -> Arc<MethodTable> {
    let mut table = Table::new(Arc::clone(probe));
    plain(&mut table);
    waiting(&mut table);
    subscribing(&mut table);
    let again = table.method(spec("echo", &[]), |_, _, _| async { raw(&0) });
    assert!(again.is_err(), "a method can be registered once");
    table.build()
}

fn plain(table: &mut Table<Probe>) {
    table
        .method(
            spec("echo", &["a", "b"]),
            |_, _, params: Params| async move {
                Ok(RawValue::from_string(params.as_json().to_owned()).unwrap())
            },
        )
        .unwrap();
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Subtract {
        minuend: i64,
        subtrahend: i64,
    }
    table
        .method(
            spec("subtract", &["minuend", "subtrahend"]),
            |_, _, params: Params| async move {
                let Subtract {
                    minuend,
                    subtrahend,
                } = params.parse()?;
                raw(&(minuend - subtrahend))
            },
        )
        .unwrap();
    table
        .method(
            spec("note", &["text"]),
            |probe: Arc<Probe>, _, params: Params| async move {
                probe
                    .notes
                    .lock()
                    .unwrap()
                    .push(params.as_json().to_owned());
                tokio::task::yield_now().await;
                raw(&"noted")
            },
        )
        .unwrap();
    #[derive(Deserialize)]
    struct Big {
        size: usize,
    }
    table
        .method(spec("big", &["size"]), |_, _, params: Params| async move {
            let Big { size } = params.parse()?;
            raw(&"x".repeat(size))
        })
        .unwrap();
    table
        .method(spec("fail", &[]), |_, _, _| async {
            let error = RpcError::new(ErrorCode::AgentTaskBusy, "a turn is running");
            Err(error.with_details(json!({"phase": "running"})))
        })
        .unwrap();
    table
        .method(
            spec("whoami", &["claim"]),
            |probe: Arc<Probe>, call: RpcCall, params: Params| async move {
                #[derive(Deserialize)]
                struct Who {
                    claim: Option<scorel_proto::ClientId>,
                }
                if let Some(id) = params.parse::<Who>()?.claim {
                    call.connection().claim_client(id);
                }
                *probe.connection.lock().unwrap() = Some(call.connection().clone());
                raw(&call.caller().client_id)
            },
        )
        .unwrap();
    table
        .method(
            MethodSpec {
                access: AccessLevel::Admin,
                ..spec("admin", &[])
            },
            |_, _, _| async { raw(&1) },
        )
        .unwrap();
}

fn waiting(table: &mut Table<Probe>) {
    table
        .method(
            spec("slow", &["tag"]),
            |probe: Arc<Probe>, _, params: Params| async move {
                let _ending = Ending(Arc::clone(&probe));
                probe.count(&probe.begun);
                probe.gate.acquire().await.unwrap().forget();
                Ok(RawValue::from_string(params.as_json().to_owned()).unwrap())
            },
        )
        .unwrap();
    table
        .method(
            MethodSpec {
                access: AccessLevel::Control,
                ..spec("change", &["sessionId"])
            },
            |probe: Arc<Probe>, _, _| async move {
                probe.gate.acquire().await.unwrap().forget();
                raw(&"changed")
            },
        )
        .unwrap();
    table
        .method(
            MethodSpec {
                access: AccessLevel::Control,
                ..spec("changeSlowly", &["sessionId"])
            },
            |probe: Arc<Probe>, call: RpcCall, _| async move {
                call.written();
                probe.gate.acquire().await.unwrap().forget();
                raw(&"changed")
            },
        )
        .unwrap();
    table
        .method(
            MethodSpec {
                reply: 40 * 1024,
                ..spec("slowAndLarge", &[])
            },
            |probe: Arc<Probe>, _, _| async move {
                let _ending = Ending(Arc::clone(&probe));
                probe.count(&probe.begun);
                probe.gate.acquire().await.unwrap().forget();
                raw(&"x".repeat(40_000))
            },
        )
        .unwrap();
    table
        .method(
            spec("askBack", &["text"]),
            |_, call: RpcCall, params: Params| async move {
                let params = RawValue::from_string(params.as_json().to_owned()).unwrap();
                let asked = call.connection().call("question", &params, QUESTION_LIMIT);
                asked.await.map_err(|error| match error {
                    CallError::Rpc(error) => error,
                    error => RpcError::new(ErrorCode::InternalError, error.to_string()),
                })
            },
        )
        .unwrap();
    table
        .method(spec("panic", &[]), |_, _, _| async { panic!("on purpose") })
        .unwrap();
    table
        .method(spec("panicLater", &[]), |_, _, _| async {
            tokio::task::yield_now().await;
            panic!("on purpose")
        })
        .unwrap();
}

#[derive(Deserialize)]
struct Ticks {
    count: usize,
    #[serde(default)]
    size: usize,
}

fn subscribing(table: &mut Table<Probe>) {
    table
        .method(
            subscribe("tick", &["count", "size"]),
            |probe, call: RpcCall, params: Params| async move {
                let ticks: Ticks = params.parse()?;
                Ok(call
                    .subscribe("ticked")?
                    .spawn(move |sink| tick(probe, sink, ticks)))
            },
        )
        .unwrap();
    table
        .method(
            subscribe("tickThenFail", &[]),
            |probe, call: RpcCall, _| async move {
                let ticks = Ticks { count: 1, size: 0 };
                let _id = call
                    .subscribe("ticked")?
                    .spawn(move |sink| tick(probe, sink, ticks));
                Err(RpcError::new(ErrorCode::Conflict, "changed its mind"))
            },
        )
        .unwrap();
    table
        .method(
            subscribe("tickThenPanic", &[]),
            |_, call: RpcCall, _| async move {
                let panicking = |_: Sink| async { panic!("on purpose") };
                Ok(call.subscribe("ticked")?.spawn(panicking))
            },
        )
        .unwrap();
    table
        .method(spec("undeclared", &[]), |_, call: RpcCall, _| async move {
            Ok(call.subscribe("ticked")?.spawn(|_| async {}))
        })
        .unwrap();
    #[derive(Deserialize)]
    struct Untick {
        subscription: String,
    }
    table
        .method(
            spec("untick", &["subscription"]),
            |_, call: RpcCall, params: Params| async move {
                raw(&call.unsubscribe(&params.parse::<Untick>()?.subscription))
            },
        )
        .unwrap();
}

/// Sends `count` events, then waits until it is dropped.
async fn tick(probe: Arc<Probe>, sink: Sink, ticks: Ticks) {
    let _ending = Ending(Arc::clone(&probe));
    let padding = "x".repeat(ticks.size);
    for n in 0..ticks.count {
        let event = Bytes::from(format!(r#"{{"n":{n},"padding":"{padding}"}}"#));
        if sink.send_batch(&[event]).await.is_err() {
            return;
        }
        probe
            .peak
            .fetch_max(sink.connection().queued(), Ordering::SeqCst);
    }
    sink.closed().await;
}
