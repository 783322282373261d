//! Public hosts that a custom entry may name and that are no provider of the table.

use crate::dialect::Dialect;
use crate::wire_dialect::WireDialect;

/// The ends of hosts' names, and their ways on the chat-completions wire.
const HOSTS: &[(&str, Dialect)] = &[
    ("api.openai.com", Dialect::OPENAI),
    ("ai-gateway.vercel.sh", Dialect::OPENROUTER),
    (".snowflakecomputing.com", Dialect::OPENROUTER),
    (".openai.azure.com", Dialect::AZURE),
    (".services.ai.azure.com", Dialect::AZURE),
    (".cognitiveservices.azure.com", Dialect::AZURE),
    (".githubcopilot.com", Dialect::COPILOT),
    ("api.cerebras.ai", Dialect::OLLAMA),
    ("api.venice.ai", Dialect::COMPATIBLE),
    ("api.moonshot.cn", Dialect::MOONSHOT),
    ("open.bigmodel.cn", Dialect::ZHIPU),
    ("dashscope.aliyuncs.com", Dialect::QWEN),
    ("dashscope-us.aliyuncs.com", Dialect::QWEN),
];

pub(super) fn dialect_of(host: &str) -> Option<WireDialect> {
    let named = |end: &str| host == end || end.starts_with('.') && host.ends_with(end);
    let mut found = HOSTS.iter().filter(|(end, _)| named(end));
    let (_, dialect) = found.next()?;
    Some(WireDialect::OpenAiCompletions(*dialect))
}
