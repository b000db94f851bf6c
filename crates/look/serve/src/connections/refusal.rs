//! What a client is told that gets no answer.

use std::time::Duration;

use axum::http::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long a refused client has to read why.
const LINGER: Duration = Duration::from_secs(1);

/// Why a request is not answered.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    Crowded,
    Late,
}

impl Refusal {
    pub(super) async fn say(self, mut stream: TcpStream, told: &Semaphore) {
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
