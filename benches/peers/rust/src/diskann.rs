//! Microsoft's DiskANN in memory: the Vamana graph on `f32` rows, and on codes of 8 bits with `f16` rows to rank
//! again. Degree 32 with its own slack, list of 128 while building, its own alpha.

use crate::Index;
use crate::set::Set;
use anyhow::{Result, anyhow};
use diskann::graph::config::{Builder, MaxDegree};
use diskann::graph::search::Knn;
use diskann::graph::{Config, DiskANNIndex};
use diskann::neighbor::Neighbor;
use diskann_inmem::repr::quantized::{self, Backend, Quantized, scalar};
use diskann_inmem::repr::{Full, Insert};
use diskann_inmem::{Context, Provider, Strategy, num};
use diskann_quantization::num::Positive;
use diskann_quantization::scalar::train::ScalarQuantizationParameters;
use diskann_utils::sampling::medoid::ComputeMedoid;
use diskann_utils::views::rowmajor;
use diskann_vector::distance::Metric;
use tokio::runtime::{self, Runtime};

const DEGREE: usize = 32;
const BREADTH: usize = 128;
const METRIC: Metric = Metric::CosineNormalized;

pub struct DiskAnn<R: Send + Sync + 'static> {
    index: DiskANNIndex<Provider<R, u32>>,
    // Its functions are asynchronous, but in memory they never wait.
    runtime: Runtime,
}

pub fn plain(set: &Set, threads: usize) -> Result<DiskAnn<Full<f32>>> {
    let config = config()?;
    let degree = num::MaxDegree::new(config.max_degree().get());
    let start = start_point(rows(set)?);
    let full = Full::config(num::Capacity::new(set.len()), degree, METRIC, start)?;
    DiskAnn::new(Provider::new(full)?, config, set, threads)
}

pub fn quantized(set: &Set, threads: usize) -> Result<DiskAnn<Quantized>> {
    let config = config()?;
    let degree = num::MaxDegree::new(config.max_degree().get());
    let view = rows(set)?;
    let trainer = ScalarQuantizationParameters::new(Positive::<f64>::new(3.0)?);
    let codes = scalar::Scalar::<8>::new(trainer.train(view), scalar::Metric::CosineNormalized);
    let rerank = quantized::Rerank::F16 {
        metric: quantized::Metric::InnerProduct,
    };
    let capacity = num::Capacity::new(set.len());
    let codes = Quantized::config(
        Backend::new(codes),
        capacity,
        degree,
        start_point(view),
        rerank,
    )?;
    DiskAnn::new(Provider::new(codes)?, config, set, threads)
}

fn config() -> Result<Config> {
    Ok(Builder::new(DEGREE, MaxDegree::default_slack(), BREADTH, METRIC.into()).build()?)
}

fn rows(set: &Set) -> Result<rowmajor::Ref<'_, f32>> {
    Ok(
        rowmajor::Ref::try_from_data(&set.base[..], set.len(), set.dims)
            .map_err(|error| anyhow!("{error}"))?,
    )
}

fn start_point(view: rowmajor::Ref<'_, f32>) -> rowmajor::Owned<f32> {
    rowmajor::Owned::row_vector(Box::from(f32::compute_medoid(view)))
}

impl<R> DiskAnn<R>
where
    R: for<'a> Insert<Query<'a> = &'a [f32]>,
{
    fn new(provider: Provider<R, u32>, config: Config, set: &Set, threads: usize) -> Result<Self> {
        let index = DiskANNIndex::new(config, provider, None);
        let rows = set.len();
        let part = |thread: usize| -> Result<()> {
            let runtime = runtime::Builder::new_current_thread().build()?;
            // Neighbouring rows to different threads: the graph grows as it would on one.
            for row in (thread..rows).step_by(threads) {
                let id = row as u32;
                runtime.block_on(index.insert(&Strategy, &Context, &id, set.row(row)))?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let parts: Vec<_> = (0..threads)
                .map(|thread| scope.spawn(move || part(thread)))
                .collect();
            parts
                .into_iter()
                .try_for_each(|part| part.join().expect("no panic"))
        })?;
        let runtime = runtime::Builder::new_current_thread().build()?;
        Ok(Self { index, runtime })
    }
}

impl<R> Index for DiskAnn<R>
where
    R: for<'a> Insert<Query<'a> = &'a [f32]>,
{
    fn search(&self, query: &[f32], k: usize, breadth: usize, found: &mut Vec<u32>) -> Result<()> {
        let how = Knn::new(breadth, None)?;
        let mut near: Vec<Neighbor<u32>> = Vec::with_capacity(breadth);
        self.runtime.block_on(
            self.index
                .search(how, &Strategy, &Context, query, &mut near),
        )?;
        found.extend(near.iter().take(k).map(|near| near.id()));
        Ok(())
    }
}
