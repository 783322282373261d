//! Pictures that a client has stored: they count by their bytes, to their end.

use serde_json::json;

use super::Desk;
use crate::raw::RawConnection;
use crate::transfer::PNG;
use crate::trash::put_blob;
use crate::under_test::Watch;

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_picture_is_refused_wherever_it_could_enter() {
    let desk = Desk::new().await;
    let id = desk.id.to_string();
    let mut raw = RawConnection::connect(&desk.daemon);
    let before = desk.daemon.log(&id).len();
    let stored = [(&PNG[..40], "damaged"), ("aGVsbG8=", "no picture")];
    for (data, reason) in stored {
        let blob = put_blob(&mut raw, &id, data);
        let image = json!({"type": "image", "mediaType": "image/png", "blob": blob});
        let file = json!({"type": "attachment", "path": "a.png", "size": 40, "content": [image]});
        for content in [json!([image]), json!([file])] {
            let add = json!({"op": "add", "kind": "followUp", "content": content});
            let message = json!({"role": "user", "content": content});
            for (method, field, params) in [
                ("sendMessage", "content", json!({"content": content})),
                (
                    "rewriteQueue",
                    "ops",
                    json!({"expectedVersion": 0, "ops": [add]}),
                ),
                (
                    "appendCustomMessage",
                    "message",
                    json!({"kind": "a.b", "message": message}),
                ),
            ] {
                let mut params = params;
                params["sessionId"] = json!(id);
                let error = raw.call(method, &params)["error"].clone();
                assert_eq!(error["data"]["code"], "invalid_params", "{method}: {error}");
                assert_eq!(error["data"]["details"]["field"], field, "{error}");
                let text = error["message"].as_str().unwrap();
                assert!(text.contains(reason), "{method}: {text}");
            }
        }
    }
    assert_eq!(desk.daemon.log(&id).len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_has_the_type_of_its_bytes() {
    let desk = Desk::new().await;
    let id = desk.id.to_string();
    let mut raw = RawConnection::connect(&desk.daemon);
    let mut watch = Watch::from_start(&desk.client, desk.id).await;
    let blob = put_blob(&mut raw, &id, PNG);
    let content = json!([{"type": "image", "mediaType": "image/gif", "blob": blob}]);
    let sent = raw.call("sendMessage", &json!({"sessionId": id, "content": content}));
    assert!(sent["result"]["seq"].is_u64(), "{sent}");
    watch.until("turn_outcome").await;
    let message = &desk.messages()[0];
    assert_eq!(message["content"][0]["mediaType"], "image/png", "{message}");
    let request = desk.model.requests()[0].json().to_string();
    assert!(
        request.contains(&format!("data:image/png;base64,{PNG}")),
        "{request}"
    );
}
