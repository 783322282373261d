//! A model endpoint that rejects what the real APIs reject.
//!
//! A provider test against a lenient double proves little: the errors that matter are rejected
//! histories. The rules here come from recorded error bodies and from the APIs' documentation.

mod anthropic_messages;
mod google_generative_ai;
mod issued;
mod openai_completions;
mod openai_responses;
mod rules;
mod schema;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::{ModelReply, ModelServer, RecordedRequest, ScriptedResponse, WireApi};

use issued::IssuedReasoning;
use rules::ensure;

/// A model endpoint for all four APIs that validates every request before it answers.
///
/// Rejects with status 400: results without calls and calls without results, empty content, roles
/// out of order, messages that end as none may, names of tools that no API takes, reasoning signed by
/// another model, and reasoning missing where it has to come back.
#[derive(Debug)]
pub struct StrictServer {
    server: ModelServer,
    state: Arc<Mutex<StrictState>>,
}

#[derive(Debug, Default)]
struct StrictState {
    replies: VecDeque<StrictAnswer>,
    rejections: Vec<String>,
    issued: IssuedReasoning,
}

/// The answer to a valid request.
#[derive(Debug)]
enum StrictAnswer {
    Reply(ModelReply),
    Response(ScriptedResponse),
}

impl StrictServer {
    /// Binds a free port and serves it on the current tokio runtime.
    ///
    /// # Errors
    /// No port can be bound.
    pub async fn start() -> std::io::Result<Self> {
        let server = ModelServer::start().await?;
        let state = Arc::new(Mutex::new(StrictState::default()));
        let shared = Arc::clone(&state);
        server.answer_with(move |request| lock(&shared).answer(request));
        Ok(Self { server, state })
    }

    /// The same, but reasoning may have been signed elsewhere: for conversations that were recorded.
    ///
    /// # Errors
    /// No port can be bound.
    pub async fn start_trusting() -> std::io::Result<Self> {
        let server = Self::start().await?;
        lock(&server.state).issued = IssuedReasoning::elsewhere();
        Ok(server)
    }

    /// Appends a reply to the script.
    pub fn reply(&self, reply: ModelReply) -> &Self {
        let answer = StrictAnswer::Reply(reply);
        lock(&self.state).replies.push_back(answer);
        self
    }

    /// Appends a response as it is, such as an error.
    pub fn respond(&self, response: ScriptedResponse) -> &Self {
        let answer = StrictAnswer::Response(response);
        lock(&self.state).replies.push_back(answer);
        self
    }

    /// The number of scripted answers left.
    pub fn remaining(&self) -> usize {
        lock(&self.state).replies.len()
    }

    /// The underlying server, for its address and requests.
    pub const fn server(&self) -> &ModelServer {
        &self.server
    }

    /// The reasons of all rejections, in order.
    pub fn rejections(&self) -> Vec<String> {
        lock(&self.state).rejections.clone()
    }
}

fn lock(state: &Mutex<StrictState>) -> MutexGuard<'_, StrictState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StrictState {
    fn answer(&mut self, request: &RecordedRequest) -> ScriptedResponse {
        let (api, model) = match check(request, &self.issued) {
            Ok(known) => known,
            Err(reason) => {
                let body = json!({"error": {"type": "invalid_request_error", "message": reason}});
                self.rejections.push(reason);
                return ScriptedResponse::json(400, body.to_string());
            }
        };
        match self.replies.pop_front() {
            Some(StrictAnswer::Reply(reply)) => {
                self.issued.add(&model, &reply);
                reply.render(api, &model)
            }
            Some(StrictAnswer::Response(response)) => response,
            None => ScriptedResponse::json(
                500,
                r#"{"error":{"message":"the script has no reply left"}}"#,
            ),
        }
    }
}

/// The API and the model of a valid request.
fn check(request: &RecordedRequest, issued: &IssuedReasoning) -> Result<(WireApi, String), String> {
    let api = WireApi::of_path(&request.path).ok_or(format!("no API posts to {}", request.path))?;
    ensure(request.method == "POST", || "not a POST".to_owned())?;
    let body: Value = serde_json::from_slice(&request.body)
        .map_err(|error| format!("the body is not JSON: {error}"))?;
    let model = match api {
        WireApi::GoogleGenerativeAi => google_generative_ai::model(&request.path),
        _ => body["model"].as_str(),
    };
    let model = model.filter(|model| !model.is_empty());
    let model = model.ok_or("no model is named")?.to_owned();
    match api {
        WireApi::OpenAiCompletions => openai_completions::check(&body, &model, issued)?,
        WireApi::OpenAiResponses => openai_responses::check(&body, &model, issued)?,
        WireApi::AnthropicMessages => {
            ensure(request.header("anthropic-version").is_some(), || {
                "anthropic-version: header is required".to_owned()
            })?;
            anthropic_messages::check(&body, &model, issued)?;
        }
        WireApi::GoogleGenerativeAi => google_generative_ai::check(&body, &model, issued)?,
    }
    Ok((api, model))
}

#[cfg(test)]
mod tests;
