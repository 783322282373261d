use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{AgentCli, ModelReply, ModelServer, RecordedRequest, ScriptedResponse};

/// A scripted model for foreign agents: each request of a turn gets the next reply, in the API of the
/// agent that asks. What agents ask besides, for titles and the like, gets an empty answer.
#[derive(Debug)]
pub struct AgentModel {
    server: ModelServer,
    replies: Arc<Mutex<VecDeque<ModelReply>>>,
}

impl AgentModel {
    /// # Errors
    ///
    /// If no port is free.
    pub async fn start() -> std::io::Result<Self> {
        let server = ModelServer::start().await?;
        let replies: Arc<Mutex<VecDeque<ModelReply>>> = Arc::default();
        let next = Arc::clone(&replies);
        server.answer_with(move |request| {
            let Some(cli) = asking(request) else {
                return aside(request);
            };
            let reply = next
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            match reply {
                Some(reply) => reply.render(cli.api(), "model-1"),
                None => ScriptedResponse::json(400, r#"{"error":{"message":"no more"}}"#),
            }
        });
        Ok(Self { server, replies })
    }

    /// Appends a reply.
    pub fn reply(&self, reply: ModelReply) -> &Self {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.push_back(reply);
        drop(replies);
        self
    }

    /// Drops the replies that no request has got.
    pub fn forget_replies(&self) {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.clear();
    }

    pub const fn server(&self) -> &ModelServer {
        &self.server
    }

    /// The root of its URLs.
    pub fn root(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// The bodies of the requests of turns so far.
    pub fn requests(&self) -> Vec<String> {
        let requests = self.server.requests();
        let of_turns = requests.iter().filter(|request| asking(request).is_some());
        let text = |request: &RecordedRequest| String::from_utf8_lossy(&request.body).into_owned();
        of_turns.map(text).collect()
    }
}

/// The agent whose turn the request is of.
fn asking(request: &RecordedRequest) -> Option<AgentCli> {
    let mut all = AgentCli::ALL.into_iter();
    all.find(|cli| cli.is_turn(request))
}

fn aside(request: &RecordedRequest) -> ScriptedResponse {
    let api = AgentCli::ALL.into_iter().find(|cli| match cli {
        AgentCli::Codex => request.path.contains("/responses"),
        AgentCli::Claude => request.path.starts_with("/v1/messages"),
        AgentCli::Gemini => request.path.contains("enerateContent"),
    });
    match api {
        Some(cli) if request.method == "POST" => ModelReply::default()
            .text("{}")
            .render(cli.api(), "model-1"),
        _ => ScriptedResponse::status(404),
    }
}
