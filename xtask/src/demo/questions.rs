//! The same questions through all presets, side by side.

use super::gathered::literal;
use super::program::{Program, one_line};
use super::systems::{PRESETS, database_of};

/// One that a passage answers, one that a table answers, and one that the register answers.
pub(super) const QUESTIONS: [&str; 3] = [
    "Which stone is the lighthouse at Skerry Point built of, and why?",
    "What was found at Corran Bridge?",
    "Who built the West Mole?",
];

/// So many letters of what was found first.
const WIDTH: usize = 100;

/// Asks and shows.
pub(super) fn ask(program: &Program) -> Result<(), String> {
    for question in QUESTIONS {
        let words = ["retrieve", "DATABASE", question, "--preset", "PRESET"];
        let words = program.with_embedder(&words);
        println!("\n$ stratigraph {}", quoted(&words, question));
        println!(
            "{:<8} {:<8} {:>5}  what comes first",
            "preset", "database", "found"
        );
        for preset in PRESETS {
            let database = database_of(preset).ok_or_else(|| format!("nobody asks by {preset}"))?;
            let rows = program.rows(database, &statement(preset, question))?;
            println!("{}", line_of(preset, database, &rows));
        }
    }
    Ok(())
}

fn quoted(words: &[&str], question: &str) -> String {
    let words = words.iter().map(|word| match *word == question {
        true => format!("'{word}'"),
        false => (*word).to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The verb `retrieve`, as a statement: rows are easier to put side by side.
fn statement(preset: &str, question: &str) -> String {
    format!(
        "CALL rag.retrieve('{preset}', {{question: {}}}) YIELD kind, heading, text RETURN kind, heading, text",
        literal(question)
    )
}

/// A preset with how much it found, and the first of it.
fn line_of(preset: &str, database: &str, rows: &[Vec<String>]) -> String {
    let first = match rows.first().map(Vec::as_slice) {
        Some([kind, heading, text]) if heading.is_empty() => format!("{kind}: {text}"),
        Some([_, heading, text]) => format!("{heading}: {text}"),
        _ => "nothing".to_owned(),
    };
    let first = one_line(&first, WIDTH);
    format!("{preset:<8} {database:<8} {:>5}  {first}", rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_cannot_end_the_text_that_it_stands_in() {
        let text = statement("bag", "Who's \\ there?");
        assert!(text.contains("{question: 'Who\\'s \\\\ there?'}"), "{text}");
    }

    #[test]
    fn a_line_says_what_comes_first() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [row(["Chunk", "A > B", "c"]), row(["Chunk", "A", "d"])];
        assert_eq!(
            line_of("bag", "bag", &rows),
            "bag      bag          2  A > B: c"
        );
        let rows = [row(["FACT", "", "a is b"])];
        assert!(line_of("triples", "triples", &rows).ends_with("  FACT: a is b"));
        assert!(line_of("direct", "strata", &[]).ends_with("    0  nothing"));
    }
}
