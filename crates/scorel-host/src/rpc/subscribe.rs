//! Subscriptions to a session's events and to the host's changes.

use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::{Anchors, HostEvent, NoParams, SubscribeEventsParams, UnsubscribeParams};
use scorel_rpc::{RpcCall, Sink};
use scorel_session::{HostFeedGap, Subscriber};
use serde_json::value::RawValue;

use crate::followers::OpenFollower;
use crate::host::Host;
use crate::rpc::call_error::Reply;

pub(super) async fn unsubscribe(
    _: Arc<Host>,
    call: RpcCall,
    params: UnsubscribeParams,
) -> Reply<bool> {
    Ok(call.unsubscribe(&params.subscription))
}

pub(super) async fn subscribe_events(
    host: Arc<Host>,
    call: RpcCall,
    params: SubscribeEventsParams,
) -> Reply<Box<RawValue>> {
    let anchors = Anchors {
        persistent_last_seq: params.persistent_last_seq.unwrap_or_default(),
        stream_last_seq: params.stream_last_seq,
        persistent_last_id: params.persistent_last_id,
    };
    let subscriber = host.sessions.subscribe(params.session_id, anchors).await?;
    let subscription = call.subscribe("event")?;
    let open = host
        .followers
        .add(call.connection().clone(), subscriber.lag());
    Ok(subscription.spawn(move |sink| pump_events(subscriber, sink, open)))
}

/// Moves batches from the session to the connection. While the outbox is full nothing is read from the
/// session, so a slow client costs no memory: its cursor waits. The client is listed as a follower
/// meanwhile.
async fn pump_events(mut subscriber: Subscriber, sink: Sink, _listed: OpenFollower) {
    loop {
        let batch = tokio::select! {
            biased;
            batch = subscriber.next_batch() => batch,
            () = sink.closed() => return,
        };
        match batch {
            Ok(Some(events)) => {
                if sink.send_batch(&events).await.is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "a subscription ended");
                // It fails only if the subscription is over, which the client knows then.
                let _ = sink.send(subscriber.failed_end()).await;
                return;
            }
        }
    }
}

pub(super) async fn subscribe_host(
    host: Arc<Host>,
    call: RpcCall,
    _: NoParams,
) -> Reply<Box<RawValue>> {
    let subscription = call.subscribe("host")?;
    Ok(subscription.spawn(move |sink| pump_host(host, sink)))
}

/// Sends a snapshot, then changes. A subscriber that fell behind the feed gets a new snapshot.
async fn pump_host(host: Arc<Host>, sink: Sink) {
    // Before the snapshot: a change after it wakes the loop, however early it comes.
    let mut changes = host.sessions.host().watch();
    let mut version = None;
    loop {
        let sent = match version.map(|version| host.sessions.host().after(version)) {
            Some(Ok(events)) => {
                if let Some((last, _)) = events.last() {
                    version = Some(*last);
                }
                let events: Vec<Bytes> = events.into_iter().map(|(_, event)| event).collect();
                sink.send_batch(&events).await
            }
            None | Some(Err(HostFeedGap)) => {
                let (at, snapshot) = match host.snapshot().await {
                    Ok(snapshot) => snapshot,
                    Err(error) => {
                        tracing::warn!(%error, "a subscription to the host ended");
                        // The host has no marker of an end: a client learns it from its connection.
                        sink.connection().close();
                        return;
                    }
                };
                version = Some(at);
                sink.send(encode(&snapshot)).await
            }
        };
        if sent.is_err() {
            return;
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = sink.closed() => return,
        }
    }
}

fn encode(event: &HostEvent) -> Bytes {
    Bytes::from(serde_json::to_vec(event).expect("a host event has only string keys"))
}
