use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::time::Duration;

use super::*;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_missing_home_is_created_for_its_owner_only() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a b").join("zu Hause ü");
    let home = Home::open(&root, None).unwrap();
    assert_eq!(mode(home.root()), 0o700);
    assert_eq!(home.socket(), root.join("scoreld.sock"));
    assert_eq!(Home::open(&root, None).unwrap(), home);
}

#[test]
fn a_home_that_others_can_read_is_closed_to_them() {
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o755);
    Home::open(dir.path(), None).unwrap();
    assert_eq!(mode(dir.path()), 0o700);
}

#[test]
fn a_home_that_others_can_change_is_refused_with_the_fix() {
    let dir = tempfile::tempdir().unwrap();
    for open in [0o770, 0o702, 0o777] {
        set_mode(dir.path(), open);
        let refused = Home::open(dir.path(), None).unwrap_err();
        assert!(matches!(refused, HomeError::Writable { .. }), "{open:o}");
        assert!(refused.to_string().contains("chmod 700"), "{refused}");
        assert_eq!(mode(dir.path()), open);
    }
}

#[test]
fn a_home_that_others_can_replace_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let parent = dir.path().join("open");
    let root = parent.join("home");
    Home::open(&root, None).unwrap();
    set_mode(&parent, 0o777);
    assert!(matches!(
        Home::open(&root, None),
        Err(HomeError::ReplaceableParent { .. })
    ));
    set_mode(&parent, 0o1777);
    Home::open(&root, None).unwrap();
}

#[test]
fn a_link_a_file_and_a_foreign_directory_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("home");
    fs::create_dir(&root).unwrap();
    let link = dir.path().join("link");
    symlink(&root, &link).unwrap();
    assert!(matches!(
        Home::open(&link, None),
        Err(HomeError::Symlink { .. })
    ));
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(
        Home::open(&file, None),
        Err(HomeError::NotDirectory { .. })
    ));
    if chown(&root, Some(12_345), None).is_ok() {
        let refused = Home::open(&root, None);
        assert!(matches!(
            refused,
            Err(HomeError::ForeignOwner { uid: 12_345, .. })
        ));
    }
}

#[test]
fn the_runtime_directory_is_checked_when_the_socket_goes_there() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("h".repeat(110));
    let runtime = dir.path().join("run");
    fs::create_dir(&runtime).unwrap();
    set_mode(&runtime, 0o777);
    assert!(matches!(
        Home::open(&root, Some(&runtime)),
        Err(HomeError::Writable { .. })
    ));
    set_mode(&runtime, 0o700);
    let home = Home::open(&root, Some(&runtime)).unwrap();
    assert!(home.socket().starts_with(&runtime));
    assert!(matches!(Home::open(&root, None), Err(HomeError::Socket(_))));
}

#[test]
fn the_flag_wins_over_the_variable_and_the_variable_over_the_default() {
    let source = |flag: Option<&str>, variable: Option<&str>, user_home: Option<&str>| HomeSource {
        flag: flag.map(PathBuf::from),
        variable: variable.map(Into::into),
        user_home: user_home.map(PathBuf::from),
        runtime_dir: None,
    };
    let located = |source: HomeSource| source.locate().map_err(|error| error.to_string());
    let ok = |path: &str| Ok(PathBuf::from(path));
    assert_eq!(
        located(source(Some("/f/"), Some("/v"), Some("/u"))),
        ok("/f")
    );
    assert_eq!(located(source(None, Some("/v"), Some("/u"))), ok("/v"));
    assert_eq!(
        located(source(None, Some(""), Some("/u"))),
        ok("/u/.scorel")
    );
    assert!(matches!(
        source(None, Some("~/x"), None).locate(),
        Err(HomeError::Relative { .. })
    ));
    assert!(matches!(
        source(None, None, Some("")).locate(),
        Err(HomeError::Unknown)
    ));
    let relative = source(Some("./here"), None, None).locate().unwrap();
    assert_eq!(relative, std::env::current_dir().unwrap().join("here"));
}

#[test]
fn temporary_files_from_before_the_start_are_removed_and_others_stay() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::open(dir.path(), None).unwrap();
    let session = home.sessions().join("ses_1");
    fs::create_dir_all(session.join("blobs")).unwrap();
    fs::create_dir_all(session.join("files")).unwrap();
    let gone = [
        home.root().join(".active.12.tmp"),
        session.join(".checkpoint.0.tmp"),
        session.join("events.jsonl.copy"),
        session.join("blobs/.ab.1.tmp"),
        session.join("files/.cd.2.tmp"),
    ];
    // The socket of a turn that a killed daemon ran.
    let socket = home.root().join(".t0.0.tmp");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let kept = [
        home.active(),
        home.root().join(".mine.tmp"),
        session.join("events.jsonl"),
        session.join("events.jsonl.torn-9"),
    ];
    for path in gone.iter().chain(&kept) {
        fs::write(path, "x").unwrap();
    }
    let before = File::open(&gone[0]).unwrap().metadata().unwrap().modified();
    home.remove_temporary(before.unwrap());
    assert!(gone.iter().all(|path| path.exists()), "they are in use");
    home.remove_temporary(home.disk_time().unwrap() + Duration::from_secs(1));
    assert!(!gone.iter().any(|path| path.exists()));
    assert!(!socket.exists());
    assert!(kept.iter().all(|path| path.exists()));
}
