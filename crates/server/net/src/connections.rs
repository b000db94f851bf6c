//! The connections of a thread.

use std::collections::HashMap;

use crate::about::About;
use crate::connection::Connection;
use crate::service::Ended;

/// The connections of a thread, which a service may look at and change in [`Service::batch_done`] and in
/// [`Handles::run`].
///
/// A connection that is to end is still seen until the batch is done.
///
/// [`Service::batch_done`]: crate::Service::batch_done
/// [`Handles::run`]: crate::Handles::run
#[derive(Debug)]
pub struct Connections<C> {
    table: Vec<Option<Connection<C>>>,
    free: Vec<u32>,
    slots: HashMap<u64, u32>,
    /// Those that the service has changed since the last batch.
    touched: Vec<Token>,
}

/// The place of a connection in the table, with the low half of its id: an event that comes late finds no other
/// connection that has the place by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) u64);

impl Token {
    fn new(slot: u32, id: u64) -> Self {
        Self((id << 32) | u64::from(slot))
    }

    fn slot(self) -> usize {
        self.0 as u32 as usize
    }

    fn is_of(self, id: u64) -> bool {
        self.0 >> 32 == id & 0xffff_ffff
    }
}

impl<C> Connections<C> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Connection<C>> {
        self.table.iter().flatten()
    }

    /// The states of all of them, in no order.
    pub fn states_mut(&mut self) -> impl Iterator<Item = (&About, &mut C)> {
        let connections = self.table.iter_mut().flatten();
        connections.map(|connection| (&connection.about, &mut connection.state))
    }

    /// The connection with this id, if this thread has it.
    pub fn get(&self, id: u64) -> Option<&Connection<C>> {
        let slot = *self.slots.get(&id)?;
        self.table[slot as usize].as_ref()
    }

    /// The state of the connection with this id, if this thread has it.
    pub fn state_mut(&mut self, id: u64) -> Option<&mut C> {
        Some(&mut self.with_id(id)?.state)
    }

    /// Sends bytes to a connection, behind its answers. They are sent when the batch is done. Returns whether there is
    /// such a connection that does not end.
    pub fn push(&mut self, id: u64, bytes: &[u8]) -> bool {
        self.change(id, |connection| connection.pending.append(bytes))
    }

    /// Takes a connection from hold ([`Then::Hold`](crate::Then::Hold)): it gets the rest of its input when the batch
    /// is done, and is read again. Returns whether there is such a connection that does not end.
    pub fn resume(&mut self, id: u64) -> bool {
        self.change(id, |connection| {
            if connection.held {
                connection.held = false;
                connection.more = !connection.input.is_empty();
            }
        })
    }

    /// Ends a connection when its answers are sent. Returns whether there is such a connection that does not end yet.
    pub fn finish(&mut self, id: u64) -> bool {
        self.change(id, |connection| {
            connection.more = false;
            connection.input = Vec::new();
            connection.finish(Ended::Service);
        })
    }

    /// Ends a connection without sending what waits. Returns whether there is such a connection that does not end yet,
    /// or only when its answers are sent.
    pub fn kill(&mut self, id: u64) -> bool {
        let Some(connection) = self.with_id(id) else {
            return false;
        };
        let lives = connection.ended.is_none();
        connection.end(Ended::Killed);
        self.touch(id);
        lives
    }

    fn with_id(&mut self, id: u64) -> Option<&mut Connection<C>> {
        let slot = *self.slots.get(&id)?;
        self.table[slot as usize].as_mut()
    }

    fn change(&mut self, id: u64, change: impl FnOnce(&mut Connection<C>)) -> bool {
        let Some(connection) = self.with_id(id) else {
            return false;
        };
        if connection.is_over() {
            return false;
        }
        change(connection);
        self.touch(id);
        true
    }

    /// It is looked at when the batch is done.
    fn touch(&mut self, id: u64) {
        let Some(slot) = self.slots.get(&id).copied() else {
            return;
        };
        if let Some(connection) = &mut self.table[slot as usize]
            && !connection.touched
        {
            connection.touched = true;
            self.touched.push(Token::new(slot, id));
        }
    }

    pub(crate) fn new() -> Self {
        Self {
            table: Vec::new(),
            free: Vec::new(),
            slots: HashMap::new(),
            touched: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn at(&mut self, token: Token) -> Option<&mut Connection<C>> {
        let connection = self.table.get_mut(token.slot())?.as_mut()?;
        token.is_of(connection.about.id).then_some(connection)
    }

    pub(crate) fn insert(&mut self, connection: Connection<C>) -> Token {
        let id = connection.about.id;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.table[slot as usize] = Some(connection);
                slot
            }
            None => {
                self.table.push(Some(connection));
                (self.table.len() - 1) as u32
            }
        };
        self.slots.insert(id, slot);
        Token::new(slot, id)
    }

    pub(crate) fn remove(&mut self, token: Token) -> Option<Connection<C>> {
        let id = self.at(token)?.about.id;
        self.slots.remove(&id);
        self.free.push(token.slot() as u32);
        self.table[token.slot()].take()
    }

    pub(crate) fn tokens(&self) -> Vec<Token> {
        self.slots
            .iter()
            .map(|(&id, &slot)| Token::new(slot, id))
            .collect()
    }

    /// Those that the service has changed since this was called last.
    pub(crate) fn take_touched(&mut self) -> Vec<Token> {
        std::mem::take(&mut self.touched)
    }
}
