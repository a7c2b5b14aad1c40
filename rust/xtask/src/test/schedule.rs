//! Runs groups in parallel. A test in Blender keeps at most one processor busy and waits a third of its time, for other processes and
//! servers: one group more than there are processors fills the pauses.

use std::sync::{Condvar, Mutex, PoisonError};

/// Most groups at a time: more than one for each Blender version gains nothing, and each may use some gigabytes.
const MOST: usize = 4;

/// How many groups run at a time.
pub(super) fn lanes() -> usize {
    std::thread::available_parallelism()
        .map_or(1, |processors| processors.get() + 1)
        .min(MOST)
}

/// The running jobs.
#[derive(Debug, Default)]
struct Work {
    next: usize,
    running: usize,
    /// Whether a job runs that uses every processor.
    alone: bool,
}

/// Runs `work` for every job and returns the results in the order of the jobs.
/// Jobs begin in their order, in this many lanes; one that is `alone` runs exclusively.
pub(super) fn side_by_side<J: Sync, R: Send>(
    jobs: &[J],
    lanes: usize,
    alone: impl Fn(&J) -> bool + Sync,
    work: impl Fn(usize, &J) -> R + Sync,
) -> Vec<R> {
    let (state, changed) = (Mutex::new(Work::default()), Condvar::new());
    let lane = || {
        let mut done = Vec::new();
        while let Some((number, job, turn)) = take(jobs, &state, &changed, &alone) {
            done.push((number, work(number, job)));
            drop(turn);
        }
        done
    };
    let mut done: Vec<_> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes.max(1)).map(|_| scope.spawn(lane)).collect();
        lanes
            .into_iter()
            .flat_map(|lane| lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The next job, as soon as it may begin; `None` when all have begun.
fn take<'a, J>(
    jobs: &'a [J],
    state: &'a Mutex<Work>,
    changed: &'a Condvar,
    alone: &impl Fn(&J) -> bool,
) -> Option<(usize, &'a J, Turn<'a>)> {
    let mut now = state.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let number = now.next;
        let job = jobs.get(number)?;
        let alone = alone(job);
        if !now.alone && (!alone || now.running == 0) {
            now.next += 1;
            now.running += 1;
            now.alone = alone;
            return Some((number, job, Turn { state, changed }));
        }
        now = changed.wait(now).unwrap_or_else(PoisonError::into_inner);
    }
}

/// A running job; dropped when it ends, even by a panic, so that nothing waits for it forever.
struct Turn<'a> {
    state: &'a Mutex<Work>,
    changed: &'a Condvar,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut now = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        now.running -= 1;
        now.alone = false;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_keep_the_order_of_jobs_and_two_run_in_parallel() {
        // Two jobs that wait for each other finish only if they run in parallel.
        let meeting = Barrier::new(2);
        let results = side_by_side(
            &[1, 2, 3, 4],
            2,
            |_| false,
            |number, job| {
                meeting.wait();
                (number, *job * 10)
            },
        );
        assert_eq!(results, [(0, 10), (1, 20), (2, 30), (3, 40)]);
    }

    #[test]
    fn an_exclusive_job_runs_alone() {
        let (running, most_beside) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results = side_by_side(
            &[false, true, false, true, true, false, false],
            3,
            |alone| *alone,
            |_, alone| {
                running.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(5));
                if *alone {
                    most_beside.fetch_max(running.load(Ordering::SeqCst), Ordering::SeqCst);
                }
                running.fetch_sub(1, Ordering::SeqCst);
            },
        );
        assert_eq!(results.len(), 7);
        assert_eq!(most_beside.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_panic_ends_the_schedule_without_blocking() {
        let broken = std::panic::catch_unwind(|| {
            side_by_side(&[0, 1, 2], 2, |_| true, |_, job| assert_ne!(*job, 1, "this one breaks"))
        });
        assert!(broken.is_err());
    }
}
