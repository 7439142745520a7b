//! How the time of each query grows with the graph: at ten thousand, a hundred thousand and a million relationships, and
//! the slope of the line through them where both axes are logarithms. 0 does not grow, 1 grows with the graph, and more
//! than 1 is more than that. Without a peer: what is compared is a query with itself.

use super::cases::{self, Case};
use super::lsqb::{self, Lsqb};
use super::ours::Ours;
use super::social::{Size, Social};
use crate::measure::Setup;
use crate::measure::report::Report;
use crate::measure::rounds::median;
use crate::measure::slope::slope;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::time::Duration;
use stratigraph::Database;

/// How many relationships there are, about.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// Whatever takes longer is asked once.
const LONG: Duration = Duration::from_millis(500);

/// The microseconds of a query at each size.
type Times = BTreeMap<String, Vec<(usize, f64)>>;

/// Measures all, and reports each with its slope.
pub(super) fn measure(setup: &Setup, keep: bool, report: &mut Report) -> Result<()> {
    let mut times = Times::new();
    let sizes = setup.choose(&SIZES[..2], &SIZES[..]);
    for relationships in sizes.iter().copied() {
        setup.progress(&format!("growth: {relationships} relationships"));
        // Twenty of each person are friendships.
        let social = Social::make(setup, Size::of(relationships / 20));
        let mut random = fastrand::Rng::with_seed(setup.seed);
        let mut asked = cases::local(&social, &mut random);
        asked.extend(cases::whole());
        at_size(setup, relationships, keep, &mut times, &asked, |db| {
            social.load(db)
        })?;
        // Some forty of each person.
        let lsqb = Lsqb::make(setup, relationships / 40);
        let asked = lsqb::cases();
        at_size(setup, relationships, keep, &mut times, &asked, |db| {
            lsqb.load(db)
        })?;
    }
    for (name, points) in &times {
        for (relationships, us) in points {
            let figure = format!("{name}_1e{}", relationships.ilog10());
            report.count(figure, *us, None, "us", None);
        }
        report.count(
            format!("{name}_slope"),
            slope(points),
            None,
            "log/log",
            None,
        );
    }
    Ok(())
}

fn at_size(
    setup: &Setup,
    relationships: usize,
    keep: bool,
    times: &mut Times,
    asked: &[Case],
    load: impl FnOnce(&Database) -> Result<()>,
) -> Result<()> {
    let dir = setup.subfolder(&format!("growth-{}-{relationships}", asked[0].name))?;
    let db = Database::create(dir.join("ours"))?;
    load(&db)?;
    for case in asked {
        let ours = Ours::new(&db, case.ours, &case.parameters).context(case.name)?;
        let (first, _) = ours.run().context(case.name)?;
        let rounds = if first > LONG { 1 } else { 5 };
        let mut each = Vec::new();
        for _ in 0..rounds {
            let (time, _) = ours.run()?;
            each.push(time.as_secs_f64() * 1e6 / case.parameters.len() as f64);
        }
        let name = case.name.trim_end_matches("_vs_kuzu").to_owned();
        setup.progress(&format!("{name}: {:.0} us", median(&each)));
        times
            .entry(name)
            .or_default()
            .push((relationships, median(&each)));
    }
    db.close()?;
    setup.done_with(&dir, keep)
}
