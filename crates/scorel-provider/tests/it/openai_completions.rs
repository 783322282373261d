//! What the chat-completions wire sends back of the answers that it got.

mod passback;
