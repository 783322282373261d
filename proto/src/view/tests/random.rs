//! The fold meets every sequence of events, sensible or not.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{Event, SessionView, Tree};

fn id(prefix: &str, which: u8) -> String {
    format!("{prefix}_01K1H9Q800000000000000000{which}")
}

/// The fields of one event of any type that the fold looks at.
fn body() -> impl Strategy<Value = Value> {
    let which = || 0..4_u8;
    let id_of = |prefix: &'static str| which().prop_map(move |which| id(prefix, which));
    let event = || id_of("evt");
    let item = || id_of("que");
    let call = || which().prop_map(|which| format!("c{which}"));
    prop_oneof![
        (item(), any::<bool>()).prop_map(|(item, queued)| {
            let message = json!({"role": "user", "content": [{"type": "text", "text": "q"}]});
            let mut body = json!({"type": "message", "message": message});
            if queued {
                body["queueItemId"] = json!(item);
            }
            body
        }),
        (call(), call(), any::<bool>()).prop_map(|(a, b, partial)| {
            let calls =
                [a, b].map(|id| json!({"type": "tool_use", "id": id, "name": "R", "input": {}}));
            json!({"type": "message", "message": {
                "role": "assistant", "content": calls, "model": "m", "stopReason": "tool_use",
                "usage": {"inputTokens": u64::MAX, "outputTokens": 1}, "partial": partial,
            }})
        }),
        call().prop_map(|call| {
            let result = json!({
                "type": "tool_result", "toolUseId": call, "content": [], "isError": false,
            });
            json!({"type": "message", "message": {
                "role": "tool_result", "content": [result], "toolName": "R", "durationMs": 1,
            }})
        }),
        (call(), event()).prop_map(|(call, event)| json!({
            "type": "tool_started", "toolCallId": call, "toolName": "R", "eventId": event,
        })),
        (which(), call(), prop::option::of(call())).prop_map(|(runner, text, context)| {
            let runner = format!("r{runner}");
            let mut meta = json!({"runner": {"name": runner}});
            if let Some(context) = context {
                meta["runner"]["contextId"] = json!(context);
            }
            json!({"type": "message", "message": {
                "role": "assistant", "content": [{"type": "text", "text": text}], "model": "m",
                "stopReason": "end_turn", "meta": meta,
            }})
        }),
        (which(), prop::option::of(call()), any::<bool>()).prop_map(|(runner, context, resumed)| {
            let mut body = json!({
                "type": "runner_start", "runner": format!("r{runner}"), "traceId": id("trn", 0),
                "command": ["x"], "cwd": "/", "context": if resumed { "resumed" } else { "new" },
            });
            if let Some(context) = context {
                body["contextId"] = json!(context);
            }
            body
        }),
        (which(), prop::option::of(call())).prop_map(|(runner, context)| json!({
            "type": "runner_context", "runner": format!("r{runner}"), "contextId": context,
            "cwd": "/",
        })),
        Just(json!({
            "type": "runner_exit", "traceId": id("trn", 0), "code": null, "signal": null,
            "kept": true, "durationMs": 1,
        })),
        runtime(),
        Just(json!({"type": "runner_log", "stream": "stderr", "text": "x"})),
        event().prop_map(|target| json!({"type": "rewind", "targetEventId": target})),
        Just(json!({"type": "rewind", "targetEventId": null})),
        event().prop_map(|leaf| json!({"type": "branch", "leafEventId": leaf})),
        event().prop_map(|through| json!({
            "type": "compact", "summary": "s", "compactedThrough": through,
            "tokensBefore": 2, "tokensAfter": 1,
        })),
        prop::sample::select(vec!["completed", "cancelled", "error", "bored"]).prop_map(|reason| {
            json!({
                "type": "turn_outcome", "reason": reason, "steps": 1, "durationMs": 1,
                "usage": {"inputTokens": 1, "outputTokens": 1},
            })
        }),
        (item(), which(), 0..3_usize, any::<u64>()).prop_map(|(item, position, op, version)| {
            let add = json!({"op": "add", "item": {
                "queueItemId": item, "kind": "steer", "content": [], "clientId": "daemon",
            }});
            let moved = json!({"op": "move", "queueItemId": item, "position": position});
            let removed = json!({"op": "remove", "queueItemId": item});
            let op = [add, moved, removed][op].clone();
            json!({"type": "queue_update", "version": version, "ops": [op]})
        }),
        (0..2_u8).prop_map(|which| json!({
            "type": "permission_request", "requestId": id("prm", which), "toolCallId": "c",
            "toolName": "R", "input": {}, "reason": "r",
        })),
        (0..2_u8).prop_map(|which| json!({
            "type": "permission_decision", "requestId": id("prm", which), "decision": "once",
        })),
        Just(json!({"type": "turn_waiting", "until": 1, "reason": "r"})),
        Just(json!({"type": "turn_resumed"})),
        Just(json!({"type": "mood"})),
        Just(json!({"type": "runtime_start"})),
        event().prop_map(|event| json!({
            "type": "message_start", "eventId": event, "parentId": null, "role": "assistant",
        })),
        (event(), which()).prop_map(|(event, block)| json!({
            "type": "text_delta", "eventId": event, "blockIndex": block, "delta": "x",
        })),
        (event(), which()).prop_map(|(event, block)| json!({
            "type": "tool_call_delta", "eventId": event, "blockIndex": block,
            "toolCallId": "c", "delta": "x",
        })),
        event().prop_map(|event| json!({
            "type": "message_cancelled", "eventId": event, "reason": "error",
        })),
        event().prop_map(|event| json!({
            "type": "tool_execution_start", "eventId": event, "parentId": null,
            "toolCallId": "c", "toolName": "R", "args": {},
        })),
    ]
}

/// An event of a runtime, or what delivers a result.
fn runtime() -> impl Strategy<Value = Value> {
    let statuses = vec![
        "queued",
        "running",
        "waiting_input",
        "completed",
        "interrupted",
    ];
    let status = prop::sample::select(statuses);
    (0..9_u8, 0..3_u8, 0..6_u64, status, any::<bool>()).prop_map(
        |(kind, which, version, status, flag)| {
            let runtime = id("rti", which);
            let special = match kind {
                0 => json!({
                    "type": "runtime_spawned", "agentType": "a", "childSessionId": id("ses", which),
                    "title": "t", "prompt": "p", "deliver": if flag { "turn" } else { "none" },
                    "toolCallId": "c0", "startedAt": 1,
                }),
                1 => json!({"type": "runtime_bound_session", "childSessionId": id("ses", which)}),
                2 => json!({"type": "runtime_status_changed", "stopping": flag, "waitingFor": {
                    "sessionId": id("ses", which), "requestId": id("prm", 0), "toolName": "R",
                }}),
                3 => json!({
                    "type": "runtime_queue_changed", "agentType": "a", "queuePosition": 1,
                    "queuedCount": 2, "positions": {id("rti", 3): [2, version]},
                }),
                4 => json!({
                    "type": "runtime_summary_updated", "summary": "s", "sourceEvent": id("evt", 0),
                }),
                5 => json!({
                    "type": "runtime_finished", "finalStatus": status, "endedAt": version,
                    "reason": "r", "lastMessage": "m", "metadata": {
                        "usage": {"inputTokens": u64::MAX, "outputTokens": 1},
                        "cost": {"microUsd": u64::MAX}, "steps": 1, "durationMs": 1,
                    },
                }),
                6 => json!({
                    "type": "runtime_result_delivered", "eventId": id("evt", which),
                    "via": if flag { "message" } else { "tool_result" },
                }),
                7 => json!({"type": "message", "message": {
                    "role": "user", "content": [], "meta": {"runtimeId": runtime},
                }}),
                _ => json!({"type": "queue_update", "version": version, "ops": [{
                    "op": "add", "item": {
                        "queueItemId": id("que", which), "kind": "steer", "content": [],
                        "clientId": "daemon", "meta": {"runtimeId": runtime},
                    },
                }]}),
            };
            let mut body = json!({
                "runtimeId": runtime, "version": version, "status": status, "timestamp": 1,
            });
            let fields = body.as_object_mut().expect("an object");
            fields.extend(special.as_object().expect("an object").clone());
            body
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let fields = (
        0..4_u8,
        prop::option::of(0..4_u8),
        1..50_u64,
        prop::option::of(0..2_u8),
    );
    (body(), fields, any::<bool>()).prop_map(|(mut event, (own, parent, seq, turn), copied)| {
        event["id"] = json!(id("evt", own));
        event["parentId"] = json!(parent.map(|which| id("evt", which)));
        event["seq"] = json!(seq);
        event["sessionId"] = json!(id("ses", 0));
        event["clientId"] = json!("daemon");
        event["ts"] = json!(seq);
        event["turnId"] = json!(turn.map(|which| id("trn", which)));
        if copied {
            event["origin"] = json!({"sessionId": id("ses", 1), "eventId": id("evt", 0)});
        }
        if seq % 3 > 0 {
            event["prev"] = json!(seq - 1);
        }
        Event::decode(&event.to_string()).expect("every field is there")
    })
}

proptest! {
    #[test]
    fn the_fold_never_panics_and_its_state_survives_storage(
        events in prop::collection::vec(event(), 0..60),
    ) {
        let mut view = SessionView::default();
        for event in &events {
            view.apply(event);
            prop_assert!(view.tree.path(view.leaf()).len() <= view.tree.len());
            prop_assert_eq!(view.state.phase() == crate::Phase::Idle, view.state.turn.is_none());
        }
        prop_assert_eq!(Tree::decode(&view.tree.encode()), Some(view.tree.clone()));
        let state = serde_json::to_string(&view.state).expect("the state is JSON");
        prop_assert_eq!(serde_json::from_str::<crate::SessionState>(&state).ok(), Some(view.state));
    }
}
