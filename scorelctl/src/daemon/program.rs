use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The daemon's program: `named`, else `scoreld` next to this program, else `scoreld` on `PATH`.
pub(crate) fn daemon_program(named: Option<OsString>) -> PathBuf {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return PathBuf::from(named);
    }
    let own = env::current_exe().ok();
    own.map(|own| own.with_file_name("scoreld"))
        .filter(|program| program.is_file())
        .unwrap_or_else(|| PathBuf::from("scoreld"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_program_wins() {
        assert_eq!(
            daemon_program(Some("/x/scoreld".into())),
            PathBuf::from("/x/scoreld")
        );
        assert!(daemon_program(Some("".into())).ends_with("scoreld"));
        assert!(daemon_program(None).ends_with("scoreld"));
    }
}
