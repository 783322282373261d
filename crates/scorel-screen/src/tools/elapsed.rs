/// A time in milliseconds for people; `None` below a second, which is not worth a word.
pub(super) fn elapsed(ms: u64) -> Option<String> {
    match ms / 1000 {
        0 => None,
        seconds @ 1..60 => Some(format!("{seconds} s")),
        seconds => Some(format!("{} min {} s", seconds / 60, seconds % 60)),
    }
}
