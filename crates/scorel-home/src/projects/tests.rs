use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::thread;

use super::*;

mod quotas;

struct Fixture {
    dir: tempfile::TempDir,
    registry: ProjectRegistry,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let registry = ProjectRegistry::open(&dir.path().join("projects.json")).unwrap();
        Self { dir, registry }
    }

    fn directory(&self, name: &str) -> String {
        let path = self.dir.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn reopened(&self) -> ProjectRegistry {
        ProjectRegistry::open(&self.dir.path().join("projects.json")).unwrap()
    }
}

#[test]
fn a_directory_is_registered_once_whatever_path_leads_to_it() {
    let fixture = Fixture::new();
    let path = fixture.directory("shop");
    let (project, created) = fixture.registry.register(&path, None).unwrap();
    assert!(created);
    assert_eq!(project.display_name, "shop");
    let link = fixture.dir.path().join("link");
    symlink(&path, &link).unwrap();
    for same in [
        path.clone(),
        format!("{path}/"),
        format!("{path}/../shop"),
        link.to_str().unwrap().to_owned(),
    ] {
        let (again, created) = fixture.registry.register(&same, Some("other")).unwrap();
        assert_eq!((again, created), (project.clone(), false), "{same}");
    }
    assert_eq!(
        fixture.registry.get(project.project_id),
        Some(project.clone())
    );
    assert_eq!(fixture.registry.list(), [project]);
}

#[test]
fn what_was_registered_or_removed_is_on_the_disk_when_the_call_returns() {
    let fixture = Fixture::new();
    let id = ProjectId::generate();
    let (one, _) = fixture
        .registry
        .register_as(id, &fixture.directory("a"), Some(" A "))
        .unwrap();
    let (two, _) = fixture
        .registry
        .register(&fixture.directory("b"), None)
        .unwrap();
    assert_eq!((one.project_id, one.display_name.as_str()), (id, "A"));
    assert_eq!(fixture.reopened().list(), [one.clone(), two.clone()]);
    assert_eq!(
        fixture.registry.remove(one.project_id).unwrap(),
        Some(one.clone())
    );
    assert_eq!(fixture.reopened().list(), [two]);
    assert_eq!(fixture.registry.remove(one.project_id).unwrap(), None);
}

#[test]
fn a_change_that_cannot_be_written_does_not_happen() {
    let fixture = Fixture::new();
    let (one, _) = fixture
        .registry
        .register(&fixture.directory("a"), None)
        .unwrap();
    let other = fixture.directory("b");
    let path = fixture.dir.path().join("projects.json");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let refused = fixture.registry.register(&other, None);
    assert!(matches!(
        refused,
        Err(ProjectError::File(StateError::Write { .. }))
    ));
    assert!(fixture.registry.remove(one.project_id).is_err());
    assert_eq!(fixture.registry.list(), [one]);
}

#[test]
fn paths_that_are_no_directories_are_refused_by_kind() {
    let fixture = Fixture::new();
    let file = fixture.dir.path().join("file");
    fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap();
    let refused = |path: &str| fixture.registry.register(path, None).unwrap_err();
    assert!(matches!(refused("here"), ProjectError::NotAbsolute { .. }));
    assert!(matches!(refused(""), ProjectError::NotAbsolute { .. }));
    assert!(matches!(refused("~/x"), ProjectError::NotAbsolute { .. }));
    assert!(matches!(
        refused("/no/such/directory"),
        ProjectError::NotFound { .. }
    ));
    assert!(matches!(refused(file), ProjectError::NotDirectory { .. }));
    assert!(matches!(
        refused(&format!("{file}/x")),
        ProjectError::NotDirectory { .. }
    ));
    refused("/a\0b");
    assert!(fixture.registry.list().is_empty());
    assert!(!fixture.dir.path().join("projects.json").exists());
}

#[test]
fn a_damaged_file_is_named_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("projects.json");
    let id = "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let entry = format!(
        r#"{{"projectId":"{id}","displayName":"a","workDir":"/a","createdAt":1,"updatedAt":1}}"#
    );
    let twice = format!(r#"{{"version":1,"projects":[{entry},{entry}]}}"#);
    for text in ["", "[]", r#"{"version":1}"#, &twice[..60], &twice] {
        fs::write(&path, text).unwrap();
        let refused = ProjectRegistry::open(&path).unwrap_err();
        assert!(matches!(refused, StateError::Damaged { .. }), "{text}");
        assert!(
            refused.to_string().contains("projects.json is damaged"),
            "{refused}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, r#"{"version":9,"rows":{}}"#).unwrap();
    let refused = ProjectRegistry::open(&path);
    assert!(matches!(refused, Err(StateError::Newer { version: 9, .. })));
}

#[test]
fn unknown_fields_survive_a_rewrite() {
    let fixture = Fixture::new();
    let path = fixture.dir.path().join("projects.json");
    fs::write(
        &path,
        r#"{"version":1,"pinned":["x"],"projects":[{"projectId":"prj_01ARZ3NDEKTSV4RRFFQ69G5FAV","displayName":"a","workDir":"/a","createdAt":1,"updatedAt":1,"colour":"red"}]}"#,
    )
    .unwrap();
    let registry = fixture.reopened();
    registry.register(&fixture.directory("b"), None).unwrap();
    let file: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(file["pinned"][0], "x");
    assert_eq!(file["projects"][0]["colour"], "red");
    assert_eq!(file["projects"][1]["displayName"], "b");
}

#[test]
fn registering_from_many_threads_makes_one_project_for_each_directory() {
    let fixture = Fixture::new();
    let paths: Vec<_> = (0..4)
        .map(|n| fixture.directory(&format!("d{n}")))
        .collect();
    let Fixture { dir, registry } = fixture;
    let registry = Arc::new(registry);
    let threads: Vec<_> = (0..16)
        .map(|n| {
            let (registry, path) = (Arc::clone(&registry), paths[n % 4].clone());
            thread::spawn(move || registry.register(&path, None).unwrap().1)
        })
        .collect();
    let created = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .filter(|new| *new);
    assert_eq!(created.count(), 4);
    assert_eq!(
        ProjectRegistry::open(&dir.path().join("projects.json"))
            .unwrap()
            .list()
            .len(),
        4
    );
}
