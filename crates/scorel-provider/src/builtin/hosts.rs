use crate::openai_completions::ChatDialect;
use crate::wire::find_host;
use crate::wire_dialect::WireDialect;

/// Public hosts that are not built-in providers but are known to speak chat completions: a custom
/// endpoint there gets the right dialect without saying so.
const HOSTS: &[(&str, ChatDialect)] = &[
    ("api.openai.com", ChatDialect::OPENAI),
    ("ai-gateway.vercel.sh", ChatDialect::OPENROUTER),
    (".snowflakecomputing.com", ChatDialect::OPENROUTER),
    (".openai.azure.com", ChatDialect::AZURE),
    (".services.ai.azure.com", ChatDialect::AZURE),
    (".cognitiveservices.azure.com", ChatDialect::AZURE),
    (".githubcopilot.com", ChatDialect::COPILOT),
    ("api.cerebras.ai", ChatDialect::OLLAMA),
    ("api.venice.ai", ChatDialect::COMPATIBLE),
    ("api.moonshot.cn", ChatDialect::MOONSHOT),
    ("open.bigmodel.cn", ChatDialect::ZHIPU),
    ("dashscope.aliyuncs.com", ChatDialect::QWEN),
    ("dashscope-us.aliyuncs.com", ChatDialect::QWEN),
];

pub(crate) fn dialect_of_host(host: &str) -> Option<WireDialect> {
    find_host(HOSTS, host).map(WireDialect::OpenAiCompletions)
}
