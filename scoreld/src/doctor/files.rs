//! Checks of the home, the configuration and the API key.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use scorel_config::{Config, ConfigSource, Mode};
use scorel_home::{Home, HomeError, Need, STATE_FILES, SecretStore, StateError, StateKind};
use scorel_host::given_up_sessions;
use scorel_proto::{ErrorChain, SessionId};

use super::check::Check;

/// The error and its cause on one line.
pub(super) fn home_error(error: &HomeError) -> String {
    let source = std::error::Error::source(error);
    let cause = source.map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
}

pub(super) fn home(root: &Path) -> Check {
    const NAME: &str = "home";
    let shown = root.display();
    if let Err(error) = root.symlink_metadata()
        && error.kind() == io::ErrorKind::NotFound
    {
        return match creation_problem(root) {
            None => Check::ok(
                NAME,
                format!("{shown} does not exist yet; the first start creates it"),
            ),
            Some(problem) => Check::fail(NAME, format!("{shown} cannot be created: {problem}"))
                .hint("name another place with `--home` or SCOREL_HOME"),
        };
    }
    match Home::verify(root) {
        Ok(metadata) if metadata.mode() & 0o077 != 0 => {
            Check::warn(NAME, format!("other users can read {shown}")).hint(format!(
                "run `chmod 700 {shown}`; the next start does it too"
            ))
        }
        Ok(_) if Home::unopened(root).is_read_only() => {
            let message =
                format!("{shown} is on a read-only file system: it is served for reading");
            Check::warn(NAME, message).hint(
                "changes are refused until the file system is mounted so that it can be written",
            )
        }
        Ok(_) => match tempfile::tempfile_in(root) {
            Ok(_gone) => Check::ok(NAME, format!("{shown} belongs to you alone")),
            Err(error) => Check::fail(NAME, format!("{shown} cannot be written: {error}")),
        },
        Err(error) => Check::fail(NAME, home_error(&error)),
    }
}

/// Why the home cannot be made: the closest directory that exists takes no other one. Tried, since modes
/// say nothing of a file system.
fn creation_problem(root: &Path) -> Option<io::Error> {
    let parent = root.ancestors().skip(1).find(|parent| parent.exists())?;
    let trial = parent.join(format!(".scorel-doctor-{}", std::process::id()));
    let made = fs::create_dir(&trial).and_then(|()| fs::remove_dir(&trial));
    made.err()
}

/// The state files that cannot be used as they are.
pub(super) fn state(root: &Path) -> Vec<Check> {
    let files = STATE_FILES.into_iter().flat_map(|(kind, check)| {
        kind.files(root)
            .into_iter()
            .map(move |path| (kind, check(kind, &path)))
    });
    let problem = |(kind, checked): (&StateKind, Result<(), StateError>)| {
        let text = ErrorChain(&checked.err()?).to_string();
        Some(match kind.need {
            Need::Start | Need::Use => Check::fail("state", text),
            Need::Nothing => Check::warn("state", text),
        })
    };
    files.filter_map(problem).collect()
}

/// Sessions whose recovery has ended the daemon again and again.
pub(super) fn recovery(home: &Home) -> Vec<Check> {
    let given_up = given_up_sessions(home).into_iter();
    let warn = |(id, mark): (SessionId, PathBuf)| {
        let message = format!(
            "three daemons died within ten minutes while they recovered {id}; it is opened for reading only"
        );
        Check::warn("recovery", message).hint(format!(
            "report the end of the daemon's log; it is tried again after ten minutes, by another version, or \
             after `rm {}`, with the next `scorelctl restart`",
            mark.display()
        ))
    };
    given_up.map(warn).collect()
}

/// The configuration and, if it is valid, the API key that it names.
pub(super) fn configuration(home: &Home) -> Vec<Check> {
    const NAME: &str = "config";
    let path = home.config();
    match ConfigSource::open(&path) {
        Ok(source) => {
            let config = source.current(None);
            let model = &config.model.model.id;
            let found = if path.exists() {
                format!("{} is valid; the model is {model}", path.display())
            } else {
                format!("no {}; the model is {model}", path.display())
            };
            let check = Check::ok(NAME, found);
            let check = if config.model.is_demo() {
                check.hint("run `scorelctl init` to choose a model")
            } else {
                check
            };
            vec![
                check,
                permissions(&config),
                key(&config, &SecretStore::new(home.env())),
            ]
        }
        Err(error) => {
            let hint = "the daemon does not start with it; a running one keeps the last valid configuration";
            vec![Check::fail(NAME, error.to_string()).hint(hint)]
        }
    }
}

/// The mode and, where they count, the built-in rules that ask.
fn permissions(config: &Config) -> Check {
    const NAME: &str = "permissions";
    let mode = config.permissions.mode;
    let rules: Vec<&str> = config.permissions.builtin_ask().collect();
    let asked = match (mode, rules.as_slice()) {
        (Mode::Workspace, []) => "; no built-in rule asks".to_owned(),
        (Mode::Workspace, rules) => format!("; built-in rules ask about {}", rules.join(", ")),
        _ => String::new(),
    };
    Check::ok(NAME, format!("the mode is {mode}{asked}"))
}

/// Whether the key is set. Only its name is reported.
fn key(config: &Config, secrets: &SecretStore) -> Check {
    const NAME: &str = "key";
    let names = &config.model.key_names;
    if names.is_empty() || config.model.is_demo() {
        return Check::ok(NAME, "the model needs no key");
    }
    for name in names {
        match secrets.resolve(name) {
            Ok(Some(_)) if env::var_os(name).is_some_and(|value| !value.is_empty()) => {
                let file = secrets.file().display();
                let hint = format!("a daemon started as a service sees only {file}");
                return Check::ok(NAME, format!("{name} is in the environment")).hint(hint);
            }
            Ok(Some(_)) => {
                let file = secrets.file().display();
                return Check::ok(NAME, format!("{name} is in {file}"));
            }
            Ok(None) => {}
            Err(error) => return Check::fail(NAME, format!("{name}: {error}")),
        }
    }
    let joined = names.join(" nor ");
    let message = match names.len() {
        1 => format!("{joined} is not set"),
        _ => format!("neither {joined} is set"),
    };
    let file = secrets.file().display();
    Check::fail(NAME, message).hint(format!(
        "put it into {file} as NAME=value, or run `scorelctl init`"
    ))
}
