//! Questions to one agent.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_probe_abi::{
    Description, HEADER_SIZE, Header, Kind, MessageError, Reader, SiteState, Writer,
};

/// How long an agent may take for a message: switching many sites of many threads takes its time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most sites that an agent may name; what names more is no agent.
const MOST_SITES: usize = 1_000_000;

/// One site of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Who offers the probe.
    pub provider: String,
    /// What it is called there.
    pub name: String,
    /// Types and names of its arguments.
    pub arguments: Vec<(String, String)>,
    /// The source file.
    pub file: String,
    /// The line in it.
    pub line: u32,
    /// The executable or shared object; empty for the executable.
    pub object: String,
    /// Address of the site in the process.
    pub address: u64,
    /// Sites with the same are copies of one place in the source, and are counted together.
    pub point: u64,
    /// Hits of the point while it was on.
    pub hits: u64,
    /// Whether it is on.
    pub on: bool,
    /// Whether a flag is tested in place of a no-op.
    pub is_branch: bool,
    /// Tracers in the kernel and debuggers that want it open.
    pub tracers: u16,
}

/// What an agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switched {
    /// Sites that were meant.
    pub matched: u32,
    /// Sites whose state changed.
    pub changed: u32,
    /// Time that it took.
    pub took: Duration,
    /// How it was done; after a list, what is wrong with objects that cannot be used.
    pub how: String,
}

/// Why an agent did not answer as it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// It cannot be reached, or stopped talking.
    #[error("the agent cannot be reached: {0}")]
    Io(#[from] io::Error),
    /// What it says cannot be understood.
    #[error("the agent's answer cannot be read: {0}")]
    Message(#[from] MessageError),
    /// It named a site in a way that cannot be understood.
    #[error("the agent's description of a site cannot be read: {0}")]
    Description(#[from] perflab_probe_abi::DescriptionError),
    /// It gives a reason.
    #[error("{0}")]
    Refused(String),
    /// It says something that is no answer to what was asked.
    #[error("the agent's answer makes no sense")]
    Nonsense,
}

/// An agent that answers, one call for each question.
#[derive(Debug, Clone)]
pub struct Agent(PathBuf);

impl Agent {
    /// The agent with this socket.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The sites that a pattern means, and problems with others.
    ///
    /// # Errors
    /// When the agent refuses or cannot be understood.
    pub fn list(&self, pattern: &str) -> Result<(Vec<Site>, Switched), ControlError> {
        self.ask(Kind::List, pattern)
    }

    /// Switches the sites that a pattern means, now and when they come later.
    ///
    /// # Errors
    /// When the agent refuses, then nothing was switched, or cannot be understood.
    pub fn switch(&self, pattern: &str, on: bool) -> Result<Switched, ControlError> {
        let kind = if on { Kind::On } else { Kind::Off };
        self.ask(kind, pattern).map(|(_, switched)| switched)
    }

    fn ask(&self, kind: Kind, pattern: &str) -> Result<(Vec<Site>, Switched), ControlError> {
        let mut content = vec![0; pattern.len() + 2];
        Writer::new(&mut content).text(pattern)?;
        let length = u32::try_from(content.len()).map_err(|_| MessageError::Short)?;
        let mut message = Header { kind, length }.encode().to_vec();
        message.extend_from_slice(&content);
        let mut stream = UnixStream::connect(&self.0)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(&message)?;
        let mut sites = Vec::new();
        loop {
            let (kind, content) = receive(&mut stream)?;
            let mut fields = Reader::new(&content);
            match kind {
                Kind::Site if sites.len() < MOST_SITES => {
                    sites.push(site(&SiteState::decode(&mut fields)?)?);
                }
                Kind::Done => return Ok((sites, switched(&mut fields)?)),
                Kind::Refused => return Err(ControlError::Refused(printable(fields.text()?))),
                _ => return Err(ControlError::Nonsense),
            }
        }
    }
}

fn receive(stream: &mut UnixStream) -> Result<(Kind, Vec<u8>), ControlError> {
    let mut header = [0; HEADER_SIZE];
    stream.read_exact(&mut header)?;
    let header = Header::decode(&header)?;
    let mut content = vec![0; header.length as usize];
    stream.read_exact(&mut content)?;
    Ok((header.kind, content))
}

fn site(state: &SiteState<'_>) -> Result<Site, ControlError> {
    let description = Description::parse(state.description)?;
    let arguments = description.arguments();
    Ok(Site {
        provider: description.provider.to_owned(),
        name: description.name.to_owned(),
        arguments: arguments
            .map(|argument| (printable(argument.kind_text), argument.name.to_owned()))
            .collect(),
        file: printable(description.file),
        line: description.line,
        object: printable(state.object),
        address: state.address,
        point: state.point,
        hits: state.hits,
        on: state.on,
        is_branch: state.backend != 0,
        tracers: state.semaphore,
    })
}

fn switched(fields: &mut Reader<'_>) -> Result<Switched, ControlError> {
    Ok(Switched {
        matched: fields.u32()?,
        changed: fields.u32()?,
        took: Duration::from_nanos(fields.u64()?),
        how: printable(fields.text()?),
    })
}

/// Text of another process, with nothing in it that a terminal would obey.
fn printable(text: &str) -> String {
    let safe = |c: char| {
        if c.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    /// What is made of an answer.
    fn answered(answer: &[u8]) -> Result<(Vec<Site>, Switched), ControlError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let answer = answer.to_vec();
        let agent = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; HEADER_SIZE + 3];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(&answer).unwrap();
        });
        let result = Agent::at(&path).list("*");
        agent.join().unwrap();
        result
    }

    fn message(kind: Kind, content: &[u8]) -> Vec<u8> {
        let length = content.len() as u32;
        let mut message = Header { kind, length }.encode().to_vec();
        message.extend_from_slice(content);
        message
    }

    fn encoded(description: &str) -> Vec<u8> {
        let mut buffer = [0; 400];
        let mut writer = Writer::new(&mut buffer);
        let state = SiteState {
            address: 1,
            point: 2,
            hits: 3,
            on: true,
            backend: 0,
            semaphore: 0,
            object: "",
            description,
        };
        state.encode(&mut writer).unwrap();
        let written = writer.written();
        buffer[..written].to_vec()
    }

    const DONE: [u8; 18] = [1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    #[test]
    fn an_answer() {
        let mut answer = message(Kind::Site, &encoded("p\nn\nf\x1b[2J.c\n7\ni32 a"));
        answer.extend(message(Kind::Done, &DONE));
        let (sites, switched) = answered(&answer).unwrap();
        assert_eq!(sites.len(), 1);
        assert_eq!(sites[0].arguments, [("i32".to_owned(), "a".to_owned())]);
        assert_eq!(sites[0].file, "f\u{fffd}[2J.c", "a terminal would obey");
        assert_eq!(
            (switched.matched, switched.took),
            (1, Duration::from_nanos(5))
        );
    }

    #[test]
    fn answers_that_are_none() {
        let cases: [(Vec<u8>, &str); 6] = [
            (Vec::new(), "cannot be reached"),
            (b"HTTP/1.1 200 OK\r\n".to_vec(), "no message of perflab"),
            (message(Kind::Done, &DONE[..9]), "ends within a field"),
            (message(Kind::Site, &encoded("p")), "ends before"),
            (message(Kind::On, &[]), "makes no sense"),
            (message(Kind::Refused, &[2, 0, b'n', b'o']), "no"),
        ];
        for (answer, expected) in cases {
            let error = answered(&answer).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
