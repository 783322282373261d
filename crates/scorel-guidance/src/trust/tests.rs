use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use scorel_proto::TrustedFileChange;
use serde_json::json;

use super::*;

#[test]
fn an_item_is_inert_until_it_is_trusted_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let skill = dir.path().join("skill");
    fs::create_dir(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), "one").unwrap();
    let store = TrustStore::new(dir.path().join("trust.json"), dir.path().join("store"));
    let project = ProjectId::generate();
    let item = ProjectItem::directory("skill:x".to_owned(), skill.clone());
    let present = [item.clone()];
    let state = || store.items(project, &present).unwrap().remove(0);
    let before = state();
    assert_eq!(before.state, TrustState::Untrusted);
    assert_eq!(before.files[0].path, "SKILL.md");
    let mut wanted = [TrustedItem {
        item: "skill:x".to_owned(),
        digest: Some("0".repeat(64)),
    }];
    let trust =
        |wanted: &[TrustedItem]| store.trust((project, ClientId::Daemon), wanted, &present, 1);
    assert!(matches!(trust(&wanted), Err(TrustError::Changed(_))));
    wanted[0].digest = before.digest;
    trust(&wanted).unwrap();
    assert_eq!(state().state, TrustState::Trusted);
    let trusted = store.of(project).unwrap();
    let Ok(Admitted::Copy(copy)) = trusted.admit(&item) else {
        panic!("no copy");
    };
    assert_eq!(fs::read_to_string(copy.join("SKILL.md")).unwrap(), "one");

    fs::write(skill.join("SKILL.md"), "two").unwrap();
    fs::write(skill.join("new.sh"), "true").unwrap();
    let changed = state();
    assert_eq!(changed.state, TrustState::Changed);
    let found: Vec<_> = changed
        .files
        .iter()
        .map(|it| (&*it.path, it.change))
        .collect();
    assert_eq!(
        found,
        [
            ("SKILL.md", Some(TrustedFileChange::Modified)),
            ("new.sh", Some(TrustedFileChange::Added))
        ]
    );
    assert_eq!(
        trusted.admit(&item),
        Err(Inert::Changed("skill:x".to_owned()))
    );
    store.distrust(project, &wanted).unwrap();
    assert_eq!(state().state, TrustState::Untrusted);
    let other = store.of(ProjectId::generate()).unwrap();
    assert_eq!(other.state(&item), TrustState::Untrusted);
}

#[test]
fn a_file_that_is_not_understood_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trust.json");
    let store = TrustStore::new(path.clone(), dir.path().join("store"));
    for text in ["{", r#"{"version":2,"projects":{}}"#] {
        fs::write(&path, text).unwrap();
        assert!(store.of(ProjectId::generate()).is_err());
        assert!(store.distrust(ProjectId::generate(), &[]).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

/// Trusts the item as it is now.
fn trust(store: &TrustStore, project: ProjectId, item: &ProjectItem) -> Result<(), TrustError> {
    let present = std::slice::from_ref(item);
    let digest = store.items(project, present)?.remove(0).digest;
    let item = item.item.clone();
    store.trust(
        (project, ClientId::Daemon),
        &[TrustedItem { item, digest }],
        present,
        1,
    )
}

#[test]
fn a_hook_is_trusted_with_its_configuration_and_the_files_of_its_command() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().canonicalize().unwrap().join("project");
    fs::create_dir(&project).unwrap();
    let (script, file) = (
        project.join("guard.sh"),
        project.join(".scorel/config.toml"),
    );
    fs::write(&script, "exit 0").unwrap();
    let store = TrustStore::new(dir.path().join("trust.json"), dir.path().join("store"));
    let id = ProjectId::generate();
    let hook = |command: &str| {
        let named = NamedFiles::of_line(&project, file.clone(), command);
        let config = json!({"event": "PreToolUse", "command": command});
        ProjectItem::command("hook:guard".to_owned(), config, named)
    };
    let guard = hook("./guard.sh || ./later.sh");
    trust(&store, id, &guard).unwrap();
    let admit = |item: &ProjectItem| store.of(id).unwrap().admit(item);
    let changed = Err(Inert::Changed("hook:guard".to_owned()));
    assert_eq!(admit(&guard), Ok(Admitted::InPlace));
    assert_eq!(admit(&hook("./guard.sh")), changed, "another command");
    let shown = store.items(id, &[hook("./guard.sh")]).unwrap().remove(0);
    assert!(shown.config_changed);

    fs::write(project.join("later.sh"), "").unwrap();
    assert_eq!(admit(&guard), changed, "a word is a file now");
    let shown = store
        .items(id, std::slice::from_ref(&guard))
        .unwrap()
        .remove(0);
    assert_eq!(shown.files[0].change, Some(TrustedFileChange::Added));
    assert!(!shown.config_changed);
    fs::remove_file(project.join("later.sh")).unwrap();
    assert_eq!(admit(&guard), Ok(Admitted::InPlace));
    fs::write(&script, "exit 1").unwrap();
    assert_eq!(admit(&guard), changed, "another script");

    let shadowed = ProjectItem {
        is_shadowed: true,
        ..guard
    };
    assert_eq!(
        admit(&shadowed),
        Err(Inert::Shadowed("hook:guard".to_owned()))
    );
    let refused = trust(&store, id, &shadowed);
    assert!(
        refused.is_err(),
        "it would be in force once the user's is gone"
    );
}

#[test]
fn what_an_older_version_trusted_stays_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let skill = dir.path().join("skill");
    fs::create_dir(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), "one").unwrap();
    fs::set_permissions(
        skill.join("SKILL.md"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    // The digest as version 0.1 made it.
    let digest = "e93c1d1b0514a48fdd9004869864438cb708856b569ba20ae5813c53ca10ab14";
    let project = ProjectId::generate();
    let sha256 = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    let entry = json!({"digest": digest, "at": 1, "by": ClientId::Daemon,
        "files": {"SKILL.md": {"mode": 0o644, "sha256": sha256}}});
    let document = json!({"version": 1, "projects": {project.to_string(): {"skill:x": entry}}});
    let path = dir.path().join("trust.json");
    fs::write(&path, document.to_string()).unwrap();
    let store = TrustStore::new(path, dir.path().join("store"));
    let item = ProjectItem::directory("skill:x".to_owned(), skill);
    let state = store.of(project).unwrap().state(&item);
    assert_eq!(state, TrustState::Trusted);
}

#[test]
fn an_item_that_is_swapped_while_it_is_trusted_is_copied_as_it_was_shown_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = dir.path().join("plugin");
    fs::create_dir(&plugin).unwrap();
    let script = plugin.join("run.sh");
    fs::write(&script, "good").unwrap();
    let store = TrustStore::new(dir.path().join("trust.json"), dir.path().join("store"));
    let project = ProjectId::generate();
    let item = ProjectItem::directory("extension:x".to_owned(), plugin);
    let present = [item.clone()];
    let digest = store.items(project, &present).unwrap().remove(0).digest;
    let wanted = [TrustedItem {
        item: item.item,
        digest,
    }];
    let is_over = AtomicBool::new(false);
    let (mut trusted, mut refused) = (0, 0);
    thread::scope(|threads| {
        threads.spawn(|| {
            for text in ["evil", "good"].iter().cycle() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                fs::write(&script, text).unwrap();
            }
        });
        for _ in 0..200 {
            let _copies = fs::remove_dir_all(dir.path().join("store"));
            match store.trust((project, ClientId::Daemon), &wanted, &present, 1) {
                Ok(()) => {
                    trusted += 1;
                    let entry = store.of(project).unwrap().items.remove("extension:x");
                    let copy = dir.path().join("store").join(entry.unwrap().digest);
                    let kept = fs::read_to_string(copy.join("run.sh")).unwrap();
                    assert_eq!(kept, "good");
                }
                Err(TrustError::Changed(_)) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(trusted + refused, 200);
    println!("{trusted} trusted, {refused} refused");
}

#[test]
fn a_copy_that_a_crash_left_unfinished_is_no_copy_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (plugin, copies) = (dir.path().join("plugin"), dir.path().join("store"));
    fs::create_dir(&plugin).unwrap();
    fs::write(plugin.join("run.sh"), "good").unwrap();
    let store = TrustStore::new(dir.path().join("trust.json"), copies.clone());
    let project = ProjectId::generate();
    let item = ProjectItem::directory("extension:x".to_owned(), plugin);
    let shown = store
        .items(project, std::slice::from_ref(&item))
        .unwrap()
        .remove(0);
    let unfinished = copies.join(format!(".{}.new", shown.digest.unwrap()));
    fs::create_dir_all(&unfinished).unwrap();
    fs::write(unfinished.join("run.sh"), "go").unwrap();
    let admitted = store.of(project).unwrap().admit(&item);
    assert_eq!(admitted, Err(Inert::Untrusted("extension:x".to_owned())));
    let unused = || {
        let mut found = Vec::new();
        store
            .visit_unused(&[], |path| found.push(path.to_owned()))
            .unwrap();
        found
    };
    assert_eq!(unused(), [unfinished]);
    trust(&store, project, &item).unwrap();
    assert_eq!(unused(), [""; 0].map(PathBuf::from));
    assert!(matches!(
        store.of(project).unwrap().admit(&item),
        Ok(Admitted::Copy(_))
    ));
}
