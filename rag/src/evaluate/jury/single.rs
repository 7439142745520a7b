//! What judges say of one answer by itself.

use std::collections::BTreeSet;

use serde_json::json;

use super::pool::each;
use super::{Given, Hearing, Judged, Jury, JuryError, Measured, QUESTIONS, Said, unmeasured};
use crate::cosine::cosine;
use crate::extract::model::Judging;

/// The most that two orders say together: 4 each.
const HIGHEST: f64 = 4.0;

impl Jury<'_> {
    /// Judges the answers of a system, by these measures. What cannot be measured of an answer is left out: faithfulness
    /// where nobody says what it was written from, accuracy where nobody says what is right.
    ///
    /// # Errors
    /// [`JuryError`]: nobody judges, or a judge cannot be asked at all. A judge that gives nothing of use for a question is told.
    pub fn judge(
        &self,
        (set, system): (&str, &str),
        given: &[Given],
        measured: &BTreeSet<Measured>,
        told: &(dyn Fn(usize) + Sync),
    ) -> Result<Judged, JuryError> {
        self.check()?;
        let one = |place: usize| {
            self.go_on()?;
            let given = &given[place];
            let said = self.one(system, given, measured)?;
            Ok::<_, JuryError>((unmeasured(given), said))
        };
        let said = each(given.len(), self.threads, one, told)?;
        Ok(self.judged((set, system.to_owned()), said))
    }

    fn one(
        &self,
        system: &str,
        given: &Given,
        measured: &BTreeSet<Measured>,
    ) -> Result<Said, JuryError> {
        let mut hearing = Hearing::of(system, &given.posed.id);
        let is_answered = given.is_answered();
        hearing.mean("answered", &[f64::from(is_answered)]);
        let is_accurate = measured.contains(&Measured::Accuracy);
        if given.posed.nothing {
            // Who refuses what nothing answers is right, and nobody has to be asked.
            if is_accurate {
                hearing.mean("answer_accuracy", &[f64::from(!is_answered)]);
            }
            return Ok(hearing.said);
        }
        if !is_answered {
            if is_accurate && !given.posed.references.is_empty() {
                hearing.mean("answer_accuracy", &[0.0]);
            }
            return Ok(hearing.said);
        }
        if measured.contains(&Measured::Faithfulness) && !given.context.trim().is_empty() {
            let texts = [
                ("context_faithfulness", &given.answer),
                ("analysis_faithfulness", &given.analysis),
            ];
            for (measure, text) in texts {
                if !text.trim().is_empty() {
                    self.faithful(&mut hearing, measure, (text, given))?;
                }
            }
        }
        if measured.contains(&Measured::Relevance) {
            self.relevant(&mut hearing, given)?;
        }
        if let Some(reference) = given.posed.references.first().filter(|_| is_accurate) {
            self.accurate(&mut hearing, given, reference)?;
        }
        Ok(hearing.said)
    }

    /// |V|/|S|: of the statements those that the context bears out.
    fn faithful(
        &self,
        hearing: &mut Hearing<'_>,
        measure: &str,
        (text, given): (&str, &Given),
    ) -> Result<(), JuryError> {
        let mut shares = Vec::new();
        for judge in &self.judges {
            let asked = judge.statements(&given.posed.text, text);
            let Some(statements) = hearing.take((judge, measure), asked)? else {
                continue;
            };
            if statements.is_empty() {
                let problem = "it finds no statement in the text".to_owned();
                hearing.judgement((judge, measure), json!([]), Some(problem));
                continue;
            }
            let asked = judge.borne_out(&given.context, &statements);
            let Some(borne_out) = hearing.take((judge, measure), asked)? else {
                continue;
            };
            let count = borne_out.iter().filter(|one| **one).count();
            shares.push(count as f64 / statements.len() as f64);
            let said = statements.iter().zip(borne_out);
            let said = said.map(|(text, is)| json!({"statement": text, "supported": is}));
            hearing.judgement((judge, measure), said.collect(), None);
        }
        hearing.mean(measure, &shares);
        Ok(())
    }

    /// The mean cosine of the question and of questions that the answer answers.
    fn relevant(&self, hearing: &mut Hearing<'_>, given: &Given) -> Result<(), JuryError> {
        let measure = "answer_relevance";
        let mut means = Vec::new();
        for judge in &self.judges {
            let asked = judge.asked_by(&given.answer, QUESTIONS);
            let Some(asked) = hearing.take((judge, measure), asked)? else {
                continue;
            };
            if asked.questions.is_empty() && !asked.noncommittal {
                let problem = "it guesses no question".to_owned();
                hearing.judgement((judge, measure), json!([]), Some(problem));
                continue;
            }
            let cosines = self.cosines(&given.posed.text, &asked.questions)?;
            means.push(match asked.noncommittal {
                true => 0.0,
                false => cosines.iter().sum::<f64>() / cosines.len() as f64,
            });
            let questions = asked.questions.iter().zip(&cosines);
            let questions =
                questions.map(|(text, cosine)| json!({"question": text, "cosine": cosine}));
            let said = json!({
                "noncommittal": asked.noncommittal,
                "questions": questions.collect::<Vec<_>>(),
            });
            hearing.judgement((judge, measure), said, None);
        }
        hearing.mean(measure, &means);
        Ok(())
    }

    fn cosines(&self, question: &str, others: &[String]) -> Result<Vec<f64>, JuryError> {
        let texts: Vec<&str> = [question]
            .into_iter()
            .chain(others.iter().map(String::as_str))
            .collect();
        let rows = self.embedder.embed_questions(&texts)?;
        let asked = rows.row(0).unwrap_or_default();
        let cosines = rows.iter().skip(1);
        let cosines = cosines.map(|row| cosine(asked, row).unwrap_or_default());
        Ok(cosines.map(f64::from).collect())
    }

    /// How far the answer and the right one are alike, in both orders.
    fn accurate(
        &self,
        hearing: &mut Hearing<'_>,
        given: &Given,
        reference: &str,
    ) -> Result<(), JuryError> {
        let measure = "answer_accuracy";
        let orders = [
            (given.answer.as_str(), reference),
            (reference, &given.answer),
        ];
        let mut means = Vec::new();
        for judge in &self.judges {
            let mut alike = Vec::with_capacity(2);
            for (first, second) in orders {
                let asked = judge.alike(&given.posed.text, first, second);
                alike.extend(hearing.take((judge, measure), asked)?);
            }
            // One order alone would say what stands where, too.
            let [one, other] = alike.as_slice() else {
                continue;
            };
            let ratings = [one, other].map(|one| f64::from(one.rating) / HIGHEST);
            means.push((ratings[0] + ratings[1]) / 2.0);
            let said = json!({
                "ratings": [one.rating, other.rating],
                "reasons": [one.reason, other.reason],
            });
            hearing.judgement((judge, measure), said, None);
        }
        hearing.mean(measure, &means);
        Ok(())
    }
}

/// The name of a judge, for whoever tells of several.
impl std::fmt::Debug for Jury<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.judges.iter().map(Judging::model).collect();
        f.debug_struct("Jury")
            .field("judges", &names)
            .finish_non_exhaustive()
    }
}
