//! Models on disk, with what the program attaches to them.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use russet::Model;
use russet::classes::Models;
use russet::model::LoadError;
use russet::weights::Cpu;
use russet_data::{CsvOptions, Inputs, Schema, atomic};

use crate::output::{UsageError, WriteError};

/// The attachment that holds the columns of a table.
const SCHEMA: &str = "schema";

/// Loads a model, or one for each class.
pub(crate) fn load(path: &Path) -> Result<Models> {
    let shown = path.display();
    // The readers' own errors are used, so that a missing file or a folder reads the same everywhere.
    if !path.is_file()
        && let Some(error) = russet_data::Stream::open(&Inputs::file(path), Default::default()).err()
    {
        return Err(error.into());
    }
    let mut models = Models::load(path).map_err(|error| match error {
        LoadError::Read(cause) => anyhow::Error::new(cause).context(format!("cannot read {shown}")),
        error => anyhow!("{shown}: {error}"),
    })?;
    models.iter_mut().try_for_each(choose_cpu)?;
    Ok(models)
}

/// Saves what was learned, all or nothing.
pub(crate) fn save(models: &Models, path: &Path) -> Result<()> {
    atomic::write(path, &models.to_bytes()).map_err(|cause| WriteError::file(path, cause).into())
}

/// RUSSET_CPU=plain|portable|avx2|avx512 forces a version of the inner loops, to check that all give the same bits.
pub(crate) fn choose_cpu(model: &mut Model) -> Result<()> {
    if let Ok(name) = std::env::var("RUSSET_CPU") {
        let cpu = Cpu::named(&name)
            .ok_or_else(|| anyhow!("RUSSET_CPU is {name}; this machine has {:?}", Cpu::available()))?;
        model.set_cpu(cpu);
    }
    Ok(())
}

/// The columns that a model was trained with, if its data was a table. Flags that say otherwise are refused.
pub(crate) fn schema(models: &Models, flags: &CsvOptions) -> Result<Option<Arc<Schema>>> {
    let Some(text) = models.attachments().get(SCHEMA) else { return Ok(None) };
    let schema: Schema = serde_json::from_str(text).context("the model's columns cannot be read")?;
    match schema.contradiction(flags) {
        Some(contradiction) => Err(UsageError(contradiction).into()),
        None => Ok(Some(Arc::new(schema))),
    }
}

/// Attaches the columns that a model is trained with, by way of `attach`.
pub(crate) fn attach_schema(schema: Option<&Arc<Schema>>, attach: impl FnOnce(&str, Option<String>)) -> Result<()> {
    if let Some(schema) = schema {
        attach(SCHEMA, Some(serde_json::to_string(&**schema)?));
    }
    Ok(())
}
