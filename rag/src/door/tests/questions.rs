//! `CALL rag.retrieve` and `CALL rag.verify`.

use super::*;
use crate::retrieve::{Pipeline, Question, Receipt};

fn with_rocks(profile: &str) -> (Database, Library) {
    let (db, library) = library(Equipment::default());
    let layers =
        format!("CALL rag.createLayers('{profile}', {{filters: ['year'], language: 'english'}})");
    rows(&db, &layers);
    rows(
        &db,
        "CALL rag.upsertDocument({id: 'rocks.md', content: $text, metadata: {year: 2023}})",
    );
    (db, library)
}

#[test]
fn a_query_retrieves_what_a_program_does() {
    let (db, library) = with_rocks("hybrid");
    let open = library.open().unwrap();
    let question = Question::new("Where does basalt come from?").unwrap();
    for preset in
        Pipeline::presets().filter(|preset| !["bag", "tag", "triples", "audit"].contains(preset))
    {
        let pipeline = Pipeline::preset(preset).unwrap();
        let whole = open
            .retrieve(&pipeline, &question, &CancelToken::new())
            .unwrap();
        let text = format!(
            "CALL rag.retrieve('{preset}', {{question: 'Where does basalt come from?'}}) YIELD rank, text, heading, packed, score, receipt"
        );
        let found = rows(&db, &text);
        assert_eq!(found.len(), whole.found.len(), "{preset}");
        for ((row, found), rank) in found.iter().zip(&whole.found).zip(1_i64..) {
            let receipt: Receipt =
                serde_json::from_str(&row.get::<String>("receipt").unwrap()).unwrap();
            assert_eq!(receipt, found.receipt);
            assert_eq!(row.get::<i64>("rank").unwrap(), rank);
            assert_eq!(row.get::<String>("text").unwrap(), found.text);
            assert_eq!(row.get::<bool>("packed").unwrap(), found.packed);
            assert_eq!(
                row.get::<f64>("score").unwrap(),
                f64::from(receipt.score.value)
            );
        }
    }
    let found = rows(
        &db,
        "CALL rag.retrieve('strata', {question: 'Where does basalt come from?', most: 1}) YIELD text, heading",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].get::<String>("heading").unwrap(), "Rocks");
}

#[test]
fn a_pipeline_of_ones_own_and_limits_are_taken() {
    let (db, _) = with_rocks("hybrid");
    let call = "CALL rag.retrieve('name = \"mine\"\n[[stage]]\nname = \"words\"\nrun.bm25 = { k = 5 }', {question: 'granite', only: {year: 2023}}) YIELD text";
    assert_eq!(rows(&db, call).len(), 1);
    assert_eq!(rows(&db, &call.replace("2023", "2024")).len(), 0);
    for (call, reason) in [
        (
            "CALL rag.retrieve('best', {question: 'x'})",
            "there is no preset `best`",
        ),
        ("CALL rag.retrieve('vector', {})", "`question` is needed"),
        (
            "CALL rag.retrieve('vector', {question: 'x', only: {month: 5}})",
            "`month`",
        ),
        (
            "CALL rag.retrieve('vector', {question: 'x', number: 5})",
            "no setting `number`",
        ),
        (
            "CALL rag.retrieve('bag', {question: 'x'})",
            "instance_vectors",
        ),
        ("CALL rag.verify(['x'])", "number 0 of the receipts is none"),
        (
            "CALL rag.createLayers('hybrid', {language: 'klingon'})",
            "plain, english",
        ),
    ] {
        let rows = db
            .query(call, ())
            .and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let message = rows.unwrap_err().to_string();
        assert!(message.contains(reason), "{call}: {message}");
    }
}

#[test]
fn receipts_stand_until_what_they_say_is_edited() {
    let (db, _) = with_rocks("bag");
    let retrieved = "CALL rag.retrieve('vector', {question: 'basalt or granite'}) YIELD receipt WITH collect(receipt) AS receipts CALL rag.verify(receipts) YIELD standing, holds RETURN standing, holds";
    let standing = rows(&db, retrieved);
    assert_eq!(standing.len(), 2);
    assert!(standing.iter().all(|row| row.get::<bool>("holds").unwrap()));
    let receipts = rows(
        &db,
        "CALL rag.retrieve('vector', {question: 'basalt or granite'}) YIELD receipt, heading",
    );
    rows(
        &db,
        "CALL rag.upsertDocument({id: 'rocks.md', content: replace($text, 'Granite comes', 'Some granite comes'), metadata: {year: 2023}})",
    );
    for row in receipts {
        let receipt = row.get::<String>("receipt").unwrap();
        let asked = db.query(
            "CALL rag.verify([$receipt]) YIELD standing",
            [("receipt", receipt.as_str())],
        );
        let standing = asked
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .get::<String>("standing")
            .unwrap();
        let expected = match row.get::<String>("heading").unwrap().as_str() {
            "Rocks > Granite" => "gone",
            _ => "stands",
        };
        assert_eq!(standing, expected);
    }
}
