use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use scorel_proto::InstructionPart;
use scorel_runtime::ModelInfo;

/// What every model is told.
const BASE: &str = include_str!("instructions.md");

/// The parts of a new session's system prompt.
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

/// The date in UTC. The prompt is frozen, so it says no more than the day.
fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let (year, month, day) = civil_date(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date that lies `days` after 1970-01-01, in the Gregorian calendar. The calendar is counted
/// in eras of 400 years that begin in March, so that the leap day comes last in a year.
const fn civil_date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_777, (2026, 11, 20)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(civil_date(days), date, "day {days}");
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
