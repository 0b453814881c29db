use serde::{Deserialize, Serialize};

use crate::CsvOptions;

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
    /// If its fields are names: two of them stand for -1 and for 1, more for 0, 1, 2 and so on.
    pub classes: Option<Vec<String>>,
}

impl LabelColumn {
    /// What a field that names a class stands for; nothing if it names none.
    pub fn class_value(&self, field: &[u8]) -> Option<f32> {
        let classes = self.classes.as_deref()?;
        let number = classes.iter().position(|name| name.as_bytes() == field)?;
        Some(if classes.len() == 2 { 2.0 * number as f32 - 1.0 } else { number as f32 })
    }
}

impl Schema {
    /// Where flags say something else than the schema does, for a message.
    pub fn contradiction(&self, flags: &CsvOptions) -> Option<String> {
        let differs = |flag: &str, wanted: &Option<String>, has: Option<&String>| {
            let wanted = wanted.as_ref().filter(|wanted| Some(*wanted) != has)?;
            let has = has.map_or("none".to_owned(), |has| format!("`{has}`"));
            Some(format!("--{flag} {wanted} is asked for, but the model was trained with {has}"))
        };
        let classes = flags.classes.as_ref().filter(|classes| Some(*classes) != self.label.classes.as_ref());
        differs("label", &flags.label, Some(&self.label.name))
            .or_else(|| differs("weight", &flags.weight, self.weight.as_ref()))
            .or_else(|| differs("tag", &flags.tag, self.tag.as_ref()))
            .or_else(|| classes.map(|_| "--classes is not as the model was trained".to_owned()))
            .or_else(|| self.other_kind("numeric", &flags.numeric, Some(ColumnKind::Number)))
            .or_else(|| self.other_kind("categorical", &flags.categorical, Some(ColumnKind::Category)))
            .or_else(|| self.other_kind("ignore", &flags.ignore, None))
    }

    fn other_kind(&self, flag: &str, names: &[String], kind: Option<ColumnKind>) -> Option<String> {
        let known = |name: &String| self.columns.iter().find(|column| column.name == *name).map(|column| column.kind);
        let name = names.iter().find(|name| known(name) != kind)?;
        Some(format!("--{flag} {name} is asked for, but the model was trained otherwise"))
    }
}
