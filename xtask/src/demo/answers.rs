//! Answers: sentences of the documents with what they cite, and a refusal.
//!
//! The demo fails if an answer does not name what it is from.

use super::program::Program;
use super::questions::QUESTIONS;

/// Nothing in the sample answers it.
const UNANSWERED: &str = "How is the parliament of Finland elected?";

/// Finds the threshold, asks, and is refused.
pub(super) fn show(program: &Program) -> Result<(), String> {
    println!(
        "below which confidence a question is refused is found with questions made of the graph itself:"
    );
    let words = [
        "calibrate",
        "strata",
        "--preset",
        "strata",
        "--questions",
        "60",
    ];
    print!("{}", program.run(&program.with_embedder(&words))?);
    println!();
    let answer = program.run(&program.with_embedder(&["ask", "strata", QUESTIONS[0]]))?;
    print!("{answer}");
    names_its_sources(&answer)?;
    println!();
    let words = program.with_embedder(&["ask", "strata", UNANSWERED]);
    // No script takes a refusal for an answer: its exit code is 2.
    let said = program.run_for(&words, &[0, 2])?;
    print!("{}", said.text);
    if said.code == 0 {
        println!("(not refused: a threshold from a sample as small as this is a rough one)");
        names_its_sources(&said.text)?;
    }
    Ok(())
}

/// Whether each sentence of an answer cites something, and all of that is named below: `It is of basalt. [3]`, and then
/// `[3] lighthouses.md 38..318  Lighthouses > Skerry Point Light`.
fn names_its_sources(answer: &str) -> Result<(), String> {
    let mut sentences = answer
        .lines()
        .take_while(|line| !line.is_empty())
        .peekable();
    if sentences.peek().is_none() {
        return Err("the answer has no sentence".to_owned());
    }
    for sentence in sentences {
        let cited: Vec<&str> = cited(sentence).collect();
        if cited.is_empty() {
            return Err(format!(
                "this sentence of the answer cites nothing: {sentence}"
            ));
        }
        let lacks = cited.iter().find(|number| {
            let begins = format!("[{number}] ");
            !answer.lines().any(|line| line.starts_with(&begins))
        });
        if let Some(number) = lacks {
            return Err(format!(
                "nothing is named as [{number}], and this cites it: {sentence}"
            ));
        }
    }
    Ok(())
}

/// The numbers in brackets at the end of a sentence.
fn cited(sentence: &str) -> impl Iterator<Item = &str> {
    let words = sentence.rsplit(' ');
    words.map_while(|word| word.strip_prefix('[')?.strip_suffix(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "It is of basalt. [3] [14]\nIt was opened in 1811. [14]\n\n\
        Sentences of 2 of 37 passages.\n\n[3] lighthouses.md 38..318  Lighthouses\n[14] quarries.md 117..343\n\n\
        confidence 0.912, answered from 0.322 on\n";

    #[test]
    fn an_answer_that_does_not_name_what_it_is_from_is_an_error() {
        names_its_sources(ANSWER).unwrap();
        let why = |lacking: &str| names_its_sources(&ANSWER.replace(lacking, "")).unwrap_err();
        let silent = why(" [3] [14]");
        assert!(
            silent.ends_with("cites nothing: It is of basalt."),
            "{silent}"
        );
        let unnamed = why("[3] lighthouses.md 38..318  Lighthouses\n");
        assert!(unnamed.starts_with("nothing is named as [3],"), "{unnamed}");
        assert!(names_its_sources("\nconfidence 0.9\n").is_err());
    }
}
