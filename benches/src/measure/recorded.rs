//! The options that a store has recorded in its OPTIONS file, made into options again.
//!
//! Nothing that the engine chooses is spelled here, with one exception ([`FILTER_BITS`]), so the
//! peer cannot drift away from it. The crate's `load_latest` alone does not do: the file names the
//! Bloom filter without its bits, so that the filter is missing from what is loaded, and the crate
//! does not let anybody correct a loaded family.

use anyhow::{Context, Result};
use rocksdb::{BlockBasedOptions, Cache, ColumnFamilyDescriptor, Env, Options};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The one option that no file holds: bits per key of the Bloom filters. It must be what
/// `engine/src/storage/rocks/options.rs` says.
const FILTER_BITS: f64 = 10.0;

/// An OPTIONS file: each section's header, and its settings in order.
pub(crate) struct Recorded {
    sections: Vec<Section>,
}

struct Section {
    header: String,
    settings: Vec<(String, String)>,
}

impl Recorded {
    /// Reads the newest OPTIONS file of a store.
    pub(crate) fn read(store: &Path) -> Result<Self> {
        let text = fs::read_to_string(newest_file(store)?)?;
        let mut sections: Vec<Section> = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(header) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                let header = header.to_owned();
                sections.push(Section {
                    header,
                    settings: Vec::new(),
                });
            } else if let (Some(section), Some((name, value))) =
                (sections.last_mut(), line.split_once('='))
            {
                section.settings.push((name.to_owned(), value.to_owned()));
            }
        }
        Ok(Self { sections })
    }

    /// The options of the database as a whole; these the crate reads well.
    pub(crate) fn database(&self, store: &Path) -> Result<Options> {
        let unused = Cache::new_lru_cache(1 << 20);
        let (database, _) = Options::load_latest(store, Env::new()?, false, unused)?;
        Ok(database)
    }

    /// The options of every family, with one cache for all of them.
    pub(crate) fn families(&self, cache_bytes: usize) -> Result<Vec<ColumnFamilyDescriptor>> {
        let cache = Cache::new_lru_cache(cache_bytes);
        let mut families = Vec::new();
        for section in &self.sections {
            let Some(quoted) = section.header.strip_prefix("CFOptions ") else {
                continue;
            };
            let table = format!("TableOptions/BlockBasedTable {quoted}");
            let table = self.sections.iter().find(|section| section.header == table);
            let table = table.with_context(|| format!("no table options of {quoted}"))?;
            let mut options = section.family()?;
            options.set_block_based_table_factory(&table.table(&cache)?);
            families.push(ColumnFamilyDescriptor::new(
                quoted.trim_matches('"'),
                options,
            ));
        }
        Ok(families)
    }

    /// The first setting that differs, on both sides.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<(String, String)> {
        let (ours, theirs) = (self.lines(), other.lines());
        let longest = ours.len().max(theirs.len());
        let none = || "nothing".to_owned();
        let pairs = (0..longest).map(|place| {
            let line = |lines: &[String]| lines.get(place).cloned().unwrap_or_else(none);
            (line(&ours), line(&theirs))
        });
        pairs.into_iter().find(|(ours, theirs)| ours != theirs)
    }

    /// Every setting, without those that name the store's own folder.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for Section { header, settings } in &self.sections {
            for (name, value) in settings {
                if !matches!(name.as_str(), "wal_dir" | "db_log_dir") {
                    lines.push(format!("`{name}={value}` in [{header}]"));
                }
            }
        }
        lines
    }
}

impl Section {
    fn family(&self) -> Result<Options> {
        let settings = self
            .settings
            .iter()
            .filter(|(name, _)| name != "table_factory");
        let settings: Vec<_> = settings
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let parsed = Options::default().get_options_from_string(settings.join(";"));
        parsed.with_context(|| format!("cannot take in [{}]", self.header))
    }

    /// The settings of the table format that the engine chooses; whatever is left out here and not
    /// the default shows in the comparison of the two files.
    fn table(&self, cache: &Cache) -> Result<BlockBasedOptions> {
        let mut table = BlockBasedOptions::default();
        table.set_block_cache(cache);
        table.set_block_size(self.value("block_size")?);
        table.set_format_version(self.value("format_version")?);
        table.set_whole_key_filtering(self.value("whole_key_filtering")?);
        table.set_cache_index_and_filter_blocks(self.value("cache_index_and_filter_blocks")?);
        table.set_cache_index_and_filter_blocks_with_high_priority(
            self.value("cache_index_and_filter_blocks_with_high_priority")?,
        );
        table.set_pin_l0_filter_and_index_blocks_in_cache(
            self.value("pin_l0_filter_and_index_blocks_in_cache")?,
        );
        if self.value::<String>("filter_policy")? != "nullptr" {
            table.set_bloom_filter(FILTER_BITS, false);
        }
        Ok(table)
    }

    fn value<T: FromStr>(&self, name: &str) -> Result<T> {
        let found = self.settings.iter().find(|(setting, _)| setting == name);
        let parsed = found.and_then(|(_, value)| value.parse().ok());
        parsed.with_context(|| format!("no usable {name} in [{}]", self.header))
    }
}

fn newest_file(store: &Path) -> Result<PathBuf> {
    let mut newest: Option<PathBuf> = None;
    for entry in fs::read_dir(store)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        // Their numbers have the same width, so that names sort as numbers do.
        let is_options = name.starts_with("OPTIONS-") && !name.ends_with(".dbtmp");
        if is_options && newest.as_ref().is_none_or(|newest| path > *newest) {
            newest = Some(path);
        }
    }
    newest.with_context(|| format!("no OPTIONS file in {}", store.display()))
}
