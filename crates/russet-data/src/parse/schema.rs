use serde::{Deserialize, Serialize};

/// What the columns of a table mean. It is saved with a model, so that other tables are read the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The columns that are features.
    pub columns: Vec<Column>,
    /// The column to predict.
    pub label: LabelColumn,
    /// The column that says how many examples a row counts for.
    pub weight: Option<String>,
    /// The column that predictions carry along.
    pub tag: Option<String>,
}

/// A column that is a feature, or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// What its fields are.
    pub kind: ColumnKind,
}

/// What the fields of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// Numbers: one feature, named as the column.
    Number,
    /// Names: a 0/1 feature `column=value` for each.
    Category,
}

/// The column to predict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelColumn {
    /// Its name in the header.
    pub name: String,
    /// If its fields are names: which of them stand for -1 and for 1.
    pub classes: Option<[String; 2]>,
}
