//! Files that a tool may change only with the user's permission.

use std::fs;

use serde_json::{Value, json};

use scorel_engine::{Effect, Permit, ToolList};
use scorel_permission::protected::Protection;

use super::project::{Project, Session, ToolAnswer, block_on, context, tool_call};

const PATHS: [(&str, Protection); 6] = [
    (".git/hooks/pre-commit", Protection::Git),
    (".git/config", Protection::Git),
    (".scorel/config.toml", Protection::Configuration),
    (".bashrc", Protection::Startup),
    ("daemon/config.toml", Protection::Daemon),
    ("hooks-link/post-merge", Protection::Git),
];

fn project() -> Project {
    let project = Project::new();
    for (path, _) in PATHS.iter().take(5) {
        project.write(path, "old\n");
    }
    project.link("hooks-link", ".git/hooks");
    project.link("config-link", "daemon/config.toml");
    project
}

/// The effects of writing calls, as a plan declares them.
fn effects(session: &Session, name: &str, input: Value) -> Vec<Effect> {
    let list = ToolList::new(session.tools.list()).unwrap();
    block_on(list.plan(tool_call(name, input)))
        .effects()
        .to_vec()
}

/// Arguments of a call that changes the file at `path`.
fn writing(path: &str) -> Value {
    json!({ "path": path, "content": "" })
}

fn protection(effects: &[Effect]) -> Option<&str> {
    match effects {
        [Effect::WritePath { protection, .. }] => protection.as_deref(),
        other => panic!("one write expected: {other:?}"),
    }
}

#[test]
fn protected_files_are_refused_with_the_reason() {
    let project = project();
    let session = Session::on(&project);
    let links = [
        ("config-link", Protection::Daemon),
        ("src/../.git/new", Protection::Git),
    ];
    fs::create_dir(project.path("src")).unwrap();
    for (path, protection) in PATHS.into_iter().chain(links) {
        let _ = session.read(path);
        let answers = [
            session.write(path, "new\n"),
            session.edit(path, "old", "new"),
        ];
        for answer in answers {
            let is_new = !project.path(path).exists();
            let missing = is_new && answer.text.starts_with("ENOENT");
            assert!(
                missing || answer.code() == "E_PERMISSION_NEEDED",
                "{answer:?}"
            );
            assert!(
                missing || answer.text.contains(protection.reason()),
                "{answer:?}"
            );
        }
        let effects = effects(&session, "Write", writing(path));
        assert_eq!(
            self::protection(&effects),
            Some(protection.reason()),
            "{path}"
        );
    }
    for (path, _) in PATHS.iter().take(5) {
        assert_eq!(project.content(path), "old\n");
    }
    assert_eq!(project.names(".git/hooks"), ["pre-commit"]);
}

#[test]
fn a_plan_names_the_file_that_it_would_change() {
    let project = project();
    project.write("src/file", "");
    project.link("link", "src/file");
    let session = Session::on(&project);
    let real = project.path("").canonicalize().unwrap();
    for (name, path, file, protection) in [
        ("Write", "src/new/file", "src/new/file", None),
        ("Edit", "link", "src/file", None),
        ("Write", "link", "src/file", None),
        (
            "Edit",
            "hooks-link/x",
            ".git/hooks/x",
            Some(Protection::Git),
        ),
        (
            "Write",
            "config-link",
            "daemon/config.toml",
            Some(Protection::Daemon),
        ),
    ] {
        let input = match name {
            "Write" => writing(path),
            _ => json!({ "path": path, "edits": [{ "oldString": "a", "newString": "b" }] }),
        };
        let effect = Effect::WritePath {
            path: real.join(file),
            named: format!("@project/{path}"),
            protection: protection.map(|it: Protection| it.reason().to_owned()),
        };
        assert_eq!(effects(&session, name, input), [effect]);
    }
    for (name, input) in [
        ("Write", json!({})),
        ("Edit", json!({ "path": 7 })),
        ("Wriite", json!({ "path": "x" })),
        ("Todo", json!({ "items": [] })),
    ] {
        assert_eq!(effects(&session, name, input), [], "{name}");
    }
    let outside = real.parent().unwrap().join("x");
    let effect = Effect::WritePath {
        named: outside.to_str().unwrap().to_owned(),
        path: outside,
        protection: None,
    };
    assert_eq!(effects(&session, "Write", writing("../x")), [effect]);
    project.link("loop", "loop");
    let lost = effects(&session, "Write", writing("loop/x"));
    assert!(
        matches!(&lost[..], [Effect::Unresolved { reason }] if reason.starts_with("E_SANDBOX_VIOLATION")),
        "{lost:?}"
    );
}

#[test]
fn a_permit_is_for_the_file_that_was_judged() {
    let project = project();
    project.link("link", ".bashrc");
    let session = Session::on(&project);
    session.read("link").ok();
    let permit = Permit {
        protected_writes: true,
        ..Permit::default()
    };
    let write = |content: &str, permit: Permit, between: &dyn Fn()| -> ToolAnswer {
        let list = ToolList::new(session.tools.list()).unwrap();
        let input = json!({ "path": "link", "content": content });
        let plan = block_on(list.plan(tool_call("Write", input)));
        between();
        ToolAnswer::new(block_on(plan.run(permit, context())))
    };
    let nothing = || ();
    assert_eq!(
        write("new\n", Permit::default(), &nothing).code(),
        "E_PERMISSION_NEEDED"
    );
    write("new\n", permit.clone(), &nothing).ok();
    assert_eq!(project.content(".bashrc"), "new\n");
    assert_eq!(
        write("again\n", Permit::default(), &nothing).code(),
        "E_PERMISSION_NEEDED"
    );
    // The path leads to another protected file by the time the call runs.
    let answer = write("evil\n", permit, &|| {
        fs::remove_file(project.path("link")).unwrap();
        project.link("link", ".git/config");
        session.read("link").ok();
    });
    assert_eq!(answer.code(), "E_STALE");
    assert!(
        answer
            .text
            .contains("another file than when the call was judged"),
        "{answer:?}"
    );
    assert_eq!(project.content(".git/config"), "old\n");
}

#[test]
fn files_that_a_protected_name_leads_to_are_protected() {
    let project = Project::new();
    for (link, target) in [
        (".cargo", "evil"),
        (".vscode", "step"),
        ("step", "evil"),
        (".config", "conf"),
        (".envrc", "envrc"),
        ("sub/.claude", "../agents"),
    ] {
        project.write("sub/file", "");
        project.write("evil/file", "");
        project.link(link, target);
    }
    project.write(
        ".git/config",
        "[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../team\n",
    );
    let session = Session::on(&project);
    for (path, protection) in [
        ("evil/config.toml", Protection::Tool),
        ("evil/tasks.json", Protection::Tool),
        ("step/tasks.json", Protection::Tool),
        (".cargo/config.toml", Protection::Tool),
        ("conf/fish/config.fish", Protection::Startup),
        ("envrc", Protection::Startup),
        ("sub/.claude/settings.json", Protection::Agent),
        (".githooks/pre-commit", Protection::Named),
        (".githooks/new/hook", Protection::Named),
        ("team", Protection::Named),
    ] {
        let found = effects(&session, "Write", writing(path));
        assert_eq!(
            self::protection(&found),
            Some(protection.reason()),
            "{path}"
        );
        assert_eq!(
            session.write(path, "x").code(),
            "E_PERMISSION_NEEDED",
            "{path}"
        );
    }
    for path in [
        "evil/other.toml.md",
        "conf/other",
        "sub/config.toml",
        "teams",
    ] {
        let found = effects(&session, "Write", writing(path));
        assert_eq!(self::protection(&found), None, "{path}");
    }
}
