//! How a model writes an answer, as far as a pipeline says so: the papers have it differently.

use serde::{Deserialize, Serialize};
use stratigraph_models::Request;

/// How a model writes an answer. What is not said is as the prompt has it.
///
/// ```
/// use stratigraph_rag::retrieve::Pipeline;
///
/// let warm = Pipeline::parse("name = 'warm'\n[answer]\ntemperature = 0.7")?;
/// assert_eq!((warm.answer.temperature, warm.answer.most_tokens), (Some(0.7), None));
/// # Ok::<(), stratigraph_rag::retrieve::RetrieveError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Writing {
    /// How much chance there is in it, from 0 to 2. If nothing is said it is 0: the same passages give the same answer, as far as
    /// a model can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// The most tokens of the whole reply: its analysis and the numbers of its sources are in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_tokens: Option<u32>,
}

impl Writing {
    /// The greatest temperature.
    pub const HOTTEST: f32 = 2.0;
    /// The most tokens that may be asked for.
    pub const MOST_TOKENS: u32 = Request::MAX_TOKENS;

    /// Whether nothing is said.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// What is wrong with it, if anything is.
    #[must_use]
    pub fn unfit(&self) -> Option<String> {
        let (hottest, most) = (Self::HOTTEST, Self::MOST_TOKENS);
        if let Some(temperature) = self.temperature
            && !(0.0..=hottest).contains(&temperature)
        {
            return Some(format!(
                "`temperature` is from 0 to {hottest}, and no {temperature}"
            ));
        }
        let tokens = self.most_tokens?;
        let fits = (1..=most).contains(&tokens);
        (!fits).then(|| format!("`most_tokens` is from 1 to {most}, and no {tokens}"))
    }

    /// A request as it says.
    pub(super) fn of(self, request: Request) -> Request {
        Request {
            temperature: self.temperature.unwrap_or(request.temperature),
            max_tokens: self.most_tokens.unwrap_or(request.max_tokens),
            ..request
        }
    }
}
