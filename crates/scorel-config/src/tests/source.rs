use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use super::*;

struct Fixture {
    dir: tempfile::TempDir,
    path: PathBuf,
}

impl Fixture {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs::write(&path, text).unwrap();
        Self { dir, path }
    }

    fn open(&self) -> ConfigSource {
        ConfigSource::open(&self.path).unwrap()
    }

    fn project(&self, text: &str) -> PathBuf {
        let project = self.dir.path().join("project");
        fs::create_dir_all(project.join(".scorel")).unwrap();
        fs::write(project.join(".scorel/config.toml"), text).unwrap();
        project
    }
}

fn steps(source: &ConfigSource, project: Option<&Path>) -> u32 {
    source.current(project).runtime.max_steps
}

#[test]
fn a_change_applies_at_the_next_use() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 1");
    let source = fixture.open();
    for n in 2..10 {
        // The same length in the same instant: only the content is another.
        fs::write(&fixture.path, format!("[runtime]\nmaxSteps = {n}")).unwrap();
        assert_eq!(steps(&source, None), n);
    }
    assert_eq!(source.problem(), None);
}

#[test]
fn an_invalid_change_is_reported_and_the_old_stays() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 7");
    let source = fixture.open();
    for text in ["[runtime]\nmaxSteps = 0", "[runtime", "[nonsense]"] {
        fs::write(&fixture.path, text).unwrap();
        assert_eq!(steps(&source, None), 7);
        let problem = source.problem().unwrap();
        assert!(problem.contains("config.toml:"), "{problem}");
    }
    fs::write(&fixture.path, "[runtime]\nmaxSteps = 8").unwrap();
    assert_eq!(steps(&source, None), 8);
    assert_eq!(source.problem(), None);
}

#[test]
fn a_removed_file_means_the_defaults_and_one_that_cannot_be_read_changes_nothing() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 7");
    let source = fixture.open();
    fs::remove_file(&fixture.path).unwrap();
    assert_eq!(*source.current(None), Config::default());
    assert_eq!(source.problem(), None);
    let told = source.look();
    let change = told[0].change.as_ref().unwrap();
    assert_eq!(
        (change.keys.as_slice(), change.removed),
        (["runtime.maxSteps".to_owned()].as_slice(), true)
    );
    fs::write(&fixture.path, "[runtime]\nmaxSteps = 7").unwrap();
    assert_eq!(steps(&source, None), 7);
    fs::remove_file(&fixture.path).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&fixture.path)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(steps(&source, None), 7);
    assert!(source.problem().unwrap().contains("not a regular file"));
}

#[test]
fn what_happened_is_told_once_with_the_keys_and_the_last_state() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 7");
    let source = fixture.open();
    let write = |text: &str| {
        fs::write(&fixture.path, text).unwrap();
        let _used = source.current(None);
    };
    assert_eq!(source.look(), []);
    // A comment is no change.
    write("[runtime]\nmaxSteps = 7 # more");
    assert_eq!(source.look(), []);
    // Several changes before a look, the last one invalid.
    write("[runtime]\nmaxSteps = 8");
    write("[runtime]\nmaxSteps = 8\nonRestart = 'resume'");
    write("[runtime");
    let told = source.look();
    let change = told[0].change.clone().unwrap();
    assert_eq!(change.keys, ["runtime.maxSteps", "runtime.onRestart"]);
    assert_eq!((change.generation, change.restart_needed), (2, true));
    assert!(told[0].problem.is_some());
    assert_eq!(source.look(), []);
    // Valid again, with the same content in effect.
    write("[runtime]\nmaxSteps = 8\nonRestart = 'resume'");
    let told = source.look();
    let change = told[0].change.clone().unwrap();
    assert_eq!((change.keys.len(), change.generation), (0, 2));
    assert_eq!((&told[0].project, &told[0].problem), (&None, &None));
}

#[test]
fn what_a_project_says_at_first_is_no_change() {
    let fixture = Fixture::new("");
    let source = fixture.open();
    let project = fixture.project("[runtime]\nmaxSteps = 5");
    assert_eq!(steps(&source, Some(&project)), 5);
    assert_eq!(source.look(), []);
    fixture.project("[runtime]\nmaxSteps = 4");
    let told = source.look();
    assert_eq!(told[0].project.as_deref(), Some(project.as_path()));
    assert_eq!(steps(&source, Some(&project)), 4);
}

#[test]
fn a_file_that_appears_later_counts() {
    let fixture = Fixture::new("");
    fs::remove_file(&fixture.path).unwrap();
    let source = fixture.open();
    assert_eq!(*source.current(None), Config::default());
    assert_eq!(source.problem(), None);
    fs::write(&fixture.path, "[runtime]\nmaxSteps = 3").unwrap();
    assert_eq!(steps(&source, None), 3);
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    let fixture = Fixture::new("");
    fs::set_permissions(&fixture.path, fs::Permissions::from_mode(0o666)).unwrap();
    let refused = ConfigSource::open(&fixture.path).unwrap_err();
    assert!(refused.to_string().contains("chmod 600"), "{refused}");
}

#[test]
fn a_project_overrides_the_user_and_follows_both_files() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 50");
    let source = fixture.open();
    let project = fixture.project("[runtime]\nmaxSteps = 5");
    assert_eq!(steps(&source, Some(&project)), 5);
    assert_eq!(steps(&source, None), 50);
    fs::write(&fixture.path, "[runtime]\nmaxSteps = 4").unwrap();
    assert_eq!(steps(&source, Some(&project)), 4);
    fixture.project("[runtime]\nmaxSteps = 2");
    assert_eq!(steps(&source, Some(&project)), 2);
    fs::remove_dir_all(project.join(".scorel")).unwrap();
    assert_eq!(steps(&source, Some(&project)), 4);
    assert_eq!(source.problem(), None);
}

#[test]
fn nothing_is_rebuilt_while_nothing_changes() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 50");
    let source = fixture.open();
    let project = fixture.project("[runtime]\nmaxSteps = 5");
    for project in [
        None,
        Some(project.as_path()),
        Some(Path::new("/no/such/project")),
    ] {
        let first = source.current(project);
        assert!(Arc::ptr_eq(&first, &source.current(project)), "{project:?}");
    }
}

#[test]
fn an_invalid_project_keeps_its_last_good_limits_and_affects_no_other() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 50");
    let source = fixture.open();
    let project = fixture.project("[runtime]\nmaxSteps = 5");
    assert_eq!(steps(&source, Some(&project)), 5);
    fixture.project("[runtime]\nmaxSteps = 'x'");
    assert_eq!(steps(&source, Some(&project)), 5);
    assert_eq!(steps(&source, None), 50);
    assert!(source.problem().unwrap().contains("runtime.maxSteps"));
}

#[test]
fn a_hostile_project_file_is_not_waited_for_and_not_followed() {
    let fixture = Fixture::new("[runtime]\nmaxSteps = 50");
    let source = fixture.open();
    let project = fixture.project("");
    let path = project.join(".scorel/config.toml");
    fs::remove_file(&path).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(steps(&source, Some(&project)), 50);
    assert!(source.problem().unwrap().contains("not a regular file"));
    fs::remove_file(&path).unwrap();
    let elsewhere = fixture.dir.path().join("elsewhere.toml");
    fs::write(&elsewhere, "[runtime]\nmaxSteps = 1").unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert_eq!(steps(&source, Some(&project)), 50);
    fs::remove_file(&path).unwrap();
    fs::write(&path, vec![b'#'; 2 * 1024 * 1024]).unwrap();
    assert_eq!(steps(&source, Some(&project)), 50);
    assert!(source.problem().unwrap().contains("longer than"));
}

#[test]
fn a_project_that_is_the_users_home_has_no_file_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join(".scorel");
    fs::create_dir(&home).unwrap();
    let path = home.join("config.toml");
    fs::write(&path, "[rpc]\nmaxCalls = 3").unwrap();
    let source = ConfigSource::open(&path).unwrap();
    assert!(source.current(Some(dir.path())).warnings.is_empty());
}
