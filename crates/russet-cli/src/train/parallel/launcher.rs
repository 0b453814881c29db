//! Whether the program was started by an MPI launcher, such as `mpirun` or Slurm's `srun`.

/// What launchers tell the processes they start of their number; the first that is set counts. Open MPI, MPICH and its
/// kin, PMIx (Slurm and newer Open MPIs).
const RANKS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];

/// How many they start.
#[cfg(not(feature = "mpi"))]
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

fn number(names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// True if there is a launcher.
pub(super) fn is_there() -> bool {
    number(&RANKS).is_some()
}

/// True if another of the processes that were started says what concerns all; it has had the time to by then, as launchers
/// end all processes when one has ended.
pub(crate) fn leaves_speaking_to_another() -> bool {
    let another = number(&RANKS).is_some_and(|rank| rank > 0);
    if another {
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    another
}

/// This program cannot connect with the others that were started: they would all learn the same and write to the same files.
#[cfg(not(feature = "mpi"))]
pub(super) fn refuse() -> anyhow::Result<Option<std::process::ExitCode>> {
    use crate::output::{USAGE, UsageError};
    match number(&SIZES) {
        Some(ranks) if ranks > 1 && !leaves_speaking_to_another() => Err(UsageError(format!(
            "this russet is built without MPI, but {ranks} of it were started, which would overwrite each other's model; \
             build it with --features mpi, or use --threads on one machine"
        ))
        .into()),
        Some(ranks) if ranks > 1 => Ok(Some(USAGE.into())),
        _ => Ok(None),
    }
}
