//! Several providers of the user's own, in `[providers.NAME]` tables.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use super::{KEY, ModelsShell, server, text};

/// Two tables beside a model of the demo.
fn configure(shell: &ModelsShell, lab: &ModelServer, attic: &ModelServer) {
    let (lab, attic) = (lab.base_url(), attic.base_url());
    shell.0.configure(&format!(
        "[providers.lab]\napi = \"openai-completions\"\nbaseUrl = \"{lab}?tenant=a\"\n\
         apiKeyEnv = \"LAB_KEY\"\nkeyHeader = \"x-lab-key\"\nheaders = {{ x-team = \"blue\" }}\n\
         contextWindow = 50000\n\
         [providers.attic]\napi = \"openai-completions\"\nbaseUrl = \"{attic}\"\n\
         [runtime]\nretries = 0\n"
    ));
    let env = shell.0.home().join("env");
    fs::write(&env, format!("LAB_KEY={KEY}\n")).unwrap();
    fs::set_permissions(&env, fs::Permissions::from_mode(0o600)).unwrap();
}

#[tokio::test]
async fn a_session_goes_from_one_to_the_next_and_each_gets_its_own_key_only() {
    let (shell, lab, attic) = (ModelsShell::new(), server().await, server().await);
    configure(&shell, &lab, &attic);
    shell.ok(&["send", "--model", "lab:qwen3:8b", "one"]).await;
    shell.ok(&["send", "--model", "attic:big", "two"]).await;
    shell.ok(&["send", "three"]).await;
    let asked = &lab.requests()[0];
    assert_eq!(asked.path, "/v1/chat/completions?tenant=a");
    assert_eq!(asked.header("x-lab-key"), Some(KEY));
    assert_eq!(asked.header("x-team"), Some("blue"));
    assert_eq!(asked.header("authorization"), None);
    assert_eq!(asked.json()["model"], "qwen3:8b");
    let others = attic.requests();
    assert_eq!(others.len(), 2, "the session keeps its model");
    for request in &others {
        assert_eq!(request.path, "/v1/chat/completions");
        assert!(!format!("{request:?}").contains("canary"), "{request:?}");
        assert_eq!(request.header("x-team"), None);
    }
    let said = others[1].json()["messages"].to_string();
    assert!(
        ["one", "two", "three"]
            .iter()
            .all(|word| said.contains(word))
    );
    shell.stop().await;
}

#[tokio::test]
async fn they_are_settings_of_sessions_and_unknown_ones_are_refused() {
    let (shell, lab, attic) = (ModelsShell::new(), server().await, server().await);
    configure(&shell, &lab, &attic);
    shell.ok(&["send", "hello"]).await;
    let listed = shell.call("listSessions", json!({})).await;
    let id = &listed["sessions"][0]["sessionId"];
    let params = json!({"sessionId": id, "model": "attic:small"});
    let updated = shell.call("updateSession", params).await;
    assert_eq!(updated["error"], Value::Null, "{updated}");
    let session = shell.call("getSession", json!({"sessionId": id})).await;
    assert_eq!(session["session"]["model"], "attic:small");
    let project = &listed["sessions"][0]["projectId"];
    let params = json!({"projectId": project, "model": "lab:big"});
    let created = shell.call("createSession", params).await;
    assert_eq!(created["error"], Value::Null, "{created}");
    let params = json!({"sessionId": id, "model": "atic:small"});
    let refused = shell.call("updateSession", params).await;
    assert_eq!(refused["error"]["code"], "invalid_params");
    assert_eq!(refused["error"]["details"]["suggestion"], "attic");
    fs::remove_file(shell.0.home().join("env")).unwrap();
    let params = json!({"sessionId": id, "model": "lab:big"});
    let keyless = shell.call("updateSession", params).await;
    let details = &keyless["error"]["details"];
    assert_eq!(details["keyVariables"], json!(["LAB_KEY"]), "{keyless}");
    shell.stop().await;
}

#[tokio::test]
async fn their_models_are_listed_and_checked() {
    let (shell, lab, attic) = (ModelsShell::new(), server().await, server().await);
    configure(&shell, &lab, &attic);
    let table = shell.ok(&["models", "--provider", "lab"]).await;
    assert!(
        table.contains("lab:small") && table.contains("lab:big"),
        "{table}"
    );
    assert_eq!(lab.requests()[0].path, "/v1/models?tenant=a");
    assert_eq!(lab.requests()[0].header("x-lab-key"), Some(KEY));
    let listed = shell.call("listModels", json!({"live": false})).await;
    let find = |name: &str| {
        let mut providers = listed["providers"].as_array().unwrap().iter();
        providers.find(|it| it["name"] == name).unwrap().clone()
    };
    let (lab_listed, openai) = (find("lab"), find("openai"));
    assert_eq!(lab_listed["custom"], true);
    assert_eq!(lab_listed["hasKey"], true);
    assert_eq!(lab_listed["keyVariables"], json!(["LAB_KEY"]));
    assert_eq!(find("attic")["hasKey"], false);
    assert_eq!(openai["custom"], Value::Null);
    let checked = shell
        .call("checkModel", json!({"model": "attic:big"}))
        .await;
    assert_eq!(checked["model"], "attic/big");
    assert_eq!(attic.requests()[0].json()["max_tokens"], 64);
    let unknown = shell.call("listModels", json!({"provider": "lav"})).await;
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("lab") && message.contains("openai"),
        "{message}"
    );
    shell.stop().await;
}

#[tokio::test]
async fn init_makes_a_model_of_a_table_the_default_one() {
    let (shell, lab, attic) = (ModelsShell::new(), server().await, server().await);
    configure(&shell, &lab, &attic);
    let init = ["init", "--force", "--provider", "attic", "--model", "big"];
    let output = shell.run(&init, &[]).await;
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).contains("attic/big answered in"));
    assert_eq!(shell.ok(&["send", "hello"]).await, "ready\n");
    assert_eq!(attic.requests().len(), 2);
    shell.ok(&["send", "--model", "lab:big", "and you?"]).await;
    assert_eq!(lab.requests().len(), 1, "its table is as it was");
    shell.stop().await;
}

#[tokio::test]
async fn a_table_that_cannot_work_is_an_error_with_file_and_line() {
    let shell = ModelsShell::new();
    shell
        .0
        .configure("[providers.openai]\napi = \"openai-completions\"\nbaseUrl = \"http://x\"\n");
    let output = shell.run(&["send", "hi"], &[]).await;
    let shown = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(!output.status.success(), "{shown}");
    let place = format!("{}:1:", shell.0.home().join("config.toml").display());
    assert!(shown.contains(&place), "{shown}");
    assert!(shown.contains("name of a builtin provider"), "{shown}");
}

/// Commands get some of the daemon's variables, but none that holds a key.
#[tokio::test]
async fn a_key_of_a_table_does_not_reach_commands() {
    let (shell, lab, attic) = (ModelsShell::new(), server().await, server().await);
    configure(&shell, &lab, &attic);
    fs::remove_file(shell.0.home().join("env")).unwrap();
    shell.0.configure_more("[permissions]\nmode = \"full\"\n");
    attic.answer(
        ScriptedResponse::chat()
            .tool_call("call_1", "Bash", r#"{"command":"env"}"#)
            .finish("tool_calls"),
    );
    let variables = [("LAB_KEY", KEY), ("LANGUAGE", KEY), ("LANG", "visible")];
    let sent = shell
        .run(&["send", "--model", "attic:big", "go"], &variables)
        .await;
    assert!(sent.status.success(), "{sent:?}");
    let body = attic.requests()[1].json()["messages"].to_string();
    assert!(body.contains("LANG=visible"), "{body}");
    assert!(!body.contains("canary"), "{body}");
    shell.stop().await;
}
