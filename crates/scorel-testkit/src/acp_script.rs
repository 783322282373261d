/// The handshake of an ACP agent as a bash script, up to its first prompt, which is call 3. `update`,
/// `say` and `end` write the messages that may follow.
pub const ACP_HANDSHAKE: &str = r#"
read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read -r _; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read -r _
update() { echo "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":$1}}"; }
say() { update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}}"; }
end() { echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'; }
"#;

/// The outcome of a script after the handshake.
#[derive(Debug, Clone, Copy)]
pub struct AcpScript {
    /// A test's name.
    pub name: &'static str,
    pub script: &'static str,
    /// The code of the turn's error, or its reason.
    pub outcome: &'static str,
    /// The answer.
    pub text: &'static str,
    /// A part of the log.
    pub log: &'static str,
}

const fn row(
    name: &'static str,
    script: &'static str,
    outcome: &'static str,
    text: &'static str,
    log: &'static str,
) -> AcpScript {
    AcpScript {
        name,
        script,
        outcome,
        text,
        log,
    }
}

/// Agents that break the protocol.
pub const HOSTILE_ACP: &[AcpScript] = &[
    row(
        "a_line_of_9_mib_is_an_error",
        "head -c 9437184 /dev/zero | tr '\\0' x; echo; say late; end",
        "runner_protocol",
        "",
        "",
    ),
    row(
        "a_line_without_an_end_is_an_error",
        "exec tr '\\0' x </dev/zero",
        "runner_protocol",
        "",
        "",
    ),
    row(
        "bytes_that_are_no_text_are_logged",
        "say one; printf '\\xff\\xfe\\n'; say two; end",
        "completed",
        "onetwo",
        "\u{fffd}\u{fffd}",
    ),
    row(
        "lines_that_are_no_json_are_logged",
        "echo hello; echo '[1,'; say one; end",
        "completed",
        "one",
        "hello\n[1,",
    ),
    row(
        "an_answer_to_no_question_is_logged",
        "echo '{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{\"stray\":true}}'; say one; end",
        "completed",
        "one",
        "stray",
    ),
    row(
        "an_answer_that_comes_twice_is_logged",
        "say one; end; end; sleep 0",
        "completed",
        "one",
        "",
    ),
    row(
        "an_unknown_update_is_logged",
        "update '{\"sessionUpdate\":\"dance\",\"step\":3}'; say one; end",
        "completed",
        "one",
        "dance",
    ),
    row(
        "an_unknown_request_is_refused",
        "echo '{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"fs/dance\",\"params\":{}}'; read -r answer; \
         case $answer in *-32601*) say refused;; *) say \"$answer\";; esac; end",
        "completed",
        "refused",
        "fs/dance is not supported",
    ),
    row(
        "two_open_calls_under_one_id_are_an_error",
        "for i in 1 2; do update '{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"t\"}'; done; end",
        "runner_protocol",
        "",
        "",
    ),
    row(
        "ten_thousand_open_calls_are_an_error",
        "for i in {1..10000}; do update \"{\\\"sessionUpdate\\\":\\\"tool_call\\\",\\\"toolCallId\\\":\\\"c$i\\\",\\\"title\\\":\\\"t\\\"}\"; done; end",
        "runner_protocol",
        "",
        "",
    ),
    row(
        "an_answer_of_the_wrong_shape_is_an_error",
        "echo '{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"stopReason\":5}}'",
        "runner_protocol",
        "",
        "",
    ),
    row(
        "a_stop_reason_is_a_limit",
        "say one; echo '{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"stopReason\":\"max_tokens\"}}'",
        "max_tokens",
        "one",
        "",
    ),
    row(
        "an_exit_code_is_an_error_with_the_end_of_the_error_output",
        "say one; echo 'out of cheese' >&2; exit 3",
        "runner_failed",
        "one",
        "out of cheese",
    ),
    row(
        "a_kill_is_an_error",
        "say one; kill -9 $$",
        "runner_failed",
        "one",
        "",
    ),
];
