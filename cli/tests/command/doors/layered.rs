//! One graph with all layers, asked by every preset through every door: the same bytes.

use super::asking::{QUERIES, QUESTION, at_any_commit};
use super::*;
use stratigraph_rag::door::Open;

/// What one fact says: `triples` takes what is nearer to the question than 0.6, and nothing else.
const OF_A_FACT: &str = "Who says that basalt comes from Iceland?";

fn question_of(preset: &str) -> &'static str {
    match preset {
        "triples" => OF_A_FACT,
        _ => QUESTION,
    }
}

/// What a verb prints at a place for a preset.
fn by_command(verb: &str, at: &str, preset: &str) -> serde_json::Value {
    // Without a model nobody knows anything by himself.
    let code = match (verb, preset) {
        ("ask", "direct") => 2,
        _ => 0,
    };
    told(&[verb, at, question_of(preset), "--preset", preset], code)
}

impl Doors {
    /// The folder of a server whose database has all layers, with summaries of its domains and a table beside them.
    fn with_all_layers(&self) -> PathBuf {
        let (folder, path) = self.to_be_served();
        let at = path.to_str().unwrap();
        self.add_volcanoes(at);
        // Domains are found by their summaries.
        let summarise = "CALL rag.resummarise({domains: true, central: true}) YIELD problem \
                         RETURN count(problem) AS problems, count(*) > 3 AS several";
        let said = run(&["query", at, summarise]);
        let said = said.assert_code(0).stdout.trim();
        assert_eq!(said, r#"{"problems":0,"several":true}"#);
        folder
    }
}

/// What each preset gives: by the library, at the folder, at an address, and once more here when the server has ended.
fn compared(
    verb: &str,
    folder: &Path,
    by_library: &dyn Fn(&Database, &Open, &str) -> serde_json::Value,
) -> Vec<serde_json::Value> {
    let path = folder.join("default");
    let here = || -> Vec<serde_json::Value> {
        let db = Database::builder().open_read_only(&path).unwrap();
        let library = Library::new(&db, Equipment::default());
        library.register().unwrap();
        let open = library.open().unwrap();
        let all = Pipeline::presets().map(|preset| by_library(&db, &open, preset));
        let all: Vec<serde_json::Value> = all.collect();
        // The commit that it is told as of is the same as well: nobody writes.
        for (preset, one) in Pipeline::presets().zip(&all) {
            let by_folder = by_command(verb, path.to_str().unwrap(), preset);
            assert_eq!(by_folder.to_string(), one.to_string(), "{preset}");
        }
        all
    };
    let before = here();
    let served = Served::start(folder, &[]);
    for (preset, one) in Pipeline::presets().zip(&before) {
        let by_address = by_command(verb, &served.address(), preset);
        assert_eq!(at_any_commit(&by_address), at_any_commit(one), "{preset}");
    }
    served.terminate();
    for (one, after) in before.iter().zip(&here()) {
        assert_eq!(at_any_commit(after), at_any_commit(one));
    }
    before
}

#[test]
fn one_retrieval_is_the_same_bytes_through_every_door() {
    let doors = Doors::of("layered");
    let folder = doors.with_all_layers();
    let all = compared("retrieve", &folder, &|db, open, preset| {
        let question = Question::new(question_of(preset)).unwrap();
        let pipeline = Pipeline::preset(preset).unwrap();
        let retrieved = open.retrieve(&pipeline, &question, &CancelToken::new());
        let retrieved = retrieved.unwrap();
        let call = "CALL rag.retrieve($preset, {question: $question}) YIELD receipt";
        let parameters = [("preset", preset), ("question", question_of(preset))];
        let rows = db.query(call, parameters).unwrap();
        let receipts: Vec<String> = rows
            .map(|row| row.unwrap().get("receipt").unwrap())
            .collect();
        let ours = retrieved
            .found
            .iter()
            .map(|found| serde_json::to_string(&found.receipt).unwrap());
        assert_eq!(receipts, ours.collect::<Vec<_>>(), "{preset}");
        serde_json::to_value(&retrieved).unwrap()
    });
    for (preset, one) in Pipeline::presets().zip(&all) {
        let found = one["found"].as_array().unwrap();
        assert_eq!(found.is_empty(), preset == "direct", "{preset}: {one}");
    }
}

#[test]
fn one_answer_is_the_same_bytes_through_every_door() {
    let doors = Doors::of("layered");
    let folder = doors.with_all_layers();
    // With what is declared, where the other test has what is made up from the table.
    let queries = doors.world.path("queries.toml");
    fs::write(&queries, QUERIES).unwrap();
    let path = folder.join("default");
    let (at, queries) = (path.to_str().unwrap(), queries.to_str().unwrap());
    run(&["routes", "add", at, queries]).assert_code(0);
    compared("ask", &folder, &|db, open, preset| {
        let question = Question::new(question_of(preset)).unwrap();
        let pipeline = Pipeline::preset(preset).unwrap();
        let ask = Ask::new(&pipeline, &question);
        let answer = open.ask(&ask, &CancelToken::new(), &mut |_| ()).unwrap();
        let is_answered = !answer.answer.is_empty() && answer.refused.is_none();
        assert_eq!(is_answered, preset != "direct", "{preset}");
        let call = "CALL rag.ask($preset, $question) YIELD answer, confidence, sources UNWIND answer AS one \
                    RETURN one.text AS text, one.score AS score, confidence, size(sources) AS sources";
        let parameters = [("preset", preset), ("question", question_of(preset))];
        let rows = db.query(call, parameters).unwrap();
        let rows: Vec<_> = rows.map(Result::unwrap).collect();
        assert_eq!(rows.len(), answer.answer.len(), "{preset}");
        for (row, one) in rows.iter().zip(&answer.answer) {
            assert_eq!(row.get::<String>("text").unwrap(), one.text);
            assert_eq!(row.get::<f64>("score").unwrap(), f64::from(one.score));
            assert_eq!(
                row.get::<f64>("confidence").unwrap(),
                f64::from(answer.confidence.value)
            );
            assert_eq!(
                row.get::<i64>("sources").unwrap(),
                answer.sources.len() as i64
            );
        }
        serde_json::to_value(&answer).unwrap()
    });
}
