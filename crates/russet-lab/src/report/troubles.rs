//! What could not be run: data sets with a problem, and runs that were left out.

use super::series::describe;
use super::text::{duration, escape};
use crate::study::{Results, SetResults, Skipped};

/// The data sets with a problem, if there are any.
pub(super) fn problems(results: &Results) -> String {
    let rows: String = results.sets.iter().filter_map(problem).collect();
    if rows.is_empty() {
        return "<p class=\"note\">No data set had a problem.</p>\n".to_owned();
    }
    format!(
        "<div class=\"scroll\"><table id=\"problems\" class=\"list\"><thead><tr><th scope=\"col\">data set</th>\
         <th scope=\"col\">problem</th></tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn problem(set: &SetResults) -> Option<String> {
    let (name, problem) = (escape(&set.name), escape(set.problem.as_deref()?));
    Some(format!("<tr class=\"problem\"><th scope=\"row\">{name}</th><td>{problem}</td></tr>\n"))
}

/// The runs that were left out, if there are any.
pub(super) fn skipped(results: &Results) -> String {
    let rows: String =
        results.sets.iter().flat_map(|set| set.skipped.iter().map(|run| skipped_run(&set.name, run))).collect();
    if rows.is_empty() {
        return "<p class=\"note\">No run was left out.</p>\n".to_owned();
    }
    let head: String = [("data set", "text"), ("method", "text"), ("estimated time", "number"), ("why", "text")]
        .iter()
        .map(|(text, kind)| format!("<th scope=\"col\" class=\"{kind}\"><button type=\"button\">{text}</button></th>"))
        .collect();
    format!(
        "<div class=\"scroll\"><table id=\"skipped\" class=\"list sortable\"><thead><tr>{head}</tr></thead>\
         <tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn skipped_run(name: &str, run: &Skipped) -> String {
    let method = escape(&describe(run.program, run.method, run.alpha));
    let (name, reason) = (escape(name), escape(&run.reason));
    let estimate = run.estimated_seconds.map_or("<td class=\"none\">–</td>".to_owned(), |seconds| {
        format!("<td data-sort=\"{seconds}\">{}</td>", duration(seconds))
    });
    format!(
        "<tr class=\"skipped\"><th scope=\"row\" data-sort=\"{name}\">{name}</th>\
         <td data-sort=\"{method}\" class=\"text\">{method}</td>{estimate}<td data-sort=\"{reason}\" class=\"text\">{reason}</td></tr>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{set, study};

    #[test]
    fn problems_are_told_and_harmless() {
        let mut bad = set("<script>", Vec::new());
        bad.problem = Some("no <label>".to_owned());
        let html = problems(&study(vec![bad, set("good", Vec::new())]));
        assert!(html.contains("&lt;script&gt;") && html.contains("no &lt;label&gt;") && !html.contains("good"));
        assert!(problems(&study(Vec::new())).contains("No data set had a problem"));
    }
}
