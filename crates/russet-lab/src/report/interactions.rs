//! The strongest interactions that apple found in each data set.

use super::text::{escape, fixed, percent};
use crate::study::{Interaction, SetResults};

/// How many of a set's interactions are shown at once; the others open on demand.
const SHOWN: usize = 6;

/// The columns, so that what folds away lines up with what is shown.
const COLUMNS: &str = "<col><col class=\"weight\"><col class=\"small\"><col class=\"small\"><col class=\"small\">";

/// A card for each data set that has some.
pub(super) fn cards(sets: &[&SetResults]) -> String {
    let some: Vec<_> = sets.iter().filter(|set| !set.interactions.is_empty()).collect();
    let none: Vec<String> =
        sets.iter().filter(|set| set.interactions.is_empty()).map(|set| escape(&set.name)).collect();
    let cards: String = some.iter().map(|set| card(set)).collect();
    let rest =
        if none.is_empty() { String::new() } else { format!("<p class=\"note\">None on {}.</p>\n", none.join(", ")) };
    format!("<div class=\"cards\">\n{cards}</div>\n{rest}")
}

fn card(set: &SetResults) -> String {
    let largest = set.interactions.iter().map(|one| one.weight.abs()).fold(0.0, f64::max);
    let rows: Vec<String> = set.interactions.iter().map(|one| row(one, largest)).collect();
    let (first, others) = rows.split_at(rows.len().min(SHOWN));
    let name = escape(&set.name);
    let more = if others.is_empty() {
        String::new()
    } else {
        format!("<details><summary>{} more</summary>{}</details>", others.len(), table(&name, others))
    };
    format!("<section class=\"card\" data-set=\"{name}\"><h3>{name}</h3>{}{more}</section>\n", table(&name, first))
}

fn table(set: &str, rows: &[String]) -> String {
    format!(
        "<table class=\"interactions\" aria-label=\"interactions of {set}\">{COLUMNS}<thead><tr><th scope=\"col\">interaction</th>\
         <th scope=\"col\">weight</th><th scope=\"col\">degree</th><th scope=\"col\">epoch</th>\
         <th scope=\"col\">active</th></tr></thead><tbody>{}</tbody></table>",
        rows.concat()
    )
}

fn row(interaction: &Interaction, largest: f64) -> String {
    let Interaction { name, weight, degree, epoch, active } = interaction;
    let factors: Vec<String> = name.split(" * ").map(|factor| format!("<span>{}</span>", escape(factor))).collect();
    let length = if largest > 0.0 { 100.0 * weight.abs() / largest } else { 0.0 };
    let sign = if *weight < 0.0 { "minus" } else { "plus" };
    format!(
        "<tr class=\"interaction\"><td class=\"product\">{}</td>\
         <td class=\"weight {sign}\" style=\"--length:{length:.0}%\">{}</td>\
         <td>{degree}</td><td>{epoch}</td><td>{}</td></tr>",
        factors.join(" × "),
        signed(*weight),
        percent(*active)
    )
}

fn signed(weight: f64) -> String {
    let places = if weight.abs() >= 99.95 { 1 } else { 3 };
    if weight > 0.0 { format!("+{}", fixed(weight, places)) } else { fixed(weight, places) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::set;

    #[test]
    fn names_are_harmless_and_many_fold_away() {
        let mut set = set("a", Vec::new());
        let one = Interaction { name: "<b> * c".to_owned(), weight: -0.34, degree: 2, epoch: 2, active: 0.1 };
        set.interactions = vec![one; 8];
        let html = cards(&[&set]);
        assert!(html.contains("<span>&lt;b&gt;</span> × <span>c</span>") && html.contains("−0.340"));
        assert!(html.contains("<summary>2 more</summary>"));
        assert_eq!(html.matches("class=\"interaction\"").count(), 8);
    }
}
