//! Connections: so many at once, none for ever.
//!
//! Either the server waits for the client, for a request or for room to write an answer, or the client waits for the
//! server. Only the first has a limit. It starts again with every part of an answer that the client takes: a slow
//! client is served, one that does nothing is not. When there are too many connections, the one that has waited for a
//! request longest makes room. If all are being answered, the new one is refused.

mod client;
mod limits;
mod refusal;
mod stream;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use client::{Answer, Client, Gone};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
pub use limits::Limits;
use refusal::Refusal;
use rustix::net::sockopt::set_socket_send_buffer_size;
use stream::{Held, Watched};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Refused clients that are given time to read why.
const TOLD: usize = 8;

/// Until another connection is accepted after that failed.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes of an answer that wait in the system for a client to take them.
const SEND_BUFFER_BYTES: usize = 1 << 17;

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
    // The system grows the buffer to megabytes, and has room for more only when a third of it was taken: a slow client
    // would look like one that takes nothing. Where it cannot be set, it is so.
    let _ = set_socket_send_buffer_size(&stream, SEND_BUFFER_BYTES);
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
                std::pin::Pin::new(&mut connection).graceful_shutdown();
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
