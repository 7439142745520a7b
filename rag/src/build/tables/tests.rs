use std::fs;
use std::path::Path;
use std::sync::Arc;

use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Read};
use stratigraph_models::Lexical;

use super::write::keys_of;
use super::*;
use crate::build::Profile;

mod silent;

const MAPPING: &str = r#"
[[nodes]]
file = "issues.csv"
label = "Issue"
key = "number"
metadata = ["category"]
[nodes.properties]
description = "string"
category = "string"
[nodes.embed]
description_vector = "description"
[[nodes.links]]
type = "QUALIFIED_BY"
column = "clauses"
split = ";"
to = "Clause"

[[nodes]]
file = "clauses.csv"
label = "Clause"
key = "id"
[nodes.properties]
text = "string"
"#;

const ISSUES: &str = "number,description,category,clauses\n1,The road was paid twice,roads,c1;c2\n2,No tender,tenders,c2\n";
const CLAUSES: &str = "id,text\nc1,Nothing is paid twice\nc2,Works are put out to tender\n";

fn mapping(folder: &Path, issues: &str, clauses: &str) -> TableMapping {
    fs::write(folder.join("audit.toml"), MAPPING).unwrap();
    fs::write(folder.join("issues.csv"), issues).unwrap();
    fs::write(folder.join("clauses.csv"), clauses).unwrap();
    TableMapping::read(&folder.join("audit.toml")).unwrap()
}

fn layers() -> Layers {
    let db = Database::in_memory().unwrap();
    Layers::open(&db, Profile::structure(), Arc::new(Lexical::new())).unwrap()
}

fn canonical(layers: &Layers) -> String {
    let mut text = Vec::new();
    let mut watch = Watch::quiet();
    layers
        .database()
        .dump_canonical(&mut text, &mut watch)
        .unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn tables_are_what_their_rows_state_now() {
    let folder = tempfile::tempdir().unwrap();
    let layers = layers();
    let first = mapping(folder.path(), ISSUES, CLAUSES);
    let report = layers.upsert_tables("audit.toml", &first).unwrap();
    assert_eq!((report.nodes, report.relationships), (4, 3));
    assert_eq!((report.change.vectors, report.count_broken), (2, 0));
    let again = layers.upsert_tables("audit.toml", &first).unwrap();
    assert_eq!(
        (
            again.change.written,
            again.change.vectors,
            again.change.keys
        ),
        (0, 0, 0)
    );
    // One issue says something else, one goes, a clause is only referred to.
    let issues = "number,description,category,clauses\n1,The road was paid thrice,roads,c2;c9\n";
    let changed = mapping(folder.path(), issues, CLAUSES);
    let report = layers.upsert_tables("audit.toml", &changed).unwrap();
    assert_eq!(
        (report.nodes, report.relationships, report.change.vectors),
        (4, 2, 1)
    );
    let keys: Vec<(String, String)> = keys_of(&layers, "audit.toml").into_iter().collect();
    let keys: Vec<(&str, &str)> = keys.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(
        keys,
        [
            ("Clause", "c1"),
            ("Clause", "c2"),
            ("Clause", "c9"),
            ("Issue", "1")
        ]
    );
    // The law: it is the graph of the last tables alone.
    let fresh = self::layers();
    fresh.upsert_tables("audit.toml", &changed).unwrap();
    assert_eq!(canonical(&layers), canonical(&fresh));
    layers.delete_tables("audit.toml").unwrap();
    let read = layers.database().read().unwrap();
    for label in ["Issue", "Clause", SOURCE] {
        assert_eq!(read.node_count(Some(label)).unwrap(), 0, "{label}");
    }
}

#[test]
fn what_tables_cannot_say_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let layers = layers();
    let good = mapping(folder.path(), ISSUES, CLAUSES);
    layers.upsert_tables("one", &good).unwrap();
    let refused = |layers: &Layers, id: &str, mapping: &TableMapping| {
        layers.upsert_tables(id, mapping).unwrap_err().to_string()
    };
    let other = refused(&layers, "two", &good);
    assert!(other.contains("is stated by one already"), "{other}");
    // The first row stands, and the other is told.
    let twice = format!("{CLAUSES}c1,Something else\n");
    let twice = mapping(folder.path(), ISSUES, &twice);
    let report = layers.upsert_tables("one", &twice).unwrap();
    assert_eq!((report.change.written, report.count_broken), (0, 1));
    let told = report.broken[0].to_string();
    assert!(
        told.contains("line 4") && told.contains("as in line 2"),
        "{told}"
    );
    let taken = MAPPING.replace("\"Clause\"", "\"Chunk\"");
    fs::write(folder.path().join("taken.toml"), taken).unwrap();
    let taken = TableMapping::read(&folder.path().join("taken.toml")).unwrap();
    let taken = refused(&layers, "three", &taken);
    assert!(taken.contains("Chunk is a name of the layers"), "{taken}");
    // Broken rows are told, and the others are in.
    let broken = format!("{CLAUSES}c3\n");
    let broken = mapping(folder.path(), ISSUES, &broken);
    let report = layers.upsert_tables("one", &broken).unwrap();
    assert_eq!((report.count_broken, report.nodes), (1, 4));
    assert!(
        report.broken[0].to_string().contains("line 4"),
        "{report:?}"
    );
}

#[test]
fn tables_stand_beside_documents() {
    let folder = tempfile::tempdir().unwrap();
    let layers = layers();
    let document = crate::read::Source::new("a.md", b"# A\n\nText.\n");
    let document = document.read(crate::read::Format::Markdown).unwrap();
    let before = canonical(&layers);
    let recipe = crate::ingest::Recipe::new(crate::ingest::System::Structure, 64);
    let pieces = recipe.chunker(&crate::chunk::Words).pieces(&document);
    let nothing = vec![crate::extract::Extracted::default(); pieces.len()];
    let said = crate::build::Contribution::new(&document, &pieces, &nothing, layers.profile());
    layers.upsert(&said.unwrap()).unwrap();
    let with_document = canonical(&layers);
    layers
        .upsert_tables("audit", &mapping(folder.path(), ISSUES, CLAUSES))
        .unwrap();
    layers.delete("a.md").unwrap();
    assert!(canonical(&layers).contains("Issue") && before != with_document);
    assert_eq!(keys_of(&layers, "audit").len(), 4);
}

#[test]
fn work_on_tables_ends_at_its_limits_and_leaves_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let layers = layers();
    let tables = mapping(folder.path(), ISSUES, CLAUSES);
    let before = canonical(&layers);
    // A forecast reads all of it, and that is all.
    let foreseen = layers.forecast_tables("audit", &tables, &TablesLimits::default(), &mut |_| ());
    let foreseen = foreseen.unwrap();
    assert_eq!((foreseen.nodes, foreseen.relationships), (4, 3));
    assert_eq!((foreseen.change.written, foreseen.change.vectors), (0, 0));
    assert_eq!(canonical(&layers), before);
    let within =
        |limits: &TablesLimits| layers.upsert_tables_within("audit", &tables, limits, &mut |_| ());
    let little = TablesLimits {
        memory: 1000,
        ..TablesLimits::default()
    };
    let refused = within(&little).unwrap_err();
    assert!(
        matches!(refused, TablesError::TooLarge { limit: 1000 }),
        "{refused}"
    );
    let stopped = TablesLimits::default();
    stopped.cancel.cancel();
    let refused = within(&stopped).unwrap_err();
    let is_cancelled = matches!(
        refused,
        TablesError::Build(BuildError::Database(stratigraph::Error::Cancelled))
    );
    assert!(is_cancelled, "{refused}");
    assert_eq!(canonical(&layers), before);
    let enough = TablesLimits {
        memory: 10_000,
        ..TablesLimits::default()
    };
    assert_eq!(within(&enough).unwrap().nodes, 4);
}

#[test]
fn work_on_tables_is_told_on_the_way_and_is_stopped_in_each_step() {
    let [read, embed, write] = [TablesStep::Read, TablesStep::Embed, TablesStep::Write];
    let folder = tempfile::tempdir().unwrap();
    // So many that not only the ends of steps are told.
    let rows = |number: usize| format!("{number},Issue {number} was found,roads,c1\n");
    let issues: String = (0..3000).map(rows).collect();
    let issues = format!("number,description,category,clauses\n{issues}");
    let tables = mapping(folder.path(), &issues, CLAUSES);
    let bytes = (issues.len() + CLAUSES.len()) as u64;
    let layers = layers();
    for step in [read, embed, write] {
        let limits = TablesLimits::default();
        let stopped = layers.upsert_tables_within("audit", &tables, &limits, &mut |now| {
            // In the midst of it.
            if now.step == step && now.done > 0 && now.done < now.total {
                limits.cancel.cancel();
            }
            assert!(now.step as u8 <= step as u8, "{now:?} after {step:?}");
        });
        let is_cancelled = matches!(
            stopped,
            Err(TablesError::Build(BuildError::Database(
                stratigraph::Error::Cancelled
            )))
        );
        assert!(is_cancelled, "{step:?}: {stopped:?}");
        let there = layers.database().read().unwrap();
        assert_eq!(there.node_count(Some("Issue")).unwrap(), 0, "{step:?}");
        assert!(keys_of(&layers, "audit").is_empty(), "{step:?}");
    }
    let mut told = Vec::new();
    let limits = TablesLimits::default();
    let done = layers.upsert_tables_within("audit", &tables, &limits, &mut |now| told.push(now));
    let done = done.unwrap();
    let stated = done.nodes + done.relationships;
    assert_eq!((done.nodes, stated), (3002, 6002));
    for (step, total) in [(read, bytes), (embed, 3000), (write, stated)] {
        let of_step: Vec<_> = told.iter().filter(|now| now.step == step).collect();
        assert!(of_step.iter().all(|now| now.total == total), "{of_step:?}");
        let done: Vec<u64> = of_step.iter().map(|now| now.done).collect();
        assert!(done.is_sorted() && done.len() > 3, "{step:?}: {done:?}");
        assert_eq!((done[0], done.last()), (0, Some(&total)), "{step:?}");
    }
    // What was sent is counted as well.
    let mut sent = TableMapping::parse("audit.toml", MAPPING).unwrap();
    for (name, text) in [("issues.csv", issues.as_str()), ("clauses.csv", CLAUSES)] {
        sent.send(name, text.into()).unwrap();
    }
    let mut last = None;
    let foreseen = layers.forecast_tables("audit", &sent, &limits, &mut |now| last = Some(now));
    assert_eq!(foreseen.unwrap().nodes, 3002);
    let last = last.unwrap();
    assert_eq!((last.step, last.done, last.total), (read, bytes, bytes));
}

#[test]
fn what_goes_is_part_of_the_work_and_its_end_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |number: usize| format!("{number},Issue {number} was found,roads,c1\n");
    let issues: String = (0..3000).map(rows).collect();
    let issues = format!("number,description,category,clauses\n{issues}");
    let layers = layers();
    let many = mapping(folder.path(), &issues, CLAUSES);
    layers.upsert_tables("audit", &many).unwrap();
    let few = mapping(folder.path(), ISSUES, CLAUSES);
    let limits = TablesLimits::default();
    let stopped = layers.upsert_tables_within("audit", &few, &limits, &mut |now| {
        // In the midst of what goes first.
        if now.step == TablesStep::Write && now.done > 0 {
            limits.cancel.cancel();
        }
    });
    let is_cancelled = matches!(
        stopped,
        Err(TablesError::Build(BuildError::Database(
            stratigraph::Error::Cancelled
        )))
    );
    assert!(is_cancelled, "{stopped:?}");
    assert_eq!(keys_of(&layers, "audit").len(), 3002);
    let mut last = None;
    let limits = TablesLimits::default();
    let done = layers.upsert_tables_within("audit", &few, &limits, &mut |now| last = Some(now));
    let done = done.unwrap();
    // All relationships but one, and all issues but two.
    let total = 2999 + 2998 + done.nodes + done.relationships;
    let last = last.unwrap();
    assert_eq!(
        (last.step, last.done, last.total),
        (TablesStep::Write, total, total)
    );
    assert_eq!(keys_of(&layers, "audit").len(), 4);
}

#[test]
fn a_table_that_is_not_read_to_its_end_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let layers = layers();
    let good = mapping(folder.path(), ISSUES, CLAUSES);
    layers.upsert_tables("audit", &good).unwrap();
    let before = canonical(&layers);
    let refused = |tables: &TableMapping| {
        let refused = layers.upsert_tables("audit", tables).unwrap_err();
        assert!(matches!(refused, TablesError::CutShort(_)), "{refused}");
        assert_eq!(canonical(&layers), before);
        let foreseen =
            layers.forecast_tables("audit", tables, &TablesLimits::default(), &mut |_| ());
        assert_eq!(foreseen.unwrap_err().to_string(), refused.to_string());
        refused.to_string()
    };
    let clauses = folder.path().join("clauses.csv");
    // The first row stands, and so would the rows of the other file.
    let open = "id,text\nc1,Nothing is paid twice\nc2,\"Works are put out to tender\n";
    let said = refused(&mapping(folder.path(), ISSUES, open));
    let place = "clauses.csv, line 3, column 4: a quote is opened here and never closed";
    assert!(said.contains(place), "{said}");
    let said = refused(&mapping(folder.path(), ISSUES, "ident,text\nc1,Once\n"));
    let place = "clauses.csv, line 1: there is no column \"id\"";
    assert!(said.contains(place), "{said}");
    // As it comes over a network, cut off within a row.
    let mut sent = TableMapping::parse("audit.toml", MAPPING).unwrap();
    sent.send("issues.csv", ISSUES.into()).unwrap();
    sent.send("clauses.csv", b"id,text\nc1,\"Noth".to_vec())
        .unwrap();
    let said = refused(&sent);
    assert!(said.contains("clauses.csv, line 2, column 4"), "{said}");
    fs::remove_file(&clauses).unwrap();
    fs::create_dir(&clauses).unwrap();
    let said = refused(&good);
    assert!(said.contains("clauses.csv: it is no file"), "{said}");
}

#[test]
fn properties_that_would_be_written_over_are_refused() {
    let layers = layers();
    let before = canonical(&layers);
    let tables = |text: &str| {
        let mut tables = TableMapping::parse("audit.toml", text).unwrap();
        let row = "id,to,stated_by,v_text\n1,2,me,mine\n";
        tables.send("t.csv", row.into()).unwrap();
        tables
    };
    let nodes = "[[nodes]]\nfile = 't.csv'\nlabel = 'A'\nkey = 'id'\n";
    let listed = "[nodes.properties]\nid = 'string'\n";
    let edges = "[[relationships]]\nfile = 't.csv'\ntype = 'T'\nfrom = { label = 'A', column = 'id' }\nto = { label = 'A', column = 'to' }\n[relationships.properties]\n";
    for (text, name) in [
        (format!("{edges}stated_by = 'string'\n"), "stated_by"),
        (
            format!("{nodes}{listed}v_text = 'string'\n[nodes.embed]\nv = 'id'\n"),
            "v_text",
        ),
        // Of two rules for one label.
        (
            format!("{nodes}{listed}[nodes.embed]\nv = 'id'\n{nodes}{listed}v_text = 'string'\n"),
            "v_text",
        ),
        (
            format!("{nodes}{listed}[nodes.embed]\nv = 'id'\nv_text = 'id'\n"),
            "v_text",
        ),
        // A column that is a property because none is listed.
        (format!("{nodes}[nodes.embed]\nv = 'id'\n"), "v_text"),
    ] {
        let refused = layers.upsert_tables("audit", &tables(&text)).unwrap_err();
        assert!(matches!(refused, TablesError::Taken { .. }), "{refused}");
        let said = refused.to_string();
        let expected = format!("{name} is a name of the layers");
        assert!(said.starts_with(&expected), "{text}: {said}");
        assert!(said.contains("give it another one in the mapping"));
        assert_eq!(canonical(&layers), before, "{text}");
    }
    // Where nobody writes over them they are names like others.
    let fine = format!(
        "{nodes}{listed}stated_by = 'string'\nv_text = 'string'\n{edges}v_text = 'string'\n"
    );
    let fine = tables(&fine);
    let report = layers.upsert_tables("audit", &fine).unwrap();
    assert_eq!((report.relationships, report.count_broken), (1, 0));
    let again = layers.upsert_tables("audit", &fine).unwrap();
    assert_eq!((again.change.written, again.change.deleted), (0, 0));
}
