use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::civil::Date;
use scorel_proto::{
    GetUsageParams, GetUsageResult, ProjectId, UsageGrouping, UsageRow, UsageTotal,
};

use super::entries::UsageEntries;
use super::ledger::UsageLedger;
use crate::SessionError;

/// Rows of a result: a reply has room for them.
const MAX_ROWS: usize = 1000;

/// The parameters of `getUsage`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UsageQuery {
    from: Option<Date>,
    to: Option<Date>,
    by: UsageGrouping,
}

impl UsageQuery {
    pub(crate) fn parse(params: &GetUsageParams) -> Result<Self, SessionError> {
        Ok(Self {
            from: day("from", params.from.as_deref())?,
            to: day("to", params.to.as_deref())?,
            by: params.by,
        })
    }

    fn covers(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }
}

fn day(field: &str, text: Option<&str>) -> Result<Option<Date>, SessionError> {
    let parse = |text: &str| {
        // `Date` also parses whole timestamps.
        let date = text.parse().ok().filter(|_| text.len() == 10);
        date.ok_or_else(|| {
            SessionError::InvalidParams(format!("`{field}` is not a day such as 2026-11-22"))
        })
    };
    text.map(parse).transpose()
}

pub(super) fn report(entries: &UsageEntries, query: &UsageQuery) -> GetUsageResult {
    let mut sums: HashMap<String, UsageTotal> = HashMap::new();
    let mut add = |ledger: &UsageLedger, project: ProjectId, session: String| {
        for row in ledger.rows().iter().filter(|row| query.covers(row.day)) {
            let key = match query.by {
                UsageGrouping::Day => row.day.to_string(),
                UsageGrouping::Model => row.model.clone(),
                UsageGrouping::Project => project.to_string(),
                UsageGrouping::Session => session.clone(),
            };
            *sums.entry(key).or_default() += row.total;
        }
    };
    for (id, session) in &entries.sessions {
        add(&session.ledger, session.project_id, id.to_string());
    }
    for (project, ledger) in &entries.deleted {
        add(ledger, *project, format!("deleted:{project}"));
    }
    let mut result = GetUsageResult {
        unreadable: entries.unreadable.iter().copied().collect(),
        ..GetUsageResult::default()
    };
    for total in sums.values() {
        result.total += *total;
    }
    let row = |(key, total)| UsageRow {
        key,
        name: None,
        total,
    };
    result.rows = sums.into_iter().map(row).collect();
    sort(&mut result.rows, query.by);
    let left_out = result.rows.len().saturating_sub(MAX_ROWS);
    result.left_out = (left_out > 0).then_some(left_out as u64);
    if query.by == UsageGrouping::Day {
        // The latest days are the ones to keep.
        result.rows.drain(..left_out);
    }
    result.rows.truncate(MAX_ROWS);
    result
}

fn sort(rows: &mut [UsageRow], by: UsageGrouping) {
    if by == UsageGrouping::Day {
        rows.sort_by(|one, other| one.key.cmp(&other.key));
    } else {
        rows.sort_by_cached_key(|row| {
            let tokens = Reverse(row.total.usage.total());
            (Reverse(row.total.cost.micro_usd), tokens, row.key.clone())
        });
    }
}
