//! Findings on the wear of a device that need action: each worry is one thing with a name of its own, so that each is reported once when it
//! appears. Pure.

use super::smart::Figures;

/// Few days are left.
pub(crate) const DAYS_LEFT: &str = "days-left";
/// Much of the rating is written.
pub(crate) const RATING: &str = "rating";

/// Finding that needs action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worry {
    /// Name of the finding, independent of its degree.
    pub id: String,
    /// Text for people.
    pub text: String,
}

/// Days left at which action is needed.
const DAYS_LEFT_MIN: u64 = 180;
/// Days left at which the worry is over; more, so that it does not appear and disappear.
const DAYS_LEFT_ENOUGH: u64 = 200;
/// Hundredths of its life at which action is needed.
const USED_MAX: f64 = 80.0;
/// The same as a whole number, as drives report it.
const PERCENTAGE_USED_MAX: u64 = 80;

/// Returns true if so many days neither begin nor end a worry.
pub(super) fn is_between(days: u64) -> bool {
    (DAYS_LEFT_MIN..DAYS_LEFT_ENOUGH).contains(&days)
}

/// Returns a worry if too few days are left.
pub(super) fn of_days(days: u64) -> Option<Worry> {
    let text = || format!("at the present rate it is worn out in {days} days");
    (days < DAYS_LEFT_MIN).then(|| Worry { id: DAYS_LEFT.to_owned(), text: text() })
}

/// Returns a worry if too many hundredths of the rating are written.
pub(super) fn of_rating(percent: f64) -> Option<Worry> {
    let text = || format!("{percent:.0} % of its rated endurance is written");
    (percent >= USED_MAX).then(|| Worry { id: RATING.to_owned(), text: text() })
}

/// Critical warnings of `NVMe` and their bits. Bit 1 is left out: a drive that is too hot or too cold wears no faster, and another one in
/// its place would be no cooler.
const CRITICAL: [(u32, &str); 5] = [
    (0, "spare blocks are running out"),
    (2, "it is not reliable any more"),
    (3, "it takes no more writes"),
    (4, "its memory has no backup any more"),
    (5, "its persistent memory region has become read-only"),
];

/// Returns the worries from the own figures of a drive; a consequence of another figure is not listed again.
pub(super) fn of_drive(name: &str, figures: &Figures) -> Vec<Worry> {
    let mut worries = Vec::new();
    let mut worry = |what: &str, text: String| worries.push(Worry { id: format!("{name} {what}"), text });
    if let Some(used) = figures.percentage_used.filter(|used| *used >= PERCENTAGE_USED_MAX) {
        worry("life", format!("{name} reports that {used} % of its life is used"));
    }
    let spare = figures.spare_percent.zip(figures.spare_threshold_percent);
    let lacks_spare = spare.filter(|(spare, threshold)| spare < threshold);
    if let Some((spare, threshold)) = lacks_spare {
        let text =
            format!("{name} has {spare} % of its spare blocks left, and its maker requires {threshold} %");
        worry("spare", text);
    }
    let bits = figures.critical_warning.unwrap_or(0);
    for (bit, warning) in CRITICAL.iter().filter(|(bit, _)| bits >> bit & 1 == 1) {
        if *bit > 0 || lacks_spare.is_none() {
            worry(&format!("critical-{bit}"), format!("{name} warns that {warning}"));
        }
    }
    // Any of these bits makes it fail.
    if figures.passed == Some(false) && bits == 0 && lacks_spare.is_none() {
        worry("check", format!("{name} fails its own check"));
    }
    worries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(figures: &Figures) -> Vec<String> {
        of_drive("sda", figures).into_iter().map(|worry| worry.id).collect()
    }

    #[test]
    fn each_thing_that_a_drive_warns_of_is_one_worry_by_name() {
        let none = Figures::default();
        assert!(ids(&none).is_empty());
        let fine = Figures {
            percentage_used: Some(79),
            spare_percent: Some(10),
            spare_threshold_percent: Some(10),
            critical_warning: Some(0),
            passed: Some(true),
            ..none.clone()
        };
        assert!(ids(&fine).is_empty(), "{:?}", ids(&fine));
        for (figures, expected) in [
            (Figures { percentage_used: Some(80), ..none.clone() }, &["sda life"][..]),
            (Figures { spare_percent: Some(9), ..fine.clone() }, &["sda spare"]),
            (
                Figures { critical_warning: Some(8 | 4), ..fine.clone() },
                &["sda critical-2", "sda critical-3"],
            ),
            (Figures { critical_warning: Some(1), passed: Some(false), ..none.clone() }, &["sda critical-0"]),
            (Figures { critical_warning: Some(2), passed: Some(false), ..fine.clone() }, &[]),
            (Figures { critical_warning: Some(32 | 2), ..fine.clone() }, &["sda critical-5"]),
            (
                Figures { spare_percent: Some(9), critical_warning: Some(1), passed: Some(false), ..fine },
                &["sda spare"],
            ),
            (Figures { passed: Some(false), ..none }, &["sda check"]),
        ] {
            assert_eq!(ids(&figures), expected);
        }
    }

    #[test]
    fn few_days_and_much_of_the_rating_are_worries_from_a_limit_on() {
        assert!(of_days(179).is_some_and(|worry| worry.text.contains("179 days")));
        assert_eq!([179, 180, 199, 200].map(is_between), [false, true, true, false]);
        assert_eq!((of_days(180), of_rating(79.9)), (None, None));
        assert!(of_rating(80.0).is_some_and(|worry| worry.text.contains("80 % of its rated endurance")));
    }
}
