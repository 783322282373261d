use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

/// The most that is shown of a program's output, in bytes.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

/// Runs a program without input, and returns what it has written; an error is what it says of its failure.
pub(crate) async fn run_program(
    words: Vec<OsString>,
    dir: Option<PathBuf>,
) -> Result<String, String> {
    let Some((program, arguments)) = words.split_first() else {
        return Err("there is no program to run".to_owned());
    };
    let name = program.to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("`{name}` cannot be run: {error}");
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.kill_on_drop(true);
    if let Some(dir) = dir {
        command.current_dir(dir);
    }
    let mut child = command.spawn().map_err(failed)?;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let read_out = async {
        match stdout {
            Some(stdout) => stdout
                .take(MAX_OUTPUT)
                .read_to_end(&mut out)
                .await
                .map(drop),
            None => Ok(()),
        }
    };
    let read_err = async {
        match stderr {
            Some(stderr) => stderr
                .take(MAX_OUTPUT)
                .read_to_end(&mut err)
                .await
                .map(drop),
            None => Ok(()),
        }
    };
    let (read, said) = tokio::join!(read_out, read_err);
    read.and(said).map_err(failed)?;
    let status = child.wait().await.map_err(failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    match status.success() {
        true => Ok(text(&out)),
        false => Err(text(&err)),
    }
}
