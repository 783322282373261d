use std::fs;
use std::path::{Path, PathBuf};

use crate::packages::printed;

/// The directory of packages of a later version, to upgrade to.
const NEXT: &str = "SCOREL_NEXT_PACKAGES";

/// A package of a later version: of other programs, where the environment names it, with another unit in any
/// case.
pub(crate) fn later_package(deb: &Path, dir: &Path) -> PathBuf {
    let source = std::env::var(NEXT).ok().map(|next| {
        let files = fs::read_dir(&next)
            .unwrap()
            .map(|file| file.unwrap().path());
        let mut debs = files.filter(|path| path.extension().is_some_and(|it| it == "deb"));
        debs.next()
            .unwrap_or_else(|| panic!("no package in {next}"))
    });
    if source.is_none() {
        println!("{NEXT} is not set: the same programs are installed as a later version");
    }
    let tree = dir.join("tree");
    let tree = tree.to_str().unwrap();
    let source = source.as_deref().unwrap_or(deb);
    printed(
        "dpkg-deb",
        &["--raw-extract", source.to_str().unwrap(), tree],
    );
    let edit = |file: &str, from: &str, to: &str| {
        let path = Path::new(tree).join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    edit("DEBIAN/control", "\nVersion: ", "\nVersion: 99:");
    let unit = "usr/lib/systemd/user/scoreld.service";
    edit(
        unit,
        "Description=Scorel daemon",
        "Description=Later Scorel daemon",
    );
    let made = dir.join("later.deb");
    printed(
        "dpkg-deb",
        &[
            "--root-owner-group",
            "-Zgzip",
            "--build",
            tree,
            made.to_str().unwrap(),
        ],
    );
    made
}
