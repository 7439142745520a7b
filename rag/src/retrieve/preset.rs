//! The published systems and their baselines, as pipelines that can be printed, changed and run.

use std::sync::OnceLock;

use super::{Pipeline, RetrieveError};

/// All presets: what they are called, and how they are written.
const PRESETS: [(&str, &str); 9] = [
    ("direct", include_str!("../../presets/direct.toml")),
    ("vector", include_str!("../../presets/vector.toml")),
    ("graph", include_str!("../../presets/graph.toml")),
    ("bag", include_str!("../../presets/bag.toml")),
    ("tag", include_str!("../../presets/tag.toml")),
    ("triples", include_str!("../../presets/triples.toml")),
    ("hybrid", include_str!("../../presets/hybrid.toml")),
    ("audit", include_str!("../../presets/audit.toml")),
    ("strata", include_str!("../../presets/strata.toml")),
];

/// Each as it was read the first time: whoever asks a question by a preset's name reads no TOML.
static READ: [OnceLock<Pipeline>; PRESETS.len()] = [const { OnceLock::new() }; PRESETS.len()];

impl Pipeline {
    /// The names of the presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// The preset of this name.
    ///
    /// # Errors
    /// [`RetrieveError::Preset`].
    pub fn preset(name: &str) -> Result<Self, RetrieveError> {
        let text = Self::preset_as_text(name)?;
        let at = PRESETS.iter().position(|(known, _)| *known == name);
        let read = at.and_then(|at| READ.get(at));
        if let Some(pipeline) = read.and_then(OnceLock::get) {
            return Ok(pipeline.clone());
        }
        let pipeline = Self::parse(text)?;
        if let Some(read) = read {
            // Somebody else may have been quicker, and has read the same.
            let _ = read.set(pipeline.clone());
        }
        Ok(pipeline)
    }

    /// The preset of this name; a text that is no name is a pipeline itself, as TOML or JSON.
    ///
    /// # Errors
    /// [`RetrieveError::Preset`], [`RetrieveError::Pipeline`].
    pub fn of(text: &str) -> Result<Self, RetrieveError> {
        let is_name = |text: &str| {
            text.chars()
                .all(|sign| sign.is_alphanumeric() || "-_".contains(sign))
        };
        match is_name(text) {
            true => Self::preset(text),
            false => Self::parse(text),
        }
    }

    /// How a preset is written, for whoever wants another like it.
    ///
    /// # Errors
    /// [`RetrieveError::Preset`].
    pub fn preset_as_text(name: &str) -> Result<&'static str, RetrieveError> {
        let found = PRESETS.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| *text).ok_or_else(|| {
            let known: Vec<String> = Self::presets().map(|name| format!("`{name}`")).collect();
            RetrieveError::Preset {
                name: name.chars().take(64).collect(),
                known: known.join(", "),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_called_as_they_say_and_can_be_written_down_again() {
        for name in Pipeline::presets() {
            let preset = Pipeline::preset(name).unwrap();
            assert_eq!(preset.name, name);
            assert!(!preset.about.is_empty());
            let json = serde_json::to_string(&preset).unwrap();
            assert_eq!(Pipeline::parse(&json).unwrap(), preset);
            let toml = toml::to_string(&preset).unwrap();
            assert_eq!(Pipeline::parse(&toml).unwrap(), preset);
        }
        let error = Pipeline::preset("best").unwrap_err().to_string();
        assert!(
            error.contains("`best`") && error.contains("`hybrid`"),
            "{error}"
        );
    }
}
