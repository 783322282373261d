use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::exit::Exit;
use crate::failure::Failure;

/// The service definitions that the daemon's program contains and prints, with its own path in them.
#[derive(Debug)]
pub(super) struct UnitSource {
    daemon: PathBuf,
}

impl UnitSource {
    pub(super) const fn new(daemon: PathBuf) -> Self {
        Self { daemon }
    }

    /// The definition of a kind that `scoreld --print-unit` knows.
    pub(super) fn text(&self, kind: &str) -> Result<String, Failure> {
        let program = self.daemon.display();
        let printed = Command::new(&self.daemon)
            .args(["--print-unit", kind])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                let failure =
                    Failure::refused("no_program", format!("cannot run {program}: {error}"));
                failure
                    .hint("install scoreld beside scorelctl or on PATH, or set SCORELD to its path")
            })?;
        if !printed.status.success() {
            let said = String::from_utf8_lossy(&printed.stderr).trim().to_owned();
            let message = format!("{program} prints no unit: {said}");
            return Err(Failure::refused("no_unit", message));
        }
        String::from_utf8(printed.stdout).map_err(|_| {
            let message = format!("{program} printed a unit that is not text");
            Failure::new(Exit::Internal, "no_unit", message)
        })
    }
}

/// This shell's `PATH`, if it is set, as something that a service definition can hold.
pub(super) fn present_path() -> Result<Option<String>, Failure> {
    checked(env::var_os("PATH"))
}

fn checked(path: Option<OsString>) -> Result<Option<String>, Failure> {
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let text = path.into_string().ok();
    let text = text.filter(|path| !path.contains(char::is_control));
    text.map(Some).ok_or_else(|| {
        let message = "PATH has characters that a service definition cannot hold";
        Failure::refused("path", message)
            .hint("remove the directory with line breaks or invalid UTF-8 from PATH")
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn a_path_that_no_definition_can_hold_is_refused() {
        assert_eq!(checked(None).expect("none"), None);
        assert_eq!(checked(Some("".into())).expect("none"), None);
        let usual = checked(Some("/a b:/ü".into())).expect("a path");
        assert_eq!(usual.as_deref(), Some("/a b:/ü"));
        for path in [b"/a\n/b".to_vec(), vec![b'/', 0xff]] {
            checked(Some(OsString::from_vec(path))).expect_err("refused");
        }
    }
}
