//! One small corpus through every door: what is in the database then is the same, byte for byte.

use crate::served::Served;
use crate::world::{World, run};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Value};
use stratigraph_client::{Client, Document, Layers};
use stratigraph_models::{Lexical, ScriptedServer, Step, chat_model_at};
use stratigraph_rag::Metadata;
use stratigraph_rag::build::Layers as Built;
use stratigraph_rag::door::{Ask, Equipment, Library, Wanted};
use stratigraph_rag::ingest::{FactList, Ingest, Recipe, System};
use stratigraph_rag::read::{Format, Source};
use stratigraph_rag::retrieve::{Pipeline, Question};
use stratigraph_rag::routes::CallLimits;

const CORPUS: [(&str, &str, &str); 4] = [
    (
        "2021/rocks.md",
        "markdown",
        "---\nauthor: Ann\n---\n# Rocks\n\n## Basalt\n\nBasalt comes from Mount Etna. It was lava.\n\n## Granite\n\nGranite is found in the Alps.\n",
    ),
    (
        "2022/rivers.html",
        "html",
        "<h1>Rivers</h1><p>The Danube runs to the Black Sea.</p>",
    ),
    (
        "2022/lakes.txt",
        "plain",
        "1. Lakes\n\nLake Como lies in Italy.\n\n2. Ponds\n\nPonds of Mount Etna are dry.\n",
    ),
    (
        "2023/facts.jsonl",
        "facts",
        "{\"subject\": \"Basalt\", \"relation\": \"comes from\", \"object\": \"Iceland\", \"source\": \"p. 7\"}\n",
    ),
];

/// One database, and how it came about.
struct Doors {
    world: World,
    profile: &'static str,
    language: &'static str,
    llm: Option<String>,
}

impl Doors {
    fn system(&self) -> System {
        self.profile.parse().unwrap()
    }

    fn has_facts(&self) -> bool {
        Recipe::new(self.system(), 16).profile().has_facts()
    }

    /// What this profile takes.
    fn corpus(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let has_facts = self.has_facts();
        let all = CORPUS.into_iter();
        all.filter(move |(_, format, _)| has_facts || *format != "facts")
    }

    fn model(&self) -> Option<Arc<stratigraph_models::ChatModel>> {
        let url = self.llm.as_deref()?;
        Some(Arc::new(chat_model_at(url, "small", 2, None).unwrap()))
    }

    fn flags(&self) -> Vec<&str> {
        let url = self.llm.as_deref();
        let flags = url.map(|url| vec!["--llm", url, "--model", "small"]);
        flags.unwrap_or_default()
    }

    /// The library: documents that are read by hand, and an ingestion over layers that are opened by hand.
    fn by_library(&self) -> PathBuf {
        let path = self.world.path("library");
        let db = Database::create(&path).unwrap();
        let wanted = Wanted::new(self.system()).language(self.language).unwrap();
        let recipe = Recipe::new(self.system(), 512).filterable(["year"]);
        let recipe = recipe.analysis(wanted.analysis);
        let layers = Built::open(&db, recipe.profile(), Arc::new(Lexical::new())).unwrap();
        let mut ingest = Ingest::new(&layers, &recipe);
        if let Some(model) = self.model() {
            ingest = ingest.model(model);
        }
        // In another order, and all at once.
        let (facts, documents): (Vec<_>, Vec<_>) =
            self.corpus().partition(|(_, format, _)| *format == "facts");
        let documents = documents.into_iter().rev().map(|(id, format, text)| {
            let format = match format {
                "markdown" => Format::Markdown,
                "html" => Format::Html,
                _ => Format::Plain,
            };
            let source = Source::new(id, text.as_bytes());
            source.metadata(metadata(id)).read(format)
        });
        let lists = facts.into_iter().map(|(id, _, text)| {
            Ok(FactList {
                id: id.to_owned(),
                metadata: metadata(id),
                lines: Box::new(std::io::Cursor::new(text)),
            })
        });
        let report = ingest.run(documents, &|_| ());
        let report = report.and(ingest.run_lists(lists, &|_| ()));
        assert_eq!(report.count_failed, 0, "{report:?}");
        drop(layers);
        db.close().unwrap();
        path
    }

    fn by_call(&self) -> PathBuf {
        let path = self.world.path("call");
        let db = Database::create(&path).unwrap();
        let mut equipment = Equipment::default();
        if let Some(model) = self.model() {
            equipment = equipment.model(model, 2);
        }
        Library::new(&db, equipment).register().unwrap();
        let create = "CALL rag.createLayers($profile, {filters: ['year'], language: $language})";
        let parameters = [("profile", self.profile), ("language", self.language)];
        db.query(create, parameters).unwrap();
        for (id, format, text) in self.corpus() {
            let upsert = "CALL rag.upsertDocument({id: $id, format: $format, content: $text, metadata: {year: $year}}) YIELD problems RETURN problems";
            let parameters: [(&str, Value); 4] = [
                ("id", id.into()),
                ("format", format.into()),
                ("text", text.into()),
                ("year", Value::Int(year(id))),
            ];
            for row in db.query(upsert, parameters).unwrap() {
                let problems: Vec<String> = row.unwrap().get("problems").unwrap();
                assert_eq!(problems, [""; 0]);
            }
        }
        db.close().unwrap();
        path
    }

    fn served(&self, name: &str) -> (Served, PathBuf) {
        let folder = self.world.path(name);
        let served = Served::start(&folder, &self.flags());
        (served, folder.join("default"))
    }

    fn by_client(&self) -> PathBuf {
        let (served, path) = self.served("client");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let client = Client::connect(format!("http://{}", served.place));
            let client = client.await.unwrap();
            let layers = Layers::new(self.profile).filter("year");
            let layers = layers.language(self.language);
            let settings = client.rag().upsert().layers(layers);
            let settings = settings.on_report(|report| {
                assert!(report.taken_in && report.problems.is_empty(), "{report:?}");
            });
            let mut upserts = settings.start();
            for (id, _, text) in self.corpus() {
                let document = Document::new(id, text).metadata("year", year(id)).unwrap();
                upserts.send(document).await.unwrap();
            }
            let all = self.corpus().count() as u64;
            assert_eq!(upserts.finish().await.unwrap(), all);
        });
        drop(runtime);
        served.terminate();
        path
    }

    /// The files on a disk.
    fn files(&self) -> PathBuf {
        let folder = self.world.path("docs");
        for (id, _, text) in CORPUS {
            let path = folder.join(id);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn ingest(&self, into: &str, more: &[&str]) {
        let docs = self.files();
        let how = ["--metadata", "{year}/*", "--filter", "year", "--language"];
        let all = [
            &["ingest", docs.to_str().unwrap(), "--into", into][..],
            &["--profile", self.profile],
            &how,
            &[self.language],
            more,
        ];
        let said = run(&all.concat());
        assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    }

    fn by_folder(&self) -> PathBuf {
        let path = self.world.path("folder");
        self.ingest(path.to_str().unwrap(), &self.flags());
        path
    }

    fn by_address(&self) -> PathBuf {
        let (served, path) = self.served("address");
        self.ingest(&served.address(), &[]);
        served.terminate();
        path
    }

    fn compare(&self) {
        let first = canonical(&self.by_library());
        let lines = first.lines().count();
        assert!(lines > 40, "{lines}");
        for (door, path) in [
            ("CALL", self.by_call()),
            ("the client", self.by_client()),
            ("the command at a folder", self.by_folder()),
            ("the command at an address", self.by_address()),
        ] {
            let other = canonical(&path);
            let only = |one: &str, other: &str| -> Vec<String> {
                let lines = one.lines().filter(|line| !other.contains(line));
                lines.take(5).map(str::to_owned).collect()
            };
            assert!(
                other == first,
                "{door} with {}: {:#?} and not {:#?}",
                self.profile,
                only(&other, &first),
                only(&first, &other)
            );
        }
    }
}

fn year(id: &str) -> i64 {
    id.split('/').next().unwrap().parse().unwrap()
}

fn metadata(id: &str) -> Metadata {
    Metadata::from([("year".to_owned(), year(id).into())])
}

/// The database without ids, the replies of models included.
fn canonical(path: &Path) -> String {
    let said = run(&["dump", "--canonical", path.to_str().unwrap()]);
    said.assert_code(0).stdout.clone()
}

#[test]
fn a_corpus_is_the_same_bytes_through_every_door() {
    for (profile, language) in [("bag", "plain"), ("tag", "english")] {
        let (world, llm) = (World::new(), None);
        let doors = Doors {
            world,
            profile,
            language,
            llm,
        };
        doors.compare();
    }
}

#[test]
fn what_a_model_reads_is_the_same_bytes_through_every_door() {
    let model = ScriptedServer::start(|asked| {
        let subject = if asked.question().contains("Danube") {
            "Danube"
        } else {
            "Basalt"
        };
        let facts = json!({"triples": [{"subject": subject, "relation": "runs to", "object": "Black Sea", "source": ""}]});
        Step::text(&facts.to_string())
    });
    let model = model.unwrap();
    let doors = Doors {
        world: World::new(),
        profile: "triples",
        language: "plain",
        llm: Some(model.url()),
    };
    doors.compare();
    assert!(model.asked().len() >= 5, "each door has asked it");
}

/// Three facts, of which two relations are one by their names and a third negates them.
const ALIKE: &str = concat!(
    r#"{"subject": "Bank", "relation": "is located in", "object": "Strelsau", "source": "1"}"#,
    "\n",
    r#"{"subject": "Mint", "relation": "is_located_in", "object": "Zenda", "source": "2"}"#,
    "\n",
    r#"{"subject": "Opera", "relation": "audits", "object": "Bank", "source": "3"}"#,
    "\n",
);

#[test]
fn relations_are_clustered_and_merged_alike_at_a_folder_and_an_address() {
    let world = World::new();
    let docs = world.path("lists");
    fs::create_dir_all(&docs).unwrap();
    fs::write(docs.join("facts.jsonl"), ALIKE).unwrap();
    let docs = docs.to_str().unwrap();
    let folder = world.path("folder");
    let served = Served::start(&world.path("address"), &[]);
    let (at, far) = (folder.to_str().unwrap(), served.address());
    let clustered = |into: &str, how: &str| {
        let said = said(&[
            "ingest",
            docs,
            "--into",
            into,
            "--profile",
            "triples",
            how,
            "--json",
        ]);
        let alike = said["relations"].clone();
        (
            alike,
            said["merged_relations"].as_u64().unwrap(),
            said["written"].as_u64().unwrap(),
        )
    };
    let reviewed = clustered(at, "--cluster-relations");
    assert_eq!(reviewed, clustered(&far, "--cluster-relations=review"));
    let (alike, merged, _) = &reviewed;
    assert_eq!(
        (alike.as_array().map(Vec::len), *merged),
        (Some(1), 0),
        "{alike}"
    );
    let names = [&alike[0]["name"], &alike[0]["stands_for"]].map(|name| name.as_str().unwrap());
    assert!(
        names.contains(&"is located in") && names.contains(&"is_located_in"),
        "{alike}"
    );
    let predicates = |place: &str| {
        let ask = "MATCH ()-[f:FACT]->() RETURN DISTINCT f.predicate AS name ORDER BY name";
        run(&["query", place, ask])
            .assert_code(0)
            .stdout
            .lines()
            .count()
    };
    // Asking changes nothing.
    assert_eq!((predicates(at), predicates(&far)), (3, 3));
    let together = clustered(at, "--cluster-relations=merge");
    assert_eq!(together, clustered(&far, "--cluster-relations=merge"));
    assert!(together.1 == 1 && together.2 > 0, "{together:?}");
    assert_eq!((predicates(at), predicates(&far)), (2, 2));
    // Then there is nothing left to merge.
    assert_eq!(clustered(at, "--cluster-relations=merge").0, json!([]));
    served.terminate();
    let far = world.path("address").join("default");
    assert_eq!(canonical(&folder), canonical(&far));
}

#[test]
fn an_address_follows_the_files_as_a_folder_does() {
    let doors = Doors {
        world: World::new(),
        profile: "bag",
        language: "plain",
        llm: None,
    };
    let (served, path) = doors.served("address");
    let address = served.address();
    let docs = doors.files();
    let ingest = |more: &[&str]| {
        let all = [
            "ingest",
            docs.to_str().unwrap(),
            "--into",
            &address,
            "--json",
        ];
        run(&[&all[..], more].concat())
    };
    let answer = |said: &crate::world::Said| -> serde_json::Value {
        serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{}", said.stderr))
    };
    let dry = ingest(&["--profile", "bag", "--dry-run"]);
    let dry = answer(dry.assert_code(0));
    assert_eq!((&dry["documents"], &dry["written"]), (&3.into(), &0.into()));
    let first = ingest(&["--profile", "bag"]);
    assert_eq!(answer(first.assert_code(0))["documents"], 3);
    // One file cannot be read, one has gone, and one has changed.
    fs::write(docs.join("bad.md"), b"\xFF\xFF").unwrap();
    fs::remove_file(docs.join("2022/lakes.txt")).unwrap();
    fs::write(docs.join("2021/rocks.md"), "# Rocks\n\nAll gone.\n").unwrap();
    let second = ingest(&["--profile", "bag", "--prune"]);
    let second = answer(second.assert_code(2));
    assert_eq!(
        (&second["documents"], &second["count_failed"]),
        (&2.into(), &1.into())
    );
    assert_eq!(
        (&second["failed"][0]["document"], &second["pruned"]),
        (&"bad.md".into(), &1.into())
    );
    // What is a server's cannot be said here.
    let refused = ingest(&["--profile", "bag", "--embedder", "minilm"]);
    assert!(refused.error().1.contains("the server was started with"));
    let refused = ingest(&["--profile", "tag"]);
    assert!(refused.error().1.contains("was built with"));
    let other = format!("{address}/other");
    let made = run(&[
        "ingest",
        docs.to_str().unwrap(),
        "--into",
        &other,
        "--create",
        "--json",
    ]);
    assert_eq!(answer(made.assert_code(2))["documents"], 2);
    served.terminate();
    // The folder that it is follows on.
    let into = path.to_str().unwrap();
    let call = "CALL rag.upsertDocument({id: '2021/rocks.md', content: '# Rocks\n\nAll gone.\n'}) YIELD written RETURN written";
    let said = run(&["query", into, call]);
    assert_eq!(said.assert_code(0).stdout.trim(), "{\"written\":0}");
    let within = run(&[
        "query",
        into,
        "CREATE (:A) WITH 1 AS one CALL rag.deleteDocument('a') YIELD id RETURN id",
    ]);
    assert!(
        within.stderr.contains("transactions of its own") && within.stderr.contains('^'),
        "{}",
        within.stderr
    );
}

#[test]
fn tables_become_typed_nodes_that_follow_their_rows() {
    let world = World::new();
    let write = |name: &str, text: &str| fs::write(world.path(name), text).unwrap();
    write(
        "audit.toml",
        "[[nodes]]\nfile = \"issues.csv\"\nlabel = \"Issue\"\nkey = \"number\"\n[[nodes.links]]\ntype = \"QUALIFIED_BY\"\ncolumn = \"clause\"\nto = \"Clause\"\n",
    );
    write("issues.csv", "number,clause\n1,c1\n2,c2\n");
    let mapping = format!("typed:{}", world.path("audit.toml").display());
    let into = world.path("audits");
    let ingest = |more: &[&str]| {
        let all = [
            "ingest",
            "--into",
            into.to_str().unwrap(),
            "--profile",
            &mapping,
            "--json",
        ];
        let said = run(&[&all[..], more].concat());
        let answer: serde_json::Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        (said, answer)
    };
    let (_, dry) = ingest(&["--dry-run"]);
    assert_eq!((&dry["nodes"], &dry["written"]), (&4.into(), &0.into()));
    assert!(!into.exists());
    let (said, first) = ingest(&[]);
    said.assert_code(0);
    assert_eq!(
        (&first["nodes"], &first["relationships"]),
        (&4.into(), &2.into())
    );
    let (_, again) = ingest(&[]);
    assert_eq!(again["written"], 0);
    write("issues.csv", "number,clause\n1,c1\n2\n");
    let (said, broken) = ingest(&[]);
    said.assert_code(2);
    assert_eq!(
        (&broken["nodes"], &broken["count_failed"]),
        (&2.into(), &1.into())
    );
    let (refused, _) = ingest(&["--prune"]);
    assert!(refused.error().1.contains("--prune is for documents"));
    let none = run(&["ingest", "--into", into.to_str().unwrap()]);
    assert_eq!(none.code, 2);
}

/// What `retrieve --json` prints, without what every verb says.
fn asked(at: &str, preset: &str) -> serde_json::Value {
    said(&["retrieve", at, QUESTION, "--preset", preset, "--json"])
}

/// What was told, but for the commit that it was told as of: a server that opens a database tidies its indexes, which is a commit
/// that changes nothing that anybody reads.
fn at_any_commit(told: &serde_json::Value) -> String {
    let mut told = told.clone();
    forget_commits(&mut told);
    told.to_string()
}

fn forget_commits(told: &mut serde_json::Value) {
    match told {
        serde_json::Value::Object(fields) => {
            fields.remove("as_of");
            fields.values_mut().for_each(forget_commits);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(forget_commits),
        _ => {}
    }
}

/// What a verb prints as JSON, without what every verb says.
fn said(arguments: &[&str]) -> serde_json::Value {
    let said = run(arguments);
    let mut answer: serde_json::Value = serde_json::from_str(&said.assert_code(0).stdout).unwrap();
    let fields = answer.as_object_mut().unwrap();
    for name in ["verb", "ok", "findings"] {
        fields.remove(name);
    }
    answer
}

/// A query over the table of volcanoes.
const QUERIES: &str = r#"
name = "volcano_named"
description = "What is known of a volcano."
target = "Volcano"
examples = ["What is there at Mount Fuji?"]
statement = "MATCH path = (v:Volcano {key: $name})-[:IN]->(:Country) RETURN v, path"
[[parameters]]
name = "name"
type = "text"
of = { label = "Volcano", property = "key" }
"#;

impl Doors {
    /// A table beside the documents.
    fn add_volcanoes(&self, into: &str) {
        let write = |name: &str, text: &str| fs::write(self.world.path(name), text).unwrap();
        write(
            "volcanoes.csv",
            "name,metres,country\nMount Etna,3357,Italy\nMount Blanc,4806,\n",
        );
        write(
            "volcanoes.toml",
            "[[nodes]]\nfile = \"volcanoes.csv\"\nlabel = \"Volcano\"\nkey = \"name\"\n[nodes.embed]\nvector = \"name\"\n[[nodes.links]]\ntype = \"IN\"\ncolumn = \"country\"\nto = \"Country\"\n\n[[nodes]]\nfile = \"countries.csv\"\nlabel = \"Country\"\nkey = \"name\"\n",
        );
        write("countries.csv", "name\nItaly\n");
        let mapping = format!("typed:{}", self.world.path("volcanoes.toml").display());
        run(&["ingest", "--into", into, "--profile", &mapping]).assert_code(0);
    }
}

const QUESTION: &str = "Where does basalt come from, and what is dry near Mount Etna?";

#[test]
fn one_retrieval_is_the_same_bytes_through_every_door() {
    for (profile, presets) in [
        ("bag", &["direct", "vector", "bag", "strata", "audit"][..]),
        ("tag", &["tag", "graph", "strata"]),
        ("triples", &["triples", "strata"]),
        ("hybrid", &["hybrid", "graph", "strata", "audit"]),
    ] {
        let doors = Doors {
            world: World::new(),
            profile,
            language: "plain",
            llm: None,
        };
        let folder = doors.world.path("served");
        let path = folder.join("default");
        doors.ingest(path.to_str().unwrap(), &[]);
        doors.add_volcanoes(path.to_str().unwrap());
        if profile == "hybrid" {
            // With what is declared as well as with what is made up from the table.
            let queries = doors.world.path("queries.toml");
            fs::write(&queries, QUERIES).unwrap();
            let add = [
                "routes",
                "add",
                path.to_str().unwrap(),
                queries.to_str().unwrap(),
            ];
            run(&add).assert_code(0);
        }
        let by_library = |preset: &str| {
            let db = Database::builder().open_read_only(&path).unwrap();
            let library = Library::new(&db, Equipment::default());
            library.register().unwrap();
            let question = Question::new(QUESTION).unwrap();
            let pipeline = Pipeline::preset(preset).unwrap();
            let retrieved = library
                .open()
                .unwrap()
                .retrieve(&pipeline, &question, &CancelToken::new())
                .unwrap();
            let call = "CALL rag.retrieve($preset, {question: $question}) YIELD receipt";
            let rows = db
                .query(call, [("preset", preset), ("question", QUESTION)])
                .unwrap();
            let receipts: Vec<String> = rows
                .map(|row| row.unwrap().get("receipt").unwrap())
                .collect();
            let ours = retrieved
                .found
                .iter()
                .map(|found| serde_json::to_string(&found.receipt).unwrap());
            assert_eq!(receipts, ours.collect::<Vec<_>>(), "{preset}");
            serde_json::to_value(&retrieved).unwrap()
        };
        let all: Vec<serde_json::Value> = presets.iter().map(|preset| by_library(preset)).collect();
        let found = all.iter().flat_map(|one| one["found"].as_array().unwrap());
        assert!(found.count() >= presets.len() - 1, "{all:?}");
        for (preset, one) in presets.iter().zip(&all) {
            let by_folder = asked(path.to_str().unwrap(), preset);
            assert_eq!(by_folder.to_string(), one.to_string(), "{preset}");
        }
        let served = Served::start(&folder, &[]);
        for (preset, one) in presets.iter().zip(&all) {
            let by_address = asked(&served.address(), preset);
            assert_eq!(at_any_commit(&by_address), at_any_commit(one), "{preset}");
        }
        served.terminate();
    }
}

/// What `verb --json` prints, without what every verb says.
fn told(arguments: &[&str], code: i32) -> serde_json::Value {
    let said = run(&[arguments, &["--json"]].concat());
    let mut answer: serde_json::Value =
        serde_json::from_str(&said.assert_code(code).stdout).unwrap();
    let fields = answer.as_object_mut().unwrap();
    for name in ["verb", "ok", "findings"] {
        fields.remove(name);
    }
    answer
}

#[test]
fn one_answer_is_the_same_bytes_through_every_door() {
    let doors = Doors {
        world: World::new(),
        profile: "bag",
        language: "plain",
        llm: None,
    };
    let folder = doors.world.path("served");
    let path = folder.join("default");
    let at = path.to_str().unwrap();
    doors.ingest(at, &[]);
    const ELSEWHERE: &str = "Which interest did the central bank announce?";
    let presets = ["vector", "bag", "strata"];
    let by_library = |preset: &str| {
        let db = Database::builder().open_read_only(&path).unwrap();
        let library = Library::new(&db, Equipment::default());
        library.register().unwrap();
        let question = Question::new(QUESTION).unwrap();
        let pipeline = Pipeline::preset(preset).unwrap();
        let ask = Ask::new(&pipeline, &question);
        let open = library.open().unwrap();
        let answer = open.ask(&ask, &CancelToken::new(), &mut |_| ()).unwrap();
        assert!(
            !answer.answer.is_empty() && answer.refused.is_none(),
            "{preset}"
        );
        let call = "CALL rag.ask($preset, $question) YIELD answer, confidence, sources UNWIND answer AS one \
                    RETURN one.text AS text, one.score AS score, confidence, size(sources) AS sources";
        let rows = db.query(call, [("preset", preset), ("question", QUESTION)]);
        let rows: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), answer.answer.len());
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
    };
    let all = presets.map(by_library);
    for (preset, one) in presets.iter().zip(&all) {
        let by_folder = told(&["ask", at, QUESTION, "--preset", preset], 0);
        assert_eq!(by_folder.to_string(), one.to_string(), "{preset}");
    }
    // What limits it away is refused, with a code that no script takes for an answer.
    let limited = ["ask", at, QUESTION, "--only", "year=1999"];
    let nothing = told(&limited, 2);
    assert_eq!(nothing["refused"]["because"], "nothing_found");
    let served = Served::start(&folder, &[]);
    let address = served.address();
    for (preset, one) in presets.iter().zip(&all) {
        let by_address = told(&["ask", &address, QUESTION, "--preset", preset], 0);
        assert_eq!(at_any_commit(&by_address), at_any_commit(one), "{preset}");
    }
    let limited = ["ask", &address, QUESTION, "--only", "year=1999"];
    assert_eq!(told(&limited, 2).to_string(), nothing.to_string());
    let refused = run(&[
        "ask",
        &address,
        QUESTION,
        "--llm",
        "http://x/v1",
        "--model",
        "y",
    ]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    // What cannot be asked for is refused in the same words, wherever it is.
    let wrong = |at: &str| {
        let wrong = run(&["calibrate", at, "--refuse-at-most", "2", "--json"]);
        assert_eq!(wrong.code, 2, "{}", wrong.stderr);
        wrong.error().1
    };
    let by_address = wrong(&address);
    served.terminate();
    for said in [by_address, wrong(at)] {
        assert!(said.contains("is from 0 and below 1"), "{said}");
    }
    assert!(told(&["ask", at, ELSEWHERE], 0)["threshold"].is_null());
}

/// Documents enough to make questions of: each about something else.
fn about_many_things(folder: &Path) {
    let things = [
        "basalt", "violins", "owls", "glaciers", "bread", "clocks", "chess", "sailing", "tea",
        "bees",
    ];
    for (at, thing) in things.iter().enumerate() {
        let other = things[(at + 3) % things.len()];
        let text = format!(
            "# {thing}\n\nWhoever studies {thing} in {year} begins with the {thing}book of Professor {thing}son. \
             The oldest {thing} museum of Europe stands near {thing}ville and opened {year} visitors ago. \
             Nobody there has heard of any {other} so far.\n",
            year = 1900 + at * 7
        );
        fs::write(folder.join(format!("{thing}.md")), text).unwrap();
    }
}

#[test]
fn a_calibration_is_the_same_at_both_places_and_is_gone_by() {
    let world = World::new();
    let docs = world.path("docs");
    fs::create_dir_all(&docs).unwrap();
    about_many_things(&docs);
    let folder = world.path("served");
    let path = folder.join("default");
    let at = path.to_str().unwrap();
    run(&[
        "ingest",
        docs.to_str().unwrap(),
        "--into",
        at,
        "--profile",
        "structure",
    ])
    .assert_code(0);
    let by_folder = told(&["calibrate", at, "--questions", "40", "--seed", "3"], 0);
    assert!(by_folder["auroc"].as_f64().unwrap() > 0.8, "{by_folder}");
    let threshold = &by_folder["threshold"];
    let info = told(&["info", at], 0);
    let listed = &info["calibrations"][0];
    assert_eq!(
        (
            &listed["pipeline"],
            &listed["threshold"],
            &listed["questions"]
        ),
        (&by_folder["pipeline"], threshold, &by_folder["questions"])
    );
    let shown = run(&["info", at]);
    assert!(
        shown.stdout.contains("answers from") && shown.stdout.contains("strata (lexical-1)"),
        "{}",
        shown.stdout
    );
    let question = "Which oldest violins museum stands near violinsville?";
    let answered = told(&["ask", at, question], 0);
    assert_eq!(&answered["threshold"], threshold);
    let refused = told(
        &[
            "ask",
            at,
            "Which mortgage interest did bankers announce yesterday?",
        ],
        2,
    );
    assert_eq!(refused["refused"]["because"], "below_threshold");
    let shown = run(&[
        "ask",
        at,
        "Which mortgage interest did bankers announce yesterday?",
    ]);
    assert!(
        shown
            .assert_code(2)
            .stdout
            .starts_with("no answer: what was found is trusted")
    );
    let served = Served::start(&folder, &[]);
    let by_address = told(
        &[
            "calibrate",
            &served.address(),
            "--questions",
            "40",
            "--seed",
            "3",
        ],
        0,
    );
    // Keeping it was a commit.
    let but_commit = |mut told: serde_json::Value| {
        told.as_object_mut().unwrap().remove("as_of");
        told.to_string()
    };
    assert_eq!(but_commit(by_address), but_commit(by_folder));
    assert_eq!(
        told(&["ask", &served.address(), question], 0).to_string(),
        {
            let mut again = answered.clone();
            // Receipts say of which commit they are.
            let as_of = told(&["ask", &served.address(), question], 0)["sources"].clone();
            again["sources"] = as_of;
            again.to_string()
        }
    );
    served.terminate();
}

#[test]
fn a_declared_query_is_the_same_through_every_door() {
    let doors = Doors {
        world: World::new(),
        profile: "hybrid",
        language: "plain",
        llm: None,
    };
    let folder = doors.world.path("served");
    let path = folder.join("default");
    let at = path.to_str().unwrap();
    doors.ingest(at, &[]);
    doors.add_volcanoes(at);
    let queries = doors.world.path("queries.toml");
    fs::write(&queries, QUERIES).unwrap();
    let queries = queries.to_str().unwrap();
    let list = said(&["routes", "list", at, "--json"]);
    assert_eq!(list["declared"], false);
    assert!(list["queries"].as_array().unwrap().len() > 2, "{list}");
    let added = said(&["routes", "add", at, queries, "--json"]);
    assert_eq!(
        added["added"],
        json!([{"name": "volcano_named", "replaced": false}])
    );
    let call = |at: &str, arguments: &str| {
        said(&[
            "routes",
            "call",
            at,
            "volcano_named",
            "--arguments",
            arguments,
            "--json",
        ])
    };
    let etna = r#"{"name": "Mount Etna"}"#;
    let (list, tools, called) = (
        said(&["routes", "list", at, "--json"]),
        said(&["routes", "tools", at, "--json"]),
        call(at, etna),
    );
    assert_eq!(
        tools["tools"][0]["function"]["parameters"]["required"],
        json!(["name"])
    );
    assert_eq!(called["found"].as_array().unwrap().len(), 2);
    assert_eq!(called["found"][1]["receipt"]["way"][0]["by"], "IN");
    let by_library = {
        let db = Database::builder().open_read_only(&path).unwrap();
        let open = Library::new(&db, Equipment::default()).open().unwrap();
        let arguments = serde_json::from_str(etna).unwrap();
        let limits = CallLimits::default();
        let called = open.call("volcano_named", &arguments, limits, &CancelToken::new());
        serde_json::to_value(called.unwrap()).unwrap()
    };
    assert_eq!(called.to_string(), by_library.to_string());
    let served = Served::start(&folder, &[]);
    let at = served.address();
    assert_eq!(
        said(&["routes", "list", &at, "--json"]).to_string(),
        list.to_string()
    );
    assert_eq!(
        said(&["routes", "tools", &at, "--json"]).to_string(),
        tools.to_string()
    );
    assert_eq!(call(&at, etna).to_string(), called.to_string());
    let again = said(&["routes", "add", &at, queries, "--json"]);
    assert_eq!(again["added"][0]["replaced"], true);
    let refused = run(&[
        "routes",
        "call",
        &at,
        "volcano_named",
        "--arguments",
        r#"{"name": 7}"#,
    ]);
    refused.assert_code(2);
    assert!(
        refused.stderr.contains("it is a text, and this is 7"),
        "{}",
        refused.stderr
    );
    let hostile = doors.world.path("hostile.toml");
    fs::write(
        &hostile,
        QUERIES.replace("RETURN v", "DETACH DELETE v RETURN v"),
    )
    .unwrap();
    let refused = run(&["routes", "add", &at, hostile.to_str().unwrap()]);
    refused.assert_code(2);
    assert!(
        refused.stderr.contains("may only read"),
        "{}",
        refused.stderr
    );
    assert_eq!(
        said(&["routes", "drop", &at, "volcano_named", "--json"])["dropped"],
        true
    );
    assert_eq!(
        said(&["routes", "drop", &at, "volcano_named", "--json"])["dropped"],
        false
    );
    served.terminate();
}

#[test]
fn receipts_fall_with_what_was_edited_at_both_places() {
    let doors = Doors {
        world: World::new(),
        profile: "bag",
        language: "plain",
        llm: None,
    };
    let folder = doors.world.path("served");
    let path = folder.join("default");
    doors.ingest(path.to_str().unwrap(), &[]);
    let found = doors.world.path("found.json");
    let said = run(&[
        "retrieve",
        path.to_str().unwrap(),
        QUESTION,
        "--preset",
        "vector",
        "--json",
    ]);
    fs::write(&found, &said.assert_code(0).stdout).unwrap();
    let look = |at: &str, code: i32| {
        let said = run(&["receipts", at, found.to_str().unwrap(), "--json"]);
        let answer: serde_json::Value =
            serde_json::from_str(&said.assert_code(code).stdout).unwrap();
        answer["standing"].clone()
    };
    assert_eq!(look(path.to_str().unwrap(), 0), json!({"stands": 4}));
    // One word of one of them.
    let rocks = doors.files().join("2021/rocks.md");
    let text = fs::read_to_string(&rocks)
        .unwrap()
        .replace("It was lava", "It was liquid");
    fs::write(&rocks, text).unwrap();
    let docs = doors.world.path("docs");
    let how = [
        "--metadata",
        "{year}/*",
        "--filter",
        "year",
        "--profile",
        "bag",
    ];
    let ingest = [
        &[
            "ingest",
            docs.to_str().unwrap(),
            "--into",
            path.to_str().unwrap(),
        ][..],
        &how,
    ]
    .concat();
    run(&ingest).assert_code(0);
    // The other heading of the document has moved.
    let expected = json!({"gone": 1, "moved": 1, "stands": 2});
    assert_eq!(look(path.to_str().unwrap(), 2), expected);
    let served = Served::start(&folder, &[]);
    assert_eq!(look(&served.address(), 2), expected);
    served.terminate();
}
