//! The five shapes of questions that the audit system answers, over its five types and a few invented rows: each without
//! a model and with one, through the preset.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::{Call, Generator, ModelError, Reply, Request};
use stratigraph_rag::door::{Ask, Equipment, Library, Open, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::read::TableMapping;
use stratigraph_rag::retrieve::{Pipeline, Question, Retrieved};
use stratigraph_rag::routes::{CallLimits, audit};

/// A model that makes one call.
struct Calls(Mutex<Vec<Request>>, &'static str, Value);

impl Generator for Calls {
    fn name(&self) -> &str {
        "calls"
    }

    fn generate(&self, request: &Request) -> Result<Reply, ModelError> {
        self.0.lock().unwrap().push(request.clone());
        Ok(Reply {
            calls: vec![Call {
                name: self.1.to_owned(),
                arguments: self.2.to_string(),
            }],
            ..Reply::default()
        })
    }
}

fn with_tables(equipment: Equipment) -> (Database, Library, Open) {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, equipment);
    library.register().unwrap();
    let open = library.create(&Wanted::new(System::Structure)).unwrap();
    let mapping = Path::new(env!("CARGO_MANIFEST_DIR")).join("audit/mapping.toml");
    let mapping = TableMapping::read(&mapping).unwrap();
    let report = open.layers().upsert_tables("audit", &mapping).unwrap();
    assert_eq!(
        (report.nodes, report.count_broken),
        (27, 0),
        "{:?}",
        report.broken
    );
    for declared in audit().unwrap() {
        open.declare(&declared).unwrap();
    }
    (db, library, open)
}

/// What a question gets: the keys of what was found, of some types.
fn keys(retrieved: &Retrieved, kinds: &[&str]) -> Vec<String> {
    let found = retrieved.found.iter().map(|found| &found.receipt.name);
    found
        .filter(|name| kinds.contains(&name.kind.as_str()))
        .map(|name| name.key.clone())
        .collect()
}

fn ask(open: &Open, text: &str) -> Retrieved {
    let question = Question::new(text).unwrap();
    let pipeline = Pipeline::preset("audit").unwrap();
    open.retrieve(&pipeline, &question, &CancelToken::new())
        .unwrap()
}

/// Asks without a model and with one that makes this call, and gives both back after having looked who has chosen.
fn both(text: &str, query: &'static str, arguments: &Value) -> [Retrieved; 2] {
    let (_db, library, open) = with_tables(Equipment::default());
    let by_rule = ask(&open, text);
    assert_eq!(by_rule.trace[0].detail["by"], "rule");
    assert_eq!(
        by_rule.trace[0].detail["chosen"], query,
        "{:#}",
        by_rule.trace[0].detail
    );
    let receipts: Vec<_> = by_rule
        .found
        .iter()
        .map(|found| found.receipt.clone())
        .collect();
    let standing = library.verify(&receipts, &CancelToken::new()).unwrap();
    assert!(
        standing.iter().all(|standing| standing.holds()),
        "{standing:?}"
    );
    let model = Arc::new(Calls(Mutex::default(), query, arguments.clone()));
    let equipment = Equipment::default().model(Arc::clone(&model) as _, 1);
    let (_db, _, open) = with_tables(equipment);
    let by_model = ask(&open, text);
    let detail = &by_model.trace[0].detail;
    assert_eq!(
        (&detail["by"], &detail["called"][0]["name"]),
        (&json!("model"), &json!(query))
    );
    let asked = model.0.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].tools.len(), 5);
    [by_rule, by_model]
}

#[test]
fn a_finding_leads_to_its_basis() {
    let text = "What is the basis for the finding that one purchase was split into several orders?";
    let arguments = json!({"finding": "one purchase was split into several orders"});
    for retrieved in both(text, "basis_of_finding", &arguments) {
        assert_eq!(keys(&retrieved, &["AuditIssue"]), ["I-04"]);
        assert_eq!(keys(&retrieved, &["DocumentClause"]), ["C-03", "C-04"]);
        assert_eq!(keys(&retrieved, &["BasisDocument"]), ["MH-2021-03"]);
        // The document says how it was come to: by the clause, from the issue.
        let document = { retrieved.found.iter() }
            .find(|found| found.receipt.name.kind == "BasisDocument")
            .unwrap();
        let way: Vec<(&str, &str)> = { document.receipt.way.iter() }
            .map(|step| (step.from.key.as_str(), step.by.as_str()))
            .collect();
        assert_eq!(way, [("I-04", "QUALIFIED_BY"), ("C-03", "BELONGS_TO")]);
        assert!(
            document.text.contains("effective: 2021-01-15"),
            "{}",
            document.text
        );
        assert!(
            retrieved.context.contains("must not be split"),
            "{}",
            retrieved.context
        );
    }
}

#[test]
fn an_area_leads_to_all_of_its_findings() {
    let text = "Which findings are there in the area of Spending?";
    for retrieved in both(text, "findings_of_area", &json!({"area": "Spending"})) {
        let expected = ["I-01", "I-02", "I-03", "I-04", "I-06"];
        assert_eq!(keys(&retrieved, &["AuditIssue"]), expected);
        assert_eq!(retrieved.trace[0].detail["called"][0]["rows"], 5);
    }
    // Within a sentence nobody writes it as it is written in a table.
    let (_db, _, open) = with_tables(Equipment::default());
    let retrieved = ask(&open, "What was found about offices abroad?");
    assert_eq!(keys(&retrieved, &["AuditIssue"]), ["I-05", "I-06"]);
}

#[test]
fn a_topic_leads_to_clauses_and_documents() {
    let text = "Which clauses and documents are about counting fixed assets?";
    for retrieved in both(
        text,
        "clauses_on_topic",
        &json!({"topic": "counting fixed assets", "most": 2}),
    ) {
        let clauses = keys(&retrieved, &["DocumentClause"]);
        assert!(
            clauses[..2].contains(&"C-08".to_owned()) && clauses[..2].contains(&"C-07".to_owned()),
            "{clauses:?}"
        );
        assert_eq!(keys(&retrieved, &["BasisDocument"])[0], "TO-2020-07");
    }
}

#[test]
fn a_finding_leads_to_its_siblings() {
    let text = "Which other findings fall under the same content as the one that the cash of the office in Port Alder was not counted?";
    let arguments = json!({"finding": "the cash of the office in Port Alder was not counted"});
    for retrieved in both(text, "sibling_findings", &arguments) {
        // The sibling first, and how it was come to: through the content that both are of.
        let first = &retrieved.found[0].receipt;
        assert_eq!(first.name.key, "I-06");
        let way: Vec<&str> = first
            .way
            .iter()
            .map(|step| step.from.key.as_str())
            .collect();
        assert_eq!(way, ["I-05", "K-3"]);
    }
}

#[test]
fn a_document_and_a_topic_lead_to_its_clauses() {
    let text = "What does the Order on Audits Abroad require for payments?";
    let arguments = json!({"document": "Order on Audits Abroad", "topic": "payments", "most": 3});
    for retrieved in both(text, "clauses_of_document", &arguments) {
        assert_eq!(keys(&retrieved, &["DocumentClause"]), ["C-06", "C-05"]);
        assert_eq!(keys(&retrieved, &["BasisDocument"]), ["TO-2018-60"]);
    }
    // By its number it is the same document.
    let text = "What does TO-2018-60 require for payments?";
    let (_db, _, open) = with_tables(Equipment::default());
    let retrieved = ask(&open, text);
    let called = &retrieved.trace[0].detail["called"][0];
    assert_eq!(called["arguments"]["document"], "Order on Audits Abroad");
    assert_eq!(keys(&retrieved, &["DocumentClause"])[0], "C-06");
}

#[test]
fn without_a_model_the_rows_are_the_answer() {
    let (_db, _, open) = with_tables(Equipment::default());
    let text = "Which findings are there in the area of Spending?";
    let retrieved = ask(&open, text);
    let question = Question::new(text).unwrap();
    let pipeline = Pipeline::preset("audit").unwrap();
    let asked = Ask::new(&pipeline, &question);
    let answer = open.ask(&asked, &CancelToken::new(), &mut |_| ()).unwrap();
    let rows = (1_usize..).zip(&retrieved.found);
    let rows = rows.filter(|(_, found)| found.packed || found.text.is_empty());
    let rows: Vec<usize> = rows.map(|(number, _)| number).take(20).collect();
    let told = answer.answer.iter().map(|row| row.sources.clone());
    let told: Vec<Vec<usize>> = told.collect();
    assert_eq!(told.concat(), rows);
    for (row, number) in answer.answer.iter().zip(rows) {
        let found = &retrieved.found[number - 1];
        assert!(row.supported && !row.text.contains('\n'), "{row:?}");
        for line in found.text.lines() {
            assert!(row.text.contains(line.trim()), "{row:?}");
        }
    }
    assert_eq!(answer.sources.len(), told.len());
    assert_eq!(answer.sources[0].receipt.name.key, "I-01");
    let said = format!("{} of ", told.len());
    assert!(answer.analysis.starts_with(&said), "{}", answer.analysis);
}

#[test]
fn the_same_is_called_by_name_from_a_query() {
    let (db, _, open) = with_tables(Equipment::default());
    let arguments = json!({"area": "Offices abroad"});
    let limits = CallLimits::default();
    let called = open
        .call("findings_of_area", &arguments, limits, &CancelToken::new())
        .unwrap();
    let statement = "CALL rag.call('findings_of_area', {area: 'Offices abroad'}) YIELD row, values, receipts RETURN row, values.issue.properties.description AS text, receipts";
    let rows: Vec<(i64, String, Vec<String>)> = { db.query(statement, ()).unwrap() }
        .map(|row| row.unwrap().to().unwrap())
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        rows[0].1,
        called.rows[0]["issue"]["properties"]["description"]
    );
    let receipt = serde_json::to_string(&called.found[0].receipt).unwrap();
    assert_eq!(rows[0].2[0], receipt);
    let tools: Vec<String> = {
        db.query("CALL rag.tools() YIELD tool RETURN tool", ())
            .unwrap()
    }
    .map(|row| row.unwrap().get("tool").unwrap())
    .collect();
    let ours: Vec<String> = open.tools().unwrap().iter().map(Value::to_string).collect();
    assert_eq!(tools, ours);
    let dropped = "CALL rag.undeclare('findings_of_area') YIELD dropped RETURN dropped";
    let dropped = db.query(dropped, ()).unwrap().next().unwrap().unwrap();
    assert!(dropped.get::<bool>("dropped").unwrap());
    let left = "CALL rag.declared() YIELD name RETURN count(*) AS n";
    let left = db.query(left, ()).unwrap().next().unwrap().unwrap();
    assert_eq!(left.get::<i64>("n").unwrap(), 4);
}

#[test]
fn the_example_of_the_page_is_true() {
    const PAGE: &str = include_str!("../../docs/rag.md");
    let (db, _, open) = with_tables(Equipment::default());
    for declared in audit().unwrap() {
        open.undeclare(&declared.name).unwrap();
    }
    let (_, block) = PAGE.split_once("```stratql declared\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let mut rows = block.split(";\n").map(|statement| {
        let rows = db.query(statement, ()).unwrap();
        rows.map(|row| row.unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(
        rows.next().unwrap()[0].get::<String>("name").unwrap(),
        "clauses_of"
    );
    let clauses = rows.next().unwrap();
    let clause = clauses[0].get::<String>("clause").unwrap();
    assert!(
        clauses.len() == 2 && clause.starts_with("Every fixed asset"),
        "{clause}"
    );
    let routed = rows.next().unwrap();
    let routed: (String, String) = routed[0].to().unwrap();
    assert_eq!(
        routed,
        (
            "clauses_of".to_owned(),
            "Handbook of Fixed Assets".to_owned()
        )
    );
    let found = rows.next().unwrap();
    let text = found[0].get::<String>("text").unwrap();
    assert!(found.len() == 3 && text.contains(&clause), "{text}");
    assert!(rows.next().is_none());
}
