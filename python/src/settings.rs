//! Keyword arguments to settings. Names and defaults are those of the core, and nowhere else.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use russet::loss::LossKind;
use russet::settings::{Checked, ExpansionKind, Settings, StepKind};
use serde_json::{Map, Value};

use crate::errors::Error;

/// Every setting with its default.
#[pyfunction]
pub(crate) fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    to_dict(py, &Settings::default())
}

/// Settings as a dictionary.
pub(crate) fn to_dict<'py>(py: Python<'py>, settings: &Settings) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in as_map(settings) {
        match value {
            Value::String(text) => dict.set_item(name, text)?,
            Value::Number(number) => match number.as_u64() {
                Some(whole) => dict.set_item(name, whole)?,
                // Settings are single precision; as doubles they would show digits that nobody gave.
                None => dict.set_item(name, short(number.as_f64().unwrap_or_default()))?,
            },
            _ => {}
        }
    }
    Ok(dict)
}

/// The double with the fewest digits that is the same in single precision.
fn short(value: f64) -> f64 {
    (value as f32).to_string().parse().unwrap_or(value)
}

fn as_map(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// The settings that keyword arguments say. One that is at its default counts as not given, so a preset's value stands.
pub(crate) fn from_dict(given: &Bound<'_, PyDict>, preset: Option<&str>) -> PyResult<Checked> {
    let base = match preset {
        None => Settings::default(),
        Some("paper") => Settings::paper(),
        Some(other) => return Err(Error::Settings(format!("preset is {other}; it must be paper or None")).into()),
    };
    let (defaults, mut map, mut changed) = (as_map(&Settings::default()), as_map(&base), Vec::new());
    for (name, value) in given {
        let name: String = name.extract()?;
        let Some(default) = defaults.get(&name) else {
            return Err(Error::Settings(format!("there is no setting {name}")).into());
        };
        let value = converted(&name, &value, default)?;
        if same(&value, default) {
            continue;
        }
        map.insert(name.clone(), value.clone());
        if let Err(error) = serde_json::from_value::<Settings>(Value::Object(map.clone())) {
            return Err(Error::Settings(refused(&name, &value, &error.to_string())).into());
        }
        changed.push((name, value));
    }
    let settings: Settings =
        serde_json::from_value(Value::Object(map)).map_err(|error| Error::Settings(error.to_string()))?;
    without_effect(&settings, &changed)?;
    Ok(settings.check().map_err(Error::from)?)
}

/// A value from Python, if it is of the default's kind.
fn converted(name: &str, value: &Bound<'_, PyAny>, default: &Value) -> PyResult<Value> {
    let wrong = |expected: &str| {
        let shown = value.repr().map_or(String::new(), |text| text.to_string());
        PyErr::from(Error::Settings(format!("{name} is {shown}; it must be {expected}")))
    };
    if default.is_string() {
        return value.extract::<String>().map(Value::String).map_err(|_| wrong("a string"));
    }
    if value.is_instance_of::<PyBool>() {
        return Err(wrong("a number"));
    }
    if default.is_u64() {
        return value.extract::<u64>().map(Value::from).map_err(|_| wrong("a whole number, 0 or more"));
    }
    let number: f64 = value.extract().map_err(|_| wrong("a number"))?;
    serde_json::Number::from_f64(number).map(Value::Number).ok_or_else(|| wrong("a finite number"))
}

fn same(value: &Value, default: &Value) -> bool {
    match (value.as_f64(), default.as_f64()) {
        (Some(value), Some(default)) => value as f32 == default as f32,
        _ => value == default,
    }
}

/// What serde says of a word that is none of those it knows, in our words.
fn refused(name: &str, value: &Value, error: &str) -> String {
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match error.split_once("expected ") {
        Some((_, expected)) => format!("{name} is {shown}; it must be {}", expected.replace('`', "")),
        None => format!("{name} is {shown}: {error}"),
    }
}

/// Settings that would have no effect beside the others are refused, as the command line does.
fn without_effect(settings: &Settings, changed: &[(String, Value)]) -> Result<(), Error> {
    const APPLE_ONLY: [&str; 7] = ["alpha", "epochs", "select", "inherit", "guard", "cooling", "memory"];
    for (name, value) in changed {
        let expected = match name.as_str() {
            name if APPLE_ONLY.contains(&name) && settings.expansion != ExpansionKind::Apple => {
                "left out unless the expansion is apple"
            }
            "learning_rate" if settings.step == StepKind::Sgd => "left out with step sgd, whose rate is 1/(l2 (t+1))",
            "quantile" if settings.loss != LossKind::Quantile => "left out unless the loss is quantile",
            _ => continue,
        };
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return Err(Error::Settings(format!("{name} is {shown}; it must be {expected}")));
    }
    Ok(())
}
