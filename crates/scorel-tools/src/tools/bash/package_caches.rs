//! Caches of package managers.
//!
//! Builds outside of the sandbox later run or trust their contents. So commands read them. With
//! the network a command may add to those of cargo and Go, which have no other place for what they
//! download; what is there stays as it is. The other tools get caches of the session's own.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use scorel_exec::Environment;

/// Entries of caches that are kept from a command with the network. Each is a mount.
const MAX_KEPT: usize = 8_000;

/// Directories of Go's modules that are searched.
const MAX_SEARCHED: usize = 50_000;

/// Locks and logs, below the home of cargo or of npm.
const CARGO_LOCKS: [&str; 3] = [".global-cache", ".package-cache", ".package-cache-mutate"];
const NPM_LOGS: [&str; 2] = [".npm/_locks", ".npm/_logs"];

/// Parts of cargo's home that downloads are added to.
const CARGO_DOWNLOADS: [&str; 2] = ["git", "registry"];

/// Directories in them, in whose directories packages are.
const CARGO_PACKAGES: [&str; 3] = ["git/checkouts", "registry/cache", "registry/src"];

/// Clones, in which a fetch adds objects.
const CARGO_CLONES: &str = "git/db";

/// Caches that no command changes.
const CLOSED: [&str; 25] = [
    // Packages, which later builds run or link without looking at a checksum again.
    ".bun/install",
    ".cache/deno",
    ".cache/pip",
    ".cache/pnpm",
    ".cache/pypoetry",
    ".cache/uv",
    ".cache/yarn",
    ".gradle",
    ".ivy2",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2",
    ".npm/_cacache",
    ".npm/_npx",
    ".nuget",
    // Compiled objects, which a later build links in place of its own.
    ".cache/bazel",
    ".cache/ccache",
    ".cache/go-build",
    ".cache/sccache",
    // Programs: browsers, interpreters, and tools that hooks of git run.
    ".cache/Cypress",
    ".cache/electron",
    ".cache/ms-playwright",
    ".cache/node",
    ".cache/pre-commit",
    ".cache/puppeteer",
];

/// Variables that give a tool a cache in the session's temporary directory, and its name there.
const OWN: [(&str, &str); 3] = [
    ("GOCACHE", "go-build"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
];

/// Without the network npm reads the user's, as long as the session has none.
const OWN_OF_NPM: (&str, &str) = ("npm_config_cache", "npm");

/// The caches of a user.
#[derive(Debug, Clone)]
pub struct PackageCaches {
    cargo: PathBuf,
    /// `pkg` in `GOPATH`.
    go: PathBuf,
    home: PathBuf,
}

/// Packages that a command with the network must leave as they are.
#[derive(Debug, Default)]
pub(super) struct KeptPackages {
    /// Packages: directories and archives.
    pub(super) entries: Vec<PathBuf>,
    /// Data of git repositories.
    pub(super) repositories: Vec<PathBuf>,
}

impl PackageCaches {
    /// Those of the user with this home directory, whose commands have this environment.
    pub fn of(home: &Path, environment: &Environment) -> Self {
        // `GOPATH` is a list; downloads go to the first.
        let set = |name: &str| environment.get(name)?.split(':').next().map(PathBuf::from);
        let place = |name: &str, usual: &str| {
            let set = set(name).filter(|it| it.is_absolute());
            set.unwrap_or_else(|| home.join(usual))
        };
        Self {
            cargo: place("CARGO_HOME", ".cargo"),
            go: place("GOPATH", "go").join("pkg"),
            home: home.to_owned(),
        }
    }

    /// The places that a command may change.
    pub(super) fn writable(&self, network: bool) -> Vec<PathBuf> {
        let locks = CARGO_LOCKS.iter().map(|name| self.cargo.join(name));
        let logs = NPM_LOGS.iter().map(|name| self.home.join(name));
        let downloads = self.downloads().into_iter().filter(|_| network);
        locks.chain(logs).chain(downloads).collect()
    }

    /// The places that no command may change, if they are in a place that a command can write. With the network there
    /// is [more](Self::kept).
    pub(super) fn closed(&self, network: bool) -> Vec<PathBuf> {
        let closed = CLOSED.iter().map(|name| self.home.join(name));
        let downloads = self.downloads().into_iter().filter(|_| !network);
        closed.chain(downloads).collect()
    }

    /// All of them: no place to look for a project's files.
    pub(super) fn all(&self) -> Vec<PathBuf> {
        [self.closed(false), self.writable(false)].concat()
    }

    /// The packages that are downloaded already. Looks at the file system.
    pub(super) fn kept(&self) -> KeptPackages {
        let mut kept = KeptPackages::default();
        for directory in CARGO_PACKAGES.map(|name| self.cargo.join(name)) {
            let packages = directories(&directory).flat_map(|inner| entries(&inner));
            kept.entries.extend(packages.map(|entry| entry.path()));
        }
        kept.add_modules(&self.go);
        kept.entries.truncate(MAX_KEPT);
        for clones in [self.cargo.join(CARGO_CLONES), self.go.join("mod/cache/vcs")] {
            kept.repositories.extend(directories(&clones));
        }
        kept
    }

    /// The environment with caches of the session's own, where the user has not set others.
    pub(super) fn redirected(
        &self,
        mut environment: Environment,
        temporary: &Path,
        network: bool,
    ) -> Environment {
        let has_npm = network || temporary.join(OWN_OF_NPM.1).is_dir();
        for (name, directory) in OWN.into_iter().chain(has_npm.then_some(OWN_OF_NPM)) {
            let path = temporary.join(directory);
            if let (None, Some(path)) = (environment.get(name), path.to_str()) {
                environment.set(name, path);
            }
        }
        environment
    }

    fn downloads(&self) -> Vec<PathBuf> {
        let of_cargo = CARGO_DOWNLOADS.iter().map(|name| self.cargo.join(name));
        of_cargo.chain([self.go.clone()]).collect()
    }
}

impl KeptPackages {
    /// Unpacked modules (`name@version`), and archives: `go` compares an archive with `go.sum` when it
    /// downloads it, and not when it unpacks it later.
    fn add_modules(&mut self, packages: &Path) {
        let mut left = vec![packages.to_owned()];
        for _ in 0..MAX_SEARCHED {
            let Some(directory) = left.pop() else { return };
            for entry in entries(&directory) {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_module = !name.starts_with('@') && name.contains('@');
                if is_module || name.ends_with(".zip") {
                    self.entries.push(entry.path());
                } else if is_directory(&entry) && name != "vcs" && name != "sumdb" {
                    left.push(entry.path());
                }
            }
        }
    }
}

fn directories(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let directories = entries(directory).filter(is_directory);
    directories.map(|entry| entry.path())
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

fn entries(directory: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(directory).into_iter().flatten().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: Vec<PathBuf>, home: &Path) -> Vec<String> {
        let inside = |path: PathBuf| {
            path.strip_prefix(home)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        };
        let mut names: Vec<_> = paths.into_iter().map(inside).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_downloaded_is_kept_and_what_is_about_it_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path();
        for name in [
            ".cargo/git/checkouts/one-1/abc",
            ".cargo/git/db/one-1",
            ".cargo/registry/index/i/.cache",
            ".cargo/registry/src/i/crate-1",
            "go/pkg/mod/cache/vcs/123",
            "go/pkg/mod/github.com/a/b@v1.0.0/sub@x",
            "go/pkg/mod/cache/download/github.com/a/b/@v",
            "go/pkg/sumdb",
        ] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        for name in [
            ".cargo/registry/cache/i/crate-1.crate",
            "go/pkg/mod/cache/download/github.com/a/b/@v/v1.0.0.zip",
            "go/pkg/mod/cache/download/github.com/a/b/@v/v1.0.0.mod",
            "go/pkg/mod/cache/lock",
        ] {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let caches = PackageCaches::of(home, &Environment::of([]));
        let kept = caches.kept();
        let entries = [
            ".cargo/git/checkouts/one-1/abc",
            ".cargo/registry/cache/i/crate-1.crate",
            ".cargo/registry/src/i/crate-1",
            "go/pkg/mod/cache/download/github.com/a/b/@v/v1.0.0.zip",
            "go/pkg/mod/github.com/a/b@v1.0.0",
        ];
        assert_eq!(names(kept.entries, home), entries);
        let repositories = [".cargo/git/db/one-1", "go/pkg/mod/cache/vcs/123"];
        assert_eq!(names(kept.repositories, home), repositories);
    }

    #[test]
    fn the_users_own_variables_stay() {
        let set = [
            ("GOCACHE", "/mine"),
            ("CARGO_HOME", "/p/ch"),
            ("GOPATH", "/p/go:/other"),
        ];
        let set = set.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment = Environment::of(set);
        let caches = PackageCaches::of(Path::new("/home"), &environment);
        let directory = tempfile::tempdir().unwrap();
        let session = directory.path();
        let redirected = |network| caches.redirected(environment.clone(), session, network);
        let offline = redirected(false);
        assert_eq!(offline.get("GOCACHE"), Some("/mine"));
        assert_eq!(offline.get("UV_CACHE_DIR"), session.join("uv").to_str());
        assert_eq!(offline.get("npm_config_cache"), None);
        let own = session.join("npm");
        assert_eq!(redirected(true).get("npm_config_cache"), own.to_str());
        fs::create_dir(&own).unwrap();
        assert_eq!(redirected(false).get("npm_config_cache"), own.to_str());
        let writable = caches.writable(true);
        for path in [
            "/p/ch/git",
            "/p/ch/registry",
            "/p/go/pkg",
            "/home/.npm/_logs",
        ] {
            assert!(writable.contains(&PathBuf::from(path)), "{path}");
        }
        assert!(caches.closed(false).contains(&PathBuf::from("/p/go/pkg")));
    }
}
