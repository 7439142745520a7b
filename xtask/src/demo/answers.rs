//! Answers: sentences of the documents with what they cite, and a refusal.

use super::program::Program;
use super::questions::QUESTIONS;

/// Nothing in the sample answers it.
const UNANSWERED: &str = "Which cheese is made on the island?";

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
    // No script takes a refusal for an answer: its exit code is 2.
    let words = program.with_embedder(&["ask", "strata", UNANSWERED]);
    print!("{}", program.run_for_code(&words, 2)?);
    Ok(())
}
