//! What tokens cost.

use crate::generate::Usage;
use std::fmt;
use std::str::FromStr;

/// What a million tokens cost, read and written, in whatever money the caller counts.
///
/// ```
/// use stratigraph_models::{Prices, Usage};
///
/// let prices: Prices = "0.15/0.60".parse()?;
/// let usage = Usage { input_tokens: 2_000_000, output_tokens: 1_000_000 };
/// assert!((prices.of(usage) - 0.9).abs() < 1e-9);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
}

impl Prices {
    /// What so many tokens cost.
    #[must_use]
    pub fn of(self, usage: Usage) -> f64 {
        let Usage {
            input_tokens,
            output_tokens,
        } = usage;
        (input_tokens as f64 * self.input + output_tokens as f64 * self.output) / 1e6
    }
}

impl FromStr for Prices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let price = |text: &str| {
            let price = text.trim().parse().ok();
            price.filter(|price: &f64| price.is_finite() && *price >= 0.0)
        };
        let prices = text.split_once('/');
        let prices = prices.and_then(|(input, output)| price(input).zip(price(output)));
        let (input, output) = prices.ok_or_else(|| {
            let text: String = text.chars().take(64).collect();
            format!(
                "`{text}` is not what a million tokens cost, read and written, such as 0.15/0.60"
            )
        })?;
        Ok(Self { input, output })
    }
}

impl fmt::Display for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.input, self.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_price_is_refused() {
        for text in ["", "1", "1/", "/1", "-1/2", "1/NaN", "inf/1", "1/2/3"] {
            assert!(text.parse::<Prices>().is_err(), "{text}");
        }
        let prices: Prices = "3 / 15".parse().unwrap();
        assert_eq!(prices.to_string(), "3/15");
    }
}
