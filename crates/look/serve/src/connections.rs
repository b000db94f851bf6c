//! Connections: so many at once, none for ever.
//!
//! Either the server waits for the client, for a request or for room to write an answer, or the client waits for the
//! server. Only the first has a limit. It starts again with every part of an answer that the client takes: a slow
//! client is served, one that does nothing is not. When there are too many connections, the one that has waited for a
//! request longest makes room. If all are being answered, the new one is refused.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use hyper::body::{Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// File descriptors that are not for connections and the files they are answered with.
const RESERVED: u64 = 32;

/// Connections at once, however many descriptors there are.
const MOST: u64 = 512;

/// Refused clients that are given time to read why.
const TOLD: usize = 8;

/// How long they have.
const LINGER: Duration = Duration::from_secs(1);

/// Until another connection is accepted after that failed.
const PAUSE: Duration = Duration::from_millis(100);

/// How many connections there may be, and how long they may wait.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once, 1 or more.
    pub connections: usize,
    /// Longest time from the connection, or from the end of the last answer, to the first byte of a request; and from
    /// there to the end of its header.
    pub request: Duration,
    /// Longest time in which a client takes nothing of an answer.
    pub stall: Duration,
}

impl Default for Limits {
    /// As many connections as the process has descriptors for, with a file for each.
    fn default() -> Self {
        let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let connections = (descriptors.saturating_sub(RESERVED) / 2).clamp(4, MOST);
        Self {
            connections: connections as usize,
            request: Duration::from_secs(10),
            stall: Duration::from_secs(30),
        }
    }
}

/// Answers connections until `end` is done; those that are being answered then have `grace`.
pub(crate) async fn answer(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
    grace: Duration,
) {
    let (say_end, ending) = watch::channel(());
    let mut tasks = JoinSet::new();
    let mut present: Vec<Arc<Client>> = Vec::new();
    let told = Arc::new(Semaphore::new(TOLD));
    let mut end = std::pin::pin!(end);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            () = &mut end => break,
        };
        present.retain(|client| !client.is_gone());
        match accepted {
            Ok((stream, _)) if present.len() < limits.connections || make_room(&mut present) => {
                let client = Arc::new(Client::new());
                present.push(Arc::clone(&client));
                let (router, told) = (router.clone(), Arc::clone(&told));
                tasks.spawn(attend(stream, client, router, limits, ending.clone(), told));
            }
            Ok((stream, _)) => {
                let told = Arc::clone(&told);
                tasks.spawn(async move { Refusal::Crowded.say(stream, &told).await });
            }
            // It went away before it was accepted.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            // There are no descriptors left, or no memory.
            Err(_) => {
                make_room(&mut present);
                sleep(PAUSE).await;
            }
        }
        // The connection that makes room is closed before the next one comes.
        yield_now().await;
    }
    drop(listener);
    drop(say_end);
    let ended = async { while tasks.join_next().await.is_some() {} };
    // A client that has sent half a request, or does not read the answer, is not waited for.
    let _ended = timeout(grace, ended).await;
}

/// Lets the connection go that has waited for a request longest. False if all are being answered.
fn make_room(present: &mut Vec<Arc<Client>>) -> bool {
    let waiting = present.iter().enumerate().filter_map(|(place, client)| {
        let progress = client.progress();
        progress
            .waits_for_request()
            .then_some((progress.since, place))
    });
    let Some((_, place)) = waiting.min() else {
        return false;
    };
    present.swap_remove(place).leave.notify_one();
    true
}

/// A connection, as the loop that accepts others knows it.
#[derive(Debug)]
struct Client {
    progress: Mutex<Progress>,
    /// It has to make room.
    leave: Notify,
}

/// The state of a connection, as far as limits depend on it.
#[derive(Debug)]
struct Progress {
    /// Requests whose answers are not complete.
    answers: usize,
    /// Whether there is something to write that the client does not take.
    is_blocked: bool,
    /// Whether a part of a request has come.
    has_begun: bool,
    /// Since when it waits for what it waits for.
    since: Instant,
    is_gone: bool,
}

impl Progress {
    fn waits_for_request(&self) -> bool {
        self.answers == 0 && !self.is_blocked
    }

    /// Until when it may wait; nothing while the client waits.
    fn deadline(&self, limits: Limits) -> Option<Instant> {
        match self.is_blocked {
            true => Some(self.since + limits.stall),
            false => (self.answers == 0).then(|| self.since + limits.request),
        }
    }
}

impl Client {
    fn new() -> Self {
        let progress = Progress {
            answers: 0,
            is_blocked: false,
            has_begun: false,
            since: Instant::now(),
            is_gone: false,
        };
        Self {
            progress: Mutex::new(progress),
            leave: Notify::new(),
        }
    }

    /// No change leaves it half done.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_gone(&self) -> bool {
        self.progress().is_gone
    }

    fn has_read(&self) {
        let mut progress = self.progress();
        if progress.waits_for_request() && !progress.has_begun {
            progress.has_begun = true;
            progress.since = Instant::now();
        }
    }

    fn has_written<T>(&self, written: &Poll<io::Result<T>>) {
        let mut progress = self.progress();
        let is_blocked = written.is_pending();
        if !(is_blocked && progress.is_blocked) {
            progress.since = Instant::now();
        }
        progress.is_blocked = is_blocked;
    }
}

/// A request that is being answered.
#[derive(Debug)]
struct Answer(Arc<Client>);

impl Answer {
    fn begin(client: &Arc<Client>) -> Self {
        let mut progress = client.progress();
        progress.answers += 1;
        progress.has_begun = false;
        drop(progress);
        Self(Arc::clone(client))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        let mut progress = self.0.progress();
        progress.answers -= 1;
        progress.since = Instant::now();
    }
}

/// Answers what a client asks until it goes, has to go, or lets itself be waited for too long.
async fn attend(
    stream: TcpStream,
    client: Arc<Client>,
    router: Router,
    limits: Limits,
    mut ending: watch::Receiver<()>,
    told: Arc<Semaphore>,
) {
    let service = service_fn(|request: Request<Incoming>| {
        let answer = Answer::begin(&client);
        let response = TowerToHyperService::new(router.clone()).call(request);
        async move {
            let response = response.await?;
            Ok::<_, std::convert::Infallible>(response.map(|body| Held {
                body,
                _answer: answer,
            }))
        }
    });
    let watched = Watched {
        stream,
        client: Arc::clone(&client),
    };
    let _gone = Gone(&client);
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(watched), service);
    let mut is_ending = false;
    let refusal = loop {
        // The deadline may move meanwhile, so it is looked at again when this one has come.
        let deadline = client.progress().deadline(limits);
        let look = deadline.unwrap_or_else(|| Instant::now() + limits.request.min(limits.stall));
        tokio::select! {
            _ = &mut connection => return,
            () = client.leave.notified() => break Refusal::Crowded,
            _ = ending.changed(), if !is_ending => {
                is_ending = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = sleep_until(look) => {
                let is_late = |deadline| deadline <= Instant::now();
                if client.progress().deadline(limits).is_some_and(is_late) {
                    break Refusal::Late;
                }
            }
        }
    };
    // A client that has not asked is told nothing: a browser keeps connections that it may need.
    let asks = client.progress().has_begun && client.progress().waits_for_request();
    if asks {
        let stream = connection.into_parts().io.into_inner().stream;
        refusal.say(stream, &told).await;
    }
}

/// Says at its end that a connection is gone.
struct Gone<'c>(&'c Client);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.progress().is_gone = true;
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy)]
enum Refusal {
    Crowded,
    Late,
}

impl Refusal {
    async fn say(self, mut stream: TcpStream, told: &Semaphore) {
        let (status, sentence) = match self {
            Self::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "too many connections at once: close some, or try again later",
            ),
            Self::Late => (
                StatusCode::REQUEST_TIMEOUT,
                "the request did not come to its end in time: send it again",
            ),
        };
        let length = sentence.len() + 1;
        let text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{sentence}\n"
        );
        let mut ignored = [0; 4096];
        // A socket that is closed with something unread takes back what was written to it.
        let _nothing_yet = stream.try_read(&mut ignored);
        let _went_away = stream.try_write(text.as_bytes());
        let Ok(_place) = told.try_acquire() else {
            return;
        };
        let linger = async {
            let _went_away = stream.shutdown().await;
            while stream.read(&mut ignored).await.is_ok_and(|bytes| bytes > 0) {}
        };
        let _in_time = timeout(LINGER, linger).await;
    }
}

/// The body of an answer, which is complete when this is gone.
struct Held {
    body: Body,
    _answer: Answer,
}

impl hyper::body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that tells when something moves.
struct Watched {
    stream: TcpStream,
    client: Arc<Client>,
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.client.has_read();
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.client.has_written(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.client.has_written(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::SocketAddr;

    use axum::routing::get;

    use super::*;

    const LIMIT: Duration = Duration::from_millis(300);

    /// A server with one place and an answer that takes far longer than a request may.
    fn served() -> SocketAddr {
        let (say, hear) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                say.send(listener.local_addr().unwrap()).unwrap();
                let slow = get(|| async {
                    sleep(5 * LIMIT).await;
                    "slow"
                });
                let limits = Limits {
                    connections: 1,
                    request: LIMIT,
                    stall: LIMIT,
                };
                let router = Router::new().route("/", slow);
                answer(listener, router, limits, std::future::pending(), LIMIT).await;
            });
        });
        hear.recv().unwrap()
    }

    #[test]
    fn an_answer_that_takes_long_is_waited_for_and_makes_no_room() {
        let address = served();
        let ask = || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream
                .write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                .unwrap();
            stream
        };
        let said = |mut stream: std::net::TcpStream| {
            let mut said = String::new();
            stream.read_to_string(&mut said).unwrap();
            said
        };
        let first = ask();
        std::thread::sleep(2 * LIMIT);
        let second = said(ask());
        assert!(second.starts_with("HTTP/1.1 503 "), "{second}");
        let first = said(first);
        assert!(
            first.starts_with("HTTP/1.1 200 ") && first.ends_with("slow"),
            "{first}"
        );
        // Its place is free again.
        let third = said(ask());
        assert!(third.ends_with("slow"), "{third}");
    }
}
