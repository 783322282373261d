use reqwest::Url;
use serde_json::{Value, json};

use super::listing_api::ListingApi;
use super::model_page::MAX_MODELS;
use super::{ListedModel, listing_api, openai};
use crate::Price;

fn models(api: ListingApi, list: &Value) -> Option<Vec<ListedModel>> {
    Some(api.page(list.to_string().as_bytes())?.models)
}

fn url(api: &str, base: &str, next: Option<&str>) -> String {
    listing_api(api).url(Url::parse(base).unwrap(), next).into()
}

#[test]
fn each_wire_has_its_own_path_and_a_query_survives() {
    for (api, base, expected) in [
        ("openai-completions", "http://h/v1", "http://h/v1/models"),
        (
            "openai-completions",
            "http://h/openai/v1?api-version=1",
            "http://h/openai/v1/models?api-version=1",
        ),
        ("openai-responses", "http://h/v1/", "http://h/v1/models"),
        (
            "anthropic-messages",
            "http://h",
            "http://h/v1/models?limit=1000",
        ),
        (
            "anthropic-messages",
            "http://h/v1",
            "http://h/v1/models?limit=1000",
        ),
        (
            "google-generative-ai",
            "http://h",
            "http://h/v1beta/models?pageSize=1000",
        ),
        (
            "google-generative-ai",
            "http://h/v1",
            "http://h/v1/models?pageSize=1000",
        ),
    ] {
        assert_eq!(url(api, base, None), expected);
    }
    assert_eq!(
        url("google-generative-ai", "http://h", Some("a&b")),
        "http://h/v1beta/models?pageSize=1000&pageToken=a%26b"
    );
}

#[test]
fn facts_are_found_wherever_servers_put_them() {
    let list = json!({"data": [
        {"id": "router/one", "context_length": 200_000, "supported_parameters": ["reasoning"],
         "top_provider": {"context_length": 100_000, "max_completion_tokens": 4_096},
         "architecture": {"input_modalities": ["text", "image"]},
         "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"}},
        {"id": "vllm", "max_model_len": 32_768},
        {"id": "groq", "context_window": 131_072, "max_completion_tokens": 65_536},
        {"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}},
        {"id": "text-embedding-3-large"},
        {"object": "model"},
    ]});
    let models = models(openai::LISTING, &list).unwrap();
    let ids: Vec<_> = models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["router/one", "vllm", "groq", "auto"]);
    let router = &models[0].facts;
    assert_eq!(router.context_window, Some(100_000));
    assert_eq!(router.max_output_tokens, Some(4_096));
    assert_eq!((router.reasoning, router.images), (Some(true), Some(true)));
    let price = Price {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: Some(300_000),
        cache_write: None,
        noted_on: None,
    };
    assert_eq!(router.price, Some(price));
    assert_eq!(models[1].facts.context_window, Some(32_768));
    assert_eq!(models[2].facts.max_output_tokens, Some(65_536));
    assert_eq!(models[3].facts.price, None);
}

#[test]
fn an_invalid_list_is_not_taken_for_an_empty_one() {
    for list in [
        json!({"error": "no"}),
        json!({"data": null}),
        json!({"data": {}}),
        json!("no"),
        json!(null),
    ] {
        assert_eq!(models(openai::LISTING, &list), None, "{list}");
    }
    assert_eq!(models(openai::LISTING, &json!([])), Some(Vec::new()));
}

#[test]
fn efforts_and_the_last_day_are_found_too() {
    let list = json!({"data": [
        {"id": "router", "reasoning": {"mandatory": false, "supported_efforts": ["max", "high", "low"]}},
        {"id": "always", "reasoning": {"mandatory": true, "supported_efforts": ["xhigh", "low", "none"]}},
        {"id": "any", "reasoning": {"mandatory": true, "supported_efforts": null}},
        {"id": "objects", "supported_reasoning_levels": [{"effort": "low"}, {"effort": "ultra"}]},
        {"id": "copilot", "capabilities": {
            "limits": {"max_context_window_tokens": 400_000, "max_output_tokens": 128_000},
            "supports": {"vision": true, "reasoning_effort": ["low", "high"]}}},
        {"id": "old", "shutdown_date": "2026-12-11"},
        {"id": "new", "shutdown_date": null},
    ]});
    let models = models(openai::LISTING, &list).unwrap();
    let levels = |place: usize| {
        models[place]
            .listed
            .levels
            .map(crate::ThinkingLevels::names)
    };
    let found: Vec<_> = (0..5).map(levels).collect();
    let expected = [
        Some("none, low, high, max"),
        Some("low, xhigh"),
        None,
        Some("low"),
        Some("low, high"),
    ];
    assert_eq!(found, expected.map(|names| names.map(str::to_owned)));
    let copilot = &models[4].listed;
    assert_eq!(copilot.context_window, Some(400_000));
    assert_eq!(copilot.max_output_tokens, Some(128_000));
    assert_eq!(
        (copilot.reasoning, copilot.images),
        (Some(true), Some(true))
    );
    let last_day = models[5].listed_retirement.as_ref().unwrap();
    assert_eq!(last_day.on.to_string(), "2026-12-11");
    assert_eq!(models[6].listed_retirement, None);
}

#[test]
fn anthropic_lists_each_effort() {
    let yes = json!({"supported": true});
    let no = json!({"supported": false});
    let list = json!({"data": [
        {"id": "claude-a", "max_input_tokens": 1_000_000, "max_tokens": 128_000, "capabilities": {
            "thinking": yes, "image_input": yes,
            "effort": {"supported": true, "low": yes, "medium": yes, "high": yes, "xhigh": no, "max": yes}}},
        {"id": "claude-b", "max_tokens": null, "capabilities": {"thinking": yes, "effort": {"supported": false}}},
        {"id": "claude-c"},
    ]});
    let models = models(super::anthropic::LISTING, &list).unwrap();
    let first = &models[0].listed;
    assert_eq!(first.max_output_tokens, Some(128_000));
    assert_eq!(first.context_window, Some(1_000_000));
    assert_eq!(first.levels.unwrap().names(), "low, medium, high, max");
    assert_eq!(models[1].listed.levels, None);
    assert_eq!(models[2].listed, crate::ModelFacts::default());
}

#[test]
fn llama_cpp_lists_the_context_that_it_was_started_with() {
    let list = json!({"data": [
        {"id": "new", "meta": {"n_ctx": 65_536, "n_ctx_train": 131_072}},
        {"id": "old", "meta": {"n_ctx_train": 131_072}},
    ]});
    let models = models(openai::LISTING, &list).unwrap();
    let windows = models.iter().map(|model| model.listed.context_window);
    assert_eq!(windows.collect::<Vec<_>>(), [Some(65_536), Some(131_072)]);
}

#[test]
fn of_a_list_without_end_the_first_models_are_taken() {
    let entry = |number| format!(r#"{{"id":"m{number}"}}"#);
    let entries = |count| (0..count).map(entry).collect::<Vec<_>>().join(",");
    for list in [
        format!("[{}]", entries(2 * MAX_MODELS)),
        format!(r#"{{"data":[{}],"x":[[{{}}]]}}"#, entries(2 * MAX_MODELS)),
        format!(r#" {{"models":[{}]}}"#, entries(2 * MAX_MODELS)),
    ] {
        let page = openai::LISTING.page(list.as_bytes()).unwrap();
        assert_eq!(page.models.len(), MAX_MODELS);
    }
    let numbers = format!("[{}0]", "0,".repeat(1 << 20));
    assert!(
        openai::LISTING
            .page(numbers.as_bytes())
            .unwrap()
            .models
            .is_empty()
    );
    // An entry that is a list itself is left out, and the others are not.
    let one = format!(r#"[{{"id":"a","x":{numbers}}},{}]"#, entry(1));
    let page = openai::LISTING.page(one.as_bytes()).unwrap();
    assert_eq!(page.models.len(), 1);
}

#[test]
fn each_page_says_where_the_next_one_begins() {
    for (api, page, next) in [
        (
            "anthropic-messages",
            r#"{"data":[],"has_more":true,"last_id":"a"}"#,
            Some("a"),
        ),
        (
            "anthropic-messages",
            r#"{"data":[],"has_more":false,"last_id":"a"}"#,
            None,
        ),
        (
            "anthropic-messages",
            r#"{"data":[],"has_more":true,"last_id":null}"#,
            None,
        ),
        (
            "google-generative-ai",
            r#"{"models":[],"nextPageToken":"t"}"#,
            Some("t"),
        ),
        (
            "google-generative-ai",
            r#"{"models":[],"nextPageToken":""}"#,
            None,
        ),
    ] {
        let page = listing_api(api).page(page.as_bytes()).unwrap();
        assert_eq!(page.next.as_deref(), next);
    }
}
