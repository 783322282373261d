//! The sessions that share a server.

use serde_json::json;

use super::scene::Scene;

#[tokio::test]
async fn the_sessions_of_a_directory_share_one_process() {
    let scene = Scene::of("modern").await;
    let (mut one, mut other) = (scene.talk().await, scene.talk().await);
    let place = scene.call(&mut one, "place", &json!({})).await;
    let project = scene.daemon.project();
    assert!(place.contains(project.to_str().unwrap()), "{place}");
    scene.call(&mut other, "echo", &json!({})).await;
    for _ in 0..8 {
        let mut talk = scene.talk().await;
        scene.call(&mut talk, "echo", &json!({})).await;
    }
    assert_eq!(scene.noted("started").len(), 1, "for ten sessions");
}

#[tokio::test]
async fn a_session_may_have_a_server_for_itself() {
    let scene = Scene::configured("modern", "share = \"session\"").await;
    let (mut one, mut other) = (scene.talk().await, scene.talk().await);
    scene.call(&mut one, "echo", &json!({})).await;
    scene.call(&mut other, "echo", &json!({})).await;
    assert_eq!(scene.noted("started").len(), 2);
}
