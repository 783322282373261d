//! Files outside the project, which a permit grants.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_engine::{Effect, Permit, ReadFilter, ToolList};
use serde_json::{Value, json};

use super::project::{
    Project, RESOLVERS, Session, ToolAnswer, block_on, call_with, context, tool_call,
};

/// A project with a directory beside it that the user may permit.
fn project() -> Project {
    let project = Project::new();
    project.write("in.txt", "inside\n");
    project.write("../out/a.txt", "alpha\n");
    project.write("../out/deep/b.txt", "beta\n");
    project.write("../other/secret.txt", "SECRET\n");
    project.link("link", "../out");
    project.link("../out/inner", "deep");
    project.link("../out/leaves", "../other");
    project.link("../out/absolute", project.path("../other"));
    project
}

fn outside(project: &Project, path: &str) -> PathBuf {
    project.path("..").canonicalize().unwrap().join(path)
}

/// A permit for everything that a call declares.
fn permit_for(session: &Session, name: &str, input: &Value) -> Permit {
    let list = ToolList::new(session.tools.list()).unwrap();
    let plan = block_on(list.plan(tool_call(name, input.clone())));
    Permit {
        granted: plan.effects().into(),
        ..Permit::default()
    }
}

/// A call that the user permits.
fn permitted(session: &Session, name: &str, input: Value) -> ToolAnswer {
    let permit = permit_for(session, name, &input);
    session.call_with(name, input, permit)
}

fn reading(path: &Path) -> Permit {
    let path = path.to_owned();
    Permit {
        granted: [Effect::ReadPath { path }].into(),
        ..Permit::default()
    }
}

fn writing(path: &Path) -> Permit {
    Permit {
        granted: [Effect::WritePath {
            path: path.to_owned(),
            named: String::new(),
            protection: None,
        }]
        .into(),
        ..Permit::default()
    }
}

#[test]
fn a_permitted_file_is_read_however_it_is_named() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let session = Session::on(&project);
        let absolute = outside(&project, "out/a.txt");
        let absolute = absolute.to_str().unwrap();
        for path in [absolute, "../out/a.txt", "link/a.txt", "link/deep/../a.txt"] {
            let input = json!({ "path": path });
            let refused = session.call("Read", input.clone());
            assert_eq!(refused.code(), "E_SANDBOX_VIOLATION", "{path}");
            let answer = permitted(&session, "Read", input);
            assert_eq!(answer.ok(), "     1\talpha\n", "{path}");
            assert_eq!(answer.details["path"], absolute);
        }
        let missing = json!({ "path": "../out/absent/x" });
        assert_eq!(permitted(&session, "Read", missing).code(), "ENOENT");
        let directory = json!({ "path": "../out" });
        let answer = permitted(&session, "Read", directory);
        assert_eq!(answer.code(), "E_IS_DIRECTORY");
    }
}

#[test]
fn a_permitted_directory_is_listed_and_searched() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let session = Session::on(&project);
        let out = outside(&project, "out");
        let (named, out) = (out.clone(), out.display());
        for path in [named.to_str().unwrap(), "../out", "link"] {
            let glob = json!({ "path": path, "pattern": "**/*.txt" });
            let answer = permitted(&session, "Glob", glob);
            assert_eq!(answer.ok(), format!("{out}/a.txt\n{out}/deep/b.txt\n"));
            let grep = json!({ "path": path, "pattern": "alpha|beta|SECRET" });
            let answer = permitted(&session, "Grep", grep.clone());
            let found = format!("{out}/a.txt:1:alpha\n{out}/deep/b.txt:1:beta\n");
            assert_eq!(answer.ok(), found);
            assert_eq!(session.call("Grep", grep).code(), "E_SANDBOX_VIOLATION");
        }
        let pattern = json!({ "pattern": format!("{out}/deep/*") });
        let answer = permitted(&session, "Glob", pattern.clone());
        assert_eq!(answer.ok(), format!("{out}/deep/b.txt\n"));
        assert_eq!(session.call("Glob", pattern).code(), "E_SANDBOX_VIOLATION");
        let file = json!({ "path": "../out/a.txt", "pattern": "a" });
        let answer = permitted(&session, "Grep", file);
        assert_eq!(answer.ok(), format!("{out}/a.txt:1:alpha\n"));
    }
}

#[test]
fn a_permitted_file_is_created_changed_and_replaced() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let session = Session::on(&project);
        let new = outside(&project, "out/new/dir/note.md");
        let named = new.to_str().unwrap();
        let write = |content: &str| json!({ "path": named, "content": content });
        let refused = session.call("Write", write("one\n"));
        assert_eq!(refused.code(), "E_SANDBOX_VIOLATION");
        assert!(!project.path("../out/new").exists());
        let created = permitted(&session, "Write", write("one\n"));
        assert!(
            created.ok().starts_with(&format!("Created {named}")),
            "{created:?}"
        );
        let edit = json!({ "path": "link/new/dir/note.md",
                           "edits": [{ "oldString": "one", "newString": "two" }] });
        assert_eq!(
            session.call("Edit", edit.clone()).code(),
            "E_SANDBOX_VIOLATION"
        );
        permitted(&session, "Edit", edit).ok();
        assert_eq!(fs::read_to_string(&new).unwrap(), "two\n");
        permitted(&session, "Write", write("three\n")).ok();
        assert_eq!(fs::read_to_string(&new).unwrap(), "three\n");
        let unread = json!({ "path": "../out/a.txt", "content": "" });
        assert_eq!(permitted(&session, "Write", unread).code(), "E_NOT_READ");
        // The link to a file that does not exist yet names where it will be.
        project.link("soon", "../out/soon.txt");
        let soon = json!({ "path": "soon", "content": "x" });
        permitted(&session, "Write", soon).ok();
        assert_eq!(project.content("../out/soon.txt"), "x");
    }
}

#[test]
fn a_permit_covers_what_it_names_and_nothing_beside_it() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let session = Session::on(&project);
        let read = |path: &str, granted: &str| {
            let permit = reading(&outside(&project, granted));
            session.call_with("Read", json!({ "path": path }), permit)
        };
        assert_eq!(read("../out/a.txt", "out").ok(), "     1\talpha\n");
        assert_eq!(read("../out/inner/b.txt", "out").ok(), "     1\tbeta\n");
        for (path, granted) in [
            ("../out/deep/b.txt", "out/a.txt"),
            ("../other/secret.txt", "out"),
            ("../out/leaves/secret.txt", "out"),
            ("../out/absolute/secret.txt", "out"),
            ("../out/../other/secret.txt", "out"),
            ("../outer", "out"),
            ("/etc/passwd", "out"),
        ] {
            let answer = read(path, granted);
            assert_eq!(answer.code(), "E_SANDBOX_VIOLATION", "{path}");
            assert!(!answer.text.contains("SECRET"), "{answer:?}");
        }
        let write = |path: &str, permit: Permit| {
            let input = json!({ "path": path, "content": "x" });
            session.call_with("Write", input, permit)
        };
        let new = outside(&project, "out/new");
        for (path, permit) in [
            ("../out/new", reading(&new)),
            ("../out/new", reading(&outside(&project, "out"))),
            ("../out/new", writing(&outside(&project, "out"))),
            ("../out/new/below", writing(&new)),
            ("../out/leaves/new", writing(&new)),
        ] {
            assert_eq!(write(path, permit).code(), "E_SANDBOX_VIOLATION", "{path}");
        }
        let grant = writing(&new);
        assert_eq!(
            read_with(&session, "../out/a.txt", grant.clone()),
            "E_SANDBOX_VIOLATION"
        );
        write("../out/new", grant).ok();
        assert_eq!(project.names("../other"), ["secret.txt"]);
    }
}

fn read_with(session: &Session, path: &str, permit: Permit) -> String {
    let answer = session.call_with("Read", json!({ "path": path }), permit);
    answer.code().to_owned()
}

#[test]
fn a_link_that_leaves_a_permitted_directory_is_named_and_not_followed() {
    for resolver in RESOLVERS {
        let project = project().with_resolver(*resolver);
        let session = Session::on(&project);
        let permit = reading(&outside(&project, "out"));
        let other = outside(&project, "other");
        for pattern in ["leaves/*", "absolute/*"] {
            let input = json!({ "path": "../out", "pattern": pattern });
            let answer = session.call_with("Glob", input, permit.clone());
            assert_eq!(answer.code(), "E_SANDBOX_VIOLATION");
            let leads_to = &answer.details["error"]["details"]["leadsTo"];
            assert_eq!(leads_to, other.to_str().unwrap(), "{answer:?}");
            assert!(answer.text.contains("the user is asked"), "{answer:?}");
        }
        let listed = json!({ "path": "../out", "pattern": "*" });
        let answer = session.call_with("Glob", listed, permit);
        let note = "2 links that are broken or lead outside are left out.";
        assert!(answer.ok().contains(note), "{answer:?}");
        // In the project it is the same.
        let answer = session.call("Glob", json!({ "pattern": "link/*" }));
        let leads_to = &answer.details["error"]["details"]["leadsTo"];
        assert_eq!(leads_to, outside(&project, "out").to_str().unwrap());
    }
}

/// A call that is planned, then run when `change` has been made.
fn changed_meanwhile(
    session: &Session,
    name: &str,
    input: Value,
    change: impl FnOnce(),
) -> ToolAnswer {
    let list = ToolList::new(session.tools.list()).unwrap();
    ToolAnswer::new(block_on(async {
        let plan = list.plan(tool_call(name, input)).await;
        let permit = Permit {
            granted: plan.effects().into(),
            ..Permit::default()
        };
        change();
        plan.run(permit, context()).await
    }))
}

#[test]
fn a_path_that_leads_elsewhere_since_it_was_judged_is_refused() {
    for resolver in RESOLVERS {
        for (name, input) in [
            ("Read", json!({ "path": "../out/a.txt" })),
            ("Grep", json!({ "path": "../out", "pattern": "SECRET" })),
            ("Glob", json!({ "path": "../out", "pattern": "**" })),
            ("Write", json!({ "path": "../out/new.txt", "content": "x" })),
        ] {
            let project = project().with_resolver(*resolver);
            project.write("../other/a.txt", "SECRET\n");
            let session = Session::on(&project);
            let swap = || {
                fs::rename(project.path("../out"), project.path("../gone")).unwrap();
                symlink("other", project.path("../out")).unwrap();
            };
            let answer = changed_meanwhile(&session, name, input, swap);
            assert_eq!(
                answer.code(),
                "E_STALE",
                "{name} with {resolver:?}: {answer:?}"
            );
            assert!(!answer.text.contains("SECRET"), "{answer:?}");
            assert_eq!(project.names("../other"), ["a.txt", "secret.txt"]);
        }
        // The file itself becomes a link.
        for (name, input) in [
            ("Read", json!({ "path": "../out/a.txt" })),
            ("Write", json!({ "path": "../out/a.txt", "content": "x" })),
        ] {
            let project = project().with_resolver(*resolver);
            let session = Session::on(&project);
            let swap = || {
                fs::remove_file(project.path("../out/a.txt")).unwrap();
                symlink("deep/b.txt", project.path("../out/a.txt")).unwrap();
            };
            let answer = changed_meanwhile(&session, name, input, swap);
            assert_eq!(
                answer.code(),
                "E_STALE",
                "{name} with {resolver:?}: {answer:?}"
            );
            assert_eq!(project.content("../out/deep/b.txt"), "beta\n");
        }
    }
}

#[test]
fn protected_files_need_a_permit_of_their_own() {
    let project = project();
    project.write("../out/.git/config", "");
    let session = Session::on(&project);
    let input = json!({ "path": "../out/.git/hooks/x", "content": "x" });
    let granted = permit_for(&session, "Write", &input);
    let [Effect::WritePath { protection, .. }] = &*granted.granted else {
        panic!("one write expected: {granted:?}");
    };
    assert!(protection.is_some());
    let refused = session.call_with("Write", input.clone(), granted.clone());
    assert_eq!(refused.code(), "E_PERMISSION_NEEDED");
    let permit = Permit {
        protected_writes: true,
        ..granted
    };
    session.call_with("Write", input, permit).ok();
    assert_eq!(project.content("../out/.git/hooks/x"), "x");
}

/// Keeps back a directory with everything below it.
#[derive(Debug)]
struct AllBut(PathBuf);

impl ReadFilter for AllBut {
    fn may_read(&self, path: &Path) -> bool {
        !path.starts_with(&self.0)
    }
}

#[test]
fn rules_keep_files_back_in_a_permitted_directory() {
    let project = project();
    let session = Session::on(&project);
    let permit = Permit {
        reads: Some(Arc::new(AllBut(outside(&project, "out/deep")))),
        ..reading(&outside(&project, "out"))
    };
    let grep = json!({ "path": "../out", "pattern": "alpha|beta" });
    let answer = session.call_with("Grep", grep, permit.clone());
    assert!(answer.ok().contains("alpha") && !answer.ok().contains("beta"));
    assert_eq!(answer.details["keptBack"], 1);
    assert_eq!(
        read_with(&session, "../out/deep/b.txt", permit),
        "E_PERMISSION_NEEDED"
    );
}

/// The reason why a call is refused in every mode, if it is.
fn unresolved(session: &Session, name: &str, input: &Value) -> Option<String> {
    let effects = permit_for(session, name, input).granted;
    effects.iter().find_map(|effect| match effect {
        Effect::Unresolved { reason } => Some(reason.clone()),
        _ => None,
    })
}

#[test]
fn the_daemons_home_and_processes_are_never_shown_or_changed() {
    let project = project();
    project.write("../out/home/env", "KEY=SECRET\n");
    let root = crate::Root::open(crate::RootName::Project, &project.path("")).unwrap();
    let host = project.host_at(&project.path("../out/home"));
    let session = Session {
        tools: crate::ProjectTools::on(crate::Roots::new(root), host),
        permit: Permit::default(),
    };
    for path in [
        "../out/home/env",
        "../out/home",
        "link/home/env",
        "/proc/self/environ",
    ] {
        let read = json!({ "path": path });
        assert!(unresolved(&session, "Read", &read).is_some(), "{path}");
        assert!(permitted(&session, "Read", read).is_error, "{path}");
        let grep = json!({ "path": path, "pattern": "." });
        assert!(unresolved(&session, "Grep", &grep).is_some(), "{path}");
        let write = json!({ "path": format!("{path}/new"), "content": "x" });
        assert!(unresolved(&session, "Write", &write).is_some(), "{path}");
    }
    let permit = reading(&outside(&project, "out"));
    let grep = json!({ "path": "../out", "pattern": "SECRET|alpha" });
    let answer = call_with(&session.tools, tool_call("Grep", grep), permit.clone());
    assert!(answer.ok().contains("alpha") && !answer.ok().contains("SECRET"));
    let glob = json!({ "path": "../out", "pattern": "**" });
    let answer = call_with(&session.tools, tool_call("Glob", glob), permit);
    assert!(
        answer.ok().contains("a.txt") && !answer.ok().contains("env"),
        "{answer:?}"
    );
}

#[test]
fn file_systems_of_the_kernel_are_not_walked_from_above() {
    let project = project();
    let session = Session::on(&project);
    let glob = json!({ "path": "/", "pattern": "*/version" });
    let answer = permitted(&session, "Glob", glob);
    assert!(!answer.ok().contains("/proc/version"), "{answer:?}");
    let glob = json!({ "path": "/proc", "pattern": "version" });
    assert_eq!(permitted(&session, "Glob", glob).ok(), "/proc/version\n");
}
