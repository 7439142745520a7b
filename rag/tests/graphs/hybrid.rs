//! HybridRAG: chunks of 1,024 characters without overlap are what is searched; the graph is read from pieces of 2,024
//! with an overlap of 204, condensed first. Company, quarter and year narrow the search.

use std::sync::Arc;

use serde_json::json;
use stratigraph::Database;
use stratigraph_models::{Recorded, Request};
use stratigraph_rag::Document;
use stratigraph_rag::ingest::{Recipe, System};

use super::shown::{compare, graph};
use super::{document, ingest, layers, place, task};

/// A paragraph of so many sentences that name nothing, each of 50 characters.
fn small_talk(sentences: usize) -> String {
    "The line was poor here, so someone asked it again. ".repeat(sentences)
}

/// Three chunks that are searched; the first two are read at once, and the end of the second with the third again.
fn call() -> Document {
    let text = [
        "---\ncompany: Nordwind\nquarter: Q1\nyear: 2025\nhost: Eva\n---\n# Nordwind, first quarter\n\n",
        "Nordwind AG reports revenue of 40 million euros. Anna Berg leads Nordwind AG.\n\n",
        &small_talk(17),
        "\n\nIt acquired Suedhaus in May. Suedhaus sells heat pumps.\n\n",
        &small_talk(14),
        "\n\nCarl Voss works for Suedhaus since this spring.\n\n",
        "Revenue rose because of heat pumps. ",
        &small_talk(8),
        "\n",
    ];
    document("nordwind/q1.md", &text.concat())
}

type Fact = [(&'static str, &'static str); 2];

/// What a careful person reads in a text, each with its verb. Who acquired Suedhaus is said two lines before.
fn facts(text: &str) -> Vec<(Fact, &'static str)> {
    let nordwind = ("Nordwind AG", "company");
    let suedhaus = ("Suedhaus", "company");
    let revenue = ("revenue", "financial metric");
    let pumps = ("heat pumps", "product or service");
    let all: [(&[&str], Fact, &str); 6] = [
        (&["reports revenue"], [nordwind, revenue], "reports"),
        (
            &["Berg leads"],
            [("Anna Berg", "executive"), nordwind],
            "leads",
        ),
        (
            &["Nordwind AG", "It acquired Suedhaus"],
            [nordwind, suedhaus],
            "acquires",
        ),
        (&["Suedhaus sells"], [suedhaus, pumps], "sells"),
        (
            &["Voss works"],
            [("Carl Voss", "executive"), suedhaus],
            "works for",
        ),
        (&["rose because of"], [revenue, pumps], "is affected by"),
    ];
    let said = |words: &&[&str]| words.iter().all(|words| text.contains(words));
    let said = all.iter().filter(|(words, _, _)| said(words));
    said.map(|(_, fact, verb)| (*fact, *verb)).collect()
}

fn reads(request: &Request) -> Option<String> {
    let text = place(request, "text");
    if task(request) == "condense" {
        return Some(json!({ "text": text }).to_string());
    }
    let facts = facts(text);
    let entities = facts.iter().flat_map(|(ends, _)| ends);
    let entities = entities.map(|(name, kind)| json!({"name": name, "kind": kind}));
    let triples = facts.iter().map(
        |([(one, _), (other, _)], verb)| json!({"subject": one, "verb": verb, "object": other}),
    );
    let reply =
        json!({"entities": entities.collect::<Vec<_>>(), "triples": triples.collect::<Vec<_>>()});
    Some(reply.to_string())
}

#[test]
fn the_graph_is_read_from_wider_pieces_than_those_that_are_searched() {
    let recipe = Recipe::new(System::Hybrid, 512).filterable(["company", "quarter", "year"]);
    let layers = layers(&recipe);
    let model = Arc::new(Recorded::by(reads));
    let report = ingest(&layers, &recipe, &model, &[call()]);
    assert_eq!((report.pieces, report.cost.calls), (3, 4));

    let asked = model.asked();
    let read: Vec<&str> = { asked.iter() }
        .filter(|request| task(request) == "condense")
        .map(|request| place(request, "text"))
        .collect();
    let lengths: Vec<usize> = read.iter().map(|text| text.chars().count()).collect();
    assert_eq!(lengths, [1795, 492]);
    assert!(lengths.iter().all(|length| *length <= 2024));
    // The second begins with the last lines of the first again.
    assert!(read[1].starts_with("Carl Voss works for Suedhaus since this spring.\n\nRevenue rose"));

    compare(
        &without_texts(layers.database()),
        "
        Document nordwind/q1.md {company=Nordwind, quarter=Q1, year=2025}
        Section nordwind/q1.md#Nordwind, first quarter
        Chunk nordwind/q1.md@59 {company=Nordwind, quarter=Q1, text of 972, year=2025}
        Chunk nordwind/q1.md@1034 {company=Nordwind, quarter=Q1, text of 820, year=2025}
        Chunk nordwind/q1.md@1856 {company=Nordwind, quarter=Q1, text of 443, year=2025}
        Entity nordwind ag {kind=company, name=Nordwind AG}
        Entity revenue {kind=financial metric, name=revenue}
        Entity anna berg {kind=executive, name=Anna Berg}
        Entity suedhaus {kind=company, name=Suedhaus}
        Entity heat pumps {kind=product or service, name=heat pumps}
        Entity carl voss {kind=executive, name=Carl Voss}
        nordwind/q1.md -HAS_CHILD-> nordwind/q1.md#Nordwind, first quarter
        nordwind/q1.md#Nordwind, first quarter -HAS_CHILD-> nordwind/q1.md@59
        nordwind/q1.md#Nordwind, first quarter -HAS_CHILD-> nordwind/q1.md@1034
        nordwind/q1.md#Nordwind, first quarter -HAS_CHILD-> nordwind/q1.md@1856
        nordwind/q1.md@59 -MENTIONS-> nordwind ag {kind=company, name=Nordwind AG}
        nordwind/q1.md@59 -MENTIONS-> revenue {kind=financial metric, name=revenue}
        nordwind/q1.md@59 -MENTIONS-> anna berg {kind=executive, name=Anna Berg}
        nordwind/q1.md@1034 -MENTIONS-> nordwind ag {name=Nordwind AG}
        nordwind/q1.md@1034 -MENTIONS-> suedhaus {kind=company, name=Suedhaus}
        nordwind/q1.md@1034 -MENTIONS-> heat pumps {kind=product or service, name=heat pumps}
        nordwind/q1.md@1034 -MENTIONS-> carl voss {kind=executive, name=Carl Voss}
        nordwind/q1.md@1856 -MENTIONS-> revenue {kind=financial metric, name=revenue}
        nordwind/q1.md@1856 -MENTIONS-> heat pumps {kind=product or service, name=heat pumps}
        nordwind ag -FACT-> revenue {predicate=reports, source=}
        anna berg -FACT-> nordwind ag {predicate=leads, source=}
        nordwind ag -FACT-> suedhaus {predicate=acquires, source=}
        suedhaus -FACT-> heat pumps {predicate=sells, source=}
        carl voss -FACT-> suedhaus {predicate=works for, source=}
        revenue -FACT-> heat pumps {predicate=is affected by, source=}
        ",
    );
    // The same once more is nothing to do, and nothing to ask.
    let again = ingest(&layers, &recipe, &model, &[call()]);
    assert_eq!((again.cost.calls, again.change.keys), (0, 0));
}

/// The graph, with the lengths of long texts in their place.
fn without_texts(db: &Database) -> Vec<String> {
    let short = |line: String| match line.split_once("text=") {
        Some((before, rest)) => {
            let (text, after) = rest.rsplit_once(", year=").unwrap();
            // Line breaks are written as one sign.
            format!("{before}text of {}, year={after}", text.chars().count())
        }
        None => line,
    };
    graph(db).into_iter().map(short).collect()
}
