//! One small corpus through every door: what is in the database then is the same, byte for byte.

mod asking;
mod exactly;
mod layered;
mod receipts;
mod tables;
mod telling;
mod with_model;

use crate::served::Served;
use crate::world::{World, run};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Value};
use stratigraph_client::{Client, Document, Layers};
use stratigraph_models::{Endpoint, Lexical, ScriptedServer, Step};
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
    /// One of a profile, in words of no language, without a model.
    fn of(profile: &'static str) -> Self {
        Self {
            world: World::new(),
            profile,
            language: "plain",
            llm: None,
        }
    }

    fn system(&self) -> System {
        self.profile.parse().unwrap()
    }

    fn has_facts(&self) -> bool {
        self.system().has_facts()
    }

    /// What this profile takes.
    fn corpus(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let has_facts = self.has_facts();
        let all = CORPUS.into_iter();
        all.filter(move |(_, format, _)| has_facts || *format != "facts")
    }

    fn model(&self) -> Option<Arc<stratigraph_models::ChatModel>> {
        let url = self.llm.as_deref()?;
        let endpoint = Endpoint::builder(url).concurrent_calls(2).build();
        Some(Arc::new(endpoint.unwrap().chat("small")))
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
        let recipe = recipe.analysis(wanted.analysis.unwrap());
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
        assert_eq!(report.problems.count_failed, 0, "{report:?}");
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
        for (id, _, text) in CORPUS {
            self.world.write(&format!("docs/{id}"), text);
        }
        self.world.path("docs")
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

    /// The corpus in a folder that a server can have: that folder, and the database in it.
    fn to_be_served(&self) -> (PathBuf, PathBuf) {
        let folder = self.world.path("served");
        let path = folder.join("default");
        self.ingest(path.to_str().unwrap(), &[]);
        (folder, path)
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

/// The database without ids, the replies of models included.
fn canonical(path: &Path) -> String {
    let said = run(&["dump", "--canonical", path.to_str().unwrap()]);
    said.assert_code(0).stdout.clone()
}

#[test]
fn a_corpus_is_the_same_bytes_through_every_door() {
    for (profile, language) in [("bag", "plain"), ("tag", "english"), ("layered", "plain")] {
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
        llm: Some(model.url()),
        ..Doors::of("triples")
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
    fs::write(docs.join("broken.md"), b"\xff\xfe\x00").unwrap();
    let docs = docs.to_str().unwrap();
    let folder = world.path("folder");
    let served = Served::start(&world.path("address"), &[]);
    let (at, far) = (folder.to_str().unwrap(), served.address());
    let clustered = |into: &str, how: &str| {
        let said = told(
            &["ingest", docs, "--into", into, "--profile", "triples", how],
            2,
        );
        // However often it is looked at.
        let failed = (
            &said["count_failed"],
            said["failed"].as_array().unwrap().len(),
        );
        assert_eq!(failed, (&1.into(), 1), "{said}");
        let alike = said["relations"].clone();
        (
            alike,
            said["merged_relations"].as_u64().unwrap(),
            said["written"].as_u64().unwrap(),
            ["added", "changed"].map(|name| said[name].as_u64().unwrap()),
        )
    };
    let reviewed = clustered(at, "--cluster-relations");
    assert_eq!(reviewed, clustered(&far, "--cluster-relations=review"));
    let (alike, merged, _, beside) = &reviewed;
    assert_eq!(beside, &[1, 0]);
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
    assert_eq!(together.3, [0, 0]);
    assert_eq!((predicates(at), predicates(&far)), (2, 2));
    // Then there is nothing left to merge.
    assert_eq!(clustered(at, "--cluster-relations=merge").0, json!([]));
    // A name that comes later goes to the one that was agreed on. Among all of them it would be the first by name, and stand
    // for the others.
    let later = r#"{"subject": "Mint", "relation": "IsLocatedIn", "object": "Strelsau"}"#;
    fs::write(Path::new(docs).join("later.jsonl"), later).unwrap();
    let after = clustered(at, "--cluster-relations=merge");
    assert_eq!(after, clustered(&far, "--cluster-relations=merge"));
    let (alike, merged, _, beside) = &after;
    // It is new once, though it is taken in under two names.
    assert_eq!(beside, &[1, 0]);
    let names = [&alike[0]["name"], &alike[0]["stands_for"]];
    assert_eq!(names, ["IsLocatedIn", "is located in"], "{alike}");
    assert_eq!((alike.as_array().map(Vec::len), *merged), (Some(1), 1));
    assert_eq!((predicates(at), predicates(&far)), (2, 2));
    served.terminate();
    let far = world.path("address").join("default");
    assert_eq!(canonical(&folder), canonical(&far));
}

#[test]
fn an_address_follows_the_files_as_a_folder_does() {
    let doors = Doors::of("bag");
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
    let second = ingest(&["--profile", "bag", "--prune", "--yes"]);
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
