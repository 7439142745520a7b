//! `eval make` with a model: questions of users, better words, and a budget.

use super::*;
use crate::world::Said;

/// `eval make` of a graph, with the model that writes.
fn make(graph: &Path, out: &Path, url: &str, more: &[&str]) -> Said {
    let made = ["make", text(graph), "--out", text(out)];
    let model = ["--llm", url, "--model", "writer"];
    let work = graph.with_file_name("work");
    let kept = ["--work", text(&work)];
    let kept = match more.contains(&"--users") {
        true => &kept[..],
        false => &[],
    };
    ask("eval", &[], &[&made[..], &model, kept, more].concat())
}

#[test]
fn users_ask_what_judges_compare() {
    let world = World::new();
    let (graph, _) = library(&world, "structure");
    let models = models();
    let url = models.url();
    let out = world.path("users");
    let about = world.path("about.md");
    fs::write(&about, "What is known of stones and bees.").unwrap();
    let make = |out: &Path, counts: &[&str]| {
        let about = ["--about", text(&about)];
        make(&graph, out, &url, &[&about[..], counts].concat())
    };
    let counts = ["--users", "2", "--tasks", "2", "--questions", "2"];
    let answer = make(&out, &counts)
        .assert_code(0)
        .answer("eval", &["folder", "questions", "missing", "cost"]);
    assert_eq!(
        (
            answer["questions"].as_array().unwrap().len(),
            &answer["missing"]
        ),
        (8, &0.into())
    );
    assert_eq!(answer["cost"]["calls"], 5);
    let asked = &models.asked()[0];
    // What the file says, and what the database holds.
    for said in ["stones and bees", "- Rocks", "2 users with 2 tasks"] {
        assert!(asked.question().contains(said), "{}", asked.question());
    }
    let rows = fs::read_to_string(out.join("questions.jsonl")).unwrap();
    assert!(
        rows.contains("\"u2-t2-q2\"") && rows.contains("What does a mason need to explain 2?"),
        "{rows}"
    );
    // Nobody's questions are written over, and more than a model can be asked for is refused.
    make(&out, &counts).assert_code(2);
    make(&world.path("many"), &["--users", "13"]).assert_code(2);
    // What comes is a set that others answer.
    let fair = format!("fair@{url}");
    let answer = beside_direct(&out, &graph, &["--judge", &fair, "--first", "3"]);
    let questions = answer["evaluations"][0]["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 3);
    // Who retrieves nothing and has no model has no answer, and no judge is asked.
    let of = |measure: &str| mean(&answer, "vector over direct", measure);
    assert_eq!((of("overall_won"), of("orders_agree")), (Some(1.0), None));
}

#[test]
fn what_a_budget_paid_for_is_kept_and_the_rest_is_told() {
    let world = World::new();
    let (facts, graph) = (world.path("facts.jsonl"), world.path("graph"));
    let told = [
        ("Basalt", "comes from", "Etna"),
        ("Chalk", "is made of", "shells"),
    ];
    let told = told.map(|(subject, relation, object)| {
        let row = json!({"subject": subject, "relation": relation, "object": object});
        format!("{row}\n")
    });
    fs::write(&facts, told.concat()).unwrap();
    let into = ["ingest", text(&facts), "--into", text(&graph)];
    run(&[&into[..], &["--profile", "triples"]].concat()).assert_code(0);
    let models = models();
    let url = models.url();
    let make = |out: &Path, more: &[&str]| {
        let prices = ["--model-prices", "1000/0"];
        make(&graph, out, &url, &[&prices[..], more].concat())
    };
    // The first reply is more than may be spent.
    let out = world.path("phrased");
    let all = ["--sample", "1", "--hubs", "0"];
    let said = make(&out, &[&all[..], &["--max-model-tokens", "10"]].concat());
    let said = said.assert_code(2);
    let answer = said.answer("eval", &["folder", "facts", "counted", "phrased"]);
    let phrased = &answer["phrased"];
    assert_eq!(
        (&phrased["phrased"], &phrased["kept"]),
        (&1.into(), &0.into())
    );
    assert!(phrased["unasked"].as_u64() > Some(0), "{phrased}");
    // A thousand for a million that it reads, and it has read ten.
    assert_eq!(phrased["cost"], 0.01);
    let rows = fs::read_to_string(out.join("questions.jsonl")).unwrap();
    assert_eq!(rows.matches("Say, please: ").count(), 1, "{rows}");
    assert_eq!(models.asked().len(), 1);
    // Who the users are, and one task of the four.
    let (out, about) = (world.path("users"), world.path("about.md"));
    fs::write(&about, "What is known of stones.").unwrap();
    let counts = ["--users", "2", "--tasks", "2", "--questions", "2"];
    let counts = [&counts[..], &["--about", text(&about)]].concat();
    let said = make(&out, &[&counts[..], &["--max-model-tokens", "60"]].concat());
    let said = said.assert_code(2);
    let answer = said.answer("eval", &["folder", "questions", "missing", "cost"]);
    assert_eq!(answer["missing"], 6, "{answer}");
    assert_eq!(
        (&answer["cost"]["calls"], models.asked().len()),
        (&2.into(), 3)
    );
    let rows = fs::read_to_string(out.join("questions.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 2);
    // Who takes them away is asked for the rest alone.
    fs::remove_file(out.join("questions.jsonl")).unwrap();
    let said = make(&out, &counts);
    let cost = &said.assert_code(0).answer("eval", &["cost"])["cost"];
    assert_eq!(
        (&cost["calls"], &cost["kept"], models.asked().len()),
        (&3.into(), &2.into(), 6)
    );
}
