//! A model endpoint that refuses what the real ones refuse.

mod anthropic_messages;
mod api;
mod google_generative_ai;
mod openai_completions;
mod openai_responses;
mod schema;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::{Answer, ModelServer, RecordedRequest, Reply};

pub use api::Api;

/// A model endpoint for all wires that checks every request before it answers.
///
/// It refuses, with status 400, a conversation that a real endpoint of the wire would refuse:
/// results without calls and calls without results, empty content, roles out of order, reasoning
/// that another model proved, and reasoning that is missing where it has to come back.
#[derive(Debug)]
pub struct StrictServer {
    server: ModelServer,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    replies: VecDeque<Reply>,
    rejections: Vec<String>,
    issued: Issued,
}

/// What the endpoint gave out and wants back.
#[derive(Debug, Default)]
pub(crate) struct Issued {
    /// The calls that came with reasoning: the model's id, the call's id.
    reasoned: HashSet<(String, String)>,
}

impl Issued {
    fn add(&mut self, model: &str, reply: &Reply) {
        if reply.thinking.is_none() {
            return;
        }
        for call in &reply.calls {
            self.reasoned.insert((model.to_owned(), call.id.clone()));
        }
    }

    /// Whether that model gave the call together with reasoning.
    fn is_reasoned(&self, model: &str, call: &str) -> bool {
        self.reasoned.contains(&(model.to_owned(), call.to_owned()))
    }
}

/// What a check finds wrong.
type Checked = Result<(), String>;

impl StrictServer {
    /// Binds a free port and begins to serve, on the current tokio runtime.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start() -> std::io::Result<Self> {
        let server = ModelServer::start().await?;
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        server.answer_with(move |request| lock(&shared).answer(request));
        Ok(Self { server, state })
    }

    /// Adds a reply to the end of the script.
    pub fn reply(&self, reply: Reply) -> &Self {
        lock(&self.state).replies.push_back(reply);
        self
    }

    /// The endpoint itself: its address and the requests that came.
    #[must_use]
    pub const fn server(&self) -> &ModelServer {
        &self.server
    }

    /// Why requests were refused, in their order.
    #[must_use]
    pub fn rejections(&self) -> Vec<String> {
        lock(&self.state).rejections.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn answer(&mut self, request: &RecordedRequest) -> Answer {
        let (api, model) = match check(request, &self.issued) {
            Ok(known) => known,
            Err(reason) => {
                let body = json!({"error": {"type": "invalid_request_error", "message": reason}});
                self.rejections.push(reason);
                return Answer::json(400, body.to_string());
            }
        };
        let Some(reply) = self.replies.pop_front() else {
            return Answer::json(500, r#"{"error":{"message":"the script is at its end"}}"#);
        };
        self.issued.add(&model, &reply);
        reply.render(api, &model)
    }
}

/// The wire and the model of an acceptable request.
fn check(request: &RecordedRequest, issued: &Issued) -> Result<(Api, String), String> {
    let api = Api::of_path(&request.path).ok_or(format!("no wire posts to {}", request.path))?;
    ensure(request.method == "POST", || "not a POST".to_owned())?;
    let body: Value = serde_json::from_slice(&request.body)
        .map_err(|error| format!("the body is not JSON: {error}"))?;
    let model = match api {
        Api::GoogleGenerativeAi => google_generative_ai::model(&request.path),
        _ => body["model"].as_str(),
    };
    let model = model.filter(|model| !model.is_empty());
    let model = model.ok_or("no model is named")?.to_owned();
    match api {
        Api::OpenAiCompletions => openai_completions::check(&body, &model)?,
        Api::OpenAiResponses => openai_responses::check(&body, &model, issued)?,
        Api::AnthropicMessages => {
            ensure(request.header("anthropic-version").is_some(), || {
                "anthropic-version: header is required".to_owned()
            })?;
            anthropic_messages::check(&body, &model, issued)?;
        }
        Api::GoogleGenerativeAi => google_generative_ai::check(&body, &model)?,
    }
    Ok((api, model))
}

/// Refuses with the reason unless the condition holds.
fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(reason()) }
}

/// The elements of a list that must be there and must not be empty.
fn filled<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    let list = value.as_array().filter(|list| !list.is_empty());
    list.map(Vec::as_slice)
        .ok_or(format!("{name}: expected a list that is not empty"))
}

/// A text that must be there and must say something.
fn said<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.ok_or(format!("{name}: expected text that is not empty"))
}

/// Refuses fields that the wire does not know.
fn known_fields(value: &Value, known: &[&str], name: &str) -> Checked {
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
