use std::path::Path;

use clap::ValueEnum;

/// The program paths in the files, which `--print-unit` replaces.
const SYSTEMD_PROGRAM: &str = "%h/.cargo/bin/scoreld";
const LAUNCHD_PROGRAM: &str = "/usr/local/bin/scoreld";

/// A service definition compiled into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnitKind {
    /// The systemd user service.
    SystemdService,
    /// The systemd user socket that starts the service.
    SystemdSocket,
    /// The launchd agent.
    Launchd,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the path of this program contains characters that a service definition cannot hold; install it elsewhere"
)]
pub(crate) struct UnprintableProgram;

impl UnitKind {
    /// The definition with `program` as the daemon's path. A path with quotes, backslashes or control
    /// characters is refused instead of escaped.
    pub(crate) fn render(self, program: &Path) -> Result<String, UnprintableProgram> {
        let program = program.to_str().ok_or(UnprintableProgram)?;
        if program
            .chars()
            .any(|c| c.is_control() || matches!(c, '"' | '\'' | '\\'))
        {
            return Err(UnprintableProgram);
        }
        Ok(match self {
            Self::SystemdService => include_str!("../../systemd/scoreld.service")
                .replace(SYSTEMD_PROGRAM, &quote_for_systemd(program)),
            Self::SystemdSocket => include_str!("../../systemd/scoreld.socket").to_owned(),
            Self::Launchd => include_str!("../../launchd/dev.scorel.scoreld.plist")
                .replace(LAUNCHD_PROGRAM, &escape_for_xml(program)),
        })
    }
}

/// `ExecStart=` expands `%` and `$`, and splits at white space outside quotes.
fn quote_for_systemd(program: &str) -> String {
    let escaped = program.replace('%', "%%").replace('$', "$$");
    if escaped.contains(char::is_whitespace) {
        format!("\"{escaped}\"")
    } else {
        escaped
    }
}

fn escape_for_xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_path_takes_the_place_of_the_default() {
        let path = Path::new("/opt/my tools/100%/scoreld");
        let unit = UnitKind::SystemdService.render(path).unwrap();
        assert!(
            unit.contains("ExecStart=\"/opt/my tools/100%%/scoreld\"\n"),
            "{unit}"
        );
        assert!(!unit.contains(SYSTEMD_PROGRAM));
        let agent = UnitKind::Launchd
            .render(Path::new("/opt/a&b/scoreld"))
            .unwrap();
        assert!(
            agent.contains("<string>/opt/a&amp;b/scoreld</string>"),
            "{agent}"
        );
        assert!(!agent.contains(LAUNCHD_PROGRAM));
        assert!(
            UnitKind::SystemdSocket
                .render(path)
                .unwrap()
                .contains("ListenStream=")
        );
    }

    #[test]
    fn a_path_that_would_break_the_file_is_refused() {
        for path in ["/a\nb", "/a\"b", "/a\\b"] {
            assert_eq!(
                UnitKind::SystemdService.render(Path::new(path)),
                Err(UnprintableProgram)
            );
        }
    }
}
