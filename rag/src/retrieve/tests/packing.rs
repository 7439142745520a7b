//! What of that which was found is given to a model to read, and what the trace says of it.

use serde_json::json;

use super::whole::{edit, retrieve};
use super::*;

#[test]
fn what_two_years_say_in_the_same_words_is_read_of_both() {
    let (db, layers) = database();
    let said = "The quarry sold 1,500 tons of granite.";
    for year in [2021, 2022] {
        let text = format!("# Report {year}\n\n## Sales\n\n{said}\n");
        edit(&layers, &format!("{year}.md"), &text, &[]);
    }
    let question = "How much granite was sold in 2021, and how much in 2022?";
    let retrieved = retrieve(&db, &layers, "vector", question);
    for year in [2021, 2022] {
        let told = format!("Report {year} > Sales\n{said}");
        assert!(
            retrieved.context.contains(&told),
            "{year}: {}",
            retrieved.context
        );
    }
}

#[test]
fn the_trace_says_what_was_not_packed_and_why() {
    let (db, layers) = database();
    edit(&layers, "sea-again.md", SEA, &[]);
    let (read, text) = (db.read().unwrap(), "What lies under the sea?");
    let question = Question::new(text).unwrap();
    let desk = Desk::new(&read, layers.embedder(), &question);
    let packed = |budget: usize| {
        let mut pipeline = Pipeline::preset("vector").unwrap();
        pipeline.budget = budget;
        let retrieved = pipeline.retrieve(&desk).unwrap();
        let last = retrieved.trace.last().unwrap().clone();
        let counts = [last.took, last.gave, last.cut, last.added];
        assert_eq!([last.stage.as_str(), &last.operator], [Traced::PACK; 2]);
        (retrieved, counts, last.detail)
    };
    let (whole, counts, detail) = packed(1000);
    assert_eq!(counts, [3, 2, 1, 0]);
    let wanted = json!({"too_long": [], "said_already": [2], "units": whole.units, "budget": 1000});
    assert_eq!(detail, wanted);
    // What is said first leaves no room for the rest.
    let few = whole.units - 1;
    let (some, counts, detail) = packed(few);
    assert_eq!(counts, [3, 1, 2, 0]);
    let wanted = json!({"too_long": [3], "said_already": [2], "units": some.units, "budget": few});
    assert_eq!(detail, wanted);
    let is_packed: Vec<bool> = some.found.iter().map(|found| found.packed).collect();
    assert_eq!(is_packed, [true, false, false]);
    // Where nothing was looked up there is nothing to pack, and packing is not taken for a search.
    let direct = retrieve(&db, &layers, "direct", text);
    assert_eq!((direct.trace.len(), direct.has_searched()), (1, false));
    assert!(whole.has_searched());
}
