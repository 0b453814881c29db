//! One column of a frame, wherever it lies: numpy's memory, categories, or chunks of Arrow arrays.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, downcast_dictionary_array};
use arrow_schema::DataType;
use numpy::ndarray::ArrayView1;

/// The fields of a column.
pub(crate) enum View<'a> {
    Single(ArrayView1<'a, f32>),
    Double(ArrayView1<'a, f64>),
    Whole(ArrayView1<'a, i64>),
    Truth(ArrayView1<'a, bool>),
    /// The number of a category for each row, -1 where it is missing.
    Categories(ArrayView1<'a, i32>, Vec<String>),
    Chunks(Vec<ArrayRef>),
    /// So many fields of a type that is neither numbers nor names: such a column can only be left out.
    Other(usize, String),
}

/// A number with its text, should it be a name.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Single(f32),
    Double(f64),
    Whole(i64),
    Unsigned(u64),
}

impl Number {
    #[inline(always)]
    pub(crate) fn single(self) -> f32 {
        match self {
            Number::Single(value) => value,
            Number::Double(value) => value as f32,
            Number::Whole(value) => value as f32,
            Number::Unsigned(value) => value as f32,
        }
    }

    pub(crate) fn double(self) -> f64 {
        match self {
            Number::Single(value) => value.into(),
            Number::Double(value) => value,
            Number::Whole(value) => value as f64,
            Number::Unsigned(value) => value as f64,
        }
    }

    /// As a name; a missing one has none.
    pub(crate) fn text(self) -> Option<String> {
        match self {
            Number::Single(value) if value.is_nan() => None,
            Number::Double(value) if value.is_nan() => None,
            Number::Single(value) => Some(format!("{value:?}")),
            Number::Double(value) => Some(format!("{value:?}")),
            Number::Whole(value) => Some(value.to_string()),
            Number::Unsigned(value) => Some(value.to_string()),
        }
    }
}

/// A field of a column.
#[derive(Clone, Copy)]
pub(crate) enum Field<'v> {
    Missing,
    Number(Number),
    Text(&'v str),
    /// A category by its number, and its name.
    Category(u32, &'v str),
}

impl<'v> Field<'v> {
    /// The field as a name, without blanks around it; nothing where a CSV file would say that nothing is known.
    pub(crate) fn text(self) -> Option<Cow<'v, str>> {
        match self {
            Field::Missing => None,
            Field::Number(number) => number.text().map(Cow::Owned),
            Field::Text(text) | Field::Category(_, text) => {
                let text = text.trim_ascii();
                (!russet_data::is_missing(text.as_bytes())).then_some(Cow::Borrowed(text))
            }
        }
    }
}

impl View<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            View::Single(view) => view.len(),
            View::Double(view) => view.len(),
            View::Whole(view) => view.len(),
            View::Truth(view) => view.len(),
            View::Categories(view, _) => view.len(),
            View::Chunks(chunks) => chunks.iter().map(Array::len).sum(),
            View::Other(rows, _) => *rows,
        }
    }

    /// True if its fields are numbers; `None` if they are neither numbers nor names.
    pub(crate) fn is_numeric(&self) -> Option<bool> {
        match self {
            View::Categories(..) => Some(false),
            View::Other(..) => None,
            View::Chunks(chunks) => chunks.first().map_or(Some(true), |chunk| is_numeric(chunk.data_type())),
            _ => Some(true),
        }
    }

    /// What its fields are, for a message.
    pub(crate) fn type_name(&self) -> String {
        match self {
            View::Chunks(chunks) => chunks.first().map_or(String::new(), |chunk| chunk.data_type().to_string()),
            View::Categories(..) => "names".to_owned(),
            View::Other(_, name) => name.clone(),
            _ => "numbers".to_owned(),
        }
    }

    /// Visits the fields of some rows, in order.
    pub(crate) fn visit<'v>(&'v self, rows: Range<usize>, mut visit: impl FnMut(Field<'v>)) {
        match self {
            View::Single(view) => rows.for_each(|row| visit(Field::Number(Number::Single(view[row])))),
            View::Double(view) => rows.for_each(|row| visit(Field::Number(Number::Double(view[row])))),
            View::Whole(view) => rows.for_each(|row| visit(Field::Number(Number::Whole(view[row])))),
            View::Truth(view) => rows.for_each(|row| visit(Field::Number(Number::Whole(view[row].into())))),
            View::Categories(view, names) => rows.for_each(|row| {
                let number = view[row];
                let name = usize::try_from(number).ok().and_then(|number| names.get(number));
                visit(name.map_or(Field::Missing, |name| Field::Category(number as u32, name)));
            }),
            View::Chunks(chunks) => visit_chunks(chunks, rows, &mut visit),
            View::Other(..) => rows.for_each(|_| visit(Field::Missing)),
        }
    }
}

fn is_numeric(kind: &DataType) -> Option<bool> {
    match kind {
        DataType::Null | DataType::Boolean => Some(true),
        kind if kind.is_integer() || kind.is_floating() => Some(true),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(false),
        DataType::Dictionary(_, values) => is_numeric(values).filter(|numeric| !numeric),
        _ => None,
    }
}

fn visit_chunks<'v>(chunks: &'v [ArrayRef], rows: Range<usize>, visit: &mut impl FnMut(Field<'v>)) {
    let mut start = 0;
    for chunk in chunks {
        let end = start + chunk.len();
        let part = rows.start.max(start)..rows.end.min(end);
        if part.start < part.end {
            visit_chunk(chunk, part.start - start..part.end - start, visit);
        }
        start = end;
    }
}

fn visit_chunk<'v>(chunk: &'v ArrayRef, rows: Range<usize>, visit: &mut impl FnMut(Field<'v>)) {
    match chunk.data_type() {
        DataType::Float16 => primitive::<Float16Type>(chunk, rows, |value| Number::Single(value.to_f32()), visit),
        DataType::Float32 => primitive::<Float32Type>(chunk, rows, Number::Single, visit),
        DataType::Float64 => primitive::<Float64Type>(chunk, rows, Number::Double, visit),
        DataType::Int8 => primitive::<Int8Type>(chunk, rows, |value| Number::Whole(value.into()), visit),
        DataType::Int16 => primitive::<Int16Type>(chunk, rows, |value| Number::Whole(value.into()), visit),
        DataType::Int32 => primitive::<Int32Type>(chunk, rows, |value| Number::Whole(value.into()), visit),
        DataType::Int64 => primitive::<Int64Type>(chunk, rows, Number::Whole, visit),
        DataType::UInt8 => primitive::<UInt8Type>(chunk, rows, |value| Number::Whole(value.into()), visit),
        DataType::UInt16 => primitive::<UInt16Type>(chunk, rows, |value| Number::Whole(value.into()), visit),
        DataType::UInt32 => primitive::<UInt32Type>(chunk, rows, |value| Number::Whole(value.into()), visit),
        DataType::UInt64 => primitive::<UInt64Type>(chunk, rows, Number::Unsigned, visit),
        DataType::Boolean => {
            let array = chunk.as_boolean();
            each(array, rows, |row| Field::Number(Number::Whole(array.value(row).into())), visit);
        }
        DataType::Utf8 => each(chunk, rows, |row| Field::Text(chunk.as_string::<i32>().value(row)), visit),
        DataType::LargeUtf8 => each(chunk, rows, |row| Field::Text(chunk.as_string::<i64>().value(row)), visit),
        DataType::Utf8View => each(chunk, rows, |row| Field::Text(chunk.as_string_view().value(row)), visit),
        DataType::Dictionary(..) => visit_dictionary(chunk, rows, visit),
        _ => rows.for_each(|_| visit(Field::Missing)),
    }
}

fn each<'v>(
    array: &dyn Array,
    rows: Range<usize>,
    field: impl Fn(usize) -> Field<'v>,
    visit: &mut impl FnMut(Field<'v>),
) {
    rows.for_each(|row| visit(if array.is_null(row) { Field::Missing } else { field(row) }));
}

fn primitive<'v, T: ArrowPrimitiveType>(
    chunk: &'v ArrayRef,
    rows: Range<usize>,
    number: impl Fn(T::Native) -> Number,
    visit: &mut impl FnMut(Field<'v>),
) {
    let array = chunk.as_primitive::<T>();
    each(array, rows, |row| Field::Number(number(array.value(row))), visit);
}

/// Categories of Arrow are known by their text: chunks may number them differently.
fn visit_dictionary<'v>(chunk: &'v ArrayRef, rows: Range<usize>, visit: &mut impl FnMut(Field<'v>)) {
    let array: &'v dyn Array = chunk.as_ref();
    downcast_dictionary_array!(
        array => {
            let values = array.values();
            let key = |row: usize| array.key(row).filter(|key| !values.is_null(*key));
            for row in rows {
                let Some(key) = key(row) else {
                    visit(Field::Missing);
                    continue;
                };
                visit_chunk(values, key..key + 1, visit);
            }
        }
        _ => rows.for_each(|_| visit(Field::Missing)),
    );
}
