//! BAG-RAG: instances under the lowest heading, never merged across headings; a section that is too long is read in
//! pieces, each with the triples and the last lines of the one before it.

use std::sync::Arc;

use serde_json::json;
use stratigraph_models::{Recorded, Request};
use stratigraph_rag::ingest::{Recipe, System};

use super::shown::{compare, graph};
use super::{document, ingest, layers, place, task};

const BUDGET: &str = "\
# City budget

## Revenue

The council expects 900 million crowns of revenue. Property tax brings 500 million crowns.
Fees bring 100 million crowns. The treasury collects the property tax.

## Spending

The council spends 300 million crowns on schools. The treasury pays the schools.
";

/// Reads the pieces as a careful person would, but for two things that no piece says.
fn reads(request: &Request) -> Option<String> {
    let sentences = place(request, "sentences");
    let entity = |name: &str, kind: &str, says: &str, sentences: &[u32]| json!({"name": name, "kind": kind, "description": says, "sentences": sentences});
    let relation = |one: &str, predicate: &str, other: &str, says: &str| json!({"subject": one, "predicate": predicate, "object": other, "description": says});
    let reply = match (task(request), &sentences[..16.min(sentences.len())]) {
        ("bag_entities", "[1] The council ") if sentences.contains("schools") => {
            json!({"entities": [
                entity("Council", "body", "It spends on schools.", &[1]),
                entity("schools", "service", "They cost 300 million.", &[1, 2]),
                entity("treasury", "office", "It pays the schools.", &[2]),
            ]})
        }
        ("bag_entities", "[1] The council ") => json!({"entities": [
            entity("council", "body", "It expects revenue.", &[1]),
            entity("revenue", "amount", "900 million crowns.", &[1]),
            entity("property tax", "tax", "It brings 500 million.", &[2]),
            // The piece does not say it.
            entity("Ministry of War", "body", "Obeyed a document.", &[1]),
        ]}),
        ("bag_entities", "[1] Fees bring 1") => json!({"entities": [
            entity("treasury", "office", "It collects the tax.", &[2]),
            entity("Property tax", "tax", "The treasury collects it.", &[2]),
            entity("fees", "tax", "They bring 100 million.", &[1, 99]),
        ]}),
        ("bag_relations", _) if sentences.contains("schools") => json!({"relations": [
            relation("council", "spends on", "schools", "300 million crowns."),
            relation("treasury", "pays", "schools", ""),
        ]}),
        ("bag_relations", _) if sentences.contains("Fees") => json!({"relations": [
            relation("treasury", "collects", "property tax", "All of it."),
            relation("fees", "are", "fees", "From a thing to itself."),
        ]}),
        ("bag_relations", _) => json!({"relations": [
            relation("council", "expects", "revenue", "For one year."),
            relation("council", "fears", "Ministry of War", "Nobody said so."),
        ]}),
        _ => return None,
    };
    Some(reply.to_string())
}

#[test]
fn instances_hang_on_their_lowest_headings_and_pieces_carry_what_was_before() {
    // 16 words are the fewest that a piece may have: "Revenue" is two pieces, "Spending" one.
    let recipe = Recipe::new(System::Bag, 16);
    let layers = layers(&recipe);
    let model = Arc::new(Recorded::by(reads));
    let report = ingest(&layers, &recipe, &model, &[document("budget.md", BUDGET)]);
    assert_eq!((report.pieces, report.cost.calls), (3, 6));
    // The ministry once as a thing and once as an end, and the fees that are fees.
    assert_eq!(report.cost.dropped, 3);

    // What the second piece was read along with: the triples of the first, and its last lines.
    let asked = model.asked();
    let asked: Vec<&Request> = { asked.iter() }
        .filter(|request| task(request) == "bag_entities")
        .collect();
    let carried: Vec<(&str, &str)> = { asked.iter() }
        .map(|request| (place(request, "known"), place(request, "carried")))
        .collect();
    let lines = BUDGET.lines().nth(4).unwrap();
    assert_eq!(
        carried,
        [("", ""), ("council | expects | revenue", lines), ("", "")]
    );

    compare(
        &graph(layers.database()),
        "
        Document budget.md
        Section budget.md#City budget
        Section budget.md#City budget/Revenue
        Section budget.md#City budget/Spending
        Chunk budget.md@27 {text=The council expects 900 million crowns of revenue. Property tax brings 500 million crowns.}
        Chunk budget.md@118 {text=Fees bring 100 million crowns. The treasury collects the property tax.}
        Chunk budget.md@203 {text=The council spends 300 million crowns on schools. The treasury pays the schools.}
        Instance budget.md#City budget/Revenue#council {chunks=[budget.md@27], descriptions=[It expects revenue.], kind=body, name=council, sentences=[The council expects 900 million crowns of revenue.]}
        Instance budget.md#City budget/Revenue#revenue {chunks=[budget.md@27], descriptions=[900 million crowns.], kind=amount, name=revenue, sentences=[The council expects 900 million crowns of revenue.]}
        Instance budget.md#City budget/Revenue#property tax {chunks=[budget.md@27; budget.md@118], descriptions=[It brings 500 million.; The treasury collects it.], kind=tax, name=Property tax, sentences=[Property tax brings 500 million crowns.; The treasury collects the property tax.]}
        Instance budget.md#City budget/Revenue#treasury {chunks=[budget.md@118], descriptions=[It collects the tax.], kind=office, name=treasury, sentences=[The treasury collects the property tax.]}
        Instance budget.md#City budget/Revenue#fees {chunks=[budget.md@118], descriptions=[They bring 100 million.], kind=tax, name=fees, sentences=[Fees bring 100 million crowns.]}
        Instance budget.md#City budget/Spending#council {chunks=[budget.md@203], descriptions=[It spends on schools.], kind=body, name=Council, sentences=[The council spends 300 million crowns on schools.]}
        Instance budget.md#City budget/Spending#schools {chunks=[budget.md@203], descriptions=[They cost 300 million.], kind=service, name=schools, sentences=[The council spends 300 million crowns on schools.; The treasury pays the schools.]}
        Instance budget.md#City budget/Spending#treasury {chunks=[budget.md@203], descriptions=[It pays the schools.], kind=office, name=treasury, sentences=[The treasury pays the schools.]}
        budget.md -HAS_CHILD-> budget.md#City budget
        budget.md#City budget -HAS_CHILD-> budget.md#City budget/Revenue
        budget.md#City budget -HAS_CHILD-> budget.md#City budget/Spending
        budget.md#City budget/Revenue -HAS_CHILD-> budget.md@27
        budget.md#City budget/Revenue -HAS_CHILD-> budget.md@118
        budget.md#City budget/Spending -HAS_CHILD-> budget.md@203
        budget.md#City budget/Revenue -HAS_INSTANCE-> budget.md#City budget/Revenue#council
        budget.md#City budget/Revenue -HAS_INSTANCE-> budget.md#City budget/Revenue#revenue
        budget.md#City budget/Revenue -HAS_INSTANCE-> budget.md#City budget/Revenue#property tax
        budget.md#City budget/Revenue -HAS_INSTANCE-> budget.md#City budget/Revenue#treasury
        budget.md#City budget/Revenue -HAS_INSTANCE-> budget.md#City budget/Revenue#fees
        budget.md#City budget/Spending -HAS_INSTANCE-> budget.md#City budget/Spending#council
        budget.md#City budget/Spending -HAS_INSTANCE-> budget.md#City budget/Spending#schools
        budget.md#City budget/Spending -HAS_INSTANCE-> budget.md#City budget/Spending#treasury
        budget.md#City budget/Revenue#council -RELATED-> budget.md#City budget/Revenue#revenue {chunk=budget.md@27, description=For one year., predicate=expects}
        budget.md#City budget/Revenue#treasury -RELATED-> budget.md#City budget/Revenue#property tax {chunk=budget.md@118, description=All of it., predicate=collects}
        budget.md#City budget/Spending#council -RELATED-> budget.md#City budget/Spending#schools {chunk=budget.md@203, description=300 million crowns., predicate=spends on}
        budget.md#City budget/Spending#treasury -RELATED-> budget.md#City budget/Spending#schools {chunk=budget.md@203, predicate=pays}
        ",
    );
}
