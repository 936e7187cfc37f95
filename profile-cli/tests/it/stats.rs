//! `profile stats`.

use crate::program::{Fixture, Run};

#[tokio::test]
async fn groups_many_days_into_weeks_or_months() {
    let fixture = Fixture::new().await;
    let drawn = |days, format| fixture.run(&["stats", "--days", days, "-o", format]);
    let count = |run: &Run| {
        let bars = run.stdout().lines().filter(|line| line.starts_with("20"));
        bars.count()
    };
    let weeks = drawn("40", "table");
    let start = "demo  980 views in 40 days, 43,615 in all\n\
                 each bar is one week, from the date shown to Sunday\n\n\
                 2025-12-07  ";
    assert!(weeks.stdout().starts_with(start), "{weeks}");
    assert_eq!(count(&weeks), 7, "{weeks}");
    let months = drawn("365", "table");
    let legend = "\neach bar is one month; the first and last may be incomplete\n\n2025-01-16  ";
    assert!(months.stdout().contains(legend), "{months}");
    assert_eq!(count(&months), 13, "{months}");
    assert_eq!(count(&drawn("365", "tsv")), 365);
    let month = drawn("31", "table");
    assert_eq!(count(&month), 31, "{month}");
    // The summary of a long chart comes last, where it stays visible.
    let last = "\n\ndemo  743 views in 31 days, 43,615 in all\n";
    assert!(month.stdout().contains(last), "{month}");
    assert!(month.stdout().starts_with("2025-12-16  "), "{month}");
}

#[tokio::test]
async fn each_format_has_the_same_sums() {
    let fixture = Fixture::new().await;
    for (by, rows) in [("day", 365), ("week", 53), ("month", 13)] {
        let stats = |format: &[&str]| {
            fixture.run(&[&["stats", "--days", "365", "--by", by], format].concat())
        };
        let tsv = stats(&[]);
        let lines: Vec<_> = tsv.stdout().lines().collect();
        assert_eq!(lines.len(), rows, "{tsv}");
        assert!(lines[0].starts_with("2025-01-16\t"), "{tsv}");
        let csv = stats(&["-o", "csv"]);
        let expected = format!("date,views\n{}", tsv.stdout().replace('\t', ","));
        assert_eq!(csv.stdout(), expected);
        let json = stats(&["--jq", ".[] | \"\\(.date)\\t\\(.views)\""]);
        assert_eq!(json.stdout(), tsv.stdout());
        let drawn = stats(&["-o", "table"]);
        let bars = drawn.stdout().lines().filter(|line| line.starts_with("20"));
        let dates: Vec<_> = bars.map(|line| &line[..10]).collect();
        let expected: Vec<_> = lines.iter().map(|line| &line[..10]).collect();
        assert_eq!(dates, expected, "{drawn}");
    }
}
