//! `WebFetch` with the real daemon.

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::under_test::{SCORELD, Watch, new_session, send};

/// Serves one page to every client; returns the port.
async fn serve(page: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let length = page.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\n\r\n"
            );
            stream
                .write_all(format!("{head}{page}").as_bytes())
                .await
                .unwrap();
        }
    });
    port
}

/// The results of a turn in which the model fetches these URLs one after another.
async fn fetched(config: &str, urls: &[String]) -> Vec<Value> {
    let model = ModelServer::start().await.unwrap();
    for (index, url) in urls.iter().enumerate() {
        let arguments = json!({ "url": url }).to_string();
        let id = format!("call_{index}");
        let answer = ScriptedChat::default().tool_call(&id, "WebFetch", &arguments);
        model.answer(answer.finish("tool_calls"));
    }
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(config);
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Look it up.").await;
    let seen = watch.until("turn_outcome").await;
    let results = seen
        .iter()
        .filter(|item| item["message"]["role"] == "tool_result");
    results
        .map(|item| item["message"]["content"][0].clone())
        .collect()
}

#[tokio::test]
async fn a_page_is_fetched_where_rules_and_configuration_allow_its_host() {
    let port = serve("<h1>Manual</h1><p>See <a href='/more'>more</a>.").await;
    let config = format!(
        "[tools]\npreset = \"all\"\nfetchPrivate = [\"localhost:{port}\"]\n\
         [permissions]\nallow = [\"WebFetch\"]\ndeny = [\"WebFetch(domain:evil.org)\"]\n"
    );
    let urls = [
        format!("http://localhost:{port}/"),
        "http://evil.org/".to_owned(),
    ];
    let results = fetched(&config, &urls).await;
    let text = results.iter().map(Value::to_string).collect::<Vec<_>>();
    assert_eq!(text.len(), 2, "{text:?}");
    assert!(
        text[0].contains(&format!("[more](http://localhost:{port}/more)")),
        "{}",
        text[0]
    );
    assert!(text[1].contains("not run: "), "{}", text[1]);
}
