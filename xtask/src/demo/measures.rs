//! How good retrieval is on the sample: a small set of our own, through `stratigraph eval`.

use super::program::Program;
use crate::files;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The presets that hand over passages, which is what the set knows the answers as.
const MEASURED: [&str; 5] = ["direct", "vector", "bag", "hybrid", "strata"];

/// Measures, and how they are called above the columns.
const MEASURES: [(&str, &str); 4] = [
    ("hit1", "first is right"),
    ("mrr", "MRR"),
    ("covered", "gold text packed"),
    ("answer_in_context", "answer in context"),
];

/// Makes the set, measures, and shows the table.
pub(super) fn show(program: &Program, folder: &Path) -> Result<(), String> {
    let set = folder.join("sets/halvren");
    fs::create_dir_all(&set)
        .map_err(|error| format!("cannot create {}: {error}", set.display()))?;
    let questions = files::read(&folder.join("questions/questions.jsonl"))?;
    files::write(&set.join("questions.jsonl"), &questions)?;
    files::write(&set.join("corpus.jsonl"), &corpus(&folder.join("guide"))?)?;
    let mut words = vec!["eval", "--suite", "sets", "--work", "graphs"];
    for preset in MEASURED {
        words.extend(["--preset", preset]);
    }
    words.extend(["--html", "measures.html", "--out", "measures.json"]);
    let report = program.run(&program.with_embedder(&words))?;
    print!("{}", table(&report)?);
    println!(
        "each question with what was found: measures.json; a page: measures.html. What the measures are, and how they come\n\
         out on larger sets of others: docs/evaluation.md. A set of {} questions shows that it works, and not how well.",
        questions.lines().count()
    );
    Ok(())
}

/// The guide as a corpus: a JSON object for each document.
fn corpus(guide: &Path) -> Result<String, String> {
    let entries = guide
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", guide.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut corpus = String::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(
            corpus,
            "{{\"id\": {}, \"text\": {}}}",
            json(&name),
            json(&files::read(&path)?)
        );
    }
    Ok(corpus)
}

/// A text as JSON.
fn json(text: &str) -> String {
    let mut written = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            control if control < ' ' => {
                let _ = write!(written, "\\u{:04x}", u32::from(control));
            }
            other => written.push(other),
        }
    }
    written.push('"');
    written
}

/// The last lines of a report, one for each preset with every measure, as a table of some of them.
fn table(report: &str) -> Result<String, String> {
    let heads: Vec<&str> = MEASURES.iter().map(|(_, head)| *head).collect();
    let mut table = format!("{:<8}  {}\n", "preset", heads.join("  "));
    for preset in MEASURED {
        let begins = format!("eval preset={preset} ");
        let line = report.lines().find_map(|line| line.strip_prefix(&begins));
        let line = line.ok_or_else(|| format!("`eval` said nothing of {preset}"))?;
        let mut row = format!("{preset:<8}");
        for (measure, head) in MEASURES {
            let begins = format!("halvren_{measure}=");
            let value = line
                .split_whitespace()
                .find_map(|word| word.strip_prefix(&begins));
            let value = value.and_then(|value| value.parse::<f64>().ok());
            let value = value.map_or("-".to_owned(), |value| format!("{value:.2}"));
            let _ = write!(row, "  {value:>width$}", width = head.len());
        }
        table += &format!("{row}\n");
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_becomes_a_table() {
        let lines = MEASURED
            .map(|preset| format!("eval preset={preset} halvren_hit1=0.8750 halvren_mrr=0.5\n"));
        let drawn = table(&lines.concat()).unwrap();
        assert_eq!(drawn.lines().count(), 6);
        let cells: Vec<&str> = drawn.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(cells, ["direct", "0.88", "0.50", "-", "-"]);
        assert!(table(&lines[1..].concat()).unwrap_err().contains("direct"));
    }

    #[test]
    fn texts_become_json() {
        assert_eq!(json("a \"b\" \\ c\nd"), r#""a \"b\" \\ c\u000ad""#);
    }

    #[test]
    fn what_answers_a_question_stands_in_the_guide() {
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let sample = Path::new(&here).with_file_name(super::super::SAMPLE);
        let guide = corpus(&sample.join("guide")).unwrap();
        let questions = files::read(&sample.join("questions/questions.jsonl")).unwrap();
        let mut unanswered = 0;
        for line in questions.lines() {
            let Some((_, rest)) = line.split_once("\"passages\": [") else {
                assert!(line.contains("\"gold\": []"), "{line}");
                unanswered += 1;
                continue;
            };
            // Written as JSON here and there, so that they can be compared as they stand.
            let passage = rest.split("\"]").next().unwrap().trim_start_matches('"');
            assert!(guide.contains(passage), "{passage}");
        }
        assert_eq!((questions.lines().count(), unanswered), (26, 2));
    }
}
