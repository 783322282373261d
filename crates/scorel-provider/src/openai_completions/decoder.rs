use scorel_engine::{ErrorCategory, ProviderError};
use scorel_proto::StopReason;
use serde_json::Value;

use super::reasoning::{ReasoningDetails, ReasoningField};
use super::think_tags::{TaggedText, ThinkTags};
use super::tool_calls::{EXTRA_CONTENT, StreamedCalls};
use super::usage;
use crate::http::provider_error;
use crate::wire::{
    DecodedReply, FinishReason, ReplyStatus, WireDecoder, non_empty, text_of, unknown_finish,
};

/// Decodes the chunks of a chat completion.
#[derive(Debug, Default)]
pub(crate) struct ChatDecoder {
    /// The block that text is added to, with its kind.
    open: Option<(TextKind, usize)>,
    /// The reasoning blocks, each with the field that it came in.
    thinking: Vec<(usize, ReasoningField)>,
    details: ReasoningDetails,
    /// The data that the server wants back with the message.
    extra: Option<Value>,
    tags: ThinkTags,
    calls: StreamedCalls,
    /// Set by a finish reason that means failure, such as OpenRouter's `error`.
    failed: Option<ErrorCategory>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Text,
    Refusal,
    Thinking,
}

impl ChatDecoder {
    fn delta(&mut self, delta: &Value, status: &mut ReplyStatus, out: &mut DecodedReply) {
        self.details.add(delta, &mut out.tally);
        if let Some(extra) = delta.get(EXTRA_CONTENT).filter(|extra| !extra.is_null()) {
            out.tally.keep(extra);
            self.extra = Some(extra.clone());
        }
        if let Some((field, text)) = ReasoningField::read(delta) {
            self.flush_tags(out);
            self.thinking(field, text, out);
        }
        match &delta["content"] {
            Value::String(text) if !text.is_empty() => {
                for piece in self.tags.push(text) {
                    self.tagged(piece, out);
                }
            }
            // Mistral's reasoning models send arrays of parts.
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part, out)),
            _ => {}
        }
        if let Some(refusal) = non_empty(&delta["refusal"]) {
            status.refused = true;
            self.text(TextKind::Refusal, refusal, out);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.flush_tags(out);
            self.open = None;
            self.calls.delta(call, out);
        }
    }

    fn tagged(&mut self, piece: TaggedText, out: &mut DecodedReply) {
        match piece {
            TaggedText::Thinking(text) => self.thinking(ReasoningField::ThinkTag, text, out),
            TaggedText::Text(text) => self.text(TextKind::Text, &text, out),
        }
    }

    /// Emits text that was held back as the possible beginning of a tag.
    fn flush_tags(&mut self, out: &mut DecodedReply) {
        if let Some(piece) = self.tags.flush() {
            self.tagged(piece, out);
        }
    }

    fn part(&mut self, part: &Value, out: &mut DecodedReply) {
        match &part["thinking"] {
            Value::String(text) => {
                self.thinking(ReasoningField::ContentPart, text.clone(), out);
            }
            Value::Array(parts) => {
                let texts = parts.iter().map(|part| text_of(&part["text"]));
                self.thinking(ReasoningField::ContentPart, texts.collect(), out);
            }
            _ => self.text(TextKind::Text, text_of(&part["text"]), out),
        }
    }

    fn text(&mut self, kind: TextKind, text: &str, out: &mut DecodedReply) {
        if !text.is_empty() {
            let block = self.block(kind, out);
            out.text(block, text);
        }
    }

    fn thinking(&mut self, field: ReasoningField, delta: String, out: &mut DecodedReply) {
        if delta.is_empty() {
            return;
        }
        let block = self.block(TextKind::Thinking, out);
        if self.thinking.last().is_none_or(|(last, _)| *last != block) {
            self.thinking.push((block, field));
        }
        out.thinking(block, delta);
    }

    /// The open block if it is of the kind, else a new one.
    fn block(&mut self, kind: TextKind, out: &mut DecodedReply) -> usize {
        match self.open {
            Some((open, block)) if open == kind => block,
            _ => {
                let block = out.tally.take_next();
                self.open = Some((kind, block));
                block
            }
        }
    }
}

impl WireDecoder for ChatDecoder {
    const EVENT_FIELD: &'static str = "choices";
    /// Snowflake and some other hosts send no finish reason at all.
    const DONE_COMPLETES: bool = true;

    fn observe(&mut self, payload: &Value, status: &mut ReplyStatus) {
        status.usage = usage::of_chunk(payload).or(status.usage);
        status.name_model(&payload["model"]);
        let choice = first_choice(payload);
        let reason = choice.and_then(|choice| non_empty(&choice["finish_reason"]));
        match reason.map(finish_reason) {
            Some(FinishReason::Stop(stop)) => status.stop = Some(stop),
            Some(FinishReason::Failure(category)) => self.failed = Some(category),
            None => {}
        }
    }

    fn decode(
        &mut self,
        payload: &Value,
        status: &mut ReplyStatus,
        out: &mut DecodedReply,
    ) -> Result<(), ProviderError> {
        if let Some(choice) = first_choice(payload) {
            // Hosts that do not stream send a whole `message`.
            let delta = choice.get("delta").unwrap_or(&choice["message"]);
            self.delta(delta, status, out);
        }
        self.failed.map_or(Ok(()), |category| {
            let retryable = category == ErrorCategory::ServerError;
            let message = "the provider ended its reply with an error";
            Err(provider_error(category, retryable, message))
        })
    }

    fn finish(&mut self, _reported: StopReason, out: &mut DecodedReply) -> Option<Value> {
        self.flush_tags(out);
        self.calls.finish(out);
        for (block, field) in std::mem::take(&mut self.thinking) {
            out.thinking_fact(block, "field", field.name().into());
        }
        let facts = [
            ("reasoningDetails", self.details.take()),
            ("extraContent", self.extra.take()),
            ("callExtras", self.calls.take_extras()),
        ];
        let facts = facts.into_iter();
        out.origin
            .tag_all(facts.filter_map(|(name, fact)| Some((name, fact?))))
    }

    /// An error after the finish reason `length` is a consequence of the limit, such as Groq's
    /// failure to parse a call that was cut off; a retry would run into the limit again.
    fn refine(&self, status: &ReplyStatus, error: ProviderError) -> ProviderError {
        if status.stop != Some(StopReason::MaxTokens) {
            return error;
        }
        ProviderError {
            category: ErrorCategory::Length,
            retryable: false,
            ..error
        }
    }
}

/// Chunks may have no choice: usage, Azure's content filter results. Only one choice is requested;
/// a server that sends more must not have them mixed.
fn first_choice(chunk: &Value) -> Option<&Value> {
    let mut choices = chunk["choices"].as_array()?.iter();
    choices.find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
}

fn finish_reason(finish_reason: &str) -> FinishReason {
    match finish_reason {
        "stop" | "end" | "eos" | "end_turn" => FinishReason::Stop(StopReason::EndTurn),
        "length" | "max_tokens" => FinishReason::Stop(StopReason::MaxTokens),
        "tool_calls" | "function_call" | "tool_use" => FinishReason::Stop(StopReason::ToolUse),
        "content_filter" => FinishReason::Stop(StopReason::ContentFilter),
        "refusal" => FinishReason::Stop(StopReason::Refusal),
        // OpenRouter
        "error" => FinishReason::Failure(ErrorCategory::ServerError),
        // z.ai
        "model_context_window_exceeded" => FinishReason::Failure(ErrorCategory::ContextOverflow),
        other => FinishReason::Stop(unknown_finish(other)),
    }
}
