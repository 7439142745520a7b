//! `CALL rag.retrieve`, `rag.context`, `rag.trace`, `rag.verify`, `rag.ask` and `rag.calibrate`.

use super::*;
use crate::retrieve::{Pipeline, Question, Receipt};
use crate::routes::plain;

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
            "CALL rag.retrieve('{preset}', {{question: 'Where does basalt come from?'}}) YIELD rank, text, heading, packed, score, scale, receipt"
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
            assert_eq!(
                row.get::<String>("scale").unwrap(),
                receipt.score.scale.name()
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
fn a_query_gets_what_a_model_is_given_to_read_and_how_far_to_trust_it() {
    let (db, library) = with_rocks("structure");
    let open = library.open().unwrap();
    let question = Question::new("Where does basalt come from?").unwrap();
    for (preset, most) in [("direct", 5), ("vector", 5), ("vector", 1), ("strata", 5)] {
        let mut pipeline = Pipeline::preset(preset).unwrap();
        pipeline.most = most;
        let whole = open
            .retrieve(&pipeline, &question, &CancelToken::new())
            .unwrap();
        let text = format!(
            "CALL rag.context('{preset}', {{question: 'Where does basalt come from?', most: {most}}})"
        );
        let told = rows(&db, &text);
        assert_eq!(told.len(), 1, "{preset}");
        let row = &told[0];
        assert_eq!(row.get::<String>("context").unwrap(), whole.context);
        let count = |name: &str| row.get::<i64>(name).unwrap() as usize;
        assert_eq!(
            ["units", "found", "untold"].map(count),
            [whole.units, whole.found.len(), whole.untold],
            "{preset}"
        );
        if most == 1 {
            assert_eq!((whole.found.len(), whole.untold), (1, 1));
        }
        let parts = whole.confidence.parts;
        let confidence = Some(whole.confidence.value);
        for (name, value) in [
            ("confidence", confidence),
            ("cosine", parts.cosine),
            ("coverage", parts.coverage),
            ("threshold", None),
        ] {
            let told = row.get::<Option<f64>>(name).unwrap();
            assert_eq!(told, value.map(f64::from), "{preset}: {name}");
        }
    }
}

#[test]
fn a_query_shows_the_trace_that_a_program_has() {
    let (db, library) = with_rocks("bag");
    let open = library.open().unwrap();
    let question = Question::new("Where does basalt come from?").unwrap();
    for preset in ["direct", "vector", "bag", "strata"] {
        let pipeline = Pipeline::preset(preset).unwrap();
        let whole = open
            .retrieve(&pipeline, &question, &CancelToken::new())
            .unwrap();
        let text = format!(
            "CALL rag.trace('{preset}', {{question: 'Where does basalt come from?'}}) YIELD place, stage, operator, took, gave, cut, added, notThere, detail"
        );
        let told = rows(&db, &text);
        // Packing is behind the stages.
        assert_eq!(told.len(), pipeline.stages.len() + 1, "{preset}");
        assert_eq!(told.len(), whole.trace.len(), "{preset}");
        for ((row, traced), place) in told.iter().zip(&whole.trace).zip(1_i64..) {
            let count = |name: &str| row.get::<i64>(name).unwrap() as usize;
            assert_eq!(row.get::<i64>("place").unwrap(), place);
            assert_eq!(row.get::<String>("stage").unwrap(), traced.stage);
            assert_eq!(row.get::<String>("operator").unwrap(), traced.operator);
            assert_eq!(
                ["took", "gave", "cut", "added"].map(count),
                [traced.took, traced.gave, traced.cut, traced.added],
                "{preset}: {}",
                traced.stage
            );
            assert_eq!(row.get::<bool>("notThere").unwrap(), traced.not_there);
            assert_eq!(plain(row.value("detail").unwrap()), traced.detail);
        }
    }
    let levels = "CALL rag.trace('bag', {question: 'basalt', only: {year: 2023}}) YIELD operator, detail WHERE operator = 'descend' UNWIND detail AS one RETURN one.kept AS kept, one.recovered AS recovered";
    let levels = rows(&db, levels);
    assert!(!levels.is_empty());
    assert!(levels[0].get::<i64>("kept").unwrap() > 0);
    assert_eq!(levels[0].get::<i64>("recovered").unwrap(), 0);
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
            "CALL rag.retrieve('vector', {question: 'x', exact: 1})",
            "`exact` is true or false",
        ),
        (
            "CALL rag.retrieve('bag', {question: 'x'})",
            "`rag.createLayers('bag')`",
        ),
        ("CALL rag.trace('vector', {})", "`question` is needed"),
        ("CALL rag.context('vector', {})", "`question` is needed"),
        ("CALL rag.ask('vector', ' ')", "no letter and no digit"),
        (
            "CALL rag.retrieve('vector', {question: '?!'})",
            "no letter and no digit",
        ),
        ("CALL rag.route('')", "no letter and no digit"),
        (
            "CALL rag.ask('vector', 'x', {number: 5})",
            "no setting `number`",
        ),
        (
            "CALL rag.ask('vector', 'x', {most: 0})",
            "`most` is a count above zero",
        ),
        (
            "CALL rag.ask('vector', 'x', {exact: 1})",
            "`exact` is true or false",
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

#[test]
fn a_query_is_answered_as_a_program_is() {
    let (db, library) = with_rocks("structure");
    let pipeline = Pipeline::preset("vector").unwrap();
    let question = Question::new("Where does basalt come from?").unwrap();
    let ask = Ask::new(&pipeline, &question);
    let open = library.open().unwrap();
    let answer = open.ask(&ask, &CancelToken::new(), &mut |_| ()).unwrap();
    let call = "CALL rag.ask('vector', 'Where does basalt come from?') YIELD answer, sources, refused, confidence, threshold, calls RETURN size(answer) AS sentences, answer[0].text AS text, answer[0].supported AS supported, sources[0].receipt AS receipt, refused, confidence, threshold, calls";
    let found = rows(&db, call);
    assert_eq!(found.len(), 1);
    let row = &found[0];
    assert_eq!(
        row.get::<i64>("sentences").unwrap(),
        answer.answer.len() as i64
    );
    assert_eq!(row.get::<String>("text").unwrap(), answer.answer[0].text);
    assert!(row.get::<bool>("supported").unwrap());
    assert_eq!(row.get::<Option<String>>("refused").unwrap(), None);
    assert_eq!(row.get::<Option<f64>>("threshold").unwrap(), None);
    assert_eq!(row.get::<i64>("calls").unwrap(), 0);
    let confidence = f64::from(answer.confidence.value);
    assert_eq!(row.get::<f64>("confidence").unwrap(), confidence);
    let receipt: Receipt = serde_json::from_str(&row.get::<String>("receipt").unwrap()).unwrap();
    assert_eq!(receipt, answer.sources[0].receipt);
    let beside = "CALL rag.ask('vector', 'Where does basalt come from?') YIELD cosine, coverage, prompt, dropped";
    let beside = rows(&db, beside);
    let parts = answer.confidence.parts;
    for (name, part) in [("cosine", parts.cosine), ("coverage", parts.coverage)] {
        let told = beside[0].get::<Option<f64>>(name).unwrap();
        assert_eq!(told, part.map(f64::from), "{name}");
    }
    assert_eq!(beside[0].get::<Option<String>>("prompt").unwrap(), None);
    assert_eq!(beside[0].get::<Vec<i64>>("dropped").unwrap(), [0; 0]);
    // Of two passages one is read.
    for (most, passages) in [(5, "2 passages"), (1, "1 passages")] {
        let call = format!(
            "CALL rag.ask('vector', 'Where does basalt come from?', {{most: {most}}}) YIELD analysis"
        );
        let analysis = rows(&db, &call)[0].get::<String>("analysis").unwrap();
        assert!(analysis.contains(passages), "{analysis}");
    }
    let limited = "CALL rag.ask('vector', 'basalt', {only: {year: 1999}}) YIELD answer, refused, reason RETURN size(answer) AS sentences, refused, reason";
    let limited = rows(&db, limited);
    assert_eq!(limited[0].get::<i64>("sentences").unwrap(), 0);
    assert_eq!(
        limited[0].get::<String>("refused").unwrap(),
        "nothing_found"
    );
}

#[test]
fn a_query_calibrates() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('structure')");
    for thing in ["basalt", "violins", "owls", "glaciers", "bread", "clocks"] {
        let content = format!(
            "The {thing}book of Professor {thing}son explains {thing} to students. The oldest museum of {thing} stands near the harbour of {thing}ville."
        );
        rows(
            &db,
            &format!("CALL rag.upsertDocument({{id: '{thing}.txt', content: '{content}'}})"),
        );
    }
    assert!(rows(&db, "CALL rag.calibrations() YIELD pipeline").is_empty());
    let call = "CALL rag.calibrate('vector', {questions: 20, seed: 2, refuseAtMost: 0.1}) YIELD threshold, auroc, questions";
    let found = rows(&db, call);
    let threshold = found[0].get::<f64>("threshold").unwrap();
    assert!(found[0].get::<f64>("auroc").unwrap() > 0.7);
    let kept = rows(&db, "CALL rag.calibrations() YIELD pipeline, threshold");
    assert_eq!(kept[0].get::<f64>("threshold").unwrap(), threshold);
    let asked = rows(
        &db,
        "CALL rag.ask('vector', 'basalt museum') YIELD threshold",
    );
    assert_eq!(asked[0].get::<f64>("threshold").unwrap(), threshold);
    let context = rows(
        &db,
        "CALL rag.context('vector', {question: 'basalt museum'}) YIELD threshold",
    );
    assert_eq!(context[0].get::<f64>("threshold").unwrap(), threshold);
    let again = rows(&db, call);
    assert_eq!(again[0].get::<f64>("threshold").unwrap(), threshold);
    assert_eq!(rows(&db, "CALL rag.calibrations() YIELD pipeline").len(), 1);
    let read = db.read().unwrap();
    assert!(read.query("CALL rag.calibrate('vector')", ()).is_err());
    for (call, reason) in [
        (
            "CALL rag.calibrate('vector', {questions: 1})",
            "the number of questions",
        ),
        (
            "CALL rag.calibrate('vector', {seed: -1})",
            "`seed` is a whole number",
        ),
        (
            "CALL rag.calibrate('vector', {refuseAtMost: 2})",
            "`refuseAtMost` is a number from 0 to 1",
        ),
    ] {
        let rows = db
            .query(call, ())
            .and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let message = rows.unwrap_err().to_string();
        assert!(message.contains(reason), "{call}: {message}");
    }
}
