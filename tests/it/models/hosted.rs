//! The examples of the manual for hosted endpoints, sent to a server that stands in for them.
//!
//! The server is the daemon's proxy, so that requests are for the real hosts: that shows their whole
//! address, and their dialects apply. Only TLS is left out.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use scorel_testkit::{ModelReply, ModelServer, RecordedRequest, ScriptedResponse, WireApi};
use serde_json::{Value, json};

use super::{KEY, ModelsShell};

const MANUAL: &str = include_str!("../../../docs/configuration.md");

/// The first TOML of a section of the manual.
fn example(heading: &str) -> String {
    let (_, section) = MANUAL.split_once(&format!("#### {heading}\n")).unwrap();
    let (_, block) = section.split_once("```toml\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    block.to_owned()
}

/// A daemon with an example of the manual as its configuration.
struct HostedShell {
    shell: ModelsShell,
    server: ModelServer,
    proxy: String,
}

impl HostedShell {
    async fn new(heading: &str, key_variable: &str) -> Self {
        let (shell, server) = (ModelsShell::new(), ModelServer::start().await.unwrap());
        let plain = example(heading).replace("https://", "http://");
        assert!(
            plain.contains(&format!("apiKeyEnv = \"{key_variable}\"")),
            "{plain}"
        );
        shell
            .0
            .configure(&format!("{plain}\n[runtime]\nretries = 0\n"));
        let env = shell.0.home().join("env");
        fs::write(&env, format!("{key_variable}={KEY}\n")).unwrap();
        fs::set_permissions(&env, fs::Permissions::from_mode(0o600)).unwrap();
        let proxy = format!("http://{}", server.address());
        Self {
            shell,
            server,
            proxy,
        }
    }

    /// Runs a command and returns the last request that it led to.
    async fn request(&self, arguments: &[&str]) -> RecordedRequest {
        let proxy = [("HTTP_PROXY", self.proxy.as_str())];
        let output = self.shell.run(arguments, &proxy).await;
        assert!(output.status.success(), "{output:?}");
        self.server.requests().pop().unwrap()
    }

    /// The request of a turn.
    async fn turn(&self) -> RecordedRequest {
        self.server
            .answer(ScriptedResponse::chat().text("ready").finish("stop"));
        self.request(&["send", "hello"]).await
    }

    /// The request for the list of models.
    async fn list(&self, provider: &str) -> RecordedRequest {
        let list = json!({"object": "list", "data": [{"id": "listed"}]});
        self.server
            .answer(ScriptedResponse::json(200, list.to_string()));
        self.request(&["models", "--provider", provider]).await
    }
}

/// What chat completions of every host have.
fn assert_chat(body: &Value, model: &str) {
    assert_eq!(body["model"], model);
    assert_eq!(body["stream"], true);
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0]["role"], "system");
    assert_eq!(messages.last().unwrap()["role"], "user");
    let tool = &body["tools"][0];
    assert_eq!(tool["type"], "function");
    assert!(tool["function"]["parameters"].is_object(), "{tool}");
}

/// Fields that only OpenAI's own endpoint takes.
fn assert_nothing_of_openais_own(body: &Value) {
    for field in ["store", "prompt_cache_key", "usage"] {
        assert_eq!(body[field], Value::Null, "{field}");
    }
}

#[tokio::test]
async fn azure_v1_gets_a_responses_request_with_its_own_key_header() {
    let hosted = HostedShell::new("Azure OpenAI", "AZURE_OPENAI_API_KEY").await;
    let reply = ModelReply::default().text("ready");
    hosted
        .server
        .answer(reply.render(WireApi::OpenAiResponses, "my-deployment"));
    let asked = hosted.request(&["send", "hello"]).await;
    let host = "http://my-resource.openai.azure.com";
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", &*format!("{host}/openai/v1/responses"))
    );
    assert_eq!(asked.header("host"), Some("my-resource.openai.azure.com"));
    assert_eq!(asked.header("api-key"), Some(KEY));
    assert_eq!(asked.header("authorization"), None);
    let body = asked.json();
    assert_eq!(body["model"], "my-deployment");
    assert_eq!(body["stream"], true);
    assert!(body["input"].is_array(), "{body}");
    let listed = hosted.list("azure").await;
    assert_eq!(listed.path, format!("{host}/openai/v1/models"));
    assert_eq!(listed.header("api-key"), Some(KEY));
    hosted.shell.stop().await;
}

#[tokio::test]
async fn an_azure_deployment_is_addressed_by_its_path_and_version() {
    let name = "Azure OpenAI, one deployment";
    let hosted = HostedShell::new(name, "AZURE_OPENAI_API_KEY").await;
    let asked = hosted.turn().await;
    assert_eq!(
        asked.path,
        "http://my-resource.openai.azure.com/openai/deployments/my-deployment/chat/completions\
         ?api-version=2024-10-21"
    );
    assert_eq!(asked.header("api-key"), Some(KEY));
    assert_eq!(asked.header("authorization"), None);
    let body = asked.json();
    assert_chat(&body, "my-deployment");
    assert_nothing_of_openais_own(&body);
    assert_eq!(
        body["max_tokens"],
        Value::Null,
        "reasoning models reject it"
    );
    hosted.shell.stop().await;
}

#[tokio::test]
async fn azure_limits_answers_as_openai_does() {
    let name = "Azure OpenAI, one deployment";
    let hosted = HostedShell::new(name, "AZURE_OPENAI_API_KEY").await;
    hosted
        .server
        .answer(ScriptedResponse::chat().text("ready").finish("stop"));
    let asked = hosted.request(&["call", "checkModel", "{}"]).await;
    assert_eq!(asked.json()["max_completion_tokens"], 64);
    assert_eq!(asked.json()["max_tokens"], Value::Null);
    hosted.shell.stop().await;
}

#[tokio::test]
async fn bedrock_gets_chat_completions_with_an_api_key() {
    let hosted = HostedShell::new("Amazon Bedrock", "AWS_BEARER_TOKEN_BEDROCK").await;
    let asked = hosted.turn().await;
    let base = "http://bedrock-runtime.us-west-2.amazonaws.com/openai/v1";
    assert_eq!(asked.path, format!("{base}/chat/completions"));
    assert_eq!(
        asked.header("authorization"),
        Some(&*format!("Bearer {KEY}"))
    );
    assert_chat(&asked.json(), "openai.gpt-oss-120b-1:0");
    assert_nothing_of_openais_own(&asked.json());
    let named = ["send", "--model", "bedrock:openai.gpt-oss-20b-1:0", "hello"];
    hosted
        .server
        .answer(ScriptedResponse::chat().text("ready").finish("stop"));
    let other = hosted.request(&named).await;
    assert_eq!(
        other.json()["model"],
        "openai.gpt-oss-20b-1:0",
        "a colon in the id"
    );
    hosted.shell.stop().await;
}

#[tokio::test]
async fn vertex_gets_chat_completions_with_an_access_token() {
    let hosted = HostedShell::new("Google Vertex AI", "VERTEX_ACCESS_TOKEN").await;
    let asked = hosted.turn().await;
    assert_eq!(
        asked.path,
        "http://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1/\
         endpoints/openapi/chat/completions"
    );
    assert_eq!(
        asked.header("authorization"),
        Some(&*format!("Bearer {KEY}"))
    );
    assert_chat(&asked.json(), "google/gemini-2.5-pro");
    assert_nothing_of_openais_own(&asked.json());
    hosted.shell.stop().await;
}

/// Gemini 3 refuses a call of its own that comes back without its signature.
#[tokio::test]
async fn vertex_gets_the_signatures_of_its_calls_back() {
    let hosted = HostedShell::new("Google Vertex AI", "VERTEX_ACCESS_TOKEN").await;
    let signature = json!({"google": {"thought_signature": "c2lnbmVk"}});
    hosted.server.answer(
        ScriptedResponse::chat()
            .delta(&json!({"role": "assistant", "tool_calls": [{
                "index": 0, "id": "function-call-1", "type": "function",
                "function": {"name": "Glob", "arguments": r#"{"pattern":"*"}"#},
                "extra_content": signature,
            }]}))
            .finish("tool_calls"),
    );
    let asked = hosted.turn().await.json();
    let mut messages = asked["messages"].as_array().unwrap().iter();
    let message = messages.find(|it| it["role"] == "assistant").unwrap();
    assert_eq!(message["tool_calls"][0]["extra_content"], signature);
    assert_eq!(message["extra_content"], Value::Null);
    hosted.shell.stop().await;
}

#[tokio::test]
async fn a_new_access_token_applies_from_the_next_call_on() {
    let hosted = HostedShell::new("Google Vertex AI", "VERTEX_ACCESS_TOKEN").await;
    hosted.turn().await;
    let env = hosted.shell.0.home().join("env");
    fs::write(env, "VERTEX_ACCESS_TOKEN=ya29.next\n").unwrap();
    let asked = hosted.turn().await;
    assert_eq!(asked.header("authorization"), Some("Bearer ya29.next"));
    hosted.shell.stop().await;
}
