use std::sync::Arc;

use scorel_config::ConfigSource;
use scorel_home::SecretStore;
use scorel_proto::ThinkingLevel::{self, High, Low, Max, Xhigh};
use scorel_provider::{EndpointId, ListedModel, ModelFacts, NoBlobs, SetupError, ThinkingLevels};

use super::{Calendar, ModelCallError, ModelError, Models, WantedModel};

/// A day that stands still.
#[derive(Debug)]
struct OneDay(u64);

impl Calendar for OneDay {
    fn now_ms(&self) -> u64 {
        self.0
    }
}

/// 2026-11-22.
const DAY: u64 = 1_795_305_600_000;

/// Models in a home with this configuration, and keys for everything.
fn models(home: &std::path::Path, config: &str) -> Models {
    let file = home.join("config.toml");
    std::fs::write(&file, config).unwrap();
    let env = "XAI_API_KEY=k\nANTHROPIC_API_KEY=k\nLAB_KEY=k\n";
    std::fs::write(home.join("env"), env).unwrap();
    for name in ["config.toml", "env"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(home.join(name), mode).unwrap();
    }
    let config = Arc::new(ConfigSource::open(&file).unwrap());
    let secrets = SecretStore::new(home.join("env"));
    Models {
        calendar: Arc::new(OneDay(DAY)),
        ..Models::new(
            config,
            secrets,
            home.join("models.json"),
            Box::new(|provider| provider),
        )
    }
}

const LAB: &str = "[model]\ntype = \"custom\"\nprovider = \"lab\"\napi = \"anthropic-messages\"\n\
    baseUrl = \"http://lab.example\"\nid = \"made-here\"\napiKeyEnv = \"LAB_KEY\"\n";

fn endpoint(models: &Models) -> EndpointId {
    let config = models.config.current(None);
    config.model.model.endpoint().unwrap().unwrap()
}

fn listed(id: &str) -> ListedModel {
    let facts = ModelFacts {
        context_window: Some(1_000_000),
        max_output_tokens: Some(128_000),
        levels: Some(ThinkingLevels::of(&[Low, High, Max])),
        ..ModelFacts::default()
    };
    ListedModel::new(id, None, facts)
}

fn thinking(
    models: &Models,
    name: Option<&str>,
    level: ThinkingLevel,
) -> Result<ThinkingLevel, ModelError> {
    let config = models.config.current(None);
    models.thinking(&config, WantedModel { name, level })
}

#[test]
fn what_an_endpoint_listed_counts_in_turns() {
    let home = tempfile::tempdir().unwrap();
    let models = models(home.path(), LAB);
    let config = models.config.current(None);
    let provider = || models.provider(&config, None, Arc::new(NoBlobs)).unwrap();
    assert_eq!(provider().model().max_output_tokens, 8_192);
    assert!(thinking(&models, None, Max).is_err());
    models
        .lists
        .keep(DAY, vec![(endpoint(&models), vec![listed("made-here")])]);
    let model = provider().model().clone();
    assert_eq!(
        (model.context_window, model.max_output_tokens),
        (1_000_000, 128_000)
    );
    assert_eq!(thinking(&models, None, Max).unwrap(), Max);
    let refused = thinking(&models, None, Xhigh).unwrap_err();
    assert!(
        refused.to_string().ends_with("it has low, high, max"),
        "{refused}"
    );
    let other = models
        .provider(&config, Some("other"), Arc::new(NoBlobs))
        .unwrap();
    assert_eq!(other.model().max_output_tokens, 8_192, "not listed");
}

#[test]
fn a_retired_model_is_refused_unless_its_provider_lists_it() {
    let home = tempfile::tempdir().unwrap();
    let config = "[model]\nprovider = \"xai\"\nid = \"grok-3\"\n";
    let models = models(home.path(), config);
    let config = models.config.current(None);
    let refused = models
        .provider(&config, None, Arc::new(NoBlobs))
        .unwrap_err();
    let ModelError::Setup(SetupError::Retired { successor, .. }) = refused else {
        panic!("{refused}");
    };
    assert_eq!(successor.as_deref(), Some("grok-4.3"));
    models
        .lists
        .keep(DAY, vec![(endpoint(&models), vec![listed("grok-3")])]);
    assert!(models.provider(&config, None, Arc::new(NoBlobs)).is_ok());
}

#[tokio::test]
async fn a_level_that_a_model_lacks_is_not_accepted() {
    let home = tempfile::tempdir().unwrap();
    let models = Arc::new(models(home.path(), LAB));
    let project = home.path().to_owned();
    let accept = async |name: &str, level| {
        let name = Some(name.to_owned());
        models.accept(project.clone(), name, level).await
    };
    assert!(accept("anthropic:claude-opus-4-6", Max).await.is_ok());
    let refused = accept("anthropic:claude-opus-4-6", Xhigh)
        .await
        .unwrap_err();
    let ModelCallError::Named(ModelError::Setup(SetupError::NoThinkingLevel { levels, .. })) =
        refused
    else {
        panic!("{refused}");
    };
    let offered = serde_json::json!(["none", "low", "medium", "high", "max"]);
    assert_eq!(serde_json::json!(levels), offered);
    let retired = accept("xai:grok-code-fast-1", High).await.unwrap_err();
    let ModelCallError::Named(ModelError::Setup(SetupError::Retired { successor, .. })) = retired
    else {
        panic!("{retired}");
    };
    assert_eq!(successor.as_deref(), Some("grok-4.3"));
}

#[tokio::test]
async fn a_list_that_was_kept_is_shown_with_its_day_and_age() {
    let home = tempfile::tempdir().unwrap();
    let models = Arc::new(models(home.path(), LAB));
    let sixty_days = 60 * 24 * 60 * 60 * 1000;
    let list = async || {
        models
            .list(None, Some("lab".to_owned()), false)
            .await
            .unwrap()
    };
    let fresh = list().await;
    assert_eq!(fresh.providers[0].listed_at, None);
    assert_eq!(fresh.models[0].max_output_tokens, None);
    let mut other = listed("other");
    other.listed.price = Some(scorel_provider::Price {
        input: 1,
        output: 2,
        cache_read: None,
        cache_write: None,
        noted_on: None,
    });
    for (listed_at, estimated) in [
        (DAY - sixty_days, false),
        (DAY - sixty_days - 86_400_000, true),
    ] {
        models
            .lists
            .keep(listed_at, vec![(endpoint(&models), vec![other.clone()])]);
        let shown = list().await;
        assert_eq!(shown.providers[0].listed_at, Some(listed_at));
        let ids: Vec<_> = shown.models.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(ids, ["made-here", "other"]);
        let other = &shown.models[1];
        assert_eq!(other.max_output_tokens, Some(128_000));
        assert!(!other.live);
        assert_eq!(other.price.as_ref().unwrap().estimated, estimated);
    }
}
