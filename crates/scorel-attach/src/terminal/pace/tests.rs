use super::*;

#[test]
fn after_a_late_answer_there_is_room_for_the_next_question() {
    let pace = Pace::new();
    let now = Instant::now();
    assert!(pace.sends(100, now), "a question follows");
    pace.answered(now);
    assert!(pace.sends(100, now));
    assert!(!pace.sends(4000, now), "one question at a time");
    assert_eq!(pace.room(now), 0);
    let late = now + Duration::from_secs(1);
    pace.answered(late);
    assert!(pace.room(late) > 0);
    assert!(pace.sends(10, late), "a question follows");
}
