//! Help, completions and the manual page.

mod common;

use common::Folder;

const READING: &str = "--format --label --weight --tag --categorical --numeric --ignore --classes --on-error --readers";
const LEARNING: &str =
    "--expansion --ngram --loss --quantile --step --learning-rate --l1 --l2 --bits --indexing --seed";

fn flags() -> [(&'static str, String); 9] {
    [
        (
            "train",
            format!(
                "{READING} {LEARNING} --output --test --holdout --passes --resume --checkpoint-every --cache --threads --sync-every --average --top --json --quiet"
            ),
        ),
        ("predict", format!("{READING} --model --output --probability --explain --json")),
        ("evaluate", format!("{READING} --model --json")),
        ("inspect", "--top --json --csv --tree".to_owned()),
        ("tune", format!("{READING} {LEARNING} --grid --alphas --output --json --quiet")),
        ("convert", format!("{READING} --output --quiet")),
        (
            "lab",
            "--out --rates --alphas --budget --jobs --shuffle --sets --preset --with-vw --with-lightgbm --with-sklearn --venv --json --quiet"
                .to_owned(),
        ),
        ("lab theory", "--quick --seed --json --quiet".to_owned()),
        ("lab parallel", "--test --ranks --passes --alpha --json --quiet".to_owned()),
    ]
}

#[test]
fn the_help_of_every_command_mentions_every_flag() {
    let folder = Folder::new();
    for (command, flags) in flags() {
        for help in [format!("{command} --help"), format!("{command} -h"), format!("help {command}")] {
            let text = folder.run(&help).succeeds().stdout;
            for flag in flags.split(' ') {
                let mentioned = [" ", "\n", "["].iter().any(|end| text.contains(&format!("{flag}{end}")));
                assert!(mentioned, "{help}: {flag}");
            }
        }
    }
}

#[test]
fn the_help_mentions_every_command() {
    let text = Folder::new().run("--help").succeeds().stdout;
    for command in ["train", "predict", "evaluate", "inspect", "tune", "convert", "lab", "completions", "man"] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(command)), "{command}");
    }
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Folder::new().run(&format!("completions {shell}")).succeeds().stdout;
        let known = ["train", "checkpoint-every", "learning-rate"].iter().all(|word| script.contains(word));
        assert!(known, "{shell}: {} bytes", script.len());
    }
}

#[test]
fn the_manual_page_names_every_command() {
    let page = Folder::new().run("man").succeeds().stdout;
    assert!(page.contains(".TH"), "{page}");
    assert!(
        ["train", "predict", "evaluate", "inspect", "tune", "convert"].iter().all(|command| page.contains(command))
    );
}

#[test]
fn manual_pages_of_all_commands_go_to_a_folder() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("pages")).unwrap();
    folder.run("man --out pages").succeeds();
    let page = std::fs::read_to_string(folder.path("pages").join("russet-train.1")).unwrap();
    assert!(page.contains("checkpoint\\-every"));
}

#[test]
fn the_version_is_told() {
    let run = Folder::new().run("--version").succeeds();
    assert_eq!(run.stdout, format!("russet {}\n", env!("CARGO_PKG_VERSION")));
}
