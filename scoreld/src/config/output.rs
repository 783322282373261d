//! Settings and problems as text.

use std::io::{self, Write};

use scorel_fsck::visible;
use scorel_proto::{ConfigLayer, ConfigProblem, ConfigSetting, IgnoredSetting, SecretPlace};
use serde_json::Value;

/// The most that a column is widened by a long key or value.
const WIDEST: usize = 36;

/// One line for each setting: key, value, origin, and for one that names a secret where that is.
pub(super) fn settings(settings: &[&ConfigSetting], out: &mut dyn Write) -> io::Result<()> {
    let width = |text: fn(&ConfigSetting) -> String| {
        let lengths = settings.iter().map(|it| text(it).chars().count());
        lengths.filter(|it| *it <= WIDEST).max().unwrap_or(0)
    };
    let (key, value) = (width(|it| it.key.clone()), width(shown));
    for setting in settings {
        let line = format!(
            "{:key$}  {:value$}  {}{}",
            setting.key,
            shown(setting),
            origin(setting),
            secret(setting.secret),
        );
        writeln!(out, "{}", visible(&line))?;
    }
    Ok(())
}

pub(super) fn ignored(ignored: &[IgnoredSetting], out: &mut dyn Write) -> io::Result<()> {
    for IgnoredSetting {
        key,
        path,
        line,
        reason,
    } in ignored
    {
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        writeln!(
            out,
            "{}",
            visible(&format!("{path}{line}: `{key}` has no effect: {reason}"))
        )?;
    }
    Ok(())
}

pub(super) fn problems(problems: &[ConfigProblem], out: &mut dyn Write) -> io::Result<()> {
    problems
        .iter()
        .try_for_each(|problem| writeln!(out, "{}", visible(&problem.to_string())))
}

/// A value as a program reads it: a text without quotes.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Why there is no value to print.
pub(super) fn no_value(setting: &ConfigSetting, out: &mut dyn Write) -> io::Result<()> {
    let why = match setting.hidden {
        true => format!(
            "is hidden, since it may be a secret; it is from {}",
            origin(setting)
        ),
        false => "is not set, and has no default".to_owned(),
    };
    writeln!(out, "{}", visible(&format!("`{}` {why}", setting.key)))
}

fn shown(setting: &ConfigSetting) -> String {
    match &setting.value {
        Some(value) => value.to_string(),
        None if setting.hidden => "(hidden)".to_owned(),
        None => "-".to_owned(),
    }
}

fn origin(setting: &ConfigSetting) -> String {
    let origin = &setting.origin;
    match (&origin.path, origin.line) {
        (Some(path), Some(line)) if origin.layer != ConfigLayer::Default => {
            format!("{path}:{line}")
        }
        _ => "default".to_owned(),
    }
}

const fn secret(place: Option<SecretPlace>) -> &'static str {
    match place {
        Some(SecretPlace::EnvFile) => "  set (env file)",
        Some(SecretPlace::Environment) => "  set (environment)",
        Some(SecretPlace::Unset) => "  not set",
        None => "",
    }
}
