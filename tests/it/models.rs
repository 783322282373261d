//! Listing, choosing and checking models.

mod hosted;
mod listed;
mod other_provider;
mod retries;
mod secrets;
mod tables;
mod web_page;

use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use scorel_testkit::{
    DaemonUnderTest, ModelServer, RecordedRequest, ScriptedChat, ScriptedResponse,
};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, scorelctl};

const KEY: &str = "sk-canary-0123456789";

struct ModelsShell(DaemonUnderTest);

impl ModelsShell {
    fn new() -> Self {
        Self(DaemonUnderTest::new(SCORELD))
    }

    /// Runs the command with a key in its environment, which a daemon that it starts inherits.
    async fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        scorelctl(&self.0, arguments, variables).await
    }

    async fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, &[]).await;
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        let params = params.to_string();
        let output = self.run(&["--json", "call", method, &params], &[]).await;
        let (out, err) = (output.stdout, output.stderr);
        let text = if output.status.success() { out } else { err };
        serde_json::from_slice(&text).unwrap()
    }

    async fn stop(&self) {
        self.ok(&["stop"]).await;
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A server that lists two models and replies to every request.
async fn server() -> ModelServer {
    let server = ModelServer::start().await.unwrap();
    server.answer_with(|request: &RecordedRequest| {
        let path = request.path.split('?').next();
        if path.is_some_and(|path| path.ends_with("/models")) {
            let list = r#"{"data":[{"id":"small","context_length":4096},{"id":"big"}]}"#;
            return ScriptedResponse::json(200, list);
        }
        ScriptedChat::default()
            .text("ready")
            .usage(12, 1)
            .finish("stop")
            .into()
    });
    server
}

#[tokio::test]
async fn init_makes_a_home_in_which_the_chosen_model_answers() {
    let (shell, server) = (ModelsShell::new(), server().await);
    let url = server.base_url();
    let init = [
        "init",
        "--provider",
        "lab",
        "--api",
        "openai-completions",
        "--base-url",
        &url,
        "--model",
        "big",
        "--key-env",
        "LAB_KEY",
    ];
    // Later commands do not need the key in the environment: it is in the file.
    let output = shell.run(&init, &[("LAB_KEY", KEY)]).await;
    assert!(output.status.success(), "{output:?}");
    let shown = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(shown.contains("lab/big answered in"), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
    for name in ["config.toml", "env"] {
        let metadata = std::fs::metadata(shell.0.home().join(name)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{name}");
    }
    shell.stop().await;
    assert_eq!(shell.ok(&["send", "hello"]).await, "ready\n");
    let requests = server.requests();
    let asked = &requests[0];
    assert_eq!(asked.json()["max_tokens"], 64, "a cheap call");
    assert_eq!(asked.json()["model"], "big");
    let bearer = format!("Bearer {KEY}");
    for request in &requests {
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    }
    let again = shell.run(&["init", "--yes"], &[]).await;
    assert_eq!(again.status.code(), Some(3), "{again:?}");
    shell.stop().await;
}

#[tokio::test]
async fn a_refused_key_is_reported_and_not_shown() {
    let (shell, server) = (ModelsShell::new(), ModelServer::start().await.unwrap());
    let refusal = format!(r#"{{"error":{{"message":"bad key {KEY}"}}}}"#);
    server.answer(ScriptedResponse::json(401, refusal));
    let url = server.base_url();
    let init = [
        "init",
        "--provider",
        "lab",
        "--api",
        "openai-completions",
        "--base-url",
        &url,
        "--model",
        "big",
        "--key-env",
        "LAB_KEY",
    ];
    let output = shell.run(&init, &[("LAB_KEY", KEY)]).await;
    let shown = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("401") && !shown.contains("canary"),
        "{shown}"
    );
    shell.stop().await;
}

#[tokio::test]
async fn models_of_the_endpoint_and_of_the_configuration_are_listed_together() {
    let (shell, server) = (ModelsShell::new(), server().await);
    shell.0.configure(&format!(
        "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"lab\"\n\
         id = \"big\"\nbaseUrl = \"{}\"\ncontextWindow = 50000\nimages = false\n\
         headers = {{ x-team = \"blue\" }}\nprice = {{ input = 0.5, output = 2 }}\n",
        server.base_url()
    ));
    let listed = shell.call("listModels", json!({"provider": "lab"})).await;
    assert_eq!(listed["defaultModel"], "lab/big");
    let models = listed["models"].as_array().unwrap();
    assert_eq!(models.len(), 2);
    assert_eq!(models[0]["id"], "big");
    assert_eq!(models[0]["contextWindow"], 50_000);
    assert_eq!(models[0]["images"], false);
    assert_eq!(models[0]["price"], json!({"input": 0.5, "output": 2.0}));
    assert_eq!(models[1]["contextWindow"], 4_096);
    assert!(models.iter().all(|model| model["live"] == true));
    assert_eq!(server.requests()[0].header("x-team"), Some("blue"));
    let table = shell.ok(&["models", "--provider", "lab"]).await;
    assert!(
        table.contains("* lab:big") && table.contains("$0.50 / $2.00"),
        "{table}"
    );
    shell.stop().await;
}

#[tokio::test]
async fn without_queries_the_table_is_listed() {
    let shell = ModelsShell::new();
    let listed = shell.call("listModels", json!({"live": false})).await;
    let models = listed["models"].as_array().unwrap();
    assert_eq!(models[0]["id"], "demo");
    let find = |provider: &str| models.iter().find(|model| model["provider"] == provider);
    for provider in ["openai", "anthropic", "google", "deepseek", "qwen", "zhipu"] {
        let model = find(provider).unwrap_or_else(|| panic!("no model of {provider}"));
        assert!(
            model["contextWindow"].as_u64().unwrap() > 100_000,
            "{model}"
        );
        assert_eq!(model["live"], false);
    }
    let providers = listed["providers"].as_array().unwrap();
    assert_eq!(providers.len(), 16);
    assert!(providers.iter().all(|provider| provider["hasKey"] == false));
    shell.stop().await;
}

#[tokio::test]
async fn a_provider_that_cannot_be_queried_is_an_error_that_says_why() {
    let (shell, server) = (ModelsShell::new(), ModelServer::start().await.unwrap());
    shell.0.configure_model(&server.base_url());
    let missing = shell
        .call("listModels", json!({"provider": "anthropic"}))
        .await;
    assert_eq!(missing["error"]["code"], "provider_error");
    assert_eq!(
        missing["error"]["details"]["keyVariables"],
        json!(["ANTHROPIC_API_KEY"])
    );
    server.answer(ScriptedResponse::json(
        503,
        r#"{"error":{"message":"busy"}}"#,
    ));
    let failed = shell.call("listModels", json!({"provider": "test"})).await;
    let details = &failed["error"]["details"];
    assert_eq!(details["category"], "overloaded");
    assert_eq!(
        (&details["status"], &details["retryable"]),
        (&json!(503), &json!(true))
    );
    let unknown = shell
        .call("listModels", json!({"provider": "unknown-provider"}))
        .await;
    assert_eq!(unknown["error"]["code"], "invalid_params");
    server.answer(ScriptedResponse::json(
        404,
        r#"{"error":{"message":"no such model"}}"#,
    ));
    let unchecked = shell.call("checkModel", json!({"model": "gone"})).await;
    assert_eq!(unchecked["error"]["details"]["category"], "not_found");
    assert_eq!(server.requests()[1].json()["model"], "gone");
    shell.stop().await;
}

#[tokio::test]
async fn the_demo_needs_nothing_to_be_checked() {
    let shell = ModelsShell::new();
    let checked = shell.call("checkModel", json!({})).await;
    assert_eq!(checked["model"], "demo/demo");
    shell.stop().await;
}

#[tokio::test]
async fn a_message_may_go_to_another_model_of_the_provider() {
    let (shell, server) = (ModelsShell::new(), server().await);
    shell.0.configure_model(&server.base_url());
    shell.ok(&["send", "--model", "small", "one"]).await;
    shell.ok(&["send", "two"]).await;
    let models: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.json()["model"].clone())
        .collect();
    assert_eq!(models, ["small", "small"], "the session keeps it");
    shell.stop().await;
}
