use std::time::Duration;

use tempfile::TempDir;

use super::*;

const MANIFEST_TEXT: &str =
    "manifest = 1\nid = 'notes'\nname = 'Notes'\nversion = '1'\ncommand = ['true']\n";

struct Dir {
    dir: TempDir,
    readings: Readings,
}

impl Dir {
    fn new(file: &str, text: &str) -> Self {
        let made = Self {
            dir: tempfile::tempdir().unwrap(),
            readings: Readings::default(),
        };
        made.write(file, text);
        made
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.dir.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A look some time after the last change.
    fn read(&self, after: Duration) -> Arc<ExtensionReading> {
        let id = "notes".parse().unwrap();
        let now = SystemTime::now() + after;
        self.readings
            .at(self.dir.path(), &id, Trust::Untrusted, now)
    }
}

const LATER: Duration = Duration::from_secs(60);

#[test]
fn a_plugin_is_read_again_only_after_one_of_its_files_has_changed() {
    let dir = Dir::new(".claude-plugin/plugin.json", r#"{"name": "notes"}"#);
    dir.write("commands/fix.md", "one");
    let first = dir.read(LATER);
    assert!(Arc::ptr_eq(&first, &dir.read(LATER)));
    dir.write("commands/more.md", "two");
    let second = dir.read(LATER);
    assert_eq!(second.plugin().unwrap().commands.len(), 2);
    dir.write("commands/fix.md", "three");
    assert!(!Arc::ptr_eq(&second, &dir.read(Duration::ZERO)));
    let unsettled = dir.read(Duration::ZERO);
    assert!(
        !Arc::ptr_eq(&unsettled, &dir.read(Duration::ZERO)),
        "it may change again and keep its stamp"
    );
}

#[test]
fn a_manifest_with_the_same_text_stays_and_a_broken_one_leaves_the_last_in_use() {
    let dir = Dir::new(MANIFEST, MANIFEST_TEXT);
    let first = dir.read(Duration::ZERO);
    dir.write(MANIFEST, MANIFEST_TEXT);
    assert!(Arc::ptr_eq(&first, &dir.read(LATER)));
    dir.write(MANIFEST, &MANIFEST_TEXT.replace("name", "naem"));
    let broken = dir.read(LATER);
    assert!(Arc::ptr_eq(
        first.manifest().unwrap(),
        broken.manifest().unwrap()
    ));
    assert!(
        broken.problems[1].starts_with("extension.toml: 3:1"),
        "{:?}",
        broken.problems
    );
    fs::remove_file(dir.dir.path().join(MANIFEST)).unwrap();
    assert!(dir.read(LATER).manifest().is_none());
}
