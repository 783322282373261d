/// Aligns rows below a head: each column is as wide as its widest cell. A row that has a first cell only is a remark,
/// and makes no column wider.
pub(crate) fn aligned<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> Vec<String> {
    let rows = [&[head.map(str::to_owned)], rows].concat();
    let is_whole = |row: &&[String; N]| row[1..].iter().any(|cell| !cell.is_empty());
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().filter(is_whole).map(|row| &row[column]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    });
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths);
        let line: String = cells
            .map(|(cell, width)| format!("{cell:<width$}  "))
            .collect();
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
