use scorel_proto::ThinkingLevel;

/// The least level that is at least the wanted one, or the greatest there is.
pub(crate) fn nearest(levels: &[ThinkingLevel], wanted: ThinkingLevel) -> ThinkingLevel {
    let enough = |level: &&ThinkingLevel| rank(**level) >= rank(wanted);
    let found = levels.iter().find(enough).or(levels.last());
    found.copied().unwrap_or(wanted)
}

/// Where a level stands among the levels.
const fn rank(level: ThinkingLevel) -> u8 {
    match level {
        ThinkingLevel::Default => 0,
        ThinkingLevel::None => 1,
        ThinkingLevel::Minimal => 2,
        ThinkingLevel::Low => 3,
        ThinkingLevel::Medium => 4,
        ThinkingLevel::High => 5,
    }
}
