//! Declared queries over a small graph of tables: in, out, called, refused.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Index, Read as _};
use stratigraph_models::{Call, Generator, ModelError, Reply, Request, Usage};

use super::*;
use crate::door::{DoorError, Equipment, Library, Open, Wanted};
use crate::ingest::System;
use crate::retrieve::{Pipeline, Question, Retrieved};

/// A model that gives these replies one after the other.
struct Script {
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Request>>,
}

impl Script {
    fn new(replies: impl IntoIterator<Item = Reply>) -> Arc<Self> {
        Arc::new(Self {
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::default(),
        })
    }
}

impl Generator for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn generate(&self, request: &Request) -> Result<Reply, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        let reply = self.replies.lock().unwrap().pop_front();
        reply.ok_or(ModelError::NothingRecorded)
    }
}

fn calls(name: &str, arguments: &str) -> Reply {
    Reply {
        calls: vec![Call {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        }],
        usage: Usage {
            input_tokens: 100,
            output_tokens: 10,
        },
        ..Reply::default()
    }
}

fn says(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        ..Reply::default()
    }
}

/// Towns with rivers through them.
fn towns(equipment: Equipment) -> (Database, Library, Open) {
    let db = Database::in_memory().unwrap();
    db.create_index(Index::on_nodes("Town", ["name"]).named("towns"))
        .unwrap();
    db.create_index(Index::on_nodes("River", ["name"]).named("rivers"))
        .unwrap();
    let make = "CREATE (a:Town {key: 'a', name: 'Alder', people: 100}), (b:Town {key: 'b', name: 'Birch Hill', people: 200}), (r:River {key: 'r', name: 'Ruby'}), (a)-[:ON]->(r), (b)-[:ON]->(r)";
    db.query(make, ()).unwrap();
    let library = Library::new(&db, equipment);
    library.register().unwrap();
    let open = library.create(&Wanted::new(System::Structure)).unwrap();
    (db, library, open)
}

fn river() -> Declared {
    let all = Declared::parse(
        r#"
        name = "towns_on"
        description = "The towns on a river."
        target = "Town"
        examples = ["Which towns lie on the Rhine?"]
        statement = "MATCH path = (r:River {name: $river})<-[:ON]-(t:Town) WHERE t.people >= $least RETURN t, path ORDER BY t.name"
        [[parameters]]
        name = "river"
        type = "text"
        of = { label = "River", property = "name" }
        [[parameters]]
        name = "least"
        type = "integer"
        default = 0
        "#,
    );
    all.unwrap().remove(0)
}

fn call(open: &Open, name: &str, arguments: &Json) -> Result<Called, DoorError> {
    open.call(name, arguments, CallLimits::default(), &CancelToken::new())
}

fn refused<T: std::fmt::Debug>(result: Result<T, DoorError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn what_is_declared_survives_reopening_and_is_replaced_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let db = Database::create(&path).unwrap();
    db.query(
        "CREATE (:Town {key: 'a', name: 'Alder'})-[:ON]->(:River {name: 'Ruby'})",
        (),
    )
    .unwrap();
    let open = Library::new(&db, Equipment::default())
        .create(&Wanted::new(System::Structure))
        .unwrap();
    assert!(!open.declare(&river()).unwrap());
    let mut other = river();
    other.description = "All towns that a river runs through.".to_owned();
    assert!(
        open.declare(&other).unwrap(),
        "it stands in the place of the first"
    );
    drop(open);
    db.close().unwrap();
    let db = Database::open(&path).unwrap();
    let library = Library::new(&db, Equipment::default());
    assert_eq!(library.declared().unwrap(), [other]);
    let open = library.open().unwrap();
    assert!(open.undeclare("towns_on").unwrap() && !open.undeclare("towns_on").unwrap());
    assert_eq!(library.declared().unwrap(), []);
}

#[test]
fn a_call_gives_rows_and_items_with_receipts_and_ways() {
    let (_, library, open) = towns(Equipment::default());
    open.declare(&river()).unwrap();
    let called = call(&open, "towns_on", &json!({"river": "Ruby"})).unwrap();
    assert_eq!(called.columns, ["t", "path"]);
    assert_eq!(called.rows.len(), 2);
    assert_eq!(called.rows[0]["t"]["properties"]["name"], "Alder");
    assert_eq!(called.arguments["least"], 0);
    // Towns and the river, each once.
    let kinds: Vec<&str> = called
        .found
        .iter()
        .map(|one| one.receipt.name.kind.as_str())
        .collect();
    assert_eq!(kinds, ["Town", "River", "Town"]);
    assert_eq!(called.in_rows, [vec![0, 1], vec![2, 1]]);
    let town = &called.found[0];
    assert!(
        town.text.contains("name: Alder") && town.text.contains("people: 100"),
        "{}",
        town.text
    );
    assert_eq!(
        (
            town.receipt.way[0].from.key.as_str(),
            town.receipt.way[0].by.as_str()
        ),
        ("r", "ON")
    );
    assert!(town.receipt.exact);
    let receipts: Vec<_> = called.found.iter().map(|one| one.receipt.clone()).collect();
    // Nodes that no mapping has stated have no key that they could be looked up by again.
    let standing = library.verify(&receipts, &CancelToken::new()).unwrap();
    assert_eq!(standing.len(), 3);
    let least = call(&open, "towns_on", &json!({"river": "Ruby", "least": 150.0})).unwrap();
    assert_eq!(least.rows.len(), 1);
    let one = CallLimits {
        rows: 1,
        ..CallLimits::default()
    };
    let cut = open
        .call(
            "towns_on",
            &json!({"river": "Ruby"}),
            one,
            &CancelToken::new(),
        )
        .unwrap();
    assert!(cut.more && cut.rows.len() == 1);
}

#[test]
fn what_cannot_be_declared_is_refused_with_its_place() {
    let (db, _, open) = towns(Equipment::default());
    type Change = fn(&mut Declared);
    let cases: [(Change, &str); 18] = [
        (|d| d.name = "1st".into(), "`name` begins with a letter"),
        (|d| d.name = "städte".into(), "`name` begins with a letter"),
        (|d| d.name = "x".repeat(65), "`name` begins with a letter"),
        (
            |d| d.description = " ".into(),
            "`description` may have 1 to",
        ),
        (
            |d| d.examples = vec!["x".repeat(5000)],
            "`examples[0]` may have",
        ),
        (
            |d| d.statement = "MATCH (t".into(),
            "the statement of the declared query `towns_on` cannot be run",
        ),
        (
            |d| d.statement = "CREATE (t:Town {name: $river}) RETURN t, $least".into(),
            "changes the graph",
        ),
        (
            |d| d.statement = "CREATE INDEX x FOR (t:Town) ON (t.people)".into(),
            "changes the graph",
        ),
        (
            |d| {
                d.statement =
                    "MATCH (t) WHERE t.name = $river AND t.x = $least SET t.x = 1 RETURN t".into();
            },
            "changes the graph",
        ),
        (
            |d| {
                d.statement = "CALL rag.deleteDocument($river) YIELD id RETURN id, $least".into();
            },
            "changes the graph",
        ),
        (
            |d| d.statement = "MATCH (t) RETURN t, $river, $least, $other".into(),
            "takes `$other`, which is no parameter",
        ),
        (
            |d| d.statement = "MATCH (t) RETURN t, $river".into(),
            "`parameters[1].name` is `least`, which the statement does not take",
        ),
        (
            |d| d.parameters[1].name = "a b".into(),
            "`parameters[1].name` begins",
        ),
        (
            |d| d.parameters[1].name = "river".into(),
            "`parameters[1].name` is `river` a second time",
        ),
        (
            |d| d.parameters[1].embedded = true,
            "`parameters[1].embedded` is for texts",
        ),
        (
            |d| d.parameters[1].default = Some("many".into()),
            "`parameters[1].default` does not fit: it is a whole number",
        ),
        (
            |d| d.parameters[1].kind = Kind::Choice,
            "`parameters[1].choices` may be",
        ),
        (
            |d| d.target = Some("Village".into()),
            "`target` is `Village`, and no node",
        ),
    ];
    for (change, wanted) in cases {
        let mut declared = river();
        change(&mut declared);
        let said = refused(open.declare(&declared));
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert_eq!(
        db.read()
            .unwrap()
            .node_count(Some("DeclaredQuery"))
            .unwrap(),
        0
    );
    assert_eq!(db.read().unwrap().node_count(Some("Town")).unwrap(), 2);
    for (text, wanted) in [
        ("name = 1", "invalid type"),
        ("{\"name\": \"x\", \"sql\": \"y\"}", "unknown field `sql`"),
        ("[[query]]\nname = \"x\"\n", "missing field `description`"),
    ] {
        let said = Declared::parse(text).unwrap_err().to_string();
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn arguments_from_outside_are_held_to_the_declaration() {
    let (_, _, open) = towns(Equipment::default());
    let mut declared = river();
    declared.statement = "RETURN $river AS river, $least AS least, $since AS since, $share AS share, $open AS open, $size AS size".into();
    let more = r#"[
        {"name": "since", "type": "date", "required": false},
        {"name": "share", "type": "number", "required": false},
        {"name": "open", "type": "boolean", "required": false},
        {"name": "size", "type": "choice", "choices": ["small", "large"], "required": false}
    ]"#;
    let more: Vec<Parameter> = serde_json::from_str(more).unwrap();
    declared.parameters.extend(more);
    open.declare(&declared).unwrap();
    for (arguments, wanted) in [
        (json!({}), "$.river of `towns_on`: it is needed"),
        (json!([]), "$ of `towns_on`: arguments are an object"),
        (
            json!({"river": 1}),
            "$.river of `towns_on`: it is a text, and this is 1",
        ),
        (json!({"river": ""}), "an empty one"),
        (
            json!({"river": "x".repeat(5000)}),
            "5000 characters, and may have 4096",
        ),
        (
            json!({"river": "x", "lake": 1}),
            "$.lake of `towns_on`: there is no such parameter: it takes river, least",
        ),
        (
            json!({"river": "x", "least": 1.5}),
            "$.least of `towns_on`: it is a whole number",
        ),
        (
            json!({"river": "x", "least": 1e300}),
            "$.least of `towns_on`: it is a whole number",
        ),
        (
            json!({"river": "x", "since": "2021-13-01"}),
            "$.since of `towns_on`: it is a day",
        ),
        (
            json!({"river": "x", "share": "1"}),
            "$.share of `towns_on`: it is a number",
        ),
        (
            json!({"river": "x", "open": "yes"}),
            "$.open of `towns_on`: it is true or false",
        ),
        (
            json!({"river": "x", "size": "huge"}),
            "it is one of \"small\", \"large\"",
        ),
    ] {
        let said = refused(call(&open, "towns_on", &arguments));
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let good = json!({"river": "x", "since": "2021-03-05", "share": 2, "open": true, "size": "small", "least": null});
    let called = call(&open, "towns_on", &good).unwrap();
    let row = json!({"river": "x", "least": 0, "since": "2021-03-05", "share": 2.0, "open": true, "size": "small"});
    assert_eq!(Json::Object(called.rows[0].clone()), row);
    let said = refused(call(&open, "town", &json!({})));
    assert!(
        said.contains("no query is declared as `town`: there are `towns_on`"),
        "{said}"
    );
}

#[test]
fn an_argument_is_never_a_part_of_the_statement() {
    let (db, _, open) = towns(Equipment::default());
    open.declare(&river()).unwrap();
    for hostile in [
        "Ruby'}) DETACH DELETE r //",
        "$least",
        "`) RETURN 1 //",
        "'; DROP INDEX towns; //",
        "\u{0}\u{202e}",
    ] {
        let called = call(&open, "towns_on", &json!({"river": hostile})).unwrap();
        assert_eq!(called.rows.len(), 0, "{hostile:?}");
        assert_eq!(called.arguments["river"], hostile);
    }
    assert_eq!(db.read().unwrap().node_count(Some("River")).unwrap(), 1);
}

#[test]
fn calls_have_an_end() {
    let (_, _, open) = towns(Equipment::default());
    let endless = |name: &str, statement: &str| Declared {
        name: name.into(),
        description: "Counts for a long time.".into(),
        statement: statement.into(),
        parameters: Vec::new(),
        target: None,
        examples: Vec::new(),
    };
    let count = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS n";
    open.declare(&endless("count", count)).unwrap();
    let short = CallLimits {
        time: Duration::from_millis(20),
        ..CallLimits::default()
    };
    open.call("count", &json!({}), short, &CancelToken::new())
        .unwrap_err();
    let cancel = CancelToken::new();
    cancel.cancel();
    let error = open
        .call("count", &json!({}), CallLimits::default(), &cancel)
        .unwrap_err();
    assert!(error.to_string().contains("cancel"), "{error}");
    // One that calls itself.
    let itself = "CALL rag.call('again', {}) YIELD row RETURN row";
    open.declare(&endless("again", itself)).unwrap();
    let said = refused(call(&open, "again", &json!({})));
    assert!(said.contains("more than 4 deep"), "{said}");
}

fn retrieve(open: &Open, text: &str) -> Retrieved {
    retrieve_for(open, &Question::new(text).unwrap())
}

fn retrieve_for(open: &Open, question: &Question) -> Retrieved {
    let pipeline = Pipeline::preset("audit").unwrap();
    open.retrieve(&pipeline, question, &CancelToken::new())
        .unwrap()
}

#[test]
fn a_question_that_misses_nothing_has_statements_miss_nothing() {
    for statement in [
        "MATCH (s) SEARCH s IN (VECTOR INDEX near FOR [9, 1] LIMIT 1) RETURN s",
        "CALL db.index.vector.queryNodes('near', 1, [9, 1]) YIELD node RETURN node",
    ] {
        let (db, _library, open) = towns(Equipment::default());
        for statement in [
            "CREATE VECTOR INDEX near FOR (s:Spot) ON s.at OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
            "UNWIND range(1, 50) AS i CREATE (:Spot {key: 'spot ' + i, at: vector([i, 1])})",
        ] {
            db.query(statement, ()).unwrap().finish().unwrap();
        }
        let nearest = Declared::parse(&format!(
            r#"
            name = "nearest_spot"
            description = "The spot that is nearest to the well."
            statement = "{statement}"
            "#,
        ));
        open.declare(&nearest.unwrap().remove(0)).unwrap();
        let question = Question::new("Which spot is nearest to the well?").unwrap();
        for (question, is_exact) in [(question.clone(), false), (question.exact(), true)] {
            let retrieved = retrieve_for(&open, &question);
            assert_eq!(retrieved.found[0].receipt.name.kind, "Spot");
            assert_eq!(retrieved.found[0].receipt.exact, is_exact, "{statement}");
        }
    }
}

fn by(model: &Arc<Script>) -> Equipment {
    Equipment::default().model(Arc::clone(model) as _, 1)
}

#[test]
fn a_model_calls_what_is_declared_and_is_told_what_is_wrong() {
    let model = Script::new([
        calls("towns_of", "{}"),
        calls("towns_on", "{\"river\": 7}"),
        calls("towns_on", "{\"river\": \"Ruby\", \"least\": 150}"),
    ]);
    let (_, _, open) = towns(by(&model));
    open.declare(&river()).unwrap();
    let retrieved = retrieve(
        &open,
        "Which larger towns are there by the water called ruby?",
    );
    assert_eq!(retrieved.found[0].text, "name: Birch Hill\npeople: 200");
    let detail = &retrieved.trace[0].detail;
    assert_eq!(detail["by"], "model");
    assert_eq!(
        detail["model"],
        json!({"name": "script", "calls": 3, "input_tokens": 300, "output_tokens": 30})
    );
    let cost = retrieved.cost();
    assert_eq!(
        (
            cost.calls,
            cost.usage.input_tokens,
            cost.usage.output_tokens
        ),
        (3, 300, 30)
    );
    assert_eq!(
        detail["called"][0]["arguments"],
        json!({"river": "Ruby", "least": 150})
    );
    let asked = model.asked.lock().unwrap();
    assert_eq!(asked[0].tools[0].name, "towns_on");
    let told = |at: usize| asked[at].messages.last().unwrap().text.clone();
    assert!(
        told(1).contains("there is no tool \"towns_of\""),
        "{}",
        told(1)
    );
    assert!(
        told(2).contains("$.river of `towns_on`: it is a text, and this is 7"),
        "{}",
        told(2)
    );
    assert_eq!(asked[2].messages.len(), 4, "only the last try is told");
}

#[test]
fn what_a_model_writes_instead_of_calling_is_read_too() {
    let model = Script::new([says(
        "Sure: {\"name\": \"towns_on\", \"arguments\": {\"river\": \"Ruby\"}}",
    )]);
    let (_, _, open) = towns(by(&model));
    open.declare(&river()).unwrap();
    let retrieved = retrieve(&open, "What lies there?");
    assert_eq!(retrieved.trace[0].detail["by"], "model");
    assert_eq!(retrieved.found.len(), 3);
}

#[test]
fn where_a_model_gives_no_call_the_rule_goes_on_and_says_so() {
    for (replies, calls, problem) in [
        (
            vec![
                says("I would rather not."),
                says("No."),
                calls("towns_on", "{"),
            ],
            3,
            "no JSON",
        ),
        (vec![], 0, "recorded"),
    ] {
        let model = Script::new(replies);
        let (_, _, open) = towns(by(&model));
        open.declare(&river()).unwrap();
        let retrieved = retrieve(&open, "Which towns lie on the Ruby?");
        let detail = &retrieved.trace[0].detail;
        assert_eq!(detail["by"], "rule");
        assert_eq!(detail["model"]["calls"], calls);
        let said = detail["model"]["problem"].as_str().unwrap();
        assert!(said.contains(problem), "{said}");
        assert_eq!(detail["called"][0]["arguments"]["river"], "Ruby");
        assert_eq!(retrieved.found.len(), 3);
    }
}

#[test]
fn a_call_without_rows_is_followed_by_the_next_best() {
    let model = Script::new([calls("towns_on", "{\"river\": \"Emerald\"}")]);
    let (_, _, open) = towns(by(&model));
    open.declare(&river()).unwrap();
    let retrieved = retrieve(&open, "Which towns lie on the Ruby?");
    let called = &retrieved.trace[0].detail["called"];
    assert_eq!(
        (&called[0]["rows"], &called[1]["rows"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(retrieved.found.len(), 3);
}

#[test]
fn what_blanks_may_group_is_one_number_where_no_more_are_needed() {
    let (_, _, open) = towns(Equipment::default());
    for (needed, text, arguments) in [
        (
            vec!["most", "pages"],
            "What are the top 5 100-page books?",
            json!({"most": 5, "pages": 100}),
        ),
        (
            vec!["most"],
            "What are the top 5 100-page books?",
            json!({"most": 5100}),
        ),
        (
            vec!["least", "most"],
            "Which have from 5 100 to 10 000 people?",
            json!({"least": 5100, "most": 10_000}),
        ),
        // It is one number, and the other is not there.
        (
            vec!["least", "most"],
            "Which have more than 10 000 people?",
            json!({"least": 10_000}),
        ),
    ] {
        let parameters = needed.iter().map(|name| {
            let parameter = json!({"name": name, "type": "integer"});
            serde_json::from_value::<Parameter>(parameter).unwrap()
        });
        let declared = Declared {
            name: "of_size".into(),
            description: "What is of some size.".into(),
            statement: format!(
                "MATCH (t:Town) WHERE t.people IN [${}] RETURN t",
                needed.join(", $")
            ),
            parameters: parameters.collect(),
            target: None,
            examples: Vec::new(),
        };
        open.declare(&declared).unwrap();
        let retrieved = retrieve(&open, text);
        let candidate = &retrieved.trace[0].detail["candidates"][0];
        assert_eq!(candidate["arguments"], arguments, "{text}");
    }
}

#[test]
fn without_declarations_every_type_can_be_asked_by_name() {
    let (_, _, open) = towns(Equipment::default());
    let retrieved = retrieve(&open, "How many live in Birch Hill?");
    assert_eq!(retrieved.found[0].text, "name: Birch Hill\npeople: 200");
    let detail = &retrieved.trace[0].detail;
    assert_eq!(detail["declared"], false);
    assert_eq!(
        detail["named"],
        json!([{"text": "Birch Hill", "label": "Town", "property": "name"}])
    );
    assert_eq!(detail["candidates"][0]["target"], "Town");
    // What nobody can be asked for by name is found by nothing, and the trace says why.
    let retrieved = retrieve(&open, "How many live in Oak Hill?");
    assert_eq!(retrieved.found, []);
    let lacks = retrieved.trace[0].detail["candidates"][0]["lacks"]
        .as_str()
        .unwrap();
    assert!(lacks.contains("does not name the name of a"), "{lacks}");
}

#[test]
fn without_tables_there_is_nothing_to_route_to() {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, Equipment::default());
    let open = library.create(&Wanted::new(System::Structure)).unwrap();
    let pipeline = Pipeline::preset("audit").unwrap();
    let question = Question::new("What is there?").unwrap();
    let error = open
        .retrieve(&pipeline, &question, &CancelToken::new())
        .unwrap_err();
    assert!(
        error.to_string().contains("no query is declared"),
        "{error}"
    );
    let if_there = "name = \"x\"\n[[stage]]\nname = \"a\"\nif_there = true\nrun.route = {}\n";
    let pipeline = Pipeline::parse(if_there).unwrap();
    let retrieved = open
        .retrieve(&pipeline, &question, &CancelToken::new())
        .unwrap();
    assert!(retrieved.trace[0].not_there);
}
