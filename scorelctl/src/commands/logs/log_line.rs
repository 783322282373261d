use serde::Serialize;

const LEVELS: [&str; 5] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"];

/// A line of the log, for programs.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct LogLine<'a> {
    /// When it was written; absent in a line that goes on with the one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'a str>,
    message: &'a str,
}

impl<'a> LogLine<'a> {
    pub(super) fn parse(line: &'a str) -> Self {
        let begins = || {
            let (time, rest) = line.split_once(' ')?;
            let (level, message) = rest.trim_start().split_once(' ')?;
            let is_time =
                time.starts_with(|char: char| char.is_ascii_digit()) && time.contains('T');
            (is_time && LEVELS.contains(&level)).then_some(Self {
                time: Some(time),
                level: Some(level),
                message,
            })
        };
        begins().unwrap_or(Self {
            time: None,
            level: None,
            message: line,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_time_and_a_level_or_goes_on_with_the_one_before() {
        let line = LogLine::parse("2026-11-25T21:32:00.1Z  INFO scoreld: starting version=1");
        let expected = LogLine {
            time: Some("2026-11-25T21:32:00.1Z"),
            level: Some("INFO"),
            message: "scoreld: starting version=1",
        };
        assert_eq!(line, expected);
        for line in ["", "thread panicked at", "2026 INFO x", "  INFO  x y"] {
            assert_eq!(LogLine::parse(line).message, line);
        }
    }
}
