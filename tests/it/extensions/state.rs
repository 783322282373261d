//! Programs that keep their state in a session's log.

use scorel_proto::{
    AppendCustom, AppendCustomParams, GetEvents, GetEventsParams, GetEventsResult, Seq,
};
use serde_json::{Value, json};

use super::scene::{Scene, Talk, has, python};
use crate::under_test::connect;

const TOOL: &str = "[[tools]]\nname = \"bump\"\ndescription = \"Counts.\"\n";

const COUNTER: &str = r#"
def tool_call(params):
    session = params["sessionId"]
    found = ask("getEvents", sessionId=session, kinds=["count.state"], beforeSeq=2**53 - 1, limit=1)
    count = found["events"][0]["data"]["count"] + 1 if found["events"] else 1
    record = {"sessionId": session, "kind": "count.state", "data": {"count": count}, "commandId": str(count)}
    note("recorded", [ask("appendCustom", **record), ask("appendCustom", **record)])
    text = {"role": "internal", "content": [{"type": "text", "text": "Counted to " + str(count) + "."}]}
    ask("appendCustomMessage", sessionId=session, kind="count.told", message=text)
    for call in [
        ["appendCustom", {"kind": "other.state", "data": 1}],
        ["appendCustomMessage", {"kind": "hook.count", "message": text}],
        ["getEvents", {}],
        ["getEvents", {"kinds": ["other.state"]}],
        ["sendMessage", {"content": "hello"}],
        ["deleteSession", {}],
    ]:
        note("refused", ask(call[0], sessionId=session, **call[1])["data"])
    return {"content": str(count)}
"#;

async fn records(scene: &Scene, talk: &Talk, limit: u32, before: Option<Seq>) -> GetEventsResult {
    let params = GetEventsParams {
        session_id: talk.id,
        after_seq: None,
        before_seq: before,
        limit: Some(limit),
        kinds: Some(vec!["count.state".to_owned()]),
    };
    scene.client.call::<GetEvents>(&params).await.unwrap()
}

fn counts(page: &GetEventsResult) -> Vec<Value> {
    let events = page.events.iter();
    let events = events.map(|it| serde_json::from_str::<Value>(it.text()).unwrap());
    events.map(|it| it["data"]["count"].clone()).collect()
}

#[tokio::test]
async fn a_program_counts_in_the_log_and_goes_on_after_a_kill() {
    if !has("python3") {
        return;
    }
    let mut scene = Scene::with(|dir| python(dir, "count", TOOL, COUNTER)).await;
    let mut talk = scene.talk().await;
    for count in ["1", "2"] {
        let result = scene.call(&mut talk, "ext__count__bump", &json!({})).await;
        let told = format!("Counted to {count}.");
        assert!(
            result.contains(count) && result.contains(&told),
            "a steer: {result}"
        );
    }
    scene.daemon.kill().await;
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    talk.again(&scene.client).await;
    let result = scene.call(&mut talk, "ext__count__bump", &json!({})).await;
    assert!(result.contains('3'), "{result}");

    let recorded = scene.noted("count", "recorded");
    assert_eq!(recorded.len(), 3);
    assert!(
        recorded
            .iter()
            .all(|it| it[0] == it[1] && it[0]["seq"].is_u64())
    );
    let refused = scene.noted("count", "refused");
    let codes: Vec<_> = refused
        .iter()
        .take(6)
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    let forbidden = "forbidden";
    let expected = [
        forbidden,
        forbidden,
        "invalid_params",
        forbidden,
        forbidden,
        "method_not_found",
    ];
    assert_eq!(codes, expected);

    let all = records(&scene, &talk, 100, None).await;
    assert_eq!(
        (counts(&all), all.more),
        (vec![json!(1), json!(2), json!(3)], false)
    );
    let first = records(&scene, &talk, 1, None).await;
    assert_eq!((counts(&first), first.more), (vec![json!(1)], true));
    let two = records(&scene, &talk, 2, Some(Seq::MAX)).await;
    assert_eq!((counts(&two), two.more), (vec![json!(2), json!(3)], true));
    let before = records(&scene, &talk, 2, two.through).await;
    assert_eq!((counts(&before), before.more), (vec![json!(1)], false));
}

/// More than one call looks through.
const FILLING: usize = 100;

#[tokio::test]
async fn a_search_in_a_long_log_goes_on_from_where_it_came_to() {
    let scene = Scene::with(|_| {}).await;
    let talk = scene.talk().await;
    let append = async |kind: &str, data: Value| {
        let params = AppendCustomParams {
            session_id: talk.id,
            kind: kind.to_owned(),
            data,
            command_id: None,
        };
        let appended = scene.client.call::<AppendCustom>(&params).await;
        appended.unwrap().seq
    };
    append("count.state", json!({ "count": 1 })).await;
    for _ in 0..FILLING {
        append("filling", json!("x".repeat(250 * 1024))).await;
    }
    let last = append("count.state", json!({ "count": 2 })).await;
    let mut page = records(&scene, &talk, 1, Some(last)).await;
    assert!(page.events.is_empty() && page.more, "{page:?}");
    while page.events.is_empty() {
        assert!(page.more, "{page:?}");
        page = records(&scene, &talk, 1, page.through).await;
    }
    assert_eq!(counts(&page), [json!(1)]);
}
