//! A service that borrows a reader of RCU.

use std::sync::mpsc;
use std::thread;

use perflab_net::{About, Connections, Consumed, Listen, Server, Service};
use perflab_rcu::{Guarded, OwnQsbr, Reader, as_reader, synchronize};

use crate::support::{LONG, ask, options};

/// Answers each line with the text that is current.
struct Current<'r> {
    reader: &'r mut Reader<OwnQsbr>,
    text: &'r Guarded<String, OwnQsbr>,
}

impl Service for Current<'_> {
    type Connection = ();

    fn open(&mut self, _: &About) {}

    fn input(&mut self, (): &mut (), bytes: &[u8], output: &mut Vec<u8>) -> Consumed {
        let section = self.reader.enter();
        if let Some(text) = self.text.load(&section) {
            output.extend_from_slice(text.as_bytes());
        }
        Consumed::go(bytes.len())
    }

    fn batch_done(&mut self, _: &mut Connections<()>) {
        self.reader.quiescent();
    }

    fn while_blocked<R>(&mut self, wait: impl FnOnce() -> R) -> R {
        self.reader.while_offline(wait)
    }
}

#[test]
fn grace_periods_do_not_wait_for_threads_that_wait() {
    let server = Server::open(&[Listen::loopback(0)], &options(2)).unwrap();
    let handles = server.handles();
    let Listen::Tcp(address) = server.listens_at()[0] else {
        panic!("it listens elsewhere");
    };
    let text = Guarded::<String, OwnQsbr>::new(Box::new("current\n".to_owned()));
    thread::scope(|scope| {
        let serves = scope.spawn(|| {
            server.run(|_, driver| {
                as_reader(|reader| {
                    driver.run(&mut Current {
                        reader,
                        text: &text,
                    })
                })
                .unwrap()
            })
        });
        let mut client = std::net::TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(LONG)).unwrap();
        assert_eq!(ask(&mut client, "which?"), "current");
        // Both threads wait for events now, and will for as long as nothing comes.
        let (sender, receiver) = mpsc::channel();
        scope.spawn(move || sender.send(synchronize::<OwnQsbr>()).unwrap());
        let synchronized = receiver.recv_timeout(LONG);
        assert_eq!(ask(&mut client, "which?"), "current");
        handles.stop().stop();
        serves
            .join()
            .unwrap()
            .unwrap()
            .into_iter()
            .for_each(Result::unwrap);
        synchronized.unwrap().unwrap();
    });
}
