//! Random answers: everything that a model may say, in any order.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use scorel_testkit::ScriptedResponse;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub(super) struct RandomAnswer {
    pieces: Vec<Piece>,
    /// Which of the API's stop reasons it has.
    stop: usize,
}

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Thinking {
        text: String,
        signature: Option<String>,
    },
    Redacted,
    Call {
        id: String,
        name: String,
        /// Not necessarily JSON.
        arguments: String,
    },
    /// The use of a tool that the endpoint runs itself.
    Hosted(u8),
    HostedResult(u8),
}

pub(super) fn any() -> impl Strategy<Value = RandomAnswer> {
    (vec(piece(), 0..6), 0..4_usize).prop_map(|(pieces, stop)| RandomAnswer { pieces, stop })
}

fn piece() -> impl Strategy<Value = Piece> {
    let text = || select(vec!["", " ", "\n", "hi", "hi \n", "<think>hm</think>"]);
    let signature = option::of(select(vec!["", "sig"]));
    prop_oneof![
        3 => text().prop_map(|text| Piece::Text(text.to_owned())),
        3 => (text(), signature).prop_map(|(text, signature)| Piece::Thinking {
            text: text.to_owned(),
            signature: signature.map(str::to_owned),
        }),
        1 => Just(Piece::Redacted),
        4 => (id(), name(), arguments()).prop_map(|(id, name, arguments)| Piece::Call {
            id,
            name,
            arguments: arguments.to_owned(),
        }),
        1 => (0..3_u8).prop_map(Piece::Hosted),
        1 => (0..3_u8).prop_map(Piece::HostedResult),
    ]
}

fn name() -> impl Strategy<Value = String> {
    let known = vec![
        "Read",
        "",
        " ",
        "functions.Read:0",
        "Read ",
        "9lives",
        "-",
        "größe",
        "a/b",
        "mcp__x__y",
    ];
    prop_oneof![
        select(known).prop_map(str::to_owned),
        "\\PC{0,80}".prop_map(|name| name),
    ]
}

fn id() -> impl Strategy<Value = String> {
    let known = vec![
        "",
        "call_0",
        "call_1",
        "toolu_1",
        "functions.Read:0",
        "a b",
        "a|b",
    ];
    prop_oneof![
        select(known).prop_map(str::to_owned),
        "[a-z]{60,90}".prop_map(|id| id),
    ]
}

fn arguments() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "{}",
        r#"{"path":"a"}"#,
        "[1]",
        "null",
        r#""x""#,
        r#"{"path":"#,
        "\n",
    ])
}

impl RandomAnswer {
    /// The answer as an API streams it.
    pub(super) fn render(&self, api: &str) -> ScriptedResponse {
        let events = match api {
            "openai-completions" => self.chat(),
            "openai-responses" => self.responses(),
            "anthropic-messages" => self.messages(),
            _ => self.gemini(),
        };
        let body: String = events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect();
        ScriptedResponse::event_stream(body)
    }

    fn chat(&self) -> Vec<Value> {
        let mut calls = 0;
        let choice = |delta: Value, finish: Option<&str>| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        let mut events: Vec<Value> = self
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Text(text) => Some(json!({"content": text})),
                Piece::Thinking { text, .. } => Some(json!({"reasoning_content": text})),
                Piece::Call {
                    id,
                    name,
                    arguments,
                } => {
                    calls += 1;
                    let function = json!({"name": name, "arguments": arguments});
                    let call = json!({"index": calls - 1, "id": id, "type": "function", "function": function});
                    Some(json!({"tool_calls": [call]}))
                }
                Piece::Redacted | Piece::Hosted(_) | Piece::HostedResult(_) => None,
            })
            .map(|delta| choice(delta, None))
            .collect();
        let finish = ["stop", "tool_calls", "length", "content_filter"][self.stop];
        events.push(choice(json!({}), Some(finish)));
        events
    }

    fn responses(&self) -> Vec<Value> {
        let item = |piece: &Piece| match piece {
            Piece::Text(text) => json!({"type": "message", "role": "assistant", "id": "msg_1",
                "content": [{"type": "output_text", "text": text}]}),
            Piece::Thinking { text, signature } => json!({"type": "reasoning", "id": "rs_1",
                "summary": [{"type": "summary_text", "text": text}],
                "encrypted_content": signature}),
            Piece::Call {
                id,
                name,
                arguments,
            } => json!({"type": "function_call", "id": "fc_1",
                "call_id": id, "name": name, "arguments": arguments}),
            Piece::Redacted => json!({"type": "reasoning", "id": "rs_2", "summary": [],
                "encrypted_content": "sig"}),
            Piece::Hosted(_) => json!({"type": "web_search_call", "id": "ws_1",
                "status": "completed"}),
            Piece::HostedResult(_) => json!({"type": "custom_tool_call", "call_id": "c",
                "name": "x", "input": ""}),
        };
        let mut events: Vec<Value> = (0..)
            .zip(&self.pieces)
            .map(|(index, piece): (u64, _)| {
                json!({"type": "response.output_item.done", "output_index": index,
                    "item": item(piece)})
            })
            .collect();
        let cut = json!({"type": "response.incomplete", "response": {
            "incomplete_details": {"reason": "max_output_tokens"}}});
        let whole = json!({"type": "response.completed", "response": {"status": "completed"}});
        events.push(if self.stop == 2 { cut } else { whole });
        events
    }

    fn messages(&self) -> Vec<Value> {
        let block = |piece: &Piece| match piece {
            Piece::Text(text) => json!({"type": "text", "text": text}),
            Piece::Thinking { text, signature } => {
                json!({"type": "thinking", "thinking": text, "signature": signature})
            }
            Piece::Redacted => json!({"type": "redacted_thinking", "data": "sig"}),
            Piece::Call { id, name, .. } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": {}})
            }
            Piece::Hosted(id) => json!({"type": "server_tool_use", "id": format!("srv_{id}"),
                "name": "web_search", "input": {}}),
            Piece::HostedResult(id) => json!({"type": "web_search_tool_result",
                "tool_use_id": format!("srv_{id}"), "content": []}),
        };
        let mut events = vec![json!({"type": "message_start", "message": {"model": "m"}})];
        for piece in &self.pieces {
            events.push(json!({"type": "content_block_start", "content_block": block(piece)}));
            if let Piece::Call { arguments, .. } = piece {
                let delta = json!({"type": "input_json_delta", "partial_json": arguments});
                events.push(json!({"type": "content_block_delta", "delta": delta}));
            }
            events.push(json!({"type": "content_block_stop"}));
        }
        let reason = ["end_turn", "tool_use", "max_tokens", "pause_turn"][self.stop];
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}}));
        events.push(json!({"type": "message_stop"}));
        events
    }

    fn gemini(&self) -> Vec<Value> {
        let part = |piece: &Piece| match piece {
            Piece::Text(text) => json!({"text": text}),
            Piece::Thinking { text, signature } => {
                json!({"text": text, "thought": true, "thoughtSignature": signature})
            }
            Piece::Call {
                id,
                name,
                arguments,
            } => {
                let args: Option<Value> = serde_json::from_str(arguments).ok();
                json!({"functionCall": {"id": id, "name": name, "args": args},
                    "thoughtSignature": "sig"})
            }
            Piece::Redacted => json!({"text": "", "thoughtSignature": "sig"}),
            Piece::Hosted(_) => json!({"executableCode": {"language": "PYTHON", "code": "1"}}),
            Piece::HostedResult(_) => json!({"codeExecutionResult": {"outcome": "OUTCOME_OK"}}),
        };
        let parts: Vec<Value> = self.pieces.iter().map(part).collect();
        let reason = ["STOP", "STOP", "MAX_TOKENS", "SAFETY"][self.stop];
        vec![
            json!({"candidates": [{"content": {"role": "model", "parts": parts},
            "finishReason": reason}]}),
        ]
    }
}
