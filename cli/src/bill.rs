//! What was asked of a model, and what that costs: of an ingestion and of summaries, done or foreseen, here or at a server.

use serde_json::{Value, json};
use std::ops::AddAssign;
use stratigraph_client::ModelBill;
use stratigraph_models::{Prices, Usage};
use stratigraph_rag::extract::{Cost, Estimate};

/// Calls and tokens, with what a server has said of their price.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bill {
    pub(crate) cost: Cost,
    /// What that costs, where the server has said it.
    told: f64,
}

impl Bill {
    /// What the tokens cost, by prices that were said here or to the server.
    pub(crate) fn price(&self, prices: Option<Prices>) -> Option<f64> {
        let told = (self.told > 0.0).then_some(self.told);
        prices.map(|prices| prices.of(self.cost.usage)).or(told)
    }

    /// All of it, for programs.
    pub(crate) fn json(&self, prices: Option<Prices>) -> Value {
        let Cost {
            calls,
            kept,
            usage,
            dropped,
        } = self.cost;
        json!({
            "calls": calls,
            "kept": kept,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "dropped": dropped,
            "cost": self.price(prices),
        })
    }
}

impl AddAssign for Bill {
    fn add_assign(&mut self, other: Self) {
        self.cost += other.cost;
        self.told += other.told;
    }
}

impl From<Cost> for Bill {
    fn from(cost: Cost) -> Self {
        Self { cost, told: 0.0 }
    }
}

impl From<&Estimate> for Bill {
    fn from(estimate: &Estimate) -> Self {
        Self::from(Cost {
            calls: estimate.calls,
            kept: estimate.kept,
            usage: Usage {
                input_tokens: estimate.input_tokens,
                output_tokens: estimate.output_tokens,
            },
            dropped: 0,
        })
    }
}

impl From<&ModelBill> for Bill {
    fn from(sent: &ModelBill) -> Self {
        let cost = Cost {
            calls: sent.calls,
            kept: sent.kept,
            usage: Usage {
                input_tokens: sent.input_tokens,
                output_tokens: sent.output_tokens,
            },
            dropped: sent.dropped,
        };
        Self {
            cost,
            told: sent.cost,
        }
    }
}
