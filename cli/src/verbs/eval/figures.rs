//! What is told of runs: a table for people, and a line for programs.

use crate::output::Table;
use stratigraph_rag::evaluate::{Refusal, Saved};

const HEADINGS: [&str; 6] = ["set", "pipeline", "measure", "mean", "95 % interval", "n"];

/// A row for everything that was measured; of kinds of questions if that is wanted, and of those of facts.
pub(super) fn table(saved: &Saved, kinds: bool) -> Table {
    let mut table = Table::of_numbers(HEADINGS);
    for one in saved.figures(kinds) {
        let ends = one.shown_ends();
        table.row([
            one.set.to_owned(),
            one.pipeline.to_owned(),
            one.name(),
            one.shown(),
            ends.map_or_else(String::new, |ends| ends.join(" to ")),
            one.questions.to_string(),
        ]);
    }
    table
}

/// Everything that a pipeline has reached, for programs: `set_measure=value`. Without intervals, each of which is thousands of draws.
pub(super) fn last_line(pipeline: &str, saved: &Saved, kinds: bool) -> String {
    let mut line = format!("eval preset={}", word(pipeline));
    let mut put = |set: &str, name: &str, value: f64| {
        line.push_str(&format!(" {}_{}={value:.4}", word(set), word(name)));
    };
    let of_it = saved.evaluations.iter();
    for run in of_it.filter(|run| run.pipeline == pipeline) {
        let measures = run.measures();
        for measure in &measures {
            if let Some(mean) = run.plain_mean(measure) {
                put(&run.set, measure, mean);
            }
        }
        for kind in run.kinds_told(kinds) {
            for measure in &measures {
                if let Some(mean) = run.plain_mean_of_kind(kind, measure) {
                    put(&run.set, &format!("{kind}_{measure}"), mean);
                }
            }
        }
    }
    let of_it: Vec<&Refusal> = { saved.refusals.iter() }
        .filter(|refusal| refusal.pipeline == pipeline)
        .collect();
    for refusal in &of_it {
        for (name, value) in refusal.measures() {
            put(&refusal.set, name, value);
        }
    }
    for (name, value) in Refusal::measures_of_all(&of_it) {
        put("refusal", name, value);
    }
    line
}

/// A name that a program can split at blanks and at `=`.
fn word(name: &str) -> String {
    let is_plain = |sign: char| !sign.is_whitespace() && !sign.is_control() && sign != '=';
    let signs = name
        .chars()
        .map(|sign| if is_plain(sign) { sign } else { '_' });
    signs.collect()
}
