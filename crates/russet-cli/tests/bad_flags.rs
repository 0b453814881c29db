//! Flags that make no sense exit with 2 and say what would.

mod common;

use common::Folder;

#[track_caller]
fn refused(flags: &str, message: &str) {
    Folder::with("data.vw", "1 | a\n-1 | b\n").run(&format!("train data.vw {flags}")).refuses(message);
}

#[test]
fn values_outside_their_range_are_refused() {
    refused("--bits 99", "--bits is 99; it must be between 4 and 30");
    refused("--ngram 0", "--ngram is 0; it must be between 1 and 16");
    refused("--learning-rate 0", "--learning-rate is 0; it must be above 0");
    refused("--learning-rate nan", "--learning-rate is NaN; it must be above 0");
    refused("--loss quantile --quantile 1", "--quantile is 1; it must be between 0 and 1");
}

#[test]
fn negative_numbers_are_values_and_not_flags() {
    refused("--l1 -1", "--l1 is -1; it must be 0 or more");
    refused("--l2 -0.5", "--l2 is -0.5; it must be 0 or more");
    refused("--learning-rate -1", "--learning-rate is -1; it must be above 0");
}

#[test]
fn a_holdout_is_a_part_of_the_data() {
    refused("--holdout 2", "invalid value '2' for '--holdout <FRACTION>': expected a number between 0 and 1");
    refused("--holdout 0", "invalid value '0' for '--holdout <FRACTION>': expected a number between 0 and 1");
    let run = Folder::new().feed("train - --holdout 0.2", "1 | a\n");
    run.refuses("--holdout needs files: what is kept is read again");
}

#[test]
fn a_holdout_and_a_test_file_exclude_each_other() {
    refused("--holdout 0.2 --test data.vw", "the argument '--holdout <FRACTION>' cannot be used with '--test <FILE>'");
}

#[test]
fn plain_gradient_steps_need_l2_and_take_no_rate() {
    refused("--step sgd", "--l2 is 0; it must be above 0 with step sgd, whose rate is 1/(l2 (t+1))");
    refused(
        "--step sgd --l2 0.1 --learning-rate 1",
        "--learning-rate is 1; it must be left out with step sgd, whose rate is 1/(l2 (t+1))",
    );
}

#[test]
fn a_quantile_needs_its_loss() {
    refused("--quantile 0.3", "--quantile is 0.3; it must be left out unless the loss is quantile");
}

#[test]
fn checkpoints_need_an_output() {
    let run = Folder::with("data.vw", "1 | a\n").run("train data.vw --checkpoint-every 10");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--output <MODEL>"), "{}", run.stderr);
}

#[test]
fn words_that_are_no_choice_are_refused() {
    refused("--loss cubic", "invalid value 'cubic' for '--loss <LOSS>'");
    refused("--frobnicate", "unexpected argument '--frobnicate' found");
    assert_eq!(Folder::new().run("train").code, Some(2));
    assert_eq!(Folder::new().run("").code, Some(2));
}

#[test]
fn tune_has_nothing_to_search_in_plain_gradient_steps() {
    Folder::with("data.vw", "1 | a\n")
        .run("tune data.vw --step sgd --l2 0.1")
        .refuses("tune has nothing to search with --step sgd: its rate is 1/(l2 (t+1))");
}
