//! `@` finds files of the project.

use super::{said, scene, window};

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_a_name_becomes_a_file_that_goes_with_the_message() {
    let (daemon, model) = scene([said("It is a parser.")]).await;
    std::fs::create_dir(daemon.project().join("src")).unwrap();
    std::fs::write(daemon.project().join("src/parse.rs"), "fn zebra() {}\n").unwrap();
    std::fs::write(daemon.project().join("src/print.rs"), "").unwrap();
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.types("explain @prs");
    window.until("▸ @src/parse.rs");
    window.types("\t");
    window.until("❯ explain @src/parse.rs");
    window.types("\r");
    window.until("attached: src/parse.rs");
    window.until("It is a parser.");
    let request = model.requests().remove(0).json().to_string();
    assert!(request.contains("zebra"), "{request}");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
}
