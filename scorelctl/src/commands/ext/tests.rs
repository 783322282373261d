use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::commands::install::InstallError;

const MANIFEST: (&str, &str) = (".claude-plugin/plugin.json", r#"{"name": "tidy"}"#);

struct Dirs {
    dir: TempDir,
    extensions: PathBuf,
}

impl Dirs {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self {
            extensions: dir.path().join("home/extensions"),
            dir,
        }
    }

    fn plugin(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = self.dir.path().join(name);
        for (file, text) in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn zip(&self, files: &[(&str, &[u8], u32)]) -> PathBuf {
        let path = self.dir.path().join("plugin.zip");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, bytes, mode) in files {
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .unix_permissions(*mode);
            match mode & 0o170_000 {
                0o120_000 => {
                    let target = String::from_utf8(bytes.to_vec()).unwrap();
                    zip.add_symlink(*name, target, options).unwrap();
                }
                _ => {
                    zip.start_file(*name, options).unwrap();
                    zip.write_all(bytes).unwrap();
                }
            }
        }
        zip.finish().unwrap();
        path
    }

    fn add(&self, source: &Path) -> Result<Installed<ExtensionId>, InstallError> {
        InstallDir::<Extensions>::open(&self.extensions)?.add(source, None, false)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.extensions)
            .into_iter()
            .flatten()
            .flatten();
        let mut names: Vec<String> = entries
            .map(|it| it.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn a_directory_is_copied_replaced_and_removed() {
    let dirs = Dirs::new();
    let root = dirs.plugin(
        "one",
        &[
            MANIFEST,
            ("run.sh", "one"),
            (".git/config", "x"),
            ("a/b/c.md", "x"),
        ],
    );
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o4755)).unwrap();
    let added = dirs.add(&root).unwrap();
    assert_eq!((added.id.as_str(), added.replaced), ("tidy", false));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&added.path.join("run.sh")), 0o700);
    assert_eq!(mode(&added.path.join("a/b/c.md")), 0o600);
    assert!(!added.path.join(".git").exists());
    assert!(matches!(dirs.add(&root), Err(InstallError::Exists { .. })));
    let other = dirs.plugin("two", &[MANIFEST, ("run.sh", "two")]);
    let dir = InstallDir::<Extensions>::open(&dirs.extensions).unwrap();
    assert!(matches!(
        InstallDir::<Extensions>::open(&dirs.extensions),
        Err(InstallError::Busy(_))
    ));
    assert!(dir.add(&other, None, true).unwrap().replaced);
    assert_eq!(
        fs::read_to_string(added.path.join("run.sh")).unwrap(),
        "two"
    );
    assert!(
        !added.path.join("a").exists(),
        "nothing of the other is left"
    );
    let named = dir
        .add(&other, Some(&"other".parse().unwrap()), false)
        .unwrap();
    assert_eq!(dirs.names(), ["other", "tidy"]);
    dir.remove(&named.id).unwrap();
    assert!(matches!(
        dir.remove(&named.id),
        Err(InstallError::Unknown { .. })
    ));
    assert_eq!(dirs.names(), ["tidy"]);
}

#[test]
fn an_archive_is_added_also_with_one_directory_around_it() {
    let dirs = Dirs::new();
    let zip = dirs.zip(&[
        (
            "tidy-main/.claude-plugin/plugin.json",
            MANIFEST.1.as_bytes(),
            0o644,
        ),
        ("tidy-main/run.sh", b"true", 0o755),
    ]);
    let added = dirs.add(&zip).unwrap();
    assert_eq!(
        fs::read_to_string(added.path.join("run.sh")).unwrap(),
        "true"
    );
    assert_eq!(dirs.names(), ["tidy"]);
}

#[test]
fn a_program_is_added_by_the_id_of_its_manifest() {
    let dirs = Dirs::new();
    let manifest = "manifest = 1\nid = 'notes'\nname = 'Notes'\nversion = '1'\ncommand = ['python3', 'n.py']\n";
    let root = dirs.plugin("some", &[("extension.toml", manifest), ("n.py", "")]);
    assert_eq!(dirs.add(&root).unwrap().id.as_str(), "notes");
    let dir = InstallDir::<Extensions>::open(&dirs.extensions).unwrap();
    let other = dir.add(&root, Some(&"other".parse().unwrap()), false);
    assert!(
        matches!(other, Err(InstallError::Unusable { .. })),
        "{other:?}"
    );
}

#[test]
fn a_hostile_source_leaves_nothing() {
    let dirs = Dirs::new();
    let manifest = (MANIFEST.0, MANIFEST.1.as_bytes(), 0o644);
    let large = vec![0_u8; 65 * 1024 * 1024];
    for (name, bytes, mode, expected) in [
        ("../evil", &b"x"[..], 0o644, "leads out of the directory"),
        ("/etc/evil", b"x", 0o644, "leads out of the directory"),
        ("a/../../evil", b"x", 0o644, "leads out of the directory"),
        ("a\\..\\evil", b"x", 0o644, "leads out of the directory"),
        ("a\nb", b"x", 0o644, "is a name that is not written"),
        (
            "link",
            b"/etc/passwd",
            0o120_777,
            "is a link or a special file",
        ),
        ("bomb", &large, 0o644, "more than 67108864 bytes"),
        (
            "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q",
            b"x",
            0o644,
            "too many directories",
        ),
    ] {
        let zip = dirs.zip(&[manifest, (name, bytes, mode)]);
        let refused = dirs.add(&zip).unwrap_err().to_string();
        assert!(refused.contains(expected), "{name}: {refused}");
        assert_eq!(dirs.names(), [""; 0], "{name}");
    }
    let evil = dirs.dir.path().join("home/evil");
    assert!(!evil.exists());
    fs::write(dirs.dir.path().join("plugin.zip"), "PK\x03\x04 no archive").unwrap();
    let refused = dirs.add(&dirs.dir.path().join("plugin.zip")).unwrap_err();
    assert!(matches!(refused, InstallError::Archive { .. }), "{refused}");
    let root = dirs.plugin("linked", &[MANIFEST]);
    symlink("/etc/passwd", root.join("link")).unwrap();
    assert!(matches!(dirs.add(&root), Err(InstallError::Refused { .. })));
    let none = dirs.plugin("none", &[("README.md", "x")]);
    let refused = dirs.add(&none).unwrap_err().to_string();
    assert!(
        refused.contains("a plugin has `.claude-plugin/plugin.json`"),
        "{refused}"
    );
    assert_eq!(dirs.names(), [""; 0]);
}

#[test]
fn what_an_interrupted_change_has_left_is_removed() {
    let dirs = Dirs::new();
    fs::create_dir_all(dirs.extensions.join(".adding/half")).unwrap();
    fs::create_dir_all(dirs.extensions.join(".removed")).unwrap();
    InstallDir::<Extensions>::open(&dirs.extensions).unwrap();
    assert_eq!(dirs.names(), [""; 0]);
}
