//! The report of a made-up study, written as a user's would be.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use russet_lab::report;
use russet_lab::study::{Interaction, Results};

fn fixture() -> Results {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/results.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn written(results: &Results) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    report::write(results, &folder.path().join("a/report")).unwrap();
    let page = fs::read_to_string(folder.path().join("a/report/index.html")).unwrap();
    (folder, page)
}

#[test]
fn the_page_needs_nothing_else() {
    let (_folder, page) = written(&fixture());
    for outside in ["http:", "https:", "src=", "@import", "url(", "<link rel=\"stylesheet\""] {
        assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(outside), "{outside}");
    }
}

#[test]
fn every_figure_is_a_file_too() {
    let (folder, page) = written(&fixture());
    let figures = folder.path().join("a/report/figures");
    let mut count = 0;
    for file in fs::read_dir(figures).unwrap() {
        let path = file.unwrap().path();
        let svg = fs::read_to_string(&path).unwrap();
        let key = path.file_stem().unwrap().to_str().unwrap();
        assert!(page.contains(&format!("data-figure=\"{key}\"")), "{key}");
        assert!(svg.starts_with("<svg xmlns=") && svg.contains("class=\"mark") && !svg.contains("var("), "{key}");
        count += 1;
    }
    assert_eq!(count, 10);
}

#[test]
fn a_bar_for_every_run() {
    let (folder, _) = written(&fixture());
    let figure = fs::read_to_string(folder.path().join("a/report/figures/all-error.svg")).unwrap();
    // Ten sets and eight methods; cubic was left out on two sets.
    assert_eq!(figure.matches("class=\"mark").count(), 10 * 8 - 2);
    assert_eq!(figure.matches("class=\"missing\"").count(), 2);
}

#[test]
fn names_from_data_are_harmless() {
    let mut results = fixture();
    let evil = "<script>alert(\"x\")</script>'&\u{1}";
    results.machine = evil.to_owned();
    results.split = evil.to_owned();
    results.program = evil.to_owned();
    for set in &mut results.sets {
        set.name = format!("{evil}{}", set.name);
        set.source = Some(evil.to_owned());
        set.problem = set.problem.as_ref().map(|_| evil.to_owned());
        for run in &mut set.skipped {
            run.reason = evil.to_owned();
        }
        set.interactions = vec![Interaction { name: evil.to_owned(), weight: 1.0, degree: 2, epoch: 2, active: 0.5 }];
    }
    let (folder, page) = written(&results);
    assert_eq!(page.matches("<script>").count(), 1, "the page's own");
    assert!(page.contains("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;"));
    let figure = fs::read_to_string(folder.path().join("a/report/figures/all-error.svg")).unwrap();
    assert!(!figure.contains("<script>") && !figure.contains('\u{1}'));
}

#[test]
fn an_empty_study_has_a_page() {
    let mut results = fixture();
    results.sets.clear();
    let (_folder, page) = written(&results);
    assert!(page.contains("<strong>0 of 0</strong>"));
    assert!(!page.contains("NaN") && !page.contains("inf"), "no figure is drawn at a place that does not exist");
}

#[test]
fn a_set_with_linear_alone_does_no_harm() {
    let mut results = fixture();
    results.sets.retain(|set| set.name == "letter");
    results.sets[0].runs.truncate(1);
    let (_folder, page) = written(&results);
    assert!(page.contains("there is no relative error, for want of baselines"));
    assert!(!page.contains("NaN"));
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = report::write(&fixture(), &file).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot write {}", file.join("figures").display()));
}
