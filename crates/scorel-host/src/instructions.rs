#[cfg(test)]
mod estimate;

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use scorel_proto::InstructionPart;
use scorel_runtime::ModelInfo;

/// The part that is the same for every session and model. `instructions.reasons.md` beside it says why
/// each of its rules is there.
const BASE: &str = include_str!("instructions.md");

/// The parts of a new session's system prompt, which the session then freezes.
pub(crate) fn instructions(dir: &Path, model: &ModelInfo) -> Vec<InstructionPart> {
    let part = |source: &str, text: String| InstructionPart {
        source: source.to_owned(),
        text,
    };
    vec![
        part("base", BASE.trim().to_owned()),
        part("environment", environment(dir, model, &today())),
    ]
}

fn environment(dir: &Path, model: &ModelInfo, date: &str) -> String {
    let git = if dir.join(".git").exists() {
        "yes"
    } else {
        "no"
    };
    format!(
        "<environment>\nworking directory: {}\ngit repository: {git}\nplatform: {} {}\n\
         date: {date}\nmodel: {}/{}\n</environment>",
        dir.display(),
        std::env::consts::OS,
        std::env::consts::ARCH,
        model.provider,
        model.id,
    )
}

/// Today's date in UTC: the daemon's time zone need not be the user's, and the prompt is frozen for
/// the session, so it says no more than the day.
fn today() -> String {
    date_of(Timestamp::now())
}

fn date_of(now: Timestamp) -> String {
    now.to_zoned(TimeZone::UTC).date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every request of every session carries it.
    #[test]
    fn the_base_prompt_keeps_within_its_budget() {
        let tokens = estimate::estimate_tokens(BASE);
        assert!((1_000..=2_500).contains(&tokens), "{tokens} tokens");
        for section in ["Todo", "AGENTS.md", "<system-reminder>", "# Git"] {
            assert!(BASE.contains(section), "{section}");
        }
    }

    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_777, "2026-11-20"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            for second in [0, 86_399] {
                let now = Timestamp::from_second(days * 86_400 + second).unwrap();
                assert_eq!(date_of(now), date, "day {days}");
            }
        }
    }

    #[test]
    fn the_environment_names_the_directory_and_the_model() {
        let model = ModelInfo {
            provider: "demo".into(),
            id: "demo".into(),
            context_window: 1,
            max_output_tokens: 1,
        };
        let dir = tempfile::tempdir().expect("a directory");
        let text = environment(dir.path(), &model, "2026-11-20");
        assert!(text.contains(&format!("working directory: {}\n", dir.path().display())));
        assert!(text.contains("git repository: no\n"));
        assert!(text.contains("model: demo/demo\n"));
    }
}
