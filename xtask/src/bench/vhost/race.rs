//! A race: contenders that take turns, their results, and claims about pairs of them.
//!
//! A claim is checked against the ratios of the rounds, so that a change of the machine's speed favours no contender.

use crate::bench::Effort;
use crate::bench::contest::{Better, median, ratio, take_turns};
use crate::bench::fio::Sample;
use crate::bench::report;
use crate::bench::server::Server;

/// Contender: runs for so many seconds, and returns the client's figures.
pub(super) struct VhostContender<'a> {
    pub(super) name: String,
    /// Server whose CPU time counts; none without a server.
    pub(super) server: Option<&'a Server>,
    pub(super) turn: Box<dyn Fn(u32) -> Result<Sample, String> + 'a>,
}

/// Results of one turn.
#[derive(Clone, Copy, Debug)]
struct VhostRun {
    seen: Sample,
    cpu_us_per_request: Option<f64>,
}

/// Figure to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VhostMetric {
    Iops,
    P50,
    /// CPU time of the server for each request.
    ServerCpu,
    /// Difference in microseconds between the medians; its target is an upper bound.
    P50More,
}

impl VhostMetric {
    fn name(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::P50 => "p50",
            Self::ServerCpu => "server CPU",
            Self::P50More => "p50, us more",
        }
    }
}

/// Claim that one contender is so much better than another, or at least as good.
pub(super) struct Claim {
    pub(super) ours: usize,
    pub(super) theirs: usize,
    pub(super) figure: VhostMetric,
    pub(super) goal: Option<f64>,
}

/// Lets all take turns, and prints figures and claims.
///
/// # Errors
/// The first error of a turn.
pub(super) fn race(
    heading: &str,
    contenders: &[VhostContender],
    claims: &[Claim],
    effort: Effort,
) -> Result<(), String> {
    let turns = take_turns(effort.rounds, contenders, |contender| {
        let cpu_us = || contender.server.map(Server::cpu_us).transpose();
        let before = cpu_us()?;
        let seen = (contender.turn)(effort.seconds)?;
        let spent = cpu_us()?.zip(before).map(|(after, before)| after - before);
        Ok(VhostRun { seen, cpu_us_per_request: spent.map(|spent| spent / seen.requests.max(1.0)) })
    })?;
    let rows: Vec<_> =
        contenders.iter().zip(&turns).map(|(contender, turns)| row(contender, turns)).collect();
    let columns = ["who", "IOPS", "p50 us", "p99 us", "server CPU us/request", "requests per flush"];
    report::print(heading, &columns, &rows);
    let rows: Vec<_> = claims.iter().filter_map(|claim| judge(claim, contenders, &turns)).collect();
    report::print(
        &format!("{heading}: ratios"),
        &["who", "beside", "what", "ratio (range)", "goal", "verdict"],
        &rows,
    );
    Ok(())
}

fn row(contender: &VhostContender, turns: &[VhostRun]) -> Vec<String> {
    let middle = |get: fn(&VhostRun) -> f64| median(&turns.iter().map(get).collect::<Vec<_>>());
    let cpu = figures(turns, VhostMetric::ServerCpu);
    let flushes = middle(|turn| turn.seen.flushes);
    vec![
        contender.name.clone(),
        format!("{:.0}", middle(|turn| turn.seen.iops)),
        format!("{:.1}", middle(|turn| turn.seen.p50_us)),
        format!("{:.1}", middle(|turn| turn.seen.p99_us)),
        cpu.map_or_else(String::new, |cpu| format!("{:.2}", median(&cpu))),
        if flushes > 0.0 {
            format!("{:.1}", middle(|turn| turn.seen.requests) / flushes)
        } else {
            String::new()
        },
    ]
}

/// Returns a row of the table of claims; none if one of both has no such figure.
fn judge(claim: &Claim, contenders: &[VhostContender], turns: &[Vec<VhostRun>]) -> Option<Vec<String>> {
    let [ours, theirs] = [claim.ours, claim.theirs].map(|who| figures(&turns[who], claim.figure));
    let (ours, theirs) = (ours?, theirs?);
    let judged = if claim.figure == VhostMetric::P50More {
        longer(&ours, &theirs, claim.goal)
    } else {
        let better = if claim.figure == VhostMetric::Iops { Better::Higher } else { Better::Lower };
        report::judged(ratio(&ours, &theirs, better), claim.goal)
    };
    let [ours, theirs] = [claim.ours, claim.theirs].map(|who| contenders[who].name.clone());
    Some([vec![ours, theirs, claim.figure.name().to_owned()], judged.to_vec()].concat())
}

/// Returns the differences within each round.
fn longer(ours: &[f64], theirs: &[f64], goal: Option<f64>) -> [String; 3] {
    let more: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours - theirs).collect();
    let (least, most) =
        more.iter().fold((f64::MAX, f64::MIN), |(least, most), more| (least.min(*more), most.max(*more)));
    let middle = median(&more);
    let verdict = goal.map_or_else(String::new, |goal| {
        if middle <= goal { "reached".to_owned() } else { format!("missed by {:.1} us", middle - goal) }
    });
    [
        format!("{middle:.1} us ({least:.1} to {most:.1})"),
        goal.map_or_else(String::new, |goal| format!("at most {goal:.0} us")),
        verdict,
    ]
}

fn figures(turns: &[VhostRun], figure: VhostMetric) -> Option<Vec<f64>> {
    let one = |turn: &VhostRun| match figure {
        VhostMetric::Iops => Some(turn.seen.iops),
        VhostMetric::P50 | VhostMetric::P50More => Some(turn.seen.p50_us),
        VhostMetric::ServerCpu => turn.cpu_us_per_request,
    };
    turns.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(name: &str) -> VhostContender<'static> {
        VhostContender {
            name: name.to_owned(),
            server: None,
            turn: Box::new(|_| Err("It is not run.".to_owned())),
        }
    }

    fn turn(p50_us: f64, cpu_us_per_request: Option<f64>) -> VhostRun {
        let seen = Sample { iops: 100.0 / p50_us, p50_us, p99_us: p50_us, requests: 10.0, flushes: 0.0 };
        VhostRun { seen, cpu_us_per_request }
    }

    #[test]
    fn claims_are_judged_by_their_figure_and_left_out_where_there_is_none() {
        let contenders = [contender("we"), contender("they")];
        let turns = [vec![turn(20.0, Some(2.0))], vec![turn(10.0, None)]];
        let judged = |figure, goal| {
            judge(&Claim { ours: 0, theirs: 1, figure, goal: Some(goal) }, &contenders, &turns)
        };
        let iops = judged(VhostMetric::Iops, 1.0).expect("both have it");
        assert_eq!(iops[..3], ["we", "they", "IOPS"]);
        assert_eq!(iops[5], "missed by 50 %");
        assert_eq!(judged(VhostMetric::P50, 0.5).expect("both have it")[5], "reached");
        assert_eq!(
            judged(VhostMetric::P50More, 5.0).expect("both have it")[3..],
            ["10.0 us (10.0 to 10.0)", "at most 5 us", "missed by 5.0 us"]
        );
        assert_eq!(judged(VhostMetric::P50More, 10.0).expect("both have it")[5], "reached");
        assert_eq!(judged(VhostMetric::ServerCpu, 1.0), None);
    }

    #[test]
    fn a_turn_that_fails_ends_the_race() {
        let failed = race("none", &[contender("we")], &[], Effort { rounds: 1, seconds: 1 });
        assert_eq!(failed, Err("It is not run.".to_owned()));
    }
}
