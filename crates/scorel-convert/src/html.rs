//! Web pages.

mod marks;
mod render;

use std::fs::File;
use std::io::{self, Write as _};
use std::process::{ExitCode, Stdio};

use url::Url;

use crate::conversion::Conversion;
use crate::converter::{ChildEnd, Converter, ConverterError};
use crate::limits::{MAX_HTML_TEXT, MAX_PAGE};

/// The reason why a page has no text to show.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    #[error("it has {bytes} bytes; at most {MAX_PAGE} are read")]
    TooLarge { bytes: usize },
    #[error("its text has more than {} MiB", MAX_HTML_TEXT >> 20)]
    TooLong,
    #[error("it takes too much memory")]
    TooMuchMemory,
    #[error("it takes too much time")]
    TooMuchTime,
    #[error("{0}")]
    Unreadable(String),
    #[error("it was not read to its end")]
    Stopped,
    #[error("the process that converts it cannot be run: {0}")]
    Process(#[from] io::Error),
}

impl From<ConverterError> for HtmlError {
    fn from(error: ConverterError) -> Self {
        match error {
            ConverterError::Stopped => Self::Stopped,
            ConverterError::Process(error) => Self::Process(error),
        }
    }
}

/// Converts a page to Markdown in a child process, for as long as `goes_on` says so. Links are resolved
/// against `base`. Blocks.
///
/// # Errors
/// The page has no text to show, or not within the limits.
pub fn html_to_text(
    html: &str,
    base: &Url,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<String, HtmlError> {
    let input = format!("{base}\n{html}");
    let bytes = input.len();
    if bytes > MAX_PAGE {
        return Err(HtmlError::TooLarge { bytes });
    }
    let mut converter = Converter::start(Conversion::Html, Stdio::piped(), goes_on)?;
    converter.feed(input.as_bytes())?;
    let (answer, end) = converter.answer(MAX_HTML_TEXT)?;
    if answer.len() > MAX_HTML_TEXT {
        return Err(HtmlError::TooLong);
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    match end {
        ChildEnd::Success => Ok(answer),
        ChildEnd::Failure if answer.is_empty() => {
            Err(HtmlError::Unreadable("the converter crashed".to_owned()))
        }
        ChildEnd::Failure => Err(HtmlError::Unreadable(answer)),
        ChildEnd::TooMuchMemory => Err(HtmlError::TooMuchMemory),
        ChildEnd::TooMuchTime => Err(HtmlError::TooMuchTime),
    }
}

/// In the child process: the input is the address and the page, the answer the text, or else what is
/// wrong.
pub(crate) fn convert(input: Vec<u8>, mut answer: File) -> io::Result<ExitCode> {
    let input = String::from_utf8(input).map_err(io::Error::other)?;
    let (base, html) = input.split_once('\n').ok_or(io::ErrorKind::UnexpectedEof)?;
    let base = Url::parse(base).map_err(io::Error::other)?;
    let (text, code) = match render::render(html, base) {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(reason) => (reason, ExitCode::FAILURE),
    };
    answer.write_all(text.as_bytes())?;
    Ok(code)
}
