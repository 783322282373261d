//! What chat completions send back of recorded replies.

mod passback;
