use scorel_proto::CostTotal;

/// The cost in dollars; with `+` if it is not all.
pub(super) fn cost_text(cost: &CostTotal) -> String {
    let more = if cost.unpriced > 0 { "+" } else { "" };
    format!("${:.4}{more}", cost.micro_usd as f64 / 1e6)
}
