//! Texts for the model and the user about a limit that a command reached.

use scorel_exec::{LimitKind, LimitScope, ReachedLimit};
use serde_json::{Value, json};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
const MIB: f64 = 1024.0 * 1024.0;

/// The limit's name, its value, and the way to raise it.
pub(super) fn sentence(limit: &ReachedLimit) -> String {
    let value = limit.value;
    let whose = match limit.scope {
        LimitScope::Command => "for a command",
        LimitScope::Group => "for all commands in the background together",
    };
    let what = match limit.kind {
        LimitKind::Memory => format!("ended at the limit of memory, {} {whose}", size(value)),
        LimitKind::Processes => format!("ended at the limit of processes, {value} {whose}"),
        LimitKind::OpenFiles => {
            format!("failed at the limit of open files, {value} for a process")
        }
        LimitKind::FileSize => format!("failed at the limit of a file's size, {}", size(value)),
        LimitKind::ScratchSpace => format!(
            "ended at the limit of temporary files, {} for a session in `$TMPDIR`; remove some",
            size(value)
        ),
    };
    let key = limit.kind.key();
    format!(
        "{what}. If the work needs more, the user can raise `{key}` in the section `[tools.limits]` of \
         the configuration"
    )
}

/// For the `details` of a result.
pub(super) fn details(limit: &ReachedLimit) -> Value {
    let scope = match limit.scope {
        LimitScope::Command => "command",
        LimitScope::Group => "background",
    };
    json!({ "key": limit.kind.key(), "value": limit.value, "scope": scope })
}

#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes >= GIB {
        format!("{:.1} GiB", bytes / GIB)
    } else {
        format!("{:.1} MiB", bytes / MIB)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_its_value_and_its_key_are_told() {
        let limit = ReachedLimit {
            kind: LimitKind::FileSize,
            scope: LimitScope::Command,
            value: 2 << 30,
        };
        let text = sentence(&limit);
        for part in ["file's size", "2.0 GiB", "`fileSize`", "[tools.limits]"] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(details(&limit)["key"], "fileSize");
    }
}
