//! A message that names a model of another provider than the configured one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use scorel_testkit::ScriptedResponse;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;

use super::{KEY, ModelsShell, server, text};

/// A proxy that records the target and refuses.
struct Proxy {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut lines = BufReader::new(stream).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    if line.is_empty() {
                        break;
                    }
                    seen.lock().unwrap().push(line);
                }
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn configure(shell: &ModelsShell, base_url: &str) {
    shell.0.configure(&format!(
        "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"lab\"\nid = \"big\"\n\
         baseUrl = \"{base_url}\"\n[runtime]\nretries = 0\n"
    ));
}

#[tokio::test]
async fn a_session_goes_to_another_provider_and_back_and_keeps_its_messages() {
    let (shell, server, proxy) = (ModelsShell::new(), server().await, Proxy::start().await);
    configure(&shell, &server.base_url());
    let variables = [
        ("ANTHROPIC_API_KEY", KEY),
        ("HTTPS_PROXY", proxy.url.as_str()),
    ];
    let first = shell.run(&["send", "one"], &variables).await;
    assert!(first.status.success(), "{first:?}");
    let elsewhere = ["send", "--model", "anthropic:claude-haiku-4-5", "two"];
    let elsewhere = shell.run(&elsewhere, &[]).await;
    let shown = text(&elsewhere.stderr);
    assert!(!elsewhere.status.success(), "{elsewhere:?}");
    assert!(
        shown.contains("cannot reach api.anthropic.com"),
        "the model's own host was called: {shown}"
    );
    let asked = proxy.asked();
    assert_eq!(asked[0], "CONNECT api.anthropic.com:443 HTTP/1.1");
    assert!(!asked.concat().contains("canary"), "{asked:?}");
    shell.ok(&["send", "--model", "lab:small", "three"]).await;
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let last = requests[1].json();
    assert_eq!(last["model"], "small");
    let said = last["messages"].to_string();
    for word in ["one", "two", "three"] {
        assert!(said.contains(word), "{said}");
    }
    shell.stop().await;
}

#[tokio::test]
async fn a_model_that_cannot_be_used_is_refused_before_anything_is_made() {
    let shell = ModelsShell::new();
    shell.0.configure(
        "[model]\nprovider = \"openai\"\nid = \"gpt-5-mini\"\napiKeyEnv = \"MY_OPENAI\"\n",
    );
    let send = async |model: &str| {
        let output = shell.run(&["send", "--model", model, "hi"], &[]).await;
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        text(&output.stderr).to_owned()
    };
    let typo = send("antropic:claude-haiku-4-5").await;
    assert!(typo.contains("is \"anthropic\" meant?"), "{typo}");
    let keyless = send("google:gemini-2.5-pro").await;
    let file = shell.0.home().join("env");
    assert!(
        keyless.contains("GEMINI_API_KEY or GOOGLE_API_KEY is neither")
            && keyless.contains(file.to_str().unwrap())
            && keyless.contains("write NAME=KEY into that file"),
        "{keyless}"
    );
    let own = send("gpt-5").await;
    assert!(own.contains("MY_OPENAI"), "the one that was named: {own}");
    let sessions = shell.call("listSessions", json!({})).await;
    assert_eq!(sessions["sessions"], json!([]));
    let session = shell.call("checkModel", json!({"model": "x:y"})).await;
    assert_eq!(session["error"]["details"]["provider"], "x");
    shell.stop().await;
}

#[tokio::test]
async fn a_refused_model_is_a_typed_error_and_the_session_keeps_its_own() {
    let shell = ModelsShell::new();
    shell.ok(&["send", "hello"]).await;
    let listed = shell.call("listSessions", json!({})).await;
    let id = &listed["sessions"][0]["sessionId"];
    let send = async |model: &str| {
        let params = json!({"sessionId": id, "content": "hi", "model": model});
        shell.call("sendMessage", params).await["error"].clone()
    };
    let unknown = send("antropic:claude").await;
    assert_eq!(unknown["code"], "invalid_params");
    assert_eq!(unknown["details"]["field"], "model");
    assert_eq!(unknown["details"]["suggestion"], "anthropic");
    let keyless = send("groq:openai/gpt-oss-20b").await;
    assert_eq!(keyless["code"], "provider_error");
    assert_eq!(keyless["details"]["keyVariables"], json!(["GROQ_API_KEY"]));
    let params = json!({"sessionId": id, "model": "groq:"});
    let update = shell.call("updateSession", params).await;
    assert_eq!(update["error"]["code"], "invalid_params", "{update}");
    let session = shell.call("getSession", json!({"sessionId": id})).await;
    assert_eq!(session["session"]["model"], json!(null));
    let meant = send("gpt-5-mini").await;
    assert_eq!(meant["code"], "invalid_params", "the demo is no stand-in");
    assert_eq!(meant["details"]["suggestion"], "openai:gpt-5-mini");
    shell
        .ok(&["send", "--model", "demo:demo", "still here"])
        .await;
    shell.stop().await;
}

#[tokio::test]
async fn googles_key_may_have_either_name_and_geminis_own_comes_first() {
    let shell = ModelsShell::new();
    let variables = [("GOOGLE_API_KEY", KEY)];
    let started = shell.run(&["projects"], &variables).await;
    assert!(started.status.success(), "{started:?}");
    let offline = json!({"provider": "google", "live": false});
    let listed = shell.call("listModels", offline).await;
    assert_eq!(listed["providers"][0]["hasKey"], true, "{listed}");
    let file = shell.0.home().join("env");
    fs::write(&file, "GEMINI_API_KEY='a\u{1}b'\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let refused = shell
        .call("listModels", json!({"provider": "google"}))
        .await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("GEMINI_API_KEY"), "{message}");
    shell.stop().await;
}

#[tokio::test]
async fn a_model_that_the_endpoint_lacks_is_reported_with_a_way_out() {
    let (shell, server) = (ModelsShell::new(), server().await);
    configure(&shell, &server.base_url());
    let missing = r#"{"error":{"message":"no such model"}}"#;
    server.answer(ScriptedResponse::json(404, missing));
    let refused = shell.run(&["send", "--model", "smal", "hi"], &[]).await;
    let shown = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(5), "{shown}");
    assert!(
        shown.contains("no such model") && shown.contains("`scorelctl send --model NAME`"),
        "{shown}"
    );
    assert_eq!(
        shell.ok(&["send", "--model", "small", "hi"]).await,
        "ready\n"
    );
    shell.stop().await;
}
