use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::service::program::SYSTEMCTL;
use crate::failure::Failure;

/// The directories in which the user's service manager looks for units.
#[derive(Debug)]
pub(super) struct UnitDirs {
    /// That of the user's own units.
    own: PathBuf,
    /// Those of packages and administrators, the first that has a unit being the one that counts.
    system: Vec<PathBuf>,
}

impl UnitDirs {
    pub(super) fn find(user_home: &Path) -> Result<Self, Failure> {
        let read = SYSTEMCTL.run(&["show", "--property", "UnitPath", "--value"])?;
        let config = env::var_os("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty());
        let candidates = [config.map(PathBuf::from), Some(user_home.join(".config"))];
        let own = candidates
            .into_iter()
            .flatten()
            .map(|dir| dir.join("systemd/user"));
        Self::parse(&read, own).ok_or_else(|| {
            let message =
                format!("the service manager reads no units in ~/.config; it reads {read}");
            Failure::refused("no_unit", message)
        })
    }

    /// Reads what the manager says: directories between spaces, which they may have in their names. Those of
    /// packages are below `/etc` or `/usr` and have none.
    fn parse(read: &str, mut own: impl Iterator<Item = PathBuf>) -> Option<Self> {
        let own = own.find(|dir| dir.to_str().is_some_and(|dir| read.contains(dir)))?;
        let system = read
            .split(' ')
            .filter(|dir| dir.starts_with("/etc/") || dir.starts_with("/usr/"))
            .map(PathBuf::from)
            .collect();
        Some(Self { own, system })
    }

    /// The place of a file of the user's own.
    pub(super) fn own(&self, name: &str) -> PathBuf {
        self.own.join(name)
    }

    /// The text of a unit that is installed for all users.
    pub(super) fn system_unit(&self, name: &str) -> Option<String> {
        let mut files = self.system.iter().map(|dir| dir.join(name));
        fs::read_to_string(files.find(|file| file.exists())?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directories_of_the_user_and_of_packages_are_told_apart() {
        let read = "/home/a b/.config/systemd/user.control /run/user/1/systemd/transient \
                    /home/a b/.config/systemd/user /etc/systemd/user /run/systemd/user \
                    /usr/local/share/systemd/user /usr/lib/systemd/user";
        let own = [
            "/home/a b/other/systemd/user",
            "/home/a b/.config/systemd/user",
        ];
        let dirs = UnitDirs::parse(read, own.iter().map(PathBuf::from)).expect("directories");
        assert_eq!(
            dirs.own("x.service"),
            Path::new("/home/a b/.config/systemd/user/x.service")
        );
        let system = [
            "/etc/systemd/user",
            "/usr/local/share/systemd/user",
            "/usr/lib/systemd/user",
        ];
        assert_eq!(dirs.system, system.map(PathBuf::from));
        assert!(UnitDirs::parse("/etc/systemd/user", own.iter().map(PathBuf::from)).is_none());
    }

    #[test]
    fn the_first_directory_that_has_a_unit_counts() {
        let place = tempfile::tempdir().expect("a directory");
        let system = ["etc", "usr"].map(|dir| place.path().join(dir));
        for dir in &system {
            fs::create_dir(dir).expect("made");
        }
        let dirs = UnitDirs {
            own: place.path().join("own"),
            system: system.to_vec(),
        };
        assert_eq!(dirs.system_unit("x.service"), None);
        fs::write(system[1].join("x.service"), "package").expect("written");
        assert_eq!(dirs.system_unit("x.service").as_deref(), Some("package"));
        fs::write(system[0].join("x.service"), "administrator").expect("written");
        assert_eq!(
            dirs.system_unit("x.service").as_deref(),
            Some("administrator")
        );
    }
}
