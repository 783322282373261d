use std::collections::HashMap;

/// The system calls of a run, in the order in which they began.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    calls: Vec<TracedCall>,
}

#[derive(Debug, Clone)]
pub struct TracedCall {
    pub thread: u32,
    pub name: String,
    /// As `strace` prints them.
    pub arguments: String,
    /// As `strace` prints it; `None` if the thread died in the call.
    pub result: Option<String>,
    /// The position in the trace at which it began; comparable across threads.
    pub began: usize,
    /// The position at which it had returned; `usize::MAX` if it never did.
    pub ended: usize,
}

impl TracedCall {
    /// The file of the first descriptor: a path, or `socket:[…]`.
    pub fn target(&self) -> Option<&str> {
        let (_, rest) = self.arguments.split_once('<')?;
        rest.split_once('>').map(|(target, _)| target)
    }

    pub fn succeeded(&self) -> bool {
        self.result
            .as_ref()
            .is_some_and(|result| !result.starts_with('-'))
    }

    /// All string arguments, unescaped and concatenated: the bytes written.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut rest = self.arguments.as_bytes();
        // Skips the descriptor's target, which may contain quotes.
        if let Some(at) = self.arguments.find(">, ") {
            rest = &rest[at..];
        }
        while let Some(at) = rest.iter().position(|byte| *byte == b'"') {
            rest = unescape(&rest[at + 1..], &mut bytes);
        }
        bytes
    }
}

impl Trace {
    /// Parses the output of `strace -f`, which splits calls that another thread interrupts into
    /// `<unfinished ...>` and `<... resumed>`.
    pub(super) fn parse(text: &str) -> Self {
        let mut calls: Vec<TracedCall> = Vec::new();
        let mut unfinished: HashMap<u32, usize> = HashMap::new();
        for (number, line) in text.lines().enumerate() {
            let Some((thread, rest)) = line.split_once(' ') else {
                continue;
            };
            let (Ok(thread), rest) = (thread.parse(), rest.trim_start()) else {
                continue;
            };
            if let Some((_, rest)) = rest
                .strip_prefix("<... ")
                .and_then(|rest| rest.split_once(" resumed>"))
            {
                if let Some(call) = unfinished.remove(&thread).map(|at| &mut calls[at]) {
                    let (arguments, result) = split_result(rest);
                    call.arguments.push_str(arguments);
                    call.result = result;
                    call.ended = number;
                }
                continue;
            }
            let Some((name, rest)) = rest.split_once('(') else {
                continue;
            };
            let (arguments, result) = match rest.strip_suffix(" <unfinished ...>") {
                Some(arguments) => {
                    unfinished.insert(thread, calls.len());
                    (arguments, None)
                }
                None => split_result(rest),
            };
            calls.push(TracedCall {
                thread,
                name: name.to_owned(),
                arguments: arguments.to_owned(),
                began: number,
                ended: if result.is_some() { number } else { usize::MAX },
                result,
            });
        }
        Self { calls }
    }

    pub fn calls(&self) -> &[TracedCall] {
        &self.calls
    }
}

fn split_result(text: &str) -> (&str, Option<String>) {
    match text.rsplit_once(") = ").or_else(|| text.rsplit_once(" = ")) {
        Some((arguments, result)) => {
            let arguments = arguments.trim_end().trim_end_matches(')');
            // `?` stands for a thread that died in the call.
            (
                arguments,
                Some(result.to_owned()).filter(|result| result != "?"),
            )
        }
        None => (text, None),
    }
}

/// Decodes a string up to its closing quote and returns the rest.
fn unescape<'a>(mut text: &'a [u8], bytes: &mut Vec<u8>) -> &'a [u8] {
    while let [byte, rest @ ..] = text {
        text = rest;
        match byte {
            b'"' => return text,
            b'\\' => text = unescape_one(text, bytes),
            byte => bytes.push(*byte),
        }
    }
    text
}

fn unescape_one<'a>(text: &'a [u8], bytes: &mut Vec<u8>) -> &'a [u8] {
    let octal = text
        .iter()
        .take(3)
        .take_while(|byte| (b'0'..b'8').contains(byte))
        .count();
    if octal > 0 {
        let value = text[..octal]
            .iter()
            .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
        bytes.push(u8::try_from(value).unwrap_or_default());
        return &text[octal..];
    }
    let Some((first, rest)) = text.split_first() else {
        return text;
    };
    bytes.push(match first {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'v' => 0x0b,
        b'f' => 0x0c,
        other => *other,
    });
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_several_threads_are_told_apart_and_strings_are_read() {
        let trace = Trace::parse(concat!(
            "7 write(3</a/b>, \"x\\n\\\"\\0011\\377\", 5) = 5\n",
            "7 fdatasync(3</a/b> <unfinished ...>\n",
            "8 writev(4<socket:[9]>, [{iov_base=\"a\", iov_len=1}, {iov_base=\"b\\n\", iov_len=2}], 2) = 3\n",
            "7 <... fdatasync resumed>)          = -1 EIO (Input/output error) (INJECTED)\n",
            "7 write(3</a/b>, \"y\", 1)               = ?\n",
            "7 +++ killed by SIGKILL +++\n",
        ));
        let [write, sync, send, last] = trace.calls() else {
            panic!("{trace:?}")
        };
        assert_eq!(
            (write.target(), write.bytes()),
            (Some("/a/b"), b"x\n\"\x011\xff".to_vec())
        );
        assert_eq!((sync.began, sync.ended, sync.succeeded()), (1, 3, false));
        assert_eq!(
            (send.target(), send.bytes()),
            (Some("socket:[9]"), b"ab\n".to_vec())
        );
        assert_eq!((last.result.clone(), last.ended), (None, usize::MAX));
    }
}
