//! `scoreld config`: shows, checks and changes the configuration files, without a daemon.
//!
//! A running daemon finds a change by itself. A file is written only after the loader has accepted it.

mod args;
mod editor;
mod error;
mod exit;
mod hooks;
mod import_servers;
mod output;
mod places;
mod servers;

use std::io::{self, Write};
use std::path::Path;

pub(crate) use args::ConfigArgs;
pub(crate) use exit::ConfigExit;

use scorel_config::{ConfigFile, ConfigKey, ConfigSource};
use scorel_extension::nearest;
use scorel_fsck::visible;
use scorel_home::HomeSource;
use scorel_proto::{ConfigProblem, ConfigSetting, GetConfigResult};
use serde_json::{Value, json};

use args::ConfigCommand;
use error::CommandError;
use places::ConfigPlaces;

/// One run of the command.
struct ConfigRun<'a> {
    args: &'a ConfigArgs,
    places: ConfigPlaces,
}

pub(crate) fn run(args: &ConfigArgs) -> ConfigExit {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let done = begin(args)
        .and_then(|run| run.command(&mut out))
        .and_then(|exit| Ok(out.flush().map(|()| exit)?));
    done.unwrap_or_else(|error| {
        if error.is_closed_output() {
            return ConfigExit::Ok;
        }
        let (exit, message) = (error.exit(), error.message());
        let line = if args.json {
            let error = json!({ "code": error.code(), "message": message, "exitCode": exit as u8 });
            json!({ "error": error }).to_string()
        } else {
            format!("error: {}", visible(&message))
        };
        // stderr is closed: no other channel is left to report that on.
        let _ignored: io::Result<()> = writeln!(io::stderr().lock(), "{line}");
        exit
    })
}

/// The keys that there are in this directory, for completing one. None if the files cannot be read.
pub(crate) fn keys() -> Vec<String> {
    let args = ConfigArgs {
        home: None,
        json: false,
        project: false,
        command: ConfigCommand::Show { prefix: None },
    };
    let report = begin(&args).and_then(|run| run.report());
    let settings = report.map(|report| report.settings).unwrap_or_default();
    settings.into_iter().map(|setting| setting.key).collect()
}

fn begin(args: &ConfigArgs) -> Result<ConfigRun<'_>, CommandError> {
    let source = HomeSource::from_environment(args.home.clone());
    let writes_home = !args.project
        && matches!(
            args.command,
            ConfigCommand::Set { .. }
                | ConfigCommand::Unset { .. }
                | ConfigCommand::ImportHooks { .. }
                | ConfigCommand::ImportServers { write: true }
                | ConfigCommand::AddServer(_)
                | ConfigCommand::RemoveServer { .. }
                | ConfigCommand::Edit
        );
    // Only what writes there makes the home.
    let root = match writes_home {
        true => source.open()?.root().to_owned(),
        false => source.locate()?,
    };
    let places = ConfigPlaces::find(&root)?;
    Ok(ConfigRun { args, places })
}

impl ConfigRun<'_> {
    fn command(&self, out: &mut dyn Write) -> Result<ConfigExit, CommandError> {
        match &self.args.command {
            ConfigCommand::Show { prefix } => self.show(prefix.as_deref().unwrap_or(""), out),
            ConfigCommand::Get { key } => self.get(key, out),
            ConfigCommand::Set { key, value } => {
                let (key, file) = (ConfigKey::parse(key)?, self.file());
                let changed = file.set(&key, value)?;
                self.changed(&file, Some(&key), changed, out)
            }
            ConfigCommand::Unset { key } => {
                let (key, file) = (ConfigKey::parse(key)?, self.file());
                let changed = file.unset(&key)?;
                self.changed(&file, Some(&key), changed, out)
            }
            ConfigCommand::Check { file } => self.check(file.as_deref(), out),
            ConfigCommand::ImportHooks { file } => {
                hooks::import(&self.file(), file.as_deref(), self.args.json, out)
            }
            ConfigCommand::ImportServers { write } => {
                import_servers::import(&self.file(), *write, self.args.json, out)
            }
            ConfigCommand::AddServer(args) => servers::add(&self.file(), args, self.args.json, out),
            ConfigCommand::RemoveServer { name } => {
                servers::remove(&self.file(), name, self.args.json, out)
            }
            ConfigCommand::Edit => {
                let file = self.file();
                let changed = editor::edit(&file)?;
                self.changed(&file, None, changed, out)
            }
        }
    }

    /// The file that is changed.
    fn file(&self) -> ConfigFile {
        match self.args.project {
            true => self.places.project(),
            false => self.places.user(),
        }
    }

    fn report(&self) -> Result<GetConfigResult, CommandError> {
        let source = ConfigSource::open(self.places.user().path())?;
        Ok(source.report(self.places.project_dir(), &self.places.secrets()))
    }

    fn show(&self, prefix: &str, out: &mut dyn Write) -> Result<ConfigExit, CommandError> {
        let mut report = self.report()?;
        report.settings.retain(|it| it.key.starts_with(prefix));
        if report.settings.is_empty() {
            return Err(no_such_key(prefix, &self.report()?));
        }
        if self.args.json {
            writeln!(out, "{}", to_json(&report))?;
            return Ok(ConfigExit::Ok);
        }
        let settings: Vec<_> = report.settings.iter().collect();
        output::settings(&settings, out)?;
        output::ignored(&report.ignored, out)?;
        out.flush()?;
        output::problems(&report.problems, &mut io::stderr().lock())?;
        Ok(ConfigExit::Ok)
    }

    fn get(&self, key: &str, out: &mut dyn Write) -> Result<ConfigExit, CommandError> {
        let (report, key) = (self.report()?, ConfigKey::parse(key)?.to_string());
        let found: Vec<&ConfigSetting> =
            report.settings.iter().filter(|it| it.key == key).collect();
        if found.is_empty() {
            return Err(no_such_key(&key, &report));
        }
        for setting in &found {
            if self.args.json {
                writeln!(out, "{}", to_json(setting))?;
            } else if let Some(value) = &setting.value {
                writeln!(out, "{}", output::plain(value))?;
            } else {
                out.flush()?;
                output::no_value(setting, &mut io::stderr().lock())?;
            }
        }
        let has_value = found.iter().any(|it| it.value.is_some());
        Ok(ConfigExit::of(has_value))
    }

    fn check(&self, only: Option<&Path>, out: &mut dyn Write) -> Result<ConfigExit, CommandError> {
        let mut files = vec![only.map_or_else(|| self.places.user(), ConfigFile::user)];
        if only.is_none() {
            files.extend(self.places.project_dir().map(ConfigFile::project));
        }
        let problems = files.iter().flat_map(ConfigFile::problems);
        let problems: Vec<ConfigProblem> = problems.map(|it| it.problem()).collect();
        // Settings without effect are known only for valid files.
        let ignored = match problems.is_empty() && only.is_none() {
            true => self.report()?.ignored,
            false => Vec::new(),
        };
        if self.args.json {
            let report = json!({ "problems": to_json(&problems), "ignored": to_json(&ignored) });
            writeln!(out, "{report}")?;
        } else {
            output::problems(&problems, out)?;
            output::ignored(&ignored, out)?;
            for file in files.iter().filter(|_| problems.is_empty()) {
                let state = if file.path().exists() {
                    "valid"
                } else {
                    "none, the defaults apply"
                };
                writeln!(out, "{}: {state}", file.path().display())?;
            }
        }
        Ok(ConfigExit::of(problems.is_empty()))
    }

    /// Reports whether a file has changed, and whether the daemon has to be restarted.
    fn changed(
        &self,
        file: &ConfigFile,
        key: Option<&ConfigKey>,
        changed: bool,
        out: &mut dyn Write,
    ) -> Result<ConfigExit, CommandError> {
        let path = file.path().display().to_string();
        let restart = changed && key.is_some_and(ConfigKey::is_read_at_start);
        if self.args.json {
            let key = key.map(ToString::to_string);
            let line =
                json!({ "path": path, "key": key, "changed": changed, "restartNeeded": restart });
            writeln!(out, "{line}")?;
            return Ok(ConfigExit::Ok);
        }
        match changed {
            true => writeln!(out, "changed {path}")?,
            false => writeln!(out, "{path} has that value already")?,
        }
        if restart {
            out.flush()?;
            writeln!(
                io::stderr().lock(),
                "a running daemon reads this key when it starts: restart it"
            )?;
        }
        Ok(ConfigExit::Ok)
    }
}

fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn no_such_key(key: &str, report: &GetConfigResult) -> CommandError {
    let known = report.settings.iter().map(|it| it.key.as_str());
    CommandError::NoSuchKey {
        key: key.to_owned(),
        suggestion: nearest(key, known).map(str::to_owned),
    }
}
