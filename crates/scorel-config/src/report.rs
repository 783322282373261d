//! The configuration for a person: every setting with its value and the line that it is from.

use std::path::Path;

use scorel_exec::Environment;
use scorel_home::SecretStore;
use scorel_proto::{ConfigLayer, ConfigOrigin, ConfigSetting, GetConfigResult, IgnoredSetting};
use serde_json::Value;

use super::keys::{KEYS, KnownKey, OWN_NAMES};
use super::source::ConfigSource;
use super::text_keys::{TextKey, TextKeys};
use super::{Config, Warning};

/// Keys of which those of a project come in addition to the user's, or limit them.
pub(super) const IN_ADDITION: [&str; 3] = ["permissions.ask", "permissions.deny", "workflow.deny"];

/// The files that are in effect.
struct Sources<'a> {
    config: &'a Config,
    user: SourceFile<'a>,
    project: SourceFile<'a>,
    secrets: &'a SecretStore,
    /// Secret values, redacted wherever they occur.
    secret_values: Vec<String>,
}

struct SourceFile<'a> {
    layer: ConfigLayer,
    path: &'a Path,
    keys: TextKeys<'a>,
}

impl ConfigSource {
    /// The configuration that is in effect for the project in that directory, or without one. Looks for
    /// the secrets that it names, and tells where they are and no more. Blocks on the disk.
    pub fn report(&self, project: Option<&Path>, secrets: &SecretStore) -> GetConfigResult {
        let config = self.current(project);
        let [(user_path, user), (project_path, theirs)] = self.texts(project);
        let file = |layer, path, text| SourceFile {
            layer,
            path,
            keys: TextKeys::of(text),
        };
        let sources = Sources {
            config: &config,
            user: file(ConfigLayer::User, &user_path, &user),
            project: file(ConfigLayer::Project, &project_path, &theirs),
            secrets,
            secret_values: secrets.values(&[]),
        };
        GetConfigResult {
            generation: self.generation(),
            settings: sources.settings(),
            ignored: sources.ignored(),
            problems: self.problems_of(project),
        }
    }
}

impl Sources<'_> {
    fn settings(&self) -> Vec<ConfigSetting> {
        let mut settings: Vec<_> = KEYS.iter().flat_map(|key| self.known(key)).collect();
        settings.extend(self.own_names());
        settings
    }

    /// A key of the schema, once for each file that has an effect on it.
    fn known(&self, key: &KnownKey) -> Vec<ConfigSetting> {
        let of_user = || match self.user.keys.get(key.name) {
            Some(found) => self.written(&self.user, found),
            None => self.default(key),
        };
        match self.of_project(key.name) {
            Some(found) if IN_ADDITION.contains(&key.name) => vec![of_user(), found],
            Some(found) => vec![found],
            None => vec![of_user()],
        }
    }

    /// The keys with names of the user's own, as they are written.
    fn own_names(&self) -> Vec<ConfigSetting> {
        let is_own = |found: &&TextKey| {
            let key = found.key.plain();
            let within = |table: &str| {
                key.strip_prefix(table)
                    .is_some_and(|it| it.starts_with('.'))
            };
            OWN_NAMES.into_iter().any(within)
        };
        let of_user = self.user.keys.iter().filter(is_own);
        let of_user = of_user.filter(|found| {
            let key = found.key.plain();
            // The quota of a project's file is the most that the user's may come to.
            key.ends_with(".defaultQuota") || self.of_project(&key).is_none()
        });
        let mut settings: Vec<_> = of_user.map(|it| self.written(&self.user, it)).collect();
        let of_project = self.project.keys.iter().filter(is_own);
        settings.extend(of_project.filter_map(|found| self.of_project(&found.key.plain())));
        settings
    }

    /// The setting of the project's file, if it has an effect.
    fn of_project(&self, key: &str) -> Option<ConfigSetting> {
        let found = self.project.keys.get(key)?;
        let is_ignored = |warning: &Warning| is_about(warning, key);
        let applies = !self.config.warnings.iter().any(is_ignored);
        applies.then(|| self.written(&self.project, found))
    }

    fn default(&self, key: &KnownKey) -> ConfigSetting {
        let value = (key.default)(self.config);
        let origin = ConfigOrigin {
            layer: ConfigLayer::Default,
            path: None,
            line: None,
        };
        self.setting(key.name.to_owned(), value, origin)
    }

    fn written(&self, file: &SourceFile<'_>, found: &TextKey) -> ConfigSetting {
        let value = serde_json::to_value(&found.value).unwrap_or_default();
        let origin = ConfigOrigin {
            layer: file.layer,
            path: Some(file.path.display().to_string()),
            line: Some(file.keys.line(found)),
        };
        self.setting(found.key.to_string(), value, origin)
    }

    fn setting(&self, key: String, value: Value, origin: ConfigOrigin) -> ConfigSetting {
        let secret = names_secret(&key);
        let place = value
            .as_str()
            .filter(|_| secret)
            .map(|name| self.secrets.place(name));
        let known: Vec<&str> = self.secret_values.iter().map(String::as_str).collect();
        let hidden = !value.is_null()
            && (is_credential(&key) || Environment::reveals(&value.to_string(), &known));
        ConfigSetting {
            key,
            value: Some(value).filter(|value| !hidden && !value.is_null()),
            origin,
            secret: place,
            hidden,
        }
    }

    fn ignored(&self) -> Vec<IgnoredSetting> {
        let keys = &self.project.keys;
        let ignored = |warning: &Warning| IgnoredSetting {
            key: warning.key.clone(),
            path: warning.path.display().to_string(),
            line: keys
                .iter()
                .find(|found| is_about(warning, &found.key.plain()))
                .map(|found| keys.line(found)),
            reason: warning.reason.to_owned(),
        };
        self.config.warnings.iter().map(ignored).collect()
    }
}

/// Whether a warning is about a key, or about the section that it is in.
fn is_about(warning: &Warning, key: &str) -> bool {
    key.strip_prefix(warning.key.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether the value of a key is the name of a secret.
fn names_secret(key: &str) -> bool {
    key.ends_with(".apiKeyEnv") || key.ends_with(".tokenEnv") || key.contains(".secretEnv.")
}

/// Whether the name of a header or of a variable says that its value is a credential.
fn is_credential(key: &str) -> bool {
    let name = [".headers.", ".env.", ".set."]
        .into_iter()
        .find_map(|table| key.split_once(table));
    name.is_some_and(|(_, name)| {
        Environment::is_secret_name(name) || name.to_ascii_lowercase().contains("cookie")
    })
}

#[cfg(test)]
mod tests {
    use scorel_proto::SecretPlace;
    use std::fs;

    use super::*;

    const USER: &str = "\
[model]
provider = 'openai'
id = 'gpt'
apiKeyEnv = 'LAB_KEY'
headers = { Editor-Version = '1', X-Auth = 'abc' }

[runtime]
maxSteps = 50
retries = 3

[permissions]
ask = ['Bash(a)']
[prompt]
text = 'my key is sk-very-secret'
[providers.\"my.lab\"]
api = 'openai-completions'
baseUrl = 'http://localhost'
";

    const PROJECT: &str = "\
[model]
id = 'small'
[runtime]
maxSteps = 5
retries = 9
maxTurnSeconds = 999999
[permissions]
ask = ['Bash(b)']
mode = 'full'
";

    fn report() -> (GetConfigResult, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs::write(&path, USER).unwrap();
        let project = dir.path().join("project");
        fs::create_dir_all(project.join(".scorel")).unwrap();
        fs::write(project.join(".scorel/config.toml"), PROJECT).unwrap();
        let env = dir.path().join("env");
        fs::write(&env, "LAB_KEY=sk-very-secret\n").unwrap();
        fs::set_permissions(&env, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let source = ConfigSource::open(&path).unwrap();
        (source.report(Some(&project), &SecretStore::new(env)), dir)
    }

    #[test]
    fn each_setting_has_the_line_that_it_is_from() {
        let (report, _dir) = report();
        let of = |key: &str| {
            let found = report.settings.iter().filter(|it| it.key == key);
            found
                .map(|it| {
                    (
                        it.value.clone().unwrap_or_default(),
                        it.origin.layer,
                        it.origin.line,
                    )
                })
                .collect::<Vec<_>>()
        };
        let (user, project) = (ConfigLayer::User, ConfigLayer::Project);
        assert_eq!(of("model.provider"), [("openai".into(), user, Some(2))]);
        assert_eq!(of("model.id"), [("small".into(), project, Some(2))]);
        assert_eq!(of("runtime.maxSteps"), [(5.into(), project, Some(4))]);
        assert_eq!(of("runtime.retries"), [(3.into(), user, Some(9))]);
        let usual = Config::default().runtime.max_turn.as_secs();
        let default = (usual.into(), ConfigLayer::Default, None);
        assert_eq!(of("runtime.maxTurnSeconds"), [default]);
        let rules = of("permissions.ask");
        assert_eq!((rules[0].1, rules[1].1), (user, project));
        let mode = ("workspace".into(), ConfigLayer::Default, None);
        assert_eq!(of("permissions.mode"), [mode]);
        assert_eq!(of("providers.\"my.lab\".api").len(), 1);
    }

    #[test]
    fn what_a_project_asks_for_in_vain_is_said_with_its_line() {
        let (report, _dir) = report();
        let ignored = report.ignored.iter();
        let ignored: Vec<_> = ignored.map(|it| (it.key.as_str(), it.line)).collect();
        for expected in [
            ("runtime.retries", Some(5)),
            ("runtime.maxTurnSeconds", Some(6)),
            ("permissions.mode", Some(9)),
        ] {
            assert!(ignored.contains(&expected), "{ignored:?}");
        }
        assert_eq!(ignored.len(), 3, "{ignored:?}");
    }

    #[test]
    fn a_secret_is_named_and_never_told() {
        let (report, _dir) = report();
        let key = report
            .settings
            .iter()
            .find(|it| it.key == "model.apiKeyEnv");
        assert_eq!(key.unwrap().secret, Some(SecretPlace::EnvFile));
        let hidden = report.settings.iter().filter(|it| it.hidden);
        let hidden: Vec<_> = hidden.map(|it| it.key.as_str()).collect();
        assert_eq!(hidden, ["prompt.text", "model.headers.X-Auth"]);
        let text = serde_json::to_string(&report).unwrap();
        assert!(
            !text.contains("sk-very-secret") && !text.contains("abc"),
            "{text}"
        );
    }
}
