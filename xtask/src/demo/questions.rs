//! The same questions through all presets, one below the other.

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
        println!();
        program.name(question);
        for preset in PRESETS {
            let database = database_of(preset).ok_or_else(|| format!("nobody asks by {preset}"))?;
            let words = ["retrieve", database, question, "--preset", preset];
            let told = program.run_named(&program.with_embedder(&words), question)?;
            println!("  {}", line_of(&told));
        }
    }
    Ok(())
}

/// What `retrieve` tells, in a line: how much it found, and the first of it.
fn line_of(told: &str) -> String {
    let found = told.lines().filter(|line| is_ranked(line)).count();
    let mut lines = told.lines().skip_while(|line| !is_ranked(line));
    let Some(first) = lines.next() else {
        return "nothing was found".to_owned();
    };
    // Its kind stands behind its rank; its heading, if it has one, and its text stand below, indented.
    let kind = first.split_whitespace().nth(1).unwrap_or_default();
    let below = lines.map_while(|line| line.strip_prefix("   ")).take(2);
    let parts: Vec<&str> = std::iter::once(kind).chain(below).collect();
    one_line(&format!("{found} found, first {}", parts.join(": ")), WIDTH)
}

/// Whether something that was found begins in this line: `1. Chunk  0.403 cosine  bridges.md 29..333`.
fn is_ranked(line: &str) -> bool {
    let rank = line.split_once(". ").map_or("", |(rank, _)| rank);
    !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_much_was_found_and_what_comes_first() {
        let told = "1. Chunk  0.4 cosine  a.md 0..9\n   A > B\n   c\n   1. d\n2. Chunk  0.3 cosine\n   A\nand 3 more\n";
        assert_eq!(line_of(told), "2 found, first Chunk: A > B: c");
        let told = "1. FACT  0.4 cosine\n   a is b\n2. FACT  0.3 cosine\n   b is c\n";
        assert_eq!(line_of(told), "2 found, first FACT: a is b");
        assert_eq!(line_of("nothing was found\n"), "nothing was found");
    }
}
