//! Tables in Markdown, readable on a terminal and usable in a document unchanged.

use super::contest::Ratio;

/// Prints a heading and a table, columns aligned.
pub(super) fn print(heading: &str, columns: &[&str], rows: &[Vec<String>]) {
    print!("\n### {heading}\n{}", table(columns, rows));
}

/// Returns a ratio with the extremes of the rounds, the target if there is one, and whether it is reached.
pub(super) fn judged(ratio: Ratio, goal: Option<f64>) -> [String; 3] {
    let Ratio { median, lowest, highest } = ratio;
    let verdict = match goal {
        None => String::new(),
        Some(goal) if median >= goal => "reached".to_owned(),
        Some(goal) => format!("missed by {:.0} %", (1.0 - median / goal) * 100.0),
    };
    let goal = goal.map_or_else(String::new, |goal| format!("{goal:.2}"));
    [format!("{median:.2} ({lowest:.2} to {highest:.2})"), goal, verdict]
}

fn table(columns: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([columns[column].chars().count(), 3]).max().expect("there are at least two")
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:width$} |"));
        format!("|{}\n", padded.collect::<String>())
    };
    let head: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{body}", line(&head), line(&rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["forebay".to_owned(), "12".to_owned()], vec!["x".to_owned(), "3456".to_owned()]];
        let expected = "| who     | IOPS |\n| ------- | ---- |\n| forebay | 12   |\n| x       | 3456 |\n";
        assert_eq!(table(&["who", "IOPS"], &rows), expected);
    }

    #[test]
    fn a_goal_is_reached_or_missed_by_so_much() {
        let ratio = Ratio { median: 0.81, lowest: 0.75, highest: 0.9 };
        assert_eq!(judged(ratio, Some(0.9)), ["0.81 (0.75 to 0.90)", "0.90", "missed by 10 %"]);
        assert_eq!(judged(ratio, Some(0.8))[2], "reached");
        assert_eq!(judged(ratio, None)[1..], ["", ""]);
    }
}
