//! `Read`, `Glob`, `Grep`, `Write` and `Edit` outside the project.

use std::fs;
use std::path::Path;

use scorel_proto::PermissionDecision;
use serde_json::{Value, json};

use super::{Answered, Calls};

/// A directory outside the project, with a file that a rule may be about.
struct Outside(tempfile::TempDir);

impl Outside {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        fs::write(dir.path().join("src/a.txt"), "alpha\n").unwrap();
        Self(dir)
    }

    fn path(&self, name: &str) -> String {
        let real = self.0.path().canonicalize().unwrap();
        real.join(name).to_str().unwrap().to_owned()
    }

    /// One call of each tool.
    fn calls(&self) -> [(&'static str, Value); 5] {
        let edit = json!({ "oldString": "one", "newString": "two" });
        [
            ("Read", json!({ "path": self.path("src/a.txt") })),
            ("Glob", json!({ "path": self.path("src"), "pattern": "*" })),
            (
                "Grep",
                json!({ "path": self.path("src"), "pattern": "alpha" }),
            ),
            (
                "Write",
                json!({ "path": self.path("new/b.txt"), "content": "one\n" }),
            ),
            (
                "Edit",
                json!({ "path": self.path("new/b.txt"), "edits": [edit] }),
            ),
        ]
    }

    fn check(&self, answered: &Answered) {
        let file = self.path("src/a.txt");
        assert_eq!(answered.ok(0), "     1\talpha\n");
        assert_eq!(answered.ok(1), format!("{file}\n"));
        assert_eq!(answered.ok(2), format!("{file}:1:alpha\n"));
        assert!(answered.ok(3).starts_with("Created "), "{}", answered.ok(3));
        assert!(answered.ok(4).starts_with("Changed "), "{}", answered.ok(4));
        assert_eq!(fs::read_to_string(self.path("new/b.txt")).unwrap(), "two\n");
    }
}

#[tokio::test]
async fn files_outside_the_project_work_after_a_yes() {
    let (outside, calls) = (Outside::new(), Calls::new("").await);
    let answered = calls.play(&outside.calls(), PermissionDecision::Once).await;
    assert_eq!(answered.asked.len(), 5, "{:#?}", answered.asked);
    for request in &answered.asked {
        let reason = request["reason"].as_str().unwrap();
        assert!(reason.contains("outside of the project"), "{reason}");
    }
    outside.check(&answered);
}

#[tokio::test]
async fn a_no_leaves_them_alone() {
    let (outside, calls) = (Outside::new(), Calls::new("").await);
    let answered = calls.play(&outside.calls(), PermissionDecision::Deny).await;
    assert_eq!(answered.asked.len(), 5);
    for index in 0..5 {
        assert!(!answered.error(index).contains("alpha"));
    }
    assert!(!Path::new(&outside.path("new")).exists());
}

#[tokio::test]
async fn files_outside_the_project_work_by_rule_and_in_full() {
    for mode in ["workspace", "full"] {
        let outside = Outside::new();
        let root = outside.path("");
        let root = root.trim_end_matches('/');
        let rules = match mode {
            "workspace" => format!("allow = [\"Read({root}/**)\", \"Write({root}/**)\"]"),
            _ => String::new(),
        };
        let calls = Calls::new(&format!("[permissions]\nmode = \"{mode}\"\n{rules}\n")).await;
        let answered = calls.play(&outside.calls(), PermissionDecision::Deny).await;
        assert!(answered.asked.is_empty(), "{mode}: {:#?}", answered.asked);
        outside.check(&answered);
    }
}

#[tokio::test]
async fn a_link_out_of_a_permitted_directory_names_where_it_leads() {
    let (outside, other) = (Outside::new(), Outside::new());
    std::os::unix::fs::symlink(other.path("src"), outside.path("src/link")).unwrap();
    let root = outside.path("src");
    let config = format!("[permissions]\nallow = [\"Read({root}/**)\"]\n");
    let calls = Calls::new(&config).await;
    let glob = json!({ "path": root, "pattern": "link/*" });
    let read = json!({ "path": outside.path("src/link/a.txt") });
    let answered = calls
        .play(&[("Glob", glob), ("Read", read)], PermissionDecision::Deny)
        .await;
    let refused = answered.error(0);
    assert!(refused.starts_with("E_SANDBOX_VIOLATION"), "{refused}");
    assert!(refused.contains(&other.path("src")), "{refused}");
    // Named itself, it is judged as what it leads to.
    let [request] = answered.asked.as_slice() else {
        panic!("one question expected: {:#?}", answered.asked);
    };
    let reason = request["reason"].as_str().unwrap();
    assert!(reason.contains(&other.path("src/a.txt")), "{reason}");
}

#[tokio::test]
async fn the_daemons_own_files_stay_closed_in_full() {
    let calls = Calls::new("[permissions]\nmode = \"full\"\n").await;
    let home = calls.daemon.home().canonicalize().unwrap();
    let config = home.join("config.toml");
    let before = fs::read(&config).unwrap();
    let answered = calls
        .play(
            &[
                ("Read", json!({ "path": config })),
                ("Grep", json!({ "path": home, "pattern": "." })),
                ("Write", json!({ "path": config, "content": "" })),
                ("Read", json!({ "path": "/proc/self/environ" })),
            ],
            PermissionDecision::Once,
        )
        .await;
    for index in 0..4 {
        let refused = answered.error(index);
        assert!(refused.starts_with("not run: "), "{refused}");
    }
    assert_eq!(fs::read(&config).unwrap(), before);
}
