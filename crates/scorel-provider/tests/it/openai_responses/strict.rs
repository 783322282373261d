use std::sync::Arc;

use scorel_proto::{Context, Message};
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret};
use scorel_testkit::{ModelReply, StrictServer};

use super::API;
use crate::collected::KEY;
use crate::played;

#[tokio::test]
async fn a_conversation_with_tools_is_accepted_by_a_strict_endpoint() {
    for ways in [None, Some("openai".to_owned())] {
        let server = StrictServer::start().await.unwrap();
        let call = |id: &str| {
            ModelReply::default()
                .thinking("hm")
                .tool_call(id, "Read", "{}")
        };
        server
            .reply(call("call_0").text("I look.").tool_call("b", "Glob", "{}"))
            .reply(call("call_0"))
            .reply(ModelReply::default().text("done"))
            .reply(ModelReply::default().thinking("hm").text("still done"));
        let base_url = server.server().base_url();
        let mut config = ModelConfig::custom("test", API, base_url, "model-1");
        config.dialect = ways;
        let provider = Connector::default()
            .connect(&config, Some(Secret::new(KEY)), Arc::new(NoBlobs))
            .unwrap();
        let mut conversation = Context::from(vec![Message::user("hi")]);
        for _ in 0..4 {
            let answers = played::answers(Arc::clone(&provider), conversation.clone(), 1).await;
            conversation.extend(answers.into_iter().flat_map(played::continued));
        }
        assert_eq!(server.rejections(), Vec::<String>::new());
        assert_eq!(server.server().requests().len(), 4);
        assert_eq!(conversation.len(), 10);
    }
}
