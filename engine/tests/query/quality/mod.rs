//! Queries whose good plan is known: what the plan is, how much is done for it, and what it is without the rule that
//! makes it so.
//!
//! `QUALITY_SHOW=1` prints the plan and the work of each instead of comparing them.
//!
//! | what | where |
//! |---|---|
//! | the graph, in which what is common is much more common than what is rare | `graph.rs` |
//! | the queries | `cases.rs` |
//! | random queries with one rule or the other left out | `left_out.rs` |
//!
//! Next: `graph.rs`.

mod cases;
mod graph;
mod left_out;

use cases::{By, Case};
use stratigraph::{Database, PlannerRule, QueryOptions, Summary};

/// What was done for a query.
struct Ran {
    /// The operators with what is nested in them, a line each.
    plan: Vec<String>,
    /// The rows, in an order of their own.
    rows: Vec<String>,
    summary: Summary,
}

impl Ran {
    fn new(database: &Database, text: &str, options: &QueryOptions) -> Self {
        let mut running = database
            .query_with(&format!("PROFILE {text}"), graph::parameters(), options)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut rows = Vec::new();
        for row in running.by_ref() {
            let row = row.unwrap_or_else(|error| panic!("{text}: {error}"));
            let values = row.values().iter().map(ToString::to_string);
            rows.push(values.collect::<Vec<_>>().join(", "));
        }
        rows.sort();
        let summary = running.finish().unwrap();
        let lines = summary.operators().iter();
        let plan = lines.map(|line| format!("{}{}", "  ".repeat(line.depth()), line.text()));
        Self {
            plan: plan.collect(),
            rows,
            summary,
        }
    }

    fn work(&self, by: By) -> u64 {
        let works = self.summary.operators().iter();
        let works = works.filter_map(|operator| operator.work());
        match by {
            By::Steps => self.summary.steps(),
            By::Seeks => works.map(|work| work.seeks).sum(),
            By::Properties => works.map(|work| work.properties).sum(),
            By::Memory => works.map(|work| work.memory_bytes).max().unwrap_or(0),
        }
    }
}

fn shown(case: &Case, ran: &Ran) -> String {
    format!(
        "{}\n{}\n  {}\n{} rows, {} steps, {} seeks, {} properties",
        case.why,
        case.text,
        ran.plan.join("\n  "),
        ran.rows.len(),
        ran.work(By::Steps),
        ran.work(By::Seeks),
        ran.work(By::Properties),
    )
}

/// Whether the plan is the expected one: each of its lines begins as is said.
fn is_as_said(case: &Case, ran: &Ran) -> bool {
    let mut pairs = ran.plan.iter().zip(case.plan);
    ran.plan.len() == case.plan.len() && pairs.all(|(line, said)| line.starts_with(said))
}

#[test]
fn good_plans_are_found_and_do_as_little_as_is_known() {
    let database = graph::database();
    let show = std::env::var_os("QUALITY_SHOW").is_some();
    let mut wrong = Vec::new();
    for case in cases::CASES {
        let ran = Ran::new(&database, case.text, &QueryOptions::new());
        let work = (ran.work(By::Steps), ran.work(By::Seeks));
        if show {
            println!("{}\n", shown(case, &ran));
        } else if !is_as_said(case, &ran) || work != case.work {
            let said = case.plan.join("\n  ");
            wrong.push(format!(
                "{}\nexpected\n  {said}\nwith {:?}",
                shown(case, &ran),
                case.work
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(cases::CASES.len() >= 30);
}

#[test]
fn without_its_rule_a_query_gives_the_same_for_more() {
    let database = graph::database();
    let mut wrong = Vec::new();
    for case in cases::CASES {
        let Some((rule, by)) = case.rule else {
            continue;
        };
        // Where another rule would do the same, it is left out on both sides.
        let mut options = QueryOptions::new();
        for other in case.beside {
            options = options.without_rule(*other);
        }
        let with = Ran::new(&database, case.text, &options);
        let without = Ran::new(&database, case.text, &options.clone().without_rule(rule));
        if with.rows != without.rows || with.work(by) >= without.work(by) {
            wrong.push(format!(
                "{rule:?} by {by:?}\n{}\n\n{}",
                shown(case, &with),
                shown(case, &without)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A rule that no query here needs is a rule whose worth nobody has seen.
#[test]
fn each_rule_has_a_query_that_needs_it() {
    // These have tests of their own, beside what they are compared with: `traverse/by_codes.rs`.
    let elsewhere = [PlannerRule::RecoverByCodes];
    for rule in PlannerRule::all().filter(|rule| !elsewhere.contains(rule)) {
        let mut cases = cases::CASES.iter();
        let needs = cases.any(|case| case.rule.is_some_and(|(known, _)| known == rule));
        assert!(needs, "{rule:?}: {}", rule.why());
    }
}

/// More parts than are looked at, and more links than a part can have: found all the same, and not in the order of the text
/// alone.
#[test]
fn patterns_of_very_many_parts_are_planned_too() {
    let database = super::database(&[
        "UNWIND range(0, 5) AS i CREATE (:N {k: i})",
        "MATCH (a:N), (b:N) WHERE a.k < b.k CREATE (a)-[:R]->(b)",
        "CREATE INDEX n_k FOR (n:N) ON (n.k)",
    ]);
    // All six of a graph in which each has a link to each later one, in one order only.
    let mut clique = Vec::new();
    for one in 0..6 {
        clique.extend((one + 1..6).map(|other| format!("(n{one}:N)-[:R]->(n{other}:N)")));
    }
    let text = format!("MATCH {} RETURN n5.k", clique.join(", "));
    let ran = Ran::new(&database, &text, &QueryOptions::new());
    assert_eq!(ran.rows, ["5"]);
    let star: Vec<String> = (0..30).map(|one| format!("(n)-[:R]->(m{one})")).collect();
    let text = format!("MATCH {}, (n:N {{k: 5}}) RETURN n.k", star.join(", "));
    let ran = Ran::new(&database, &text, &QueryOptions::new());
    assert_eq!(
        (ran.rows.len(), ran.plan[0].starts_with("IndexSeek (n)")),
        (0, true)
    );
    let chain: String = (0..70).map(|one| format!("-[:R]->(m{one})")).collect();
    let text = format!("MATCH (n:N){chain} RETURN n.k");
    let ran = Ran::new(&database, &text, &QueryOptions::new());
    assert!(ran.rows.is_empty());
}
