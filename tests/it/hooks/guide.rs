//! The examples of the guide do what it says.

use super::{calling, results, turn};

const GUIDE: &str = include_str!("../../../docs/hooks.md");

/// The example that has this hook, with its script in the user's home.
fn example(name: &str, script: &str) -> String {
    let blocks = GUIDE.split("```toml\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    let named = format!("name = \"{name}\"");
    let found = blocks.into_iter().find(|block| block.contains(&named));
    let path = format!("{}/../docs/hooks/{script}", env!("CARGO_MANIFEST_DIR"));
    found
        .unwrap()
        .replace(&format!("~/.scorel/hooks/{script}"), &path)
}

#[tokio::test]
async fn the_guard_keeps_the_lock_file_and_the_formatter_formats() {
    let hooks = format!(
        "{}\n{}",
        example("guard", "guard.sh"),
        example("format", "format.sh")
    );
    let calls = [
        (
            "Write",
            serde_json::json!({"path": "Cargo.lock", "content": "x"}),
        ),
        (
            "Write",
            serde_json::json!({"path": "notes.md", "content": "one  \ntwo\t\n"}),
        ),
    ];
    let (daemon, _model) = calling(&hooks, &calls).await;
    let id = turn(&daemon).await;
    let results = results(&daemon.log(&id.to_string()));
    assert!(
        results[0].starts_with("E_HOOK_DENIED: not run: guard: ")
            && results[0].contains("Cargo.lock"),
        "{results:?}"
    );
    assert!(!daemon.project().join("Cargo.lock").exists());
    let written = std::fs::read_to_string(daemon.project().join("notes.md")).unwrap();
    assert_eq!(written, "one\ntwo\n", "{results:?}");
    assert!(results[1].contains("[hook format] "), "{results:?}");
}
