//! llama.cpp and litellm themselves, with a model of random weights.
//!
//! `tests/live/set-up DIR` installs them; `SCOREL_LIVE_SERVERS=DIR` runs these tests.

mod servers;

use std::path::Path;
use std::process::Output;

use scorel_testkit::DaemonUnderTest;
use serde_json::Value;

use crate::under_test::{SCORELD, scorelctl};
use servers::{InstalledServers, LlamaServer, ProxyServer};

/// Ends every answer of the model, which knows no end of its own.
const MAX_TOKENS: &str = "maxTokens = 48\n";

struct LiveShell(DaemonUnderTest);

impl LiveShell {
    fn new() -> Self {
        Self(DaemonUnderTest::new(SCORELD))
    }

    async fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        scorelctl(&self.0, arguments, variables).await
    }

    async fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, &[]).await;
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs `init` for an endpoint of chat completions, and lets it write the key.
    async fn init(&self, provider: &str, base_url: &str, key: Option<&str>) -> Output {
        let mut init = vec!["init", "--provider", provider, "--model", "tiny"];
        init.extend(["--api", "openai-completions", "--base-url", base_url]);
        match key {
            Some(key) => {
                init.extend(["--key-env", "LIVE_KEY"]);
                self.run(&init, &[("LIVE_KEY", key)]).await
            }
            None => self.run(&init, &[]).await,
        }
    }

    /// Limits the answers of the model that `init` configured; its section is the file's last.
    fn limit_answers(&self) {
        self.0.configure_more(MAX_TOKENS);
    }

    /// A turn, which ends at the limit of the answer.
    async fn turn(&self, arguments: &[&str]) {
        let mut all = vec!["send"];
        all.extend(arguments);
        let output = self.run(&all, &[]).await;
        let said = shown(&output);
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.contains("its limit of output tokens"), "{said}");
        assert!(!output.stdout.is_empty(), "an answer was shown");
    }
}

fn shown(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// The texts of the model's messages in the log of the only session.
fn answers(home: &Path) -> Vec<String> {
    let sessions = std::fs::read_dir(home.join("sessions")).unwrap();
    let mut logs = sessions.map(|entry| entry.unwrap().path().join("events.jsonl"));
    let log = std::fs::read_to_string(logs.find(|log| log.exists()).unwrap()).unwrap();
    let records = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let messages = records.filter(|record| record["message"]["role"] == "assistant");
    let text = |record: Value| {
        let blocks = record["message"]["content"].as_array().cloned();
        let blocks = blocks.unwrap_or_default();
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        texts.collect::<String>()
    };
    messages.map(text).collect()
}

#[tokio::test]
async fn llama_cpp_is_set_up_and_answers_turns() {
    let Some(installed) = InstalledServers::find() else {
        return;
    };
    let (shell, llama) = (LiveShell::new(), LlamaServer::start(&installed).await);
    let init = shell.init("local", &llama.base_url(), None).await;
    assert!(init.status.success(), "{}", shown(&init));
    let said = shown(&init);
    assert!(said.contains("local/tiny answered in"), "{said}");
    assert!(
        said.contains("limit of 64 tokens cut the answer off"),
        "{said}"
    );
    let models = shell.ok(&["models", "--provider", "local"]).await;
    let row = models.lines().find(|line| line.contains("local:tiny"));
    let row = row.unwrap_or_else(|| panic!("{models}"));
    assert!(row.starts_with('*') && row.contains("65k"), "{row}");
    shell.limit_answers();
    for tools in ["none", "coding"] {
        shell
            .turn(&["--session", "new", "--tools", tools, "hello"])
            .await;
    }
    shell.ok(&["stop"]).await;
}

#[tokio::test]
async fn a_second_turn_continues_the_conversation_with_llama_cpp() {
    let Some(installed) = InstalledServers::find() else {
        return;
    };
    let (shell, llama) = (LiveShell::new(), LlamaServer::start(&installed).await);
    shell.0.configure(&format!(
        "[providers.local]\napi = \"openai-completions\"\nbaseUrl = \"{}\"\ndialect = \"llama.cpp\"\n\
         {MAX_TOKENS}",
        llama.base_url()
    ));
    for text in ["one", "two"] {
        shell.turn(&["--model", "local:tiny", text]).await;
    }
    let answers = answers(&shell.0.home());
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|text| !text.is_empty()), "{answers:?}");
    shell.ok(&["stop"]).await;
}

#[tokio::test]
async fn both_speak_every_api_that_they_have() {
    let Some(installed) = InstalledServers::find() else {
        return;
    };
    let (shell, llama) = (LiveShell::new(), LlamaServer::start(&installed).await);
    let proxy = ProxyServer::start(&installed, &llama).await;
    let mut config = String::new();
    let mut names = Vec::new();
    for (server, base_url) in [("llama", llama.base_url()), ("litellm", proxy.base_url())] {
        for api in [
            "openai-completions",
            "openai-responses",
            "anthropic-messages",
        ] {
            names.push(format!("{server}-{api}"));
            config.push_str(&format!(
                "[providers.{server}-{api}]\napi = \"{api}\"\nbaseUrl = \"{base_url}\"\n\
                 apiKeyEnv = \"LIVE_KEY\"\n{MAX_TOKENS}"
            ));
        }
    }
    shell.0.configure(&config);
    for name in names {
        let model = format!("{name}:tiny");
        for text in ["one", "two"] {
            let sent = ["send", "--model", &model, text];
            let sent = shell.run(&sent, &[("LIVE_KEY", ProxyServer::KEY)]).await;
            // Not every server says that the limit ended the answer.
            assert!(
                matches!(sent.status.code(), Some(0 | 5)),
                "{name}: {}",
                shown(&sent)
            );
            assert!(!sent.stdout.is_empty(), "{name}: {}", shown(&sent));
        }
    }
    shell.ok(&["stop"]).await;
}

#[tokio::test]
async fn litellm_is_set_up_with_its_key_and_answers_turns() {
    let Some(installed) = InstalledServers::find() else {
        return;
    };
    let (shell, llama) = (LiveShell::new(), LlamaServer::start(&installed).await);
    let proxy = ProxyServer::start(&installed, &llama).await;
    let wrong = shell
        .init("proxy", &proxy.base_url(), Some("sk-wrong-canary"))
        .await;
    let said = shown(&wrong);
    assert_eq!(wrong.status.code(), Some(1), "{said}");
    assert!(said.contains("the key was not accepted"), "{said}");
    assert!(!said.contains("canary"), "{said}");
    for name in ["config.toml", "env"] {
        std::fs::remove_file(shell.0.home().join(name)).unwrap();
    }
    let init = shell
        .init("proxy", &proxy.base_url(), Some(ProxyServer::KEY))
        .await;
    assert!(init.status.success(), "{}", shown(&init));
    assert!(shown(&init).contains("proxy/tiny answered in"));
    let models = shell.ok(&["models", "--provider", "proxy"]).await;
    assert!(models.contains("* proxy:tiny"), "{models}");
    shell.limit_answers();
    for text in ["one", "two"] {
        shell.turn(&[text]).await;
    }
    assert!(answers(&shell.0.home()).iter().all(|text| !text.is_empty()));
    shell.ok(&["stop"]).await;
}

#[tokio::test]
async fn a_misspelt_model_of_litellm_leads_to_the_nearest_name() {
    let Some(installed) = InstalledServers::find() else {
        return;
    };
    let (shell, llama) = (LiveShell::new(), LlamaServer::start(&installed).await);
    let proxy = ProxyServer::start(&installed, &llama).await;
    shell
        .init("proxy", &proxy.base_url(), Some(ProxyServer::KEY))
        .await;
    let sent = shell.run(&["send", "--model", "tinny", "hello"], &[]).await;
    let said = shown(&sent);
    assert!(!sent.status.success(), "{said}");
    assert!(said.contains("the nearest names are tiny"), "{said}");
    shell.ok(&["stop"]).await;
}
