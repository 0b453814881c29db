//! What the columns of a frame are: told from their types, by the user, or by the model that is to predict.

use std::collections::BTreeSet;

use russet::feature::Namespace;
use russet_data::{Column as SchemaColumn, ColumnKind, CsvOptions, LabelColumn, Schema};

use super::columns::{Column, Role};
use super::view::{Field, View};
use crate::errors::{Error, in_python};

/// How a frame is read.
pub(crate) struct Plan {
    pub(crate) schema: Schema,
    pub(crate) roles: Vec<Role>,
    /// From columns of the frame, if they are there.
    pub(crate) labels: Option<Vec<f32>>,
    pub(crate) weights: Option<Vec<f32>>,
}

/// Settles what the columns of a frame to learn from are. `label`: what the labels are called that come beside it.
pub(crate) fn plan_for_training(
    columns: &[Column<'_>],
    options: &CsvOptions,
    label: Option<LabelColumn>,
) -> Result<Plan, Error> {
    let named = [&options.numeric, &options.categorical, &options.ignore].into_iter().flatten();
    for name in named.chain(&options.label).chain(&options.weight) {
        find(columns, name)?;
    }
    let label_place = options.label.as_deref().map(|name| find(columns, name)).transpose()?;
    let label = match (label, label_place) {
        (Some(label), _) => label,
        (None, Some(place)) => label_column(&columns[place], options.classes.as_deref())?,
        (None, None) => {
            let names = columns.iter().map(|column| format!("`{}`", column.name)).collect::<Vec<_>>().join(", ");
            return Err(Error::data(format!("which column is the label? Name it with label=; there are {names}")));
        }
    };
    let special = |name: &String| [&options.label, &options.weight].into_iter().flatten().any(|other| other == name);
    let mut features = Vec::new();
    for column in columns.iter().filter(|column| !special(&column.name) && !options.ignore.contains(&column.name)) {
        features.push(SchemaColumn { name: column.name.clone(), kind: kind(column, options)? });
    }
    let schema = Schema { columns: features, label, weight: options.weight.clone(), tag: None };
    let labels = label_place.map(|place| label_values(&columns[place], &schema.label)).transpose()?;
    let weights = options.weight.as_deref().map(|name| numbers(&columns[find(columns, name)?])).transpose()?;
    let roles = columns.iter().map(|column| role(column, &schema)).collect::<Result<_, _>>()?;
    Ok(Plan { schema, roles, labels, weights })
}

/// Settles how a frame is read for a model; `labelled` if its label and weight are asked for too.
pub(crate) fn plan_for_model(columns: &[Column<'_>], schema: &Schema, labelled: bool) -> Result<Plan, Error> {
    for wanted in &schema.columns {
        if !columns.iter().any(|column| column.name == wanted.name) {
            let name = &wanted.name;
            return Err(Error::data(format!("there is no column `{name}`, which the model was trained with")));
        }
    }
    let labels = match labelled {
        true => Some(label_values(&columns[find(columns, &schema.label.name)?], &schema.label)?),
        false => None,
    };
    let weight = schema.weight.as_deref().filter(|_| labelled);
    let weights = weight.map(|name| numbers(&columns[find(columns, name)?])).transpose()?;
    let roles = columns.iter().map(|column| role(column, schema)).collect::<Result<_, _>>()?;
    Ok(Plan { schema: schema.clone(), roles, labels, weights })
}

fn find(columns: &[Column<'_>], name: &str) -> Result<usize, Error> {
    columns.iter().position(|column| column.name == name).ok_or_else(|| {
        let names = columns.iter().map(|column| format!("`{}`", column.name)).collect::<Vec<_>>().join(", ");
        Error::data(format!("there is no column `{name}`; there are {names}"))
    })
}

fn numeric(column: &Column<'_>) -> Result<bool, Error> {
    column.view.is_numeric().ok_or_else(|| {
        let (name, found) = (&column.name, column.view.type_name());
        Error::data(format!(
            "the column `{name}` is of type {found}; expected numbers, truth values, strings or categories"
        ))
    })
}

fn kind(column: &Column<'_>, options: &CsvOptions) -> Result<ColumnKind, Error> {
    if options.categorical.contains(&column.name) {
        return Ok(ColumnKind::Category);
    }
    match numeric(column)? {
        true => Ok(ColumnKind::Number),
        false if options.numeric.contains(&column.name) => Err(holds_names(column)),
        false => Ok(ColumnKind::Category),
    }
}

fn holds_names(column: &Column<'_>) -> Error {
    Error::data(format!("the column `{}` holds names; expected numbers", column.name))
}

fn role(column: &Column<'_>, schema: &Schema) -> Result<Role, Error> {
    let Some(known) = schema.columns.iter().find(|known| known.name == column.name) else { return Ok(Role::Ignored) };
    let name = column.name.as_bytes();
    match (known.kind, numeric(column)?) {
        (ColumnKind::Number, true) => Ok(Role::Number { id: Namespace::ANONYMOUS.feature(name) }),
        (ColumnKind::Number, false) if column.view.len() > 0 => Err(holds_names(column)),
        (ColumnKind::Number, false) => Ok(Role::Ignored),
        (ColumnKind::Category, _) => Ok(Role::Category { namespace: Namespace::new(name) }),
    }
}

/// The label column, with the names of its classes unless it holds numbers.
fn label_column(column: &Column<'_>, classes: Option<&[String]>) -> Result<LabelColumn, Error> {
    let name = column.name.clone();
    if classes.is_some() || numeric(column)? {
        return Ok(LabelColumn { name, classes: classes.map(<[String]>::to_vec) });
    }
    let mut names = BTreeSet::new();
    column.view.visit(0..column.view.len(), |field| {
        if let Some(text) = field.text().filter(|text| !names.contains(text.as_ref())) {
            names.insert(text.into_owned());
        }
    });
    if names.len() < 2 {
        let only = names.first().map_or("", String::as_str);
        return Err(Error::data(format!(
            "the label column `{name}` has only one name, `{only}`; name all with classes="
        )));
    }
    Ok(LabelColumn { name, classes: Some(names.into_iter().collect()) })
}

fn label_values(column: &Column<'_>, label: &LabelColumn) -> Result<Vec<f32>, Error> {
    let Some(classes) = &label.classes else { return numbers(column) };
    let (mut values, mut problem) = (Vec::with_capacity(column.view.len()), None);
    column.view.visit(0..column.view.len(), |field| {
        let value = field.text().and_then(|text| label.class_value(text.as_bytes()));
        if value.is_none() {
            problem.get_or_insert((values.len(), field.text().map(std::borrow::Cow::into_owned)));
        }
        values.push(value.unwrap_or(f32::NAN));
    });
    let Some((row, found)) = problem else { return Ok(values) };
    let name = &label.name;
    let Some(found) = found else {
        return Err(Error::data(format!("row {row}: there is no label in the column `{name}`")));
    };
    let message =
        format!("row {row}: the label in the column `{name}` is `{found}`; expected one of {}", classes.join(", "));
    Err(Error::data(in_python(&message)))
}

fn numbers(column: &Column<'_>) -> Result<Vec<f32>, Error> {
    if !numeric(column)? {
        return Err(holds_names(column));
    }
    let mut values = Vec::with_capacity(column.view.len());
    column.view.visit(0..column.view.len(), |field| {
        values.push(if let Field::Number(number) = field { number.single() } else { f32::NAN });
    });
    Ok(values)
}

/// The columns of an array as those of a frame that a model was trained with, if it fits.
pub(crate) fn columns_of_array<'a>(views: Vec<View<'a>>, schema: &Schema) -> Result<Vec<Column<'a>>, Error> {
    let (found, wanted) = (views.len(), schema.columns.len());
    if found != wanted {
        return Err(Error::data(format!("the array has {found} columns; the model was trained with {wanted}")));
    }
    let names = schema.columns.iter().map(|column| column.name.clone());
    Ok(names.zip(views).map(|(name, view)| Column { name, view }).collect())
}
