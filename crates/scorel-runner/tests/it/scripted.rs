//! Runners that are scripts.

use std::collections::BTreeMap;
use std::path::Path;

use scorel_exec::Environment;
use scorel_runner::{RunnerSetup, Secrets, Versions, WireKind, WireRunner};

use crate::supervisors;
use crate::turn::Bench;

/// What every program gets of this process's environment.
pub(crate) fn environment(more: &[(&str, &str)]) -> Environment {
    let mut variables =
        BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap_or_default())]);
    for (name, value) in more {
        variables.insert((*name).to_owned(), (*value).to_owned());
    }
    Environment::of(variables)
}

pub(crate) fn setup(wire: WireKind, command: &[&str]) -> RunnerSetup {
    RunnerSetup {
        name: "double".to_owned(),
        wire,
        command: command.iter().map(|&part| part.to_owned()).collect(),
        environment: environment(&[]),
        umask: None,
        base_url: None,
        token: None,
        model: None,
        min_version: None,
        start_limit: RunnerSetup::START_LIMIT,
        sandbox: None,
        secrets: Secrets::default(),
        install: None,
    }
}

pub(crate) fn runner(setup: RunnerSetup) -> WireRunner {
    WireRunner::new(setup, supervisors(), Versions::new(supervisors()))
}

/// A bash script that speaks a wire.
pub(crate) fn bench(wire: WireKind, script: &str, directory: &Path) -> Bench {
    Bench::new(runner(setup(wire, &["bash", "-c", script])), directory)
}
