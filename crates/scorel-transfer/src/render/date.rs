use jiff::Timestamp;

/// A moment, to the minute.
pub(super) fn date(ms: u64) -> String {
    let moment = i64::try_from(ms).ok();
    let moment = moment.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    moment.map_or_else(String::new, |moment| {
        moment.strftime("%Y-%m-%d %H:%M UTC").to_string()
    })
}
