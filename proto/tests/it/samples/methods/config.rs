use scorel_proto::{
    ConfigLayer, ConfigOrigin, ConfigProblem, ConfigSetting, GetConfig, GetConfigParams,
    GetConfigResult, IgnoredSetting, SecretPlace,
};
use serde_json::{Value, json};

use super::{method, params_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let params = GetConfigParams {
        project_id: Some(ids::project()),
    };
    let mut all: Vec<Golden> = method::<GetConfig>(&params, &result()).into();
    all.push(params_of::<GetConfig>(".user", &GetConfigParams::default()));
    all
}

fn result() -> GetConfigResult {
    let path = "/home/ada/parse/.scorel/config.toml";
    GetConfigResult {
        generation: 2,
        settings: vec![
            setting(
                "model.apiKeyEnv",
                Some(json!("LAB_KEY")),
                Some(SecretPlace::EnvFile),
            ),
            setting("runtime.maxSteps", Some(json!(50)), None),
            ConfigSetting {
                hidden: true,
                ..setting("tools.environment.set.API_TOKEN", None, None)
            },
            ConfigSetting {
                origin: ConfigOrigin {
                    layer: ConfigLayer::Default,
                    path: None,
                    line: None,
                },
                ..setting("runtime.maxDayCost", None, None)
            },
        ],
        ignored: vec![IgnoredSetting {
            key: "permissions.mode".into(),
            path: path.into(),
            line: Some(4),
            reason: "a project may not set it".into(),
        }],
        problems: vec![ConfigProblem {
            path: path.into(),
            line: Some(7),
            column: Some(1),
            key: Some("runtime.maxStep".into()),
            message: "unknown key `runtime.maxStep`".into(),
            suggestion: Some("maxSteps".into()),
        }],
    }
}

fn setting(key: &str, value: Option<Value>, secret: Option<SecretPlace>) -> ConfigSetting {
    ConfigSetting {
        key: key.into(),
        value,
        origin: ConfigOrigin {
            layer: ConfigLayer::User,
            path: Some("/home/ada/.scorel/config.toml".into()),
            line: Some(3),
        },
        secret,
        hidden: false,
    }
}
