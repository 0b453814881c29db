//! The file of several models. One model alone is saved as such: see `model/format.rs`.
//!
//! ```text
//! offset  bytes
//! 0       8      "russet\x1a\n"
//! 8       4      format version, 2
//! 12      4      length of the header
//! 16      ...    header: JSON with the names of the classes and their progressive validation
//!         ...    for each class: 8 length, then the file of its model
//! end-8   8      XXH3 of all before
//! ```

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

use super::{Choices, Models};
use crate::model::{Input, LoadError, MAGIC, Model, ModelError, damaged, load};

/// The format version of files that hold a model for each class.
pub const CLASSES_FORMAT_VERSION: u32 = 2;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    classes: Vec<String>,
    choices: Choices,
}

impl Models {
    /// The models as the bytes of their file. Equal models give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        if let Some(only) = self.only() {
            return only.to_bytes();
        }
        let header = Header { classes: self.names.clone(), choices: self.choices };
        let header = serde_json::to_vec(&header).expect("the header has only plain fields");
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&CLASSES_FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        for model in &self.models {
            let model = model.to_bytes();
            bytes.extend_from_slice(&(model.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&model);
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads one model or several from the bytes of their file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Models, ModelError> {
        Models::read(&mut &bytes[..], bytes.len())
    }

    /// Reads one model or several from their file, which never is in memory as a whole.
    pub fn load(path: &Path) -> Result<Models, LoadError> {
        load(path, Models::read)
    }

    /// Reads one model or several from a source of `length` bytes.
    fn read(source: &mut dyn Read, length: usize) -> Result<Models, ModelError> {
        let mut input = Input::open(source, length)?;
        if input.version() != CLASSES_FORMAT_VERSION {
            return Model::go_on(input, length).map(Models::from);
        }
        input.go_on(length)?;
        let models = read_models(&mut input);
        input.judge(models)
    }
}

fn read_models(input: &mut Input<'_>) -> Result<Models, ModelError> {
    let length = input.u32()? as usize;
    let header: Header =
        serde_json::from_slice(input.slice(length)?).map_err(|_| damaged("its header cannot be read"))?;
    let distinct: BTreeSet<&String> = header.classes.iter().collect();
    if header.classes.len() < 3 || distinct.len() < header.classes.len() || !header.choices.is_sound() {
        return Err(damaged("its classes contradict each other"));
    }
    let mut models = Vec::new();
    for _ in &header.classes {
        let length = input.count(1)?;
        models.push(Model::read(&mut input.by_ref().take(length as u64), length)?);
    }
    let alike = models.iter().all(|model| model.settings() == models[0].settings());
    if input.left() > 0 || !alike {
        return Err(damaged("its models contradict each other"));
    }
    Ok(Models { names: header.classes, models, choices: header.choices })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Batch, Dictionary, Label};
    use crate::classes::Learners;
    use crate::feature::Namespace;
    use crate::settings::Settings;

    fn trained() -> Models {
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        batch.start(&mut dictionary);
        for round in 0..60u64 {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, ["a", "b", "c"][round as usize % 3], 1.0);
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "d", round as f32 / 7.0);
            batch.end_example(Label::new((round % 3) as f32), b"", round + 1);
        }
        let mut learners = Learners::resume(Model::new(Settings::default().check().unwrap()).into());
        learners.set_course_length(60);
        learners.separate(&["x", "y", "z"].map(str::to_owned)).unwrap();
        learners.attach("schema", Some("{}".to_owned()));
        learners.learn_range(&batch, 0..60).unwrap();
        learners.into_models()
    }

    #[test]
    fn saved_and_loaded_is_the_same() {
        let models = trained();
        let loaded = Models::from_bytes(&models.to_bytes()).unwrap();
        assert_eq!(loaded.to_bytes(), models.to_bytes());
        assert_eq!(loaded.names(), ["x", "y", "z"]);
        assert_eq!(loaded.attachments().len(), 1);
        assert_eq!(loaded.progressive_error(), models.progressive_error());
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_refused() {
        let bytes = trained().to_bytes();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            assert!(Models::from_bytes(&changed).is_err(), "byte {place}");
            assert!(Models::from_bytes(&bytes[..place]).is_err(), "cut at {place}");
        }
    }

    #[test]
    fn crafted_bytes_make_no_panic() {
        let bytes = trained().to_bytes();
        for place in 12..bytes.len() - 8 {
            let mut changed = bytes[..bytes.len() - 8].to_vec();
            changed[place] ^= 0x81;
            let checksum = xxh3_64(&changed);
            changed.extend_from_slice(&checksum.to_le_bytes());
            let _ = Models::from_bytes(&changed);
        }
    }

    #[test]
    fn one_model_alone_is_saved_as_such() {
        let model = Model::new(Settings::default().check().unwrap());
        let bytes = Models::from(model.clone()).to_bytes();
        assert_eq!(bytes, model.to_bytes());
        assert!(Models::from_bytes(&bytes).unwrap().only().is_some());
    }

    #[test]
    fn the_file_of_several_models_is_not_one_model() {
        let error = Model::from_bytes(&trained().to_bytes()).unwrap_err();
        assert_eq!(error, ModelError::Classes);
    }
}
