use scorel_proto::ThinkingLevel;

/// The levels that a host or a model accepts, from least to most.
pub(crate) type ThinkingLevels = &'static [ThinkingLevel];

/// The lowest accepted level that is not below `wanted`, else the highest. Providers reject levels
/// that they do not have, and rounding up keeps the quality that was asked for.
pub(crate) fn nearest_level(levels: &[ThinkingLevel], wanted: ThinkingLevel) -> ThinkingLevel {
    let enough = |level: &&ThinkingLevel| rank(**level) >= rank(wanted);
    let found = levels.iter().find(enough).or(levels.last());
    found.copied().unwrap_or(wanted)
}

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
