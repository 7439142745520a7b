//! Answers: sentences of the documents with what they cite, and a refusal.

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
    print!(
        "{}",
        program.run(&program.with_embedder(&["ask", "strata", QUESTIONS[0]]))?
    );
    println!();
    let words = program.with_embedder(&["ask", "strata", UNANSWERED]);
    // No script takes a refusal for an answer: its exit code is 2.
    let said = program.run_for(&words, &[0, 2])?;
    print!("{}", said.text);
    if said.code == 0 {
        println!("(not refused: a threshold from a sample as small as this is a rough one)");
    }
    Ok(())
}
