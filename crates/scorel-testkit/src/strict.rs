//! A model endpoint that rejects what the real APIs reject.
//!
//! A provider test against a lenient double proves little: the errors that matter are rejected
//! histories. The rules here come from recorded error bodies and from the APIs' documentation.

mod anthropic_messages;
mod api;
mod google_generative_ai;
mod openai_completions;
mod openai_responses;
mod schema;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::{ModelReply, ModelServer, RecordedRequest, ScriptedResponse};

pub use api::WireApi;

/// A model endpoint for all four APIs that validates every request before it answers.
///
/// Rejects with status 400: results without calls and calls without results, empty content, roles
/// out of order, reasoning signed by another model, and reasoning missing where it has to come back.
#[derive(Debug)]
pub struct StrictServer {
    server: ModelServer,
    state: Arc<Mutex<StrictState>>,
}

#[derive(Debug, Default)]
struct StrictState {
    replies: VecDeque<ModelReply>,
    rejections: Vec<String>,
    issued: IssuedReasoning,
}

/// What the endpoint issued and expects back.
#[derive(Debug, Default)]
pub(crate) struct IssuedReasoning {
    /// Model and call ids of the calls that came with reasoning.
    reasoned: HashSet<(String, String)>,
}

impl IssuedReasoning {
    fn add(&mut self, model: &str, reply: &ModelReply) {
        if reply.thinking.is_none() {
            return;
        }
        for call in &reply.calls {
            self.reasoned.insert((model.to_owned(), call.id.clone()));
        }
    }

    /// Whether the model issued the call together with reasoning.
    fn is_reasoned(&self, model: &str, call: &str) -> bool {
        self.reasoned.contains(&(model.to_owned(), call.to_owned()))
    }
}

/// `Err` holds the reason for the rejection.
type CheckResult = Result<(), String>;

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

    /// Appends a reply to the script.
    pub fn reply(&self, reply: ModelReply) -> &Self {
        lock(&self.state).replies.push_back(reply);
        self
    }

    /// The underlying server, for its address and requests.
    #[must_use]
    pub const fn server(&self) -> &ModelServer {
        &self.server
    }

    /// The reasons of all rejections, in order.
    #[must_use]
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
        let Some(reply) = self.replies.pop_front() else {
            return ScriptedResponse::json(
                500,
                r#"{"error":{"message":"the script has no reply left"}}"#,
            );
        };
        self.issued.add(&model, &reply);
        reply.render(api, &model)
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
        WireApi::OpenAiCompletions => openai_completions::check(&body, &model)?,
        WireApi::OpenAiResponses => openai_responses::check(&body, &model, issued)?,
        WireApi::AnthropicMessages => {
            ensure(request.header("anthropic-version").is_some(), || {
                "anthropic-version: header is required".to_owned()
            })?;
            anthropic_messages::check(&body, &model, issued)?;
        }
        WireApi::GoogleGenerativeAi => google_generative_ai::check(&body, &model)?,
    }
    Ok((api, model))
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err(reason()) }
}

/// The elements of a required, non-empty list.
fn non_empty<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    let list = value.as_array().filter(|list| !list.is_empty());
    list.map(Vec::as_slice)
        .ok_or(format!("{name}: expected a list that is not empty"))
}

/// A required text that is not blank.
fn non_blank<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.ok_or(format!("{name}: expected text that is not empty"))
}

/// Real APIs reject unknown fields.
fn known_fields(value: &Value, known: &[&str], name: &str) -> CheckResult {
    let fields = value
        .as_object()
        .ok_or(format!("{name}: expected an object"))?;
    let unknown = fields.keys().find(|field| !known.contains(&field.as_str()));
    ensure(unknown.is_none(), || {
        format!(
            "{name}: unknown field {:?}",
            unknown.map_or("", |name| name)
        )
    })
}

#[cfg(test)]
mod tests;
