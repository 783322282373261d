use std::time::Duration;

use serde::Deserialize;

use super::{
    ContextPoint, HookCommand, HookEntry, HookEvent, HookName, HookSandbox, Matcher, OnFailure,
};
use crate::Problem;

/// The longest time that a hook may be given.
const MAX_SECONDS: u64 = 3600;

/// A `[[hooks]]` table as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookSection {
    pub name: HookName,
    pub event: HookEvent,
    pub matcher: Option<Matcher>,
    #[serde(rename = "if")]
    pub condition: Option<String>,
    pub command: String,
    pub args: Option<Vec<String>>,
    pub timeout_seconds: Option<u64>,
    pub on_failure: Option<OnFailure>,
    pub sandbox: Option<HookSandbox>,
    #[serde(default)]
    pub may_allow: bool,
    #[serde(default)]
    pub parallel: bool,
    #[serde(default)]
    pub r#async: bool,
    pub points: Option<Vec<ContextPoint>>,
}

impl HookSection {
    /// The hook, with what it does not say filled in.
    pub fn entry(&self) -> Result<HookEntry, Problem> {
        let event = self.event;
        let points = self.points()?;
        Ok(HookEntry {
            name: self.name.clone(),
            event,
            matcher: self.matcher.clone().unwrap_or_else(Matcher::all),
            condition: self.condition.clone(),
            command: HookCommand::new(self.command.clone(), self.args.clone())?,
            timeout: self.timeout(&points)?,
            on_failure: self
                .on_failure
                .unwrap_or(HookEntry::usual_on_failure(event)),
            sandbox: self.sandbox,
            may_allow: self.may_allow,
            parallel: self.parallel,
            is_async: self.r#async,
            points,
        })
    }

    fn points(&self) -> Result<Vec<ContextPoint>, Problem> {
        match &self.points {
            None => Ok(HookEntry::usual_points(self.event)),
            Some(_) if self.event != HookEvent::TransformContext => {
                let reason = format!("`{}` has no points; `transformContext` has", self.event);
                Err(Problem::of("points", reason))
            }
            Some(points) if points.is_empty() => Err(Problem::of("points", "it is empty")),
            Some(points) => {
                let mut points = points.clone();
                points.sort_unstable();
                points.dedup();
                Ok(points)
            }
        }
    }

    fn timeout(&self, points: &[ContextPoint]) -> Result<Duration, Problem> {
        match self.timeout_seconds {
            None => Ok(HookEntry::usual_timeout(self.event, points)),
            Some(seconds) if (1..=MAX_SECONDS).contains(&seconds) => {
                Ok(Duration::from_secs(seconds))
            }
            Some(_) => {
                let reason = format!("it is a whole number from 1 to {MAX_SECONDS}");
                Err(Problem::of("timeoutSeconds", reason))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> Result<HookEntry, String> {
        let section: HookSection = toml::from_str(text).map_err(|error| error.to_string())?;
        section.entry().map_err(|problem| problem.to_string())
    }

    #[test]
    fn what_an_entry_does_not_say_is_filled_in() {
        let guard = entry("name = 'guard'\nevent = 'PreToolUse'\ncommand = './guard'").unwrap();
        assert!(guard.matcher.is_all() && guard.points.is_empty());
        assert_eq!(guard.command, HookCommand::Shell("./guard".to_owned()));
        assert_eq!(guard.on_failure, OnFailure::Fail);
        assert_eq!(guard.timeout, Duration::from_secs(30));
        let tests = entry("name = 'tests'\nevent = 'Stop'\ncommand = 'make'\nargs = []").unwrap();
        assert_eq!(tests.command, HookCommand::Argv(vec!["make".to_owned()]));
        assert_eq!(tests.on_failure, OnFailure::Ignore);
        assert_eq!(tests.timeout, Duration::from_secs(120));
        assert_eq!(tests.points, [ContextPoint::End]);
    }

    #[test]
    fn an_entry_that_is_none_is_said_with_its_key() {
        let with = |rest: &str| entry(&format!("name = 'a'\ncommand = 'b'\n{rest}")).unwrap_err();
        for (rest, words) in [
            ("event = 'PreToolUes'", "PreToolUse"),
            ("event = 'Stop'\npoints = ['end']", "has no points"),
            (
                "event = 'transformContext'\npoints = []",
                "`points`: it is empty",
            ),
            ("event = 'Stop'\ntimeoutSeconds = 0", "from 1 to 3600"),
            ("event = 'Stop'\nmatcher = 'a(?!b)'", "look-around"),
            ("event = 'Stop'\ntimout = 3", "unknown field"),
        ] {
            let said = with(rest);
            assert!(said.contains(words), "{rest}: {said}");
        }
        let unnamed = entry("name = 'Guard'\nevent = 'Stop'\ncommand = 'b'").unwrap_err();
        assert!(unnamed.contains("small letters"), "{unnamed}");
        let empty = entry("name = 'a'\nevent = 'Stop'\ncommand = ' '").unwrap_err();
        assert!(empty.contains("`command`: it is empty"), "{empty}");
    }
}
