//! Where the model works: machine, date, and what its tools may do.

use std::path::Path;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use scorel_engine::ModelInfo;
use scorel_permission::Mode;

use super::submodules::empty_submodules;

/// The rights of a turn's tools.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    pub mode: Mode,
    /// Set if commands can be kept in a sandbox.
    pub has_sandbox: bool,
    /// Set if the configuration names caches that commands may write.
    pub has_caches: bool,
}

/// The part `environment`.
pub(super) fn environment(dir: &Path, is_in_repository: bool, model: &ModelInfo) -> String {
    let git = if is_in_repository { "yes" } else { "no" };
    let (date, zone) = date_in(&TimeZone::system(), Timestamp::now());
    format!(
        "<environment>\nworking directory: {}\ngit repository: {git}{}\nplatform: {} {}\n\
         system: {}\nshell of commands: bash\ndate: {date}\ntime zone: {zone}\n\
         model: {}/{}\n</environment>",
        dir.display(),
        empty_submodules(dir),
        std::env::consts::OS,
        std::env::consts::ARCH,
        *SYSTEM,
        model.provider,
        model.id,
    )
}

/// The date, and the name of the zone. The offset is not said: it would change twice a year.
pub(super) fn date_in(zone: &TimeZone, now: Timestamp) -> (String, String) {
    let name = zone.iana_name().map(str::to_owned);
    let now = now.to_zoned(zone.clone());
    let name = name.unwrap_or_else(|| format!("UTC{}", now.offset()));
    (now.date().to_string(), name)
}

/// The names of the distribution and of the kernel's release, as the daemon found them first.
static SYSTEM: LazyLock<String> = LazyLock::new(|| {
    let names = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = names.lines().find_map(|it| it.strip_prefix("PRETTY_NAME="));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let known = [
        name.map(|name| name.trim_matches('"').to_owned()),
        Some(format!("kernel {}", kernel.trim())).filter(|_| !kernel.is_empty()),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    match known.is_empty() {
        true => "unknown".to_owned(),
        false => known.join(", "),
    }
});

/// The part `permissions`.
pub(super) fn permissions(access: Access) -> String {
    let files = match access.mode {
        Mode::Readonly => "nothing can be changed: Write and Edit are refused",
        Mode::Ask | Mode::Workspace => {
            "the project can be changed; the user is asked about files elsewhere"
        }
        Mode::Full => "everything that the user can change",
    };
    let (commands, network, writable) = commands(access);
    format!(
        "<permissions>\nmode: {}\nfiles: {files}\ncommands: {commands}\n\
         network of commands: {network}\nwritable for commands: {writable}\n</permissions>",
        access.mode.as_str()
    )
}

/// The sandbox of commands, their network, and the places that they write.
const fn commands(access: Access) -> (&'static str, &'static str, &'static str) {
    const NONE: &str = "none but a localhost of this session; the user is asked about more";
    const PROJECT: &str = "the project and temporary files";
    const CACHES: &str = "the project, temporary files and the caches of the configuration";
    let places = if access.has_caches { CACHES } else { PROJECT };
    match (access.mode, access.has_sandbox) {
        (Mode::Full, _) => (
            "without a sandbox; the user is not asked",
            "that of this machine",
            "everything that the user can write",
        ),
        (_, false) => (
            "without a sandbox, which this system does not have; the user is asked about each",
            "that of this machine",
            "everything that the user can write",
        ),
        (Mode::Readonly, true) => (
            "in a sandbox; the user is asked about those that do more than read",
            "none but a localhost of this session",
            "nothing",
        ),
        (Mode::Ask, true) => (
            "in a sandbox; the user is asked about those that do more than read",
            NONE,
            places,
        ),
        (Mode::Workspace, true) => (
            "in a sandbox, unasked but for those that can lose work or history",
            NONE,
            places,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_says_what_holds_in_it() {
        let text = |mode, has_sandbox| {
            permissions(Access {
                mode,
                has_sandbox,
                has_caches: false,
            })
        };
        let modes = [Mode::Readonly, Mode::Ask, Mode::Workspace, Mode::Full];
        let mut texts: Vec<String> = modes.map(|mode| text(mode, true)).to_vec();
        assert!(texts[0].contains("\nfiles: nothing can be changed"));
        assert!(texts[0].contains("\nwritable for commands: nothing\n"));
        assert!(texts[2].contains("\nmode: workspace\n"));
        assert!(texts[2].contains("\nnetwork of commands: none but"));
        assert!(texts[3].contains("\nnetwork of commands: that of this machine\n"));
        texts.dedup();
        assert_eq!(texts.len(), 4);
        assert!(text(Mode::Workspace, false).contains("the user is asked about each"));
        assert_eq!(
            text(Mode::Full, false),
            text(Mode::Full, true),
            "it needs none"
        );
    }

    #[test]
    fn the_date_is_that_of_the_zone() {
        let late = Timestamp::from_second(20_777 * 86_400 + 3_600).unwrap();
        let west = TimeZone::fixed(jiff::tz::offset(-5));
        let (date, zone) = date_in(&west, late);
        assert_eq!((date.as_str(), zone.as_str()), ("2026-11-19", "UTC-05"));
        let (date, zone) = date_in(&TimeZone::UTC, late);
        assert_eq!((date.as_str(), zone.as_str()), ("2026-11-20", "UTC"));
    }
}
