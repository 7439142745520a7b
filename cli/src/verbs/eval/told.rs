//! What is told of runs: a table for people, and a line for programs.

use crate::output::Table;
use stratigraph_rag::evaluate::{Evaluation, Refusal, Saved};

/// Whether measures are told by kind: those of facts always, as they are published so.
fn tells_kinds(run: &Evaluation, wanted: bool) -> bool {
    wanted || run.measures().contains("cp")
}

/// A row for each measure of each pipeline on each set, without what it took.
pub(super) fn means_table(saved: &Saved) -> Table {
    let mut table = Table::of_numbers(HEADINGS);
    for run in &saved.evaluations {
        means_of(run, false, &mut table);
    }
    table
}

const HEADINGS: [&str; 6] = ["set", "pipeline", "measure", "mean", "95 % interval", "n"];

/// The rows of a run's measures.
fn means_of(run: &Evaluation, kinds: bool, table: &mut Table) {
    let means = all(run, kinds, |kind, name| match kind {
        None => run.mean(name),
        Some(kind) => run.mean_of_kind(kind, name),
    });
    for (name, mean) in means {
        let interval = format!("{:.3} to {:.3}", mean.interval.start(), mean.interval.end());
        let (set, pipeline) = (run.set.clone(), run.pipeline.clone());
        let value = format!("{:.3}", mean.mean);
        let count = mean.count.to_string();
        table.row([set, pipeline, name, value, interval, count]);
    }
}

/// A row for each measure of each pipeline on each set.
pub(super) fn table(saved: &Saved, kinds: bool) -> Table {
    let mut table = Table::of_numbers(HEADINGS);
    for run in &saved.evaluations {
        means_of(run, kinds, &mut table);
        let mut row = |measure: &str, mean: String, interval: String, count: usize| {
            let (set, pipeline) = (run.set.clone(), run.pipeline.clone());
            let count = count.to_string();
            table.row([set, pipeline, measure.to_owned(), mean, interval, count]);
        };
        let count = run.questions.len();
        for (name, share) in [("p50 ms", 0.5), ("p99 ms", 0.99)] {
            let time = format!("{:.2}", run.milliseconds_at(share));
            row(name, time, String::new(), count);
        }
        for (name, mean) in [
            ("units", format!("{:.0}", run.mean_units())),
            ("calls", format!("{:.2}", run.mean_calls())),
            ("tokens", format!("{:.0}", run.mean_tokens())),
        ] {
            row(name, mean, String::new(), count);
        }
    }
    for refusal in &saved.refusals {
        for (name, value) in refusal.measures() {
            let names = [&refusal.set, &refusal.pipeline].map(String::clone);
            let [set, pipeline] = names;
            let asked = format!(
                "{} own, {} others",
                refusal.own.len(),
                refusal.foreign.len()
            );
            table.row([
                set,
                pipeline,
                name.to_owned(),
                format!("{value:.3}"),
                asked,
                String::new(),
            ]);
        }
    }
    table
}

/// All means of a run, over all questions and by kind, as `of` computes them.
fn all<T>(
    run: &Evaluation,
    kinds: bool,
    of: impl Fn(Option<&str>, &str) -> Option<T>,
) -> Vec<(String, T)> {
    let measures = run.measures();
    let whole = measures
        .iter()
        .map(|name| ((*name).to_owned(), of(None, name)));
    let mut means: Vec<(String, T)> = whole
        .filter_map(|(name, mean)| Some((name, mean?)))
        .collect();
    if tells_kinds(run, kinds) {
        for kind in run.kinds() {
            let of_kind = measures.iter();
            let of_kind =
                of_kind.filter_map(|name| Some((format!("{kind}_{name}"), of(Some(kind), name)?)));
            means.extend(of_kind);
        }
    }
    means
}

/// Everything that a pipeline has reached, for programs: `set_measure=value`.
pub(super) fn last_line(pipeline: &str, saved: &Saved, kinds: bool) -> String {
    let mut line = format!("eval preset={}", word(pipeline));
    let mut put = |set: &str, name: &str, value: f64| {
        line.push_str(&format!(" {}_{}={value:.4}", word(set), word(name)));
    };
    let of_it = saved.evaluations.iter();
    for run in of_it.filter(|run| run.pipeline == pipeline) {
        let means = all(run, kinds, |kind, name| match kind {
            None => run.plain_mean(name),
            Some(kind) => run.plain_mean_of_kind(kind, name),
        });
        for (name, mean) in means {
            put(&run.set, &name, mean);
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
    if !of_it.is_empty() {
        // With one bound for all sets, as whoever asks does not say which set he means.
        let all = Refusal {
            own: of_it
                .iter()
                .flat_map(|one| one.own.iter().copied())
                .collect(),
            nothing: of_it
                .iter()
                .flat_map(|one| one.nothing.iter().copied())
                .collect(),
            foreign: of_it
                .iter()
                .flat_map(|one| one.foreign.iter().copied())
                .collect(),
            ..Refusal::default()
        };
        for (name, value) in all.measures() {
            put("refusal", name, value);
        }
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
