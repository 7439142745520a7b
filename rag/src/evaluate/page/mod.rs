//! Runs as a page: one file with everything in it, for light and dark, that asks nobody for anything.
//!
//! Names of sets, pipelines and questions come from outside. All of them go through [`text`], and there is
//! no script in the page, nor a place for one.

mod escape;
mod numbers;
mod plot;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Figure, Saved};
use escape::text;
use plot::{Bar, Curve, Group, bars, curves};

/// The measures that are drawn, as far as there are any, with what they are called there.
const DRAWN: [(&str, &str); 18] = [
    ("r2", "Recall at 2"),
    ("r5", "Recall at 5"),
    ("all5", "All of the gold among the first 5"),
    ("ndcg10", "nDCG at 10"),
    ("mrr", "Reciprocal rank"),
    ("hit4", "Anything of the gold among the first 4"),
    ("support3", "Gold in the support of the first 3"),
    ("covered", "Gold text covered by the context"),
    ("cp", "Context precision"),
    ("ap", "Average precision"),
    ("recall", "Set recall"),
    ("recall50", "Recall within 50"),
    ("packed_recall", "Recall of the context"),
    ("answer_in_context", "Answer in the context"),
    ("row1", "Answer in the first row"),
    ("type1", "First row of a right table"),
    (
        "own_refused",
        "Its own refused at the graph's threshold: less is better",
    ),
    ("others_refused", "Others refused at the graph's threshold"),
];
/// Times, which are drawn up to the longest.
const TIMES: [(&str, &str); 2] = [
    ("p50 ms", "Milliseconds, median"),
    ("p99 ms", "Milliseconds, 99 of 100"),
];
/// The ranks at which recall is known.
const RANKS: [(&str, f64); 6] = [
    ("r1", 1.0),
    ("r2", 2.0),
    ("r4", 4.0),
    ("r5", 5.0),
    ("r10", 10.0),
    ("r20", 20.0),
];
/// More pipelines than there are colours are drawn in the last one.
const COLOURS: usize = 8;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#667080;--paper:#ffffff;--line:#d5dae1;\
--c0:#1f6fb2;--c1:#c2571a;--c2:#2f8f4e;--c3:#a03a7c;--c4:#6b5bd0;--c5:#94780d;--c6:#1b8a8f;--c7:#7a7f87}\
@media(prefers-color-scheme:dark){:root{--ink:#e7eaee;--soft:#9aa4b2;--paper:#14171b;--line:#343b45;\
--c0:#6db3ee;--c1:#f0955a;--c2:#6ccb8b;--c3:#e084bd;--c4:#a79bf5;--c5:#d9bb4c;--c6:#5cc6cb;--c7:#aab0b8}}\
body{margin:2rem auto;max-width:62rem;padding:0 1rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}p,figcaption{color:var(--soft)}figure{margin:1rem 0;overflow-x:auto}\
svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .soft{fill:var(--soft)}svg .axis{stroke:var(--line)}svg .whisker{stroke:var(--ink)}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15rem .7rem;border-bottom:1px solid var(--line);text-align:right}\
th:nth-child(-n+3),td:nth-child(-n+3){text-align:left}.key{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}";

impl Saved {
    /// All of it as a page.
    ///
    /// ```
    /// use stratigraph_rag::evaluate::Saved;
    ///
    /// let page = Saved::default().page();
    /// assert!(page.starts_with("<!doctype html>") && !page.contains("<script"));
    /// ```
    #[must_use]
    pub fn page(&self) -> String {
        let names = self.pipelines();
        let mut page = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <title>Retrieval, measured</title><style>{STYLE}</style></head><body>\n<h1>Retrieval, measured</h1>"
        );
        let sets: BTreeSet<&str> = self
            .evaluations
            .iter()
            .map(|run| run.set.as_str())
            .collect();
        let _ = writeln!(
            page,
            "<p>{} by {}. Whiskers are 95 % intervals by bootstrap over the questions.</p>",
            things(sets.len(), "set"),
            things(names.len(), "pipeline")
        );
        page.push_str(&legend(&names));
        let figures = self.figures(true);
        let drawn = self.drawn(&figures);
        for (measure, title) in DRAWN {
            let groups = groups(&drawn, measure, &names);
            figure(&mut page, title, &bars(&groups, 1.0));
        }
        self.draw_recall(&mut page, &names);
        for (measure, title) in TIMES {
            let groups = groups(&drawn, measure, &names);
            let values = groups.iter().flat_map(|group| &group.bars);
            let most = values.map(|bar| bar.value).fold(0.0, f64::max);
            figure(&mut page, title, &bars(&groups, most));
        }
        self.draw_refusal(&mut page, &names);
        page.push_str(&numbers::table(&figures));
        page.push_str("</body></html>\n");
        page
    }

    /// The names of the pipelines, in the order in which they come first: their places are their colours.
    fn pipelines(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for run in &self.evaluations {
            if !names.contains(&run.pipeline.as_str()) {
                names.push(&run.pipeline);
            }
        }
        names
    }

    /// What is drawn: of each set the whole, and of a set of facts also each kind, as those are published so.
    fn drawn<'f>(&self, figures: &'f [Figure<'f>]) -> Vec<&'f Figure<'f>> {
        let of_facts = self.evaluations.iter().filter(|run| run.is_of_facts());
        let of_facts: BTreeSet<&str> = of_facts.map(|run| run.set.as_str()).collect();
        let drawn = figures.iter();
        drawn
            .filter(|one| one.kind.is_empty() || of_facts.contains(one.set))
            .collect()
    }

    fn draw_recall(&self, page: &mut String, names: &[&str]) {
        let sets: BTreeSet<&str> = self
            .evaluations
            .iter()
            .map(|run| run.set.as_str())
            .collect();
        for set in sets {
            let runs = self.evaluations.iter().filter(|run| run.set == set);
            let drawn = runs.map(|run| {
                let points = RANKS.iter();
                let points = points.filter_map(|(measure, k)| Some((*k, run.plain_mean(measure)?)));
                Curve {
                    colour: colour(names, &run.pipeline),
                    points: points.collect(),
                }
            });
            let drawn: Vec<Curve> = drawn.filter(|curve| curve.points.len() > 1).collect();
            figure(
                page,
                &format!("Recall by rank: {set}"),
                &curves(&drawn, 20.0, "rank", "recall"),
            );
        }
    }

    fn draw_refusal(&self, page: &mut String, names: &[&str]) {
        let sets: BTreeSet<&str> = self.refusals.iter().map(|one| one.set.as_str()).collect();
        for set in sets {
            let of_set = self.refusals.iter().filter(|one| one.set == set);
            let drawn = of_set.map(|refusal| Curve {
                colour: colour(names, &refusal.pipeline),
                points: refusal.curve(),
            });
            let drawn: Vec<Curve> = drawn.collect();
            let picture = curves(&drawn, 1.0, "its own refused", "others refused");
            figure(page, &format!("Refusal: {set}"), &picture);
        }
    }
}

/// Which colour a pipeline has.
fn colour(names: &[&str], pipeline: &str) -> usize {
    let place = names.iter().position(|name| *name == pipeline);
    place.unwrap_or(0).min(COLOURS - 1)
}

/// The bars of a measure, set by set and kind by kind.
fn groups(drawn: &[&Figure<'_>], measure: &str, names: &[&str]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for one in drawn.iter().filter(|one| one.measure == measure) {
        let name = match one.kind {
            "" => one.set.to_owned(),
            kind => format!("{} {kind}", one.set),
        };
        let ends = one.interval.as_ref();
        let bar = Bar {
            colour: colour(names, one.pipeline),
            value: one.value,
            interval: ends.map(|ends| (*ends.start(), *ends.end())),
        };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.bars.push(bar),
            None => groups.push(Group {
                name,
                bars: vec![bar],
            }),
        }
    }
    groups
}

fn legend(names: &[&str]) -> String {
    let mut legend = "<p>".to_owned();
    for name in names {
        let colour = colour(names, name);
        let _ = write!(
            legend,
            "<span class=\"key\" style=\"background:var(--c{colour})\"></span>{}",
            text(name)
        );
    }
    legend.push_str("</p>\n");
    legend
}

/// A picture under its title; nothing where there is nothing to draw.
fn figure(page: &mut String, title: &str, picture: &str) {
    if !picture.is_empty() {
        let _ = writeln!(page, "<h2>{}</h2>\n<figure>{picture}</figure>", text(title));
    }
}

fn things(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::super::{Evaluated, Evaluation, Refusal};
    use super::*;

    const HOSTILE: &str = "</title><script>alert('x')</script>\" onload=\"x&amp;";

    fn saved() -> Saved {
        let question = |number: usize| Evaluated {
            id: HOSTILE.to_owned() + &number.to_string(),
            kind: format!("{HOSTILE}{}", number % 2),
            values: [("r1", 0.25), ("r5", 1.0), ("cp", 0.5), (HOSTILE, 0.75)]
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
            found: vec![HOSTILE.to_owned()],
            confidence: Some(0.4),
            milliseconds: 3.0,
            units: 7,
            cost: Default::default(),
        };
        let run = |pipeline: &str| Evaluation {
            set: HOSTILE.to_owned(),
            pipeline: pipeline.to_owned(),
            embedder: HOSTILE.to_owned(),
            questions: (0..4).map(question).collect(),
        };
        Saved {
            evaluations: vec![run("strata"), run(HOSTILE)],
            refusals: vec![Refusal {
                set: HOSTILE.to_owned(),
                pipeline: "strata".to_owned(),
                own: vec![Some(0.9), Some(0.2)],
                foreign: vec![Some(0.1), None],
                nothing: Vec::new(),
                threshold: Some(0.15),
            }],
        }
    }

    #[test]
    fn nothing_from_outside_is_more_than_text() {
        let page = saved().page();
        for wrong in ["<script", "onload=\"", "http://", "https://", "alert('"] {
            assert!(!page.contains(wrong), "{wrong} is in the page");
        }
        assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)"));
        // What was escaped before it came is shown as it came.
        assert!(page.contains("x&amp;amp;"));
    }

    #[test]
    fn every_element_is_closed_and_every_picture_there() {
        let page = saved().page();
        let mut open: Vec<String> = Vec::new();
        for part in page.split('<').skip(1) {
            let (tag, _) = part.split_once('>').unwrap();
            let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "{tag}");
            } else if !tag.ends_with('/') && !["!doctype", "meta"].contains(&name) {
                open.push(name.to_owned());
            }
        }
        assert!(open.is_empty(), "{open:?}");
        // Two measures, what is refused of both kinds, recall by rank, two times, refusal.
        assert_eq!(page.matches("<svg").count(), 8);
        assert_eq!(Saved::default().page().matches("<svg").count(), 0);
    }

    /// The picture under a title.
    fn picture<'p>(page: &'p str, title: &str) -> &'p str {
        let from = page.split_once(&format!("<h2>{title}</h2>"));
        let (_, from) = from.unwrap_or_else(|| panic!("no {title} in\n{page}"));
        from.split("</figure>").next().unwrap()
    }

    /// A kind, and what a question of it has.
    type Kind<'a> = (&'a str, &'a [(&'a str, f64)]);

    fn run(set: &str, questions: &[Kind<'_>]) -> Evaluation {
        let questions = questions.iter().map(|(kind, values)| Evaluated {
            id: String::new(),
            kind: (*kind).to_owned(),
            values: { values.iter() }
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
            found: Vec::new(),
            confidence: None,
            milliseconds: 2.0,
            units: 7,
            cost: Default::default(),
        });
        Evaluation {
            set: set.to_owned(),
            pipeline: "p".to_owned(),
            embedder: "e".to_owned(),
            questions: questions.collect(),
        }
    }

    #[test]
    fn kinds_are_drawn_of_facts_and_rows_of_tables_are_drawn() {
        let facts: [Kind<'_>; 2] = [("hubs", &[("cp", 0.2)]), ("two_hop", &[("cp", 0.7)])];
        let texts: [Kind<'_>; 2] = [("even", &[("r5", 1.0)]), ("odd", &[("r5", 0.0)])];
        let rows: [Kind<'_>; 1] = [("", &[("row1", 1.0), ("type1", 0.3)])];
        let saved = Saved {
            evaluations: vec![run("f", &facts), run("t", &texts), run("r", &rows)],
            refusals: Vec::new(),
        };
        let page = saved.page();
        let cp = picture(&page, "Context precision");
        for (name, value) in [("f", "0.450"), ("f hubs", "0.200"), ("f two_hop", "0.700")] {
            assert!(cp.contains(&format!(">{name}</text>")), "{name}: {cp}");
            assert!(cp.contains(&format!(">{value}</text>")), "{value}: {cp}");
        }
        let r5 = picture(&page, "Recall at 5");
        assert!(r5.contains(">t</text>") && !r5.contains("even"), "{r5}");
        assert!(picture(&page, "Answer in the first row").contains(">r</text>"));
        assert!(picture(&page, "First row of a right table").contains(">0.300</text>"));
    }

    #[test]
    fn every_figure_is_a_row_of_all_numbers() {
        let facts: [Kind<'_>; 2] = [("hubs", &[("cp", 0.25)]), ("two_hop", &[("cp", 0.75)])];
        let mut saved = Saved {
            evaluations: vec![run("f", &facts)],
            refusals: Vec::new(),
        };
        saved.refusals.push(Refusal {
            set: "f".to_owned(),
            pipeline: "p".to_owned(),
            own: vec![Some(0.9), Some(0.6)],
            foreign: vec![Some(0.7)],
            nothing: Vec::new(),
            threshold: Some(0.8),
        });
        let page = saved.page();
        for row in [
            "cp</td><td>0.500</td><td>0.250</td><td>0.750</td><td>2",
            "hubs_cp</td><td>0.250</td><td>0.250</td><td>0.250</td><td>1",
            "p50 ms</td><td>2.00</td><td></td><td></td><td>2",
            "units</td><td>7</td><td>7</td><td>7</td><td>2",
            "calls</td><td>0.00</td><td>0.00</td><td>0.00</td><td>2",
            "tokens</td><td>0</td><td>0</td><td>0</td><td>2",
            "refused2</td><td>0.000</td><td>0.000</td><td>0.000</td><td>1",
            "own_refused</td><td>0.500</td><td>0.000</td><td>1.000</td><td>2",
            "others_refused</td><td>1.000</td><td>1.000</td><td>1.000</td><td>1",
        ] {
            let row = format!("<tr><td>f</td><td>p</td><td>{row}</td></tr>");
            assert!(page.contains(&row), "{row} is not in\n{page}");
        }
    }
}
