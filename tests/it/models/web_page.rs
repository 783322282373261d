use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedResponse};

use crate::under_test::{SCORELD, Watch, new_session, send};

const PAGE: &str = "<!DOCTYPE html><html><head><title>Welcome to the lab</title></head></html>";

#[tokio::test(flavor = "multi_thread")]
async fn a_web_page_in_place_of_a_reply_is_named_on_every_wire() {
    let site = ModelServer::start().await.unwrap();
    let page = ScriptedResponse::status(200).header("content-type", "text/html; charset=utf-8");
    site.fallback(page.write(PAGE));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.spawn().await;
    for api in [
        "openai-completions",
        "openai-responses",
        "anthropic-messages",
        "google-generative-ai",
    ] {
        let url = site.base_url();
        daemon.configure(&format!(
            "[model]\ntype = 'custom'\napi = '{api}'\nprovider = 'lab'\nid = 'm'\nbaseUrl = '{url}'\n"
        ));
        // Some APIs are also asked for the facts of a model.
        let posts = || {
            let requests = site.requests().into_iter();
            requests.filter(|request| request.method == "POST").count()
        };
        let before = posts();
        let (client, id) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        send(&client, id, "Hello.").await;
        let outcome = watch.until("turn_outcome").await.pop().unwrap();
        let error = &outcome["error"];
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("not an event stream")
                && message.contains("text/html; charset=utf-8")
                && message.contains("Welcome to the lab"),
            "{api}: {message}"
        );
        let hint = error["hint"].as_str().unwrap_or_default();
        assert!(hint.contains("`baseUrl`"), "{api}: {error}");
        assert_eq!(posts(), before + 1, "{api}: it is not tried again");
    }
}
