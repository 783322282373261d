//! Model listings over HTTP.

use scorel_engine::ErrorCategory;
use scorel_provider::{Connector, ListError, ModelConfig, Secret, SetupError};
use scorel_testkit::{ModelServer, ScriptedResponse};

fn custom(api: &str, server: &ModelServer) -> ModelConfig {
    ModelConfig::custom("test", api, format!("http://{}", server.address()), "")
}

async fn list(config: &ModelConfig) -> Result<Vec<scorel_provider::ListedModel>, ListError> {
    let key = Some(Secret::new("sk-secret"));
    Connector::default().list_models(config, key).await
}

async fn ids(config: &ModelConfig) -> Vec<String> {
    let models = list(config).await.unwrap();
    models.into_iter().map(|model| model.id).collect()
}

#[tokio::test]
async fn a_list_is_read_over_http_with_the_key_in_its_header() {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::json(
        200,
        r#"{"object":"list","data":[{"id":"b"},{"id":"a"}]}"#,
    ));
    assert_eq!(
        ids(&custom("openai-completions", &server)).await,
        ["a", "b"]
    );
    let request = &server.requests()[0];
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("GET", "/models")
    );
    assert_eq!(request.header("authorization"), Some("Bearer sk-secret"));
}

#[tokio::test]
async fn all_pages_of_a_list_are_read() {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::json(
        200,
        r#"{"data":[{"id":"claude-a"}],"has_more":true,"last_id":"claude-a"}"#,
    ));
    server.answer(ScriptedResponse::json(
        200,
        r#"{"data":[{"id":"claude-b"}],"has_more":false,"last_id":"claude-b"}"#,
    ));
    assert_eq!(
        ids(&custom("anthropic-messages", &server)).await,
        ["claude-a", "claude-b"]
    );
    let requests = server.requests();
    assert_eq!(requests[1].path, "/v1/models?limit=1000&after_id=claude-a");
    assert_eq!(requests[1].header("x-api-key"), Some("sk-secret"));
    assert_eq!(requests[1].header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(requests[1].header("authorization"), None);
}

#[tokio::test]
async fn a_list_of_gemini_models_has_those_that_converse() {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::json(
        200,
        r#"{"models":[
            {"name":"models/gemini-x","displayName":"Gemini X","inputTokenLimit":1000000,
             "outputTokenLimit":65536,"thinking":true,
             "supportedGenerationMethods":["generateContent","countTokens"]},
            {"name":"models/embedding-1","supportedGenerationMethods":["embedContent"]}]}"#,
    ));
    let models = list(&custom("google-generative-ai", &server))
        .await
        .unwrap();
    assert_eq!(models.len(), 1);
    assert_eq!(models[0].id, "gemini-x");
    assert_eq!(models[0].facts.context_window, Some(1_000_000));
    assert_eq!(models[0].facts.max_output_tokens, Some(65_536));
    assert_eq!(
        server.requests()[0].header("x-goog-api-key"),
        Some("sk-secret")
    );
}

#[tokio::test]
async fn endless_pages_are_abandoned() {
    let server = ModelServer::start().await.unwrap();
    let mut page = 0;
    server.answer_with(move |_| {
        page += 1;
        ScriptedResponse::json(
            200,
            format!(r#"{{"data":[{{"id":"m{page}"}}],"has_more":true,"last_id":"m{page}"}}"#),
        )
    });
    let models = list(&custom("anthropic-messages", &server)).await.unwrap();
    assert_eq!(models.len(), 20);
    assert_eq!(server.requests().len(), 20);
}

#[tokio::test]
async fn what_the_table_knows_is_added_and_comes_first() {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::json(
        200,
        r#"{"data":[{"id":"a-new-one"},{"id":"deepseek-v4-pro"},{"id":"deepseek-v4-flash","context_length":5000}]}"#,
    ));
    let mut config = custom("openai-completions", &server);
    config.dialect = Some("deepseek".to_owned());
    let models = list(&config).await.unwrap();
    let ids: Vec<_> = models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["deepseek-v4-flash", "deepseek-v4-pro", "a-new-one"]);
    assert_eq!(
        models[0].facts.context_window,
        Some(5_000),
        "the endpoint knows better"
    );
    assert_eq!(models[0].facts.max_output_tokens, Some(384_000));
    assert_eq!(models[0].listed.max_output_tokens, None);
    assert_eq!(models[0].differences[0].property, "contextWindow");
    assert_eq!(models[2].facts.context_window, None);
}

#[tokio::test]
async fn failures_are_told_apart_and_never_show_the_key() {
    let server = ModelServer::start().await.unwrap();
    let config = custom("openai-completions", &server);
    let huge = format!(r#"{{"data":["{}"]}}"#, "x".repeat(9 << 20));
    for (answer, category) in [
        (
            ScriptedResponse::json(401, r#"{"error":{"message":"bad key sk-secret"}}"#),
            ErrorCategory::Auth,
        ),
        (ScriptedResponse::status(404), ErrorCategory::NotFound),
        (
            ScriptedResponse::json(200, "<html>"),
            ErrorCategory::ServerError,
        ),
        (
            ScriptedResponse::json(200, r#"{"data":7}"#),
            ErrorCategory::ServerError,
        ),
        (
            ScriptedResponse::json(200, huge),
            ErrorCategory::ServerError,
        ),
    ] {
        server.answer(answer);
        let Err(ListError::Call(error)) = list(&config).await else {
            panic!("{category:?} was taken for a list");
        };
        assert_eq!(error.category, category);
        assert!(!error.message.contains("sk-secret"), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_does_not_take_the_key_elsewhere() {
    let (server, other) = (
        ModelServer::start().await.unwrap(),
        ModelServer::start().await.unwrap(),
    );
    let location = format!("http://{}/models", other.address());
    server.answer(ScriptedResponse::status(302).header("location", location));
    assert!(list(&custom("openai-completions", &server)).await.is_err());
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn an_endpoint_is_not_asked_without_the_key_that_it_wants() {
    let config = ModelConfig::builtin("anthropic", "");
    let refused = Connector::default().list_models(&config, None).await;
    let expected = SetupError::MissingKey {
        provider: "anthropic".to_owned(),
        variables: &["ANTHROPIC_API_KEY"],
    };
    assert_eq!(refused, Err(ListError::Setup(expected)));
}

#[tokio::test]
async fn a_refused_connection_is_a_network_failure() {
    let gone = ModelServer::start().await.unwrap();
    let config = custom("openai-completions", &gone);
    drop(gone);
    let Err(ListError::Call(error)) = list(&config).await else {
        panic!("a list from nowhere");
    };
    assert_eq!(error.category, ErrorCategory::Network);
}

#[tokio::test]
async fn a_model_is_listed_once_and_only_with_an_id_that_can_be_used() {
    let server = ModelServer::start().await.unwrap();
    let page = r#"{"data":[{"id":"a"},{"id":"a","context_window":5},{"id":"../x"},{"id":"b c"},
        {"id":"e\u001b[2J"},{"id":""},{"id":7},[],null,{"id":"org/b:free"}],"has_more":true,"last_id":"c"}"#;
    server.answer(ScriptedResponse::json(200, page));
    server.answer(ScriptedResponse::json(
        200,
        r#"{"data":[{"id":"a"},{"id":"c"}]}"#,
    ));
    let found = ids(&custom("anthropic-messages", &server)).await;
    assert_eq!(found, ["a", "c", "org/b:free"]);
}
