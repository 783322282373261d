use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{BlobSink, spawn_blocking};
use scorel_mcp_client::{ListedPrompt, McpClient};
use scorel_outside_tool::tool_name;
use scorel_proto::{Block, CommandArgument, CommandInfo, CommandKind, ProcessState, SkillSource};
use serde_json::json;
use tokio::time::timeout;

use crate::prompt_arguments::PromptArguments;
use crate::prompt_reply::message;

/// The time for a server that has listed nothing yet. One that takes longer has its prompts in the next list.
const LIMIT: Duration = Duration::from_secs(1);

/// A prompt of a server.
#[derive(Debug)]
pub struct ServerPrompt {
    /// The name by which users send it.
    pub name: String,
    prompt: Arc<ListedPrompt>,
    client: Arc<McpClient>,
    source: SkillSource,
}

/// The reason why there is no message.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("{0}")]
    Arguments(String),
    #[error("{reason}")]
    Server { state: ProcessState, reason: String },
}

impl ServerPrompt {
    /// The prompts of a server, as it listed them last, by their names. Starts one that has listed nothing, and waits
    /// a moment for it.
    pub async fn of(client: Arc<McpClient>, source: SkillSource) -> Vec<Self> {
        let listed = timeout(LIMIT, client.listing()).await;
        let listed = listed.ok().and_then(Result::ok);
        let Some(listing) = listed.or_else(|| client.known()) else {
            return Vec::new();
        };
        let mut prompts = BTreeMap::new();
        for prompt in &listing.prompts {
            let server = &client.settings().name;
            let name = tool_name("mcp", server, &prompt.name, |it| prompts.contains_key(it));
            let prompt = Self {
                name: name.clone(),
                prompt: Arc::clone(prompt),
                client: Arc::clone(&client),
                source,
            };
            prompts.insert(name, prompt);
        }
        prompts.into_values().collect()
    }

    /// The prompt as a command.
    pub fn describe(&self) -> CommandInfo {
        let on_a_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let arguments = self.prompt.arguments.iter();
        CommandInfo {
            name: self.name.clone(),
            description: on_a_line(&self.prompt.description),
            argument_hint: PromptArguments(&self.prompt.arguments).hint(),
            kind: CommandKind::Prompt,
            source: self.source,
            arguments: arguments
                .map(|it| CommandArgument {
                    name: it.name.clone(),
                    description: on_a_line(&it.description),
                    required: it.required,
                })
                .collect(),
            ignored: Vec::new(),
        }
    }

    /// The message that it stands for with these arguments. Starts the server if it does not run.
    ///
    /// # Errors
    /// See [`PromptError`].
    pub async fn message(
        &self,
        typed: &str,
        blobs: Arc<dyn BlobSink>,
    ) -> Result<Vec<Block>, PromptError> {
        let arguments = PromptArguments(&self.prompt.arguments).typed(typed);
        let arguments = arguments.map_err(PromptError::Arguments)?;
        let failed = |reason| PromptError::Server {
            state: self.client.process().status().state,
            reason,
        };
        let asked = json!({ "name": self.prompt.name, "arguments": arguments });
        let reply = self.client.ask("prompts/get", asked).await;
        let reply = reply.map_err(|error| failed(error.to_string()))?;
        let read = spawn_blocking(move || message(&reply, &*blobs)).await;
        let read = read.unwrap_or_else(|_| Err("its answer could not be kept".to_owned()));
        read.map_err(failed)
    }
}
