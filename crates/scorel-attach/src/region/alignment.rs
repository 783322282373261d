use super::row::Row;

/// A step from the drawn rows to the wanted ones, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A drawn row that goes, and those below move up.
    Remove,
    /// A new row, before which those below move down.
    Insert,
    /// A drawn row that stays where it is in the order; its contents may change.
    Keep { old: usize },
}

/// The steps that leave the most rows unwritten. A terminal shows few rows, so the table of all pairs is small.
pub(super) fn steps(old: &[Row], new: &[Row]) -> Vec<Step> {
    let wide = new.len() + 1;
    // The number of equal rows in the best alignment of `old[i..]` and `new[j..]`.
    let mut best = vec![0u32; (old.len() + 1) * wide];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            best[i * wide + j] = if old[i] == new[j] {
                best[(i + 1) * wide + j + 1] + 1
            } else {
                best[(i + 1) * wide + j].max(best[i * wide + j + 1])
            };
        }
    }
    let mut steps = Vec::new();
    let (mut i, mut j) = (0, 0);
    let (mut removed, mut inserted) = (Vec::new(), 0);
    while i < old.len() || j < new.len() {
        let is_pair = i < old.len() && j < new.len() && old[i] == new[j];
        if is_pair {
            changed(&mut steps, &mut removed, &mut inserted);
            steps.push(Step::Keep { old: i });
            i += 1;
            j += 1;
        } else if i < old.len()
            && (j == new.len() || best[(i + 1) * wide + j] >= best[i * wide + j + 1])
        {
            removed.push(i);
            i += 1;
        } else {
            inserted += 1;
            j += 1;
        }
    }
    changed(&mut steps, &mut removed, &mut inserted);
    steps
}

/// Between two rows that stay, removed rows are written over by inserted ones as far as there are both.
fn changed(steps: &mut Vec<Step>, removed: &mut Vec<usize>, inserted: &mut usize) {
    let over = removed.len().min(*inserted);
    steps.extend(removed[..over].iter().map(|&old| Step::Keep { old }));
    steps.extend(removed[over..].iter().map(|_| Step::Remove));
    steps.extend((over..*inserted).map(|_| Step::Insert));
    removed.clear();
    *inserted = 0;
}
