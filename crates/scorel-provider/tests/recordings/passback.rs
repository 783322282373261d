//! Recorded answers go back to their model as they came.

pub(crate) mod anthropic_messages;
pub(crate) mod google_generative_ai;
pub(crate) mod openai_completions;
pub(crate) mod openai_responses;
