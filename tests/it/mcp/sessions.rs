//! The sessions that share a server.

use serde_json::json;

use super::scene::Scene;
use crate::extensions::session_elsewhere;

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
async fn another_directory_has_a_process_of_its_own() {
    let scene = Scene::of("modern").await;
    let mut here = scene.talk().await;
    let elsewhere = session_elsewhere(&scene.client, &scene.daemon).await;
    let mut there = scene.talk_in(elsewhere).await;
    let project = scene.daemon.project();
    let place = scene.call(&mut here, "place", &json!({})).await;
    assert!(place.contains(project.to_str().unwrap()), "{place}");
    let other = scene.call(&mut there, "place", &json!({})).await;
    assert!(other.contains("/other") && other != place, "{other}");
    assert_eq!(scene.noted("started").len(), 2);
}

#[tokio::test]
async fn a_session_may_have_a_server_for_itself() {
    let scene = Scene::configured("modern", "share = \"session\"").await;
    let (mut one, mut other) = (scene.talk().await, scene.talk().await);
    scene.call(&mut one, "echo", &json!({})).await;
    scene.call(&mut other, "echo", &json!({})).await;
    assert_eq!(scene.noted("started").len(), 2);
}
