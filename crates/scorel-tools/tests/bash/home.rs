//! A project that is the home directory.

use std::fs;

use libtest_mimic::Trial;
use scorel_exec::Environment;
use scorel_permission::credential_places;
use scorel_tools::PackageCaches;

use crate::session::Session;
use crate::trial;
use crate::worktrees::git;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("home::work_in_it_works", work),
        trial("home::credentials_stay_hidden", credentials),
        trial("home::what_runs_later_stays_as_it_is", runs_later),
        trial(
            "home::without_mounts_credentials_stay_hidden_too",
            without_mounts,
        ),
    ]
}

const SECRET: &str = "not to be seen";

/// A session whose project is the user's home, `user`. The daemon's home is in it.
fn session(mounts: bool) -> Session {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().canonicalize().unwrap().join("user");
    for name in [
        ".ssh/id",
        ".aws/credentials",
        ".scorel/env",
        ".netrc",
        ".cargo/credentials.toml",
        ".bashrc",
        ".gitconfig",
        ".cargo/bin/cargo",
        ".cargo/config.toml",
        ".local/bin/tool",
        "shims/tool",
        ".cargo/registry/src/index/crate-1/lib.rs",
        ".cargo/registry/cache/x",
        "work/file",
    ] {
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(
            path,
            if name.starts_with(['w', 's']) || name == ".gitconfig" {
                ""
            } else {
                SECRET
            },
        )
        .unwrap();
    }
    git(&home.join("work"), "init -q");
    let variables = std::env::vars_os().map(|(name, value)| match name.to_str() {
        Some("HOME") => (name, home.clone().into()),
        Some("PATH") => {
            let mut path = home.join("shims").into_os_string();
            path.push(":");
            path.push(value);
            (name, path)
        }
        _ => (name, value),
    });
    let mut variables: Vec<_> = variables.collect();
    variables.retain(|(name, _)| name != "CARGO_HOME");
    Session::with_homes(directory, "user", "user/.scorel", |settings| {
        settings.environment = Environment::scrubbed(variables, &[]);
        settings.packages = PackageCaches::of(&home, &settings.environment);
        let places = credential_places(&home, |_| None).into_iter();
        settings.hidden = places.map(|place| place.path).collect();
        settings.mounts = mounts;
        settings.spaces = mounts;
    })
}

async fn work() {
    let session = session(true);
    let answer = session
        .bash(
            "set -e; echo x > new; mkdir d; mv new d/; rm -r d; mkdir -p .config/tool; echo x > .config/tool/x
             echo x > .npmrc.new; rm .npmrc.new
             cd work; echo y > file; git add file; git -c user.name=n -c user.email=e commit -qm m; git log --oneline | wc -l",
        )
        .await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(answer.text, "1\n", "{answer:?}");
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
    assert!(answer.details.get("restored").is_none(), "{answer:?}");
}

const READING: &str = "cat .ssh/id .aws/credentials .scorel/env .netrc .cargo/credentials.toml; \
                       grep -rs seen .ssh .aws .scorel .netrc .cargo/credentials.toml; cp -r .ssh copy; cat copy/id; true";

async fn credentials() {
    let session = session(true);
    let answer = session.bash(READING).await;
    assert!(
        !answer.is_error && !answer.text.contains(SECRET),
        "{answer:?}"
    );
    let answer = session
        .bash("echo x > .ssh/authorized_keys; echo x > .scorel/config.toml; rm -rf .aws; true")
        .await;
    assert!(
        !session.path("user/.ssh/authorized_keys").exists(),
        "{answer:?}"
    );
    assert!(
        !session.path("user/.scorel/config.toml").exists(),
        "{answer:?}"
    );
    assert!(session.path("user/.aws/credentials").exists(), "{answer:?}");
}

async fn runs_later() {
    let session = session(true);
    fs::remove_dir_all(session.path("user/.ssh")).unwrap();
    let files = [
        ".bashrc",
        ".gitconfig",
        ".cargo/bin/cargo",
        ".cargo/config.toml",
        ".local/bin/tool",
        "shims/tool",
        ".cargo/registry/src/index/crate-1/lib.rs",
        "work/.git/config",
    ];
    let before = files.map(|name| fs::read(session.path("user").join(name)).unwrap());
    let script = format!(
        "for f in {}; do echo x >> $f; rm -f $f; echo x > $f; done; echo x > .cargo/bin/new; mv .cargo .cargo2
         mkdir -p .ssh; echo x > .ssh/authorized_keys; echo x > .profile; echo x > work/.git/hooks/pre-commit; true",
        files.join(" ")
    );
    let answer = session.bash(&script).await;
    for (name, before) in files.iter().zip(before) {
        let now = fs::read(session.path("user").join(name)).unwrap_or_default();
        assert_eq!(now, before, "{name}: {answer:?}");
    }
    for name in [
        ".ssh",
        ".profile",
        ".cargo/bin/new",
        "work/.git/hooks/pre-commit",
    ] {
        assert!(
            !session.path("user").join(name).exists(),
            "{name}: {answer:?}"
        );
    }
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
}

async fn without_mounts() {
    let session = session(false);
    let answer = session.bash(READING).await;
    assert!(
        !answer.is_error && !answer.text.contains(SECRET),
        "{answer:?}"
    );
    let answer = session.bash("echo x > work/new && cat work/new").await;
    assert_eq!(answer.text, "x\n", "{answer:?}");
}
