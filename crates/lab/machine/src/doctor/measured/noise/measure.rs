//! Measures on some CPUs, in a thread on each, while the caller looks on.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::super::clock_cost::ClockCost;
use super::super::drift::spin;
use super::super::measure::pin;
use super::pieces::{calibrate, timed};
use super::{Noise, Wandering};

/// The least time that it may take.
pub const LEAST_TIME: Duration = Duration::from_secs(1);
/// The most time that it may take.
pub const MOST_TIME: Duration = Duration::from_secs(3600);

/// How long a piece of work is: the longer one where otherwise there would be more pieces than this.
const SHORT_PIECE: Duration = Duration::from_micros(100);
const LONG_PIECE: Duration = Duration::from_micros(500);
const MANY_PIECES: u32 = 1_000_000;

/// How often the caller is asked whether to go on. It sleeps in between, and what it does takes some microseconds.
const WATCH: Duration = Duration::from_millis(200);

/// The times of pieces of work on some CPUs.
pub(super) struct Times {
    /// Of each CPU by the wall clock, and by that of its CPU's time, in seconds.
    pub(super) of: Vec<[Vec<f64>; 2]>,
    /// The smallest step of the wall clock, in seconds.
    pub(super) step_s: f64,
}

/// How the speed of a CPU wanders within so much time, from [`LEAST_TIME`] to [`MOST_TIME`]; a fraction of a second
/// more goes before and behind it. Meanwhile `watch` is called now and then with the time that has passed. `None` if it
/// answered that the measurement shall end.
///
/// The thread that works is pinned to the CPU; the caller's affinity stays as it is.
///
/// # Errors
/// A time outside its range, a thread that cannot be started or pinned to the CPU, a clock that stands still.
pub fn measure(
    cpu: u32,
    time: Duration,
    watch: &mut dyn FnMut(Duration) -> bool,
) -> io::Result<Option<Noise>> {
    let Some(Times { of, step_s }) = times(&[cpu], time, watch)? else {
        return Ok(None);
    };
    let [wall, cpu] = &of[0];
    let of = |times: &[f64]| Wandering::of(times, step_s).map_err(io::Error::other);
    Ok(Some(Noise {
        time_s: wall.iter().sum(),
        pieces: wall.len() as u64,
        clock_step_s: step_s,
        wall: of(wall)?,
        cpu: of(cpu)?,
    }))
}

/// Does the same pieces of work on each of these CPUs, at the same time, as [`measure`] does on one.
///
/// # Errors
/// As [`measure`].
pub(super) fn times(
    cpus: &[u32],
    time: Duration,
    watch: &mut dyn FnMut(Duration) -> bool,
) -> io::Result<Option<Times>> {
    if !(LEAST_TIME..=MOST_TIME).contains(&time) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let begin = Instant::now();
    let clock = || begin.elapsed();
    let step_s = ClockCost::measure().resolution_s;
    let piece = (time / MANY_PIECES).clamp(SHORT_PIECE, LONG_PIECE);
    let work = |rounds| {
        spin(rounds);
    };
    let rounds = rounds(cpus, &clock, &work, piece, Duration::from_secs_f64(step_s))?;
    // The quickest trial has told how long a piece is, but the CPU may become quicker yet.
    let most = (1.25 * time.as_secs_f64() / piece.as_secs_f64()) as usize;
    let (ready, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (done, is_done) = channel::<()>();
    let work_on = |cpu: u32| {
        pin(cpu).inspect_err(|_| is_stopped.store(true, Ordering::Relaxed))?;
        let piece = || work(rounds);
        let clocks = || [clock(), cpu_time()];
        let start = || {
            ready.fetch_add(1, Ordering::Relaxed);
            while ready.load(Ordering::Relaxed) < cpus.len() && !is_stopped.load(Ordering::Relaxed)
            {
                thread::yield_now();
            }
        };
        Ok(timed(&clocks, &piece, time, most, start, &is_stopped))
    };
    let of = thread::scope(|scope| {
        let mut workers = Vec::new();
        for &cpu in cpus {
            let (done, work_on) = (done.clone(), &work_on);
            let worker = thread::Builder::new()
                .name("noise".to_owned())
                .spawn_scoped(scope, move || {
                    // Dropped when the thread ends, however it does.
                    let _done = done;
                    work_on(cpu)
                });
            workers.push(worker.inspect_err(|_| is_stopped.store(true, Ordering::Relaxed))?);
        }
        drop(done);
        while is_done.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
            if !watch(begin.elapsed()) {
                is_stopped.store(true, Ordering::Relaxed);
            }
        }
        let ended = workers.into_iter().map(joined);
        ended.collect::<io::Result<Vec<Option<[Vec<f64>; 2]>>>>()
    })?;
    let of: Option<Vec<_>> = of.into_iter().collect();
    Ok(of.map(|of| Times { of, step_s }))
}

/// Rounds of work that take about this time on the quickest of these CPUs.
fn rounds(
    cpus: &[u32],
    clock: &(impl Fn() -> Duration + Sync),
    work: &(impl Fn(u64) + Sync),
    piece: Duration,
    step: Duration,
) -> io::Result<u64> {
    let on = |cpu: u32| {
        pin(cpu)?;
        let rounds = calibrate(clock, work, piece, step);
        rounds.ok_or_else(|| io::Error::other("the clock stands still"))
    };
    // One after the other: CPUs of one core slow each other down.
    cpus.iter().try_fold(1, |most, cpu| {
        let rounds = thread::scope(|scope| {
            let worker = thread::Builder::new().spawn_scoped(scope, || on(*cpu))?;
            joined(worker)
        });
        Ok(most.max(rounds?))
    })
}

/// What a thread has found.
fn joined<T>(worker: ScopedJoinHandle<'_, io::Result<T>>) -> io::Result<T> {
    let ended = worker.join();
    ended.unwrap_or_else(|_| Err(io::Error::other("a measuring thread ended early")))
}

/// What this thread has used of its CPU.
fn cpu_time() -> Duration {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(used.tv_sec.cast_unsigned(), used.tv_nsec as u32)
}

/// The first CPU that a test may use.
#[cfg(test)]
pub(super) fn own_cpu() -> u32 {
    let own = rustix::thread::sched_getaffinity(None).unwrap();
    (0..1024).find(|cpu| own.is_set(*cpu as usize)).unwrap()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use rustix::thread::sched_getaffinity;

    use super::*;

    #[test]
    fn a_second_shows_the_short_scales_and_the_affinity_stays() {
        let before = sched_getaffinity(None).unwrap();
        let begin = Instant::now();
        let mut looks = 0;
        let seen = measure(own_cpu(), LEAST_TIME, &mut |_| {
            looks += 1;
            true
        });
        let seen = seen.unwrap().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(20));
        assert!((1.0..10.0).contains(&seen.time_s), "{seen:?}");
        assert!(seen.pieces > 100 && looks > 0, "{looks}: {seen:?}");
        for wandering in [&seen.wall, &seen.cpu] {
            assert!(wandering.scales.iter().all(|scale| scale.allan > 0.0));
        }
        // Others may have the CPU for a part of the time.
        let share = seen.cpu.piece_s / seen.wall.piece_s;
        assert!((0.005..1.01).contains(&share), "{share}");
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }

    #[test]
    fn the_length_of_a_piece_is_told_on_the_cpus_that_are_measured() {
        let before = sched_getaffinity(None).unwrap();
        let cpus: Vec<u32> = (0..1024)
            .filter(|cpu| before.is_set(*cpu as usize))
            .take(2)
            .collect();
        let seen = Mutex::new(Vec::<u32>::new());
        let begin = Instant::now();
        let piece = Duration::from_micros(100);
        // On the second CPU, if there is one, the work is half as long.
        let work = |rounds: u64| {
            let own = sched_getaffinity(None).unwrap();
            assert_eq!(own.count(), 1);
            let own = cpus.iter().find(|cpu| own.is_set(**cpu as usize));
            let length = Duration::from_nanos(if own == cpus.first() { 20 } else { 10 });
            let until = Instant::now() + length * u32::try_from(rounds).unwrap();
            while Instant::now() < until {}
            seen.lock().unwrap().extend(own);
        };
        let found = rounds(&cpus, &|| begin.elapsed(), &work, piece, Duration::ZERO).unwrap();
        let most = 5000 * cpus.len() as u64;
        assert!((most / 2..=most).contains(&found), "{found}");
        let mut seen = seen.into_inner().unwrap();
        seen.dedup();
        assert_eq!(seen, cpus);
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }

    #[test]
    fn it_ends_when_the_caller_wants_it() {
        let begin = Instant::now();
        let seen = measure(own_cpu(), MOST_TIME, &mut |_| false);
        assert_eq!(seen.unwrap(), None);
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn what_cannot_be_measured_is_an_error() {
        assert!(measure(own_cpu(), Duration::ZERO, &mut |_| true).is_err());
        assert!(measure(own_cpu(), MOST_TIME * 2, &mut |_| true).is_err());
        assert!(measure(1023, LEAST_TIME, &mut |_| true).is_err());
    }
}
