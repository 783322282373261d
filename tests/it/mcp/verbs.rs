//! `scorelctl mcp`, and servers of a project.

use std::fs;

use serde_json::{Value, json};

use super::scene::Scene;
use crate::under_test::{scorelctl, send};

/// Exit code, output and messages of a command.
async fn run(scene: &Scene, arguments: &[&str]) -> (i32, String, String) {
    let output = scorelctl(&scene.daemon, arguments, &[]).await;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

fn words(scene: &Scene) -> [String; 3] {
    let home = scene.daemon.home();
    let path = |name: &str| home.join(name).to_str().unwrap().to_owned();
    [path("server.py"), "handshake".to_owned(), path("notes")]
}

#[tokio::test]
async fn a_server_is_tried_then_added_and_its_tools_are_offered() {
    let scene = Scene::of("modern").await;
    let file = scene.daemon.home().join("config.toml");
    let before = format!("# mine\n{}", fs::read_to_string(&file).unwrap());
    fs::write(&file, &before).unwrap();
    let words = words(&scene);
    let words = words.each_ref().map(String::as_str);
    let add = [
        &["mcp", "add", "more", "--env", "A=b", "python3"],
        &words[..],
    ]
    .concat();
    let (code, out, err) = run(&scene, &add).await;
    assert_eq!(code, 0, "{out}{err}");
    for said in [
        "MCP 2025-11-25, 11 tools, about ",
        "mcp__more__echo ",
        " tokens  The tool echo.",
    ] {
        assert!(out.contains(said), "{said}: {out}");
    }
    assert!(
        out.contains("left out: `broken`: ") && out.contains("added more: "),
        "{out}"
    );
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(&before), "{after}");
    assert!(after.contains("env = { \"A\" = \"b\" }"), "{after}");

    let (_, out, _) = run(&scene, &["mcp", "list"]).await;
    assert!(
        out.contains("more                  user    available   stdio  python3 "),
        "{out}"
    );
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("mcp__more__echo"), "{body}");
    let (_, out, _) = run(&scene, &["mcp", "list"]).await;
    assert!(
        out.contains("    ready, MCP 2025-11-25, 11 tools\n"),
        "{out}"
    );

    let (code, out, err) = run(&scene, &["--json", "mcp", "tools", "more"]).await;
    assert_eq!(code, 0, "{out}{err}");
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(shown["tools"].as_array().unwrap().len(), 11, "{shown}");
    assert_eq!(shown["era"], "2025-11-25");

    let (code, _, err) = run(&scene, &add).await;
    assert!(
        code != 0 && err.contains("a server `more` already"),
        "{err}"
    );
    let (code, out, _) = run(&scene, &["mcp", "remove", "more"]).await;
    assert!(code == 0 && out.contains("removed more: "), "{out}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let (code, _, err) = run(&scene, &["mcp", "tools", "fkae"]).await;
    assert!(code != 0 && err.contains("did you mean fake?"), "{err}");
}

#[tokio::test]
async fn a_server_that_does_not_work_is_not_added_and_its_last_words_are_shown() {
    let scene = Scene::of("modern").await;
    let file = scene.daemon.home().join("config.toml");
    let before = fs::read_to_string(&file).unwrap();
    for (command, said) in [
        ("echo no license >&2; exit 7", "it exited with code 7"),
        ("exec nothing-here", "it exited with code 127"),
    ] {
        let add = ["mcp", "add", "bad", "--", "sh", "-c", command];
        let (code, out, err) = run(&scene, &add).await;
        assert!(code != 0 && err.contains(said), "{out}{err}");
        assert!(err.contains("nothing was added"), "{err}");
        // Once, although it was started twice: a server may know only one of two ways to begin.
        let said = format!("{out}{err}").matches("no license").count();
        assert_eq!(said, usize::from(command.starts_with("echo")), "{out}{err}");
    }
    let (code, _, err) = run(&scene, &["mcp", "add", "bad", "--", "no-such-program"]).await;
    assert!(code != 0 && err.contains("no-such-program"), "{err}");
    let secret = [
        "mcp",
        "add",
        "bad",
        "--secret-env",
        "A=NOT_THERE",
        "--",
        "true",
    ];
    let (code, _, err) = run(&scene, &secret).await;
    assert!(
        code != 0 && err.contains("it needs the secret `NOT_THERE`"),
        "{err}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[tokio::test]
async fn a_projects_server_is_started_once_it_is_trusted_and_not_after_a_change() {
    let scene = Scene::of("modern").await;
    let project = scene.daemon.project();
    fs::write(project.join("serve.py"), include_str!("server.py")).unwrap();
    let notes = project.join("theirs");
    let server = |kind: &str| {
        json!({"mcpServers": {"Their_DB": {"command": "python3",
        "args": ["${CLAUDE_PROJECT_DIR}/serve.py", kind, notes]}}})
    };
    fs::write(project.join(".mcp.json"), server("modern").to_string()).unwrap();
    let mut talk = scene.talk().await;
    let is_offered = || {
        let body = scene.model.requests().last().unwrap().json().to_string();
        body.contains("mcp__Their_DB__echo")
    };
    let (_, out, err) = run(&scene, &["mcp", "list"]).await;
    assert!(
        out.contains("Their_DB              project untrusted "),
        "{out}"
    );
    assert!(err.contains("trust add mcp:Their_DB"), "{err}");
    let (code, _, err) = run(&scene, &["mcp", "tools", "Their_DB"]).await;
    assert!(code != 0 && err.contains("is not trusted"), "{err}");
    talk.turn(&scene.client, "hi").await;
    assert!(!is_offered() && !notes.exists());

    let (code, _, err) = run(&scene, &["trust", "add", "mcp:Their_DB"]).await;
    assert_eq!(code, 0, "{err}");
    scene.refresh(&talk).await;
    talk.turn(&scene.client, "hi").await;
    assert!(is_offered() && notes.exists());

    fs::write(project.join(".mcp.json"), server("handshake").to_string()).unwrap();
    scene.refresh(&talk).await;
    talk.turn(&scene.client, "hi").await;
    assert!(!is_offered(), "changed");
    let (_, out, _) = run(&scene, &["mcp", "list"]).await;
    assert!(
        out.contains("Their_DB              project changed "),
        "{out}"
    );
}

#[tokio::test]
async fn a_person_is_asked_before_a_call_changes_what_a_trusted_server_runs() {
    let scene = Scene::of("modern").await;
    let project = scene.daemon.project();
    fs::write(project.join("serve.py"), include_str!("server.py")).unwrap();
    fs::create_dir(project.join(".scorel")).unwrap();
    // In the project it would be one more file that has to stay as it is.
    let notes = scene.daemon.home().join("theirs");
    let entry = format!(
        "[[mcp.servers]]\nname = \"theirs\"\ncommand = \"python3\"\ncwd = {project:?}\nsandbox = \"none\"\nargs = [\"serve.py\", \"modern\", {notes:?}]\n"
    );
    fs::write(project.join(".scorel/config.toml"), entry).unwrap();
    let mut talk = scene.talk().await;
    let (_, out, _) = run(&scene, &["trust"]).await;
    let shown = format!("runs: python3 serve.py modern {}", notes.display());
    assert!(out.contains(&shown), "{out}");
    assert!(
        out.contains(&format!("; in {}", project.display())),
        "{out}"
    );
    let (code, _, err) = run(&scene, &["trust", "add", "mcp:theirs"]).await;
    assert_eq!(code, 0, "{err}");
    talk.turn(&scene.client, "hi").await;
    scene.will_write("other.py", "pass\n");
    talk.turn(&scene.client, "write").await;
    scene.will_write("serve.py", "pass\n");
    send(&scene.client, talk.id, "write").await;
    let asked = talk.until("permission_request").await;
    let reason = asked.last().unwrap()["hookReason"].to_string();
    assert!(
        reason.contains("the trusted MCP server `theirs` runs this file"),
        "{reason}"
    );
}
