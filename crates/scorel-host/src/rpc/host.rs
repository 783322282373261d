//! Methods of the daemon itself: `hello`, `getStatus`, `shutdown`, models, discovery.

use std::sync::{Arc, LazyLock};

use scorel_engine::spawn_blocking;
use scorel_proto::{
    CheckModelParams, CheckModelResult, GcParams, GcResult, GetConfigParams, GetConfigResult,
    HelloParams, HelloResult, ListModelsParams, ListModelsResult, NoParams, ProtocolRange,
    ShutdownParams, ShutdownResult, Status, openrpc_document,
};
use scorel_rpc::RpcCall;
use serde_json::value::{RawValue, to_raw_value};

use super::caller::client;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};
use crate::shutdown::ShutdownCause;

/// Bytes of a client's name.
const MAX_NAME: usize = 64;

pub(super) async fn hello(
    host: Arc<Host>,
    call: RpcCall,
    params: HelloParams,
) -> Reply<HelloResult> {
    let ours = ProtocolRange::SUPPORTED;
    let Some(protocol) = ours.common(params.protocol) else {
        let advice = if params.protocol.max < ours.min {
            "update the client: install the scorelctl that came with this daemon"
        } else {
            "the client is newer: `scorelctl restart` starts the installed daemon"
        };
        return Err(CallError::ProtocolMismatch {
            daemon: ours,
            client: params.protocol,
            advice,
        });
    };
    let name = params.name.as_deref().map(str::trim);
    let is_refused =
        |name: &str| name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control);
    if name.is_some_and(is_refused) {
        let text = format!("`name` is one line of 1 to {MAX_NAME} bytes");
        return Err(CallError::invalid_field("name", text));
    }
    if let Some(id) = params.client_id {
        call.connection().claim_client(id);
    }
    if let Some(name) = name {
        let tell = |names| host.sessions.host().client_changed(names);
        host.client_names.set(client(&call), name.to_owned(), tell);
    }
    Ok(HelloResult {
        protocol,
        device_id: host.device.id,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

pub(super) async fn get_status(host: Arc<Host>, _: NoParams) -> Reply<Status> {
    Ok(host.status().await)
}

pub(super) async fn get_config(host: Arc<Host>, params: GetConfigParams) -> Reply<GetConfigResult> {
    let dir = host.named_dir(params.project_id)?;
    let (config, secrets) = (Arc::clone(&host.config), Arc::clone(&host.secrets));
    Ok(spawn_blocking(move || config.report(dir.as_deref(), &secrets)).await?)
}

pub(super) async fn shutdown(host: Arc<Host>, params: ShutdownParams) -> Reply<ShutdownResult> {
    host.shutdown.begin(if params.park.unwrap_or_default() {
        ShutdownCause::Park
    } else {
        ShutdownCause::Request
    });
    Ok(ShutdownResult {
        pid: std::process::id(),
    })
}

pub(super) async fn list_models(
    host: Arc<Host>,
    params: ListModelsParams,
) -> Reply<ListModelsResult> {
    let dir = host.named_dir(params.project_id)?;
    let asked = params.live.unwrap_or(true);
    Ok(host.models.list(dir, params.provider, asked).await?)
}

pub(super) async fn check_model(
    host: Arc<Host>,
    params: CheckModelParams,
) -> Reply<CheckModelResult> {
    let dir = host.named_dir(params.project_id)?;
    Ok(host.models.check(dir, params.model).await?)
}

pub(super) async fn gc(host: Arc<Host>, params: GcParams) -> Reply<GcResult> {
    host.collect_garbage(params.apply.unwrap_or(false)).await
}

pub(super) async fn discover(_: Arc<Host>, _: NoParams) -> Reply<Box<RawValue>> {
    // Built once: the schemas of all methods take some megabytes on the way to their 200 KiB of JSON,
    // and each connection may have 32 calls at work.
    static DOCUMENT: LazyLock<Box<RawValue>> = LazyLock::new(|| {
        to_raw_value(&openrpc_document(env!("CARGO_PKG_VERSION"))).expect("a JSON document")
    });
    Ok(DOCUMENT.clone())
}
