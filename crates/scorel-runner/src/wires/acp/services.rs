//! What an agent has its client do: files and terminals.

use std::collections::HashMap;

use agent_client_protocol_schema::v1::{
    ClientCapabilities, CreateTerminalRequest, CreateTerminalResponse, FileSystemCapabilities,
    KillTerminalRequest, ReadTextFileRequest, ReadTextFileResponse, ReleaseTerminalRequest,
    TerminalExitStatus, TerminalOutputRequest, TerminalOutputResponse, WaitForTerminalExitRequest,
    WaitForTerminalExitResponse, WriteTextFileRequest,
};
use scorel_engine::{RunnerError, RunnerErrorKind, ServiceReply, ServiceRequest, TerminalExit};
use serde_json::{Value, json};

use crate::wires::json::parsed;

/// Requests that may be open at a time.
const MAX_OPEN: usize = 256;

/// "Invalid params".
const REFUSED: i64 = -32602;

/// The requests that wait for the daemon.
#[derive(Debug, Default)]
pub(super) struct Services {
    open: HashMap<String, Value>,
}

/// What the agent may ask for.
pub(super) fn offered() -> ClientCapabilities {
    let files = FileSystemCapabilities::new()
        .read_text_file(true)
        .write_text_file(true);
    ClientCapabilities::new().fs(files).terminal(true)
}

impl Services {
    /// The request as the daemon takes it; `None` for a method that is no service.
    ///
    /// # Errors
    /// Too many are open, or two under one id, or the parameters are invalid.
    pub(super) fn begin(
        &mut self,
        id: &Value,
        method: &str,
        params: Value,
    ) -> Result<Option<(String, ServiceRequest)>, RunnerError> {
        let Some(request) = request(method, params)? else {
            return Ok(None);
        };
        let key = id.to_string();
        if self.open.len() >= MAX_OPEN || self.open.contains_key(&key) {
            let message = "the agent has too many requests open, or two under one id";
            return Err(RunnerError::new(RunnerErrorKind::Protocol, message));
        }
        self.open.insert(key.clone(), id.clone());
        Ok(Some((key, request)))
    }

    /// The id of the open request with this key, once.
    pub(super) fn end(&mut self, key: &str) -> Option<Value> {
        self.open.remove(key)
    }
}

/// The result of a request, or its error.
pub(super) fn answer(reply: Result<ServiceReply, String>) -> Result<Value, (i64, String)> {
    let reply = reply.map_err(|text| (REFUSED, text))?;
    Ok(match reply {
        ServiceReply::Done => json!({}),
        ServiceReply::Text(text) => json!(ReadTextFileResponse::new(text)),
        ServiceReply::Started(terminal) => json!(CreateTerminalResponse::new(terminal)),
        ServiceReply::Output {
            text,
            truncated,
            exit,
        } => {
            let output = TerminalOutputResponse::new(text, truncated);
            json!(output.exit_status(exit.map(status)))
        }
        ServiceReply::Exited(exit) => json!(WaitForTerminalExitResponse::new(status(exit))),
    })
}

fn status(exit: TerminalExit) -> TerminalExitStatus {
    let signal = exit.signal.map(|signal| signal.to_string());
    TerminalExitStatus::new()
        .exit_code(exit.code)
        .signal(signal)
}

fn request(method: &str, params: Value) -> Result<Option<ServiceRequest>, RunnerError> {
    Ok(Some(match method {
        "fs/read_text_file" => {
            let request: ReadTextFileRequest = parsed(params)?;
            let number = |number: Option<u32>| number.and_then(|it| usize::try_from(it).ok());
            ServiceRequest::ReadFile {
                path: request.path,
                line: number(request.line),
                limit: number(request.limit),
            }
        }
        "fs/write_text_file" => {
            let request: WriteTextFileRequest = parsed(params)?;
            ServiceRequest::WriteFile {
                path: request.path,
                content: request.content,
            }
        }
        "terminal/create" => started(parsed(params)?),
        "terminal/output" => {
            let request: TerminalOutputRequest = parsed(params)?;
            let terminal = request.terminal_id.to_string();
            ServiceRequest::TerminalOutput { terminal }
        }
        "terminal/wait_for_exit" => {
            let request: WaitForTerminalExitRequest = parsed(params)?;
            let terminal = request.terminal_id.to_string();
            ServiceRequest::WaitForTerminal { terminal }
        }
        "terminal/kill" => {
            let request: KillTerminalRequest = parsed(params)?;
            let terminal = request.terminal_id.to_string();
            ServiceRequest::StopTerminal { terminal }
        }
        "terminal/release" => {
            let request: ReleaseTerminalRequest = parsed(params)?;
            let terminal = request.terminal_id.to_string();
            ServiceRequest::ReleaseTerminal { terminal }
        }
        _ => return Ok(None),
    }))
}

fn started(request: CreateTerminalRequest) -> ServiceRequest {
    let limit = request.output_byte_limit;
    let variables = request.env.iter();
    let variables = variables.map(|it| format!("{}={} ", it.name, shell_word(&it.value)));
    // Without arguments the command may be a whole line: some agents send one.
    let program = match request.args.as_slice() {
        [] => request.command.clone(),
        _ => shell_word(&request.command),
    };
    let arguments = request.args.iter();
    let arguments = arguments.map(|argument| format!(" {}", shell_word(argument)));
    ServiceRequest::StartTerminal {
        command: variables.collect::<String>() + &program + &arguments.collect::<String>(),
        directory: request.cwd,
        output_bytes: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
    }
}

/// The text as one word of a shell.
fn shell_word(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=@%+,".contains(char);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(params: Value) -> String {
        match request("terminal/create", params) {
            Ok(Some(ServiceRequest::StartTerminal { command, .. })) => command,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_command_is_one_line_for_a_shell() {
        let params = json!({"sessionId": "s", "command": "npm test -- --watch"});
        assert_eq!(command(params), "npm test -- --watch");
        let params = json!({"sessionId": "s", "command": "grep", "args": ["-r", "it's", ""],
            "env": [{"name": "LANG", "value": "a b"}]});
        assert_eq!(command(params), r"LANG='a b' grep -r 'it'\''s' ''");
    }

    #[test]
    fn a_method_that_is_no_service_is_none() {
        assert_eq!(request("fs/delete", json!({})), Ok(None));
    }
}
