use scorel_proto::BlobHash;

use super::*;

const HOSTILE: &str = "</pre><script src=//evil.example/x.js></script><img src=x onerror=\"alert('1')\">\
    ```\n````\n<style>@import 'http://evil.example'</style>\u{202e}\u{1b}[2J]";

fn session() -> Session {
    serde_json::from_value(serde_json::json!({
        "sessionId": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV", "projectId": "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "kind": "user", "title": HOSTILE, "model": null, "thinkingLevel": "default", "phase": "idle",
        "activeLeafId": null, "currentSeq": 0, "lastPersistentSeq": 0, "queue": [],
        "queueVersion": 0, "queuePaused": false,
        "usage": scorel_proto::Usage::default(), "createdAt": 1_795_390_200_000_u64, "updatedAt": 0, "archived": false,
    }))
    .expect("a session")
}

fn event(message: &serde_json::Value) -> PersistentEvent {
    let event = serde_json::json!({
        "type": "message", "id": scorel_proto::EventId::generate(), "parentId": null, "seq": 1,
        "sessionId": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV", "clientId": "daemon", "ts": 1,
        "message": message,
    });
    match scorel_proto::Event::decode(&event.to_string()).expect("an event") {
        scorel_proto::Event::Persistent(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn document(format: DocumentFormat) -> String {
    let hash: BlobHash = "a".repeat(64).parse().expect("a hash");
    let blobs = BlobContents::from([(hash.clone(), b"<script>".to_vec())]);
    let mut writer = DocumentWriter::new(Vec::new(), format, &session()).expect("written");
    let text = serde_json::json!({"type": "text", "text": HOSTILE});
    let image = |media_type: &str| serde_json::json!({"type": "image", "mediaType": media_type, "blob": hash});
    let messages = [
        serde_json::json!({"role": "user", "content": [text, image("image/png"), image("image/svg+xml")]}),
        serde_json::json!({"role": "assistant", "model": HOSTILE, "stopReason": "tool_use", "content": [
            {"type": "thinking", "text": HOSTILE},
            {"type": "tool_use", "id": "1", "name": HOSTILE, "input": {"x": HOSTILE}},
        ]}),
        serde_json::json!({"role": "tool_result", "toolName": "x", "durationMs": 0, "content": [
            {"type": "tool_result", "toolUseId": "1", "isError": true, "content": [text]},
        ]}),
    ];
    for message in &messages {
        writer.event(&event(message), &blobs).expect("written");
    }
    String::from_utf8(writer.finish().expect("written")).expect("text")
}

/// The names of all elements in the order of the text.
fn elements(html: &str) -> Vec<&str> {
    let opened = html.split('<').skip(1);
    let names = opened.filter_map(|rest| rest.split([' ', '>', '\n']).next());
    names.filter(|name| !name.starts_with(['/', '!'])).collect()
}

#[test]
fn nothing_in_an_html_document_runs_or_is_fetched() {
    let html = document(DocumentFormat::Html);
    let known = [
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "small", "div",
        "details", "summary", "pre", "img",
    ];
    for name in elements(&html) {
        assert!(known.contains(&name), "{name} in {html}");
    }
    assert_eq!(html.matches("<img").count(), 1, "no SVG: {html}");
    assert!(html.contains("<img alt=\"\" src=\"data:image/png;base64,"));
    for attribute in ["onerror=\"", "href=", "src=x", "src=//"] {
        let outside = html
            .split('<')
            .filter_map(|it| it.split_once('>').map(|it| it.0));
        assert!(
            !outside.clone().any(|tag| tag.contains(attribute)),
            "{attribute}"
        );
    }
    assert!(html.contains("default-src 'none'; style-src 'sha256-"));
    assert!(html.contains("&lt;script src=//evil.example/x.js&gt;"));
    assert!(html.contains("⟨202e⟩⟨1b⟩"));
    assert!(!html.contains(['\u{202e}', '\u{1b}']));
}

#[test]
fn what_a_tool_said_does_not_end_its_code_block() {
    let markdown = document(DocumentFormat::Markdown);
    let fences: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with("`````"))
        .collect();
    assert_eq!(
        fences,
        ["`````json", "`````", "`````text", "`````"],
        "{markdown}"
    );
    assert!(markdown.starts_with("# \\<\\/pre") || markdown.starts_with("# \\</pre\\>"));
}
