//! Who reads what.

use std::sync::Arc;

use anyhow::Result;
use russet_data::{Inputs, ReadOptions, Schema, Shard, Stream};

use crate::data;
use crate::interrupt;
use crate::output::UsageError;

/// What one rank reads.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) inputs: Inputs,
    pub(super) options: ReadOptions,
}

/// Several ranks learn one model.
pub(super) fn several_classes() -> anyhow::Error {
    UsageError("more than one rank does not know more than two classes yet".to_owned()).into()
}

/// Refuses data of more than two classes.
pub(super) fn check_classes(schema: Option<&Arc<Schema>>) -> Result<()> {
    let classes = schema.and_then(|schema| schema.label.classes.as_ref()).map_or(0, Vec::len);
    if classes > 2 { Err(several_classes()) } else { Ok(()) }
}

impl Part {
    /// Deals files out to ranks, by size; if there are too few, byte ranges or blocks of all files in turn: see [`Shard`].
    pub(super) fn deal(inputs: &Inputs, options: &ReadOptions, ranks: usize) -> Result<Vec<Part>> {
        // All ranks read by what the first file says.
        let stream = Stream::open_unless(inputs, ReadOptions { threads: 1, ..options.clone() }, interrupt::flag())?;
        interrupt::check()?;
        data::check_table_flags(&options.csv, stream.format())?;
        let (format, schema) = (Some(stream.format()), stream.schema().cloned());
        check_classes(schema.as_ref())?;
        Ok(Part::of(inputs, &ReadOptions { format, schema, ..options.clone() }, ranks))
    }

    fn of(inputs: &Inputs, options: &ReadOptions, ranks: usize) -> Vec<Part> {
        if inputs.len() >= ranks {
            let parts = inputs.deal(ranks).into_iter();
            return parts.map(|inputs| Part { inputs, options: options.clone() }).collect();
        }
        // Small enough that every rank gets several.
        let share = inputs.bytes().unwrap_or(0) / (16 * ranks as u64);
        let block_bytes = (share as usize).clamp(1 << 12, options.block_bytes.max(1 << 12));
        let part = |index| {
            let shard = Some(Shard { index: index as u64, count: ranks as u64 });
            Part { inputs: inputs.clone(), options: ReadOptions { shard, block_bytes, ..options.clone() } }
        };
        (0..ranks).map(part).collect()
    }
}
