//! A filter as somebody wishes it.

use std::cmp::Reverse;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_abi::{Actions, Description, Effect, FilterWish, Reader, Then};
use perflab_bpf::{Class, Import, Instruction, Lowered, Program, Verdict, lower, opcode, verify};

use super::acting::{Acting, MOST, Role};
use super::by::Counts;
use super::gates::accept;
use crate::objects::KnownSite;
use crate::pattern::Pattern;

/// A filter, verified.
#[derive(Debug)]
pub struct Filter {
    /// As a person wrote it.
    pub expression: String,
    /// Programs for it; of these, the first that fits a probe judges its events.
    pub alternatives: Vec<Arc<Lowered>>,
    /// Whether accepted events are counted or recorded at all.
    pub acts: bool,
    /// How long it took to verify and to lower all of them.
    pub verified: Duration,
    /// How often each value of an argument came, if accepted events are counted so.
    pub counts: Option<Counts>,
    /// What comes of accepted events.
    role: Role,
    /// What is done about them first, if anything is.
    acting: Option<Arc<Acting>>,
    /// Probes that it does not judge.
    except: Option<Pattern>,
    /// Events that its recording waits for: first those with which it ends, as these may be among the others.
    triggers: Vec<Trigger>,
    /// The same for all that were read from the same bytes.
    hash: u64,
}

/// Events that a recording waits for.
#[derive(Debug)]
struct Trigger {
    probes: Pattern,
    filter: Arc<Filter>,
}

impl Filter {
    /// Verifies what was wished.
    ///
    /// # Errors
    /// When a program is refused, with its instruction and the rule that this breaks, or there are too many filters
    /// that do not just take all that they accept.
    pub fn read(wish: &FilterWish<'_>) -> Result<Self, String> {
        let start = Instant::now();
        let Actions {
            every,
            at_most,
            then,
        } = wish.actions;
        if every.max(at_most) > MOST {
            return Err(format!(
                "the filter is refused: it has a number over {MOST}"
            ));
        }
        let mut hasher = DefaultHasher::new();
        (wish.except, wish.expression, every, at_most, then as u8).hash(&mut hasher);
        let alternatives = wish.alternatives();
        let count = alternatives.len();
        let mut lowered = Vec::with_capacity(count);
        for (index, alternative) in alternatives.enumerate() {
            let refused = |reason: &dyn std::fmt::Display| {
                format!(
                    "the filter is refused: program {} of {count}: {reason}",
                    index + 1
                )
            };
            let imports = alternative.imports.map(|import| {
                (import.class, import.name).hash(&mut hasher);
                let class = Class::from_number(import.class)
                    .ok_or_else(|| refused(&format_args!("unknown class {}", import.class)))?;
                let name = import.name;
                Ok(Import { class, name })
            });
            let imports: Vec<Import<'_>> = imports.collect::<Result<_, String>>()?;
            (alternative.code, alternative.literals).hash(&mut hasher);
            let program = Program {
                imports: &imports,
                code: alternative.code,
                literals: alternative.literals,
            };
            let verified = verify(&program).map_err(|error| refused(&error))?;
            lowered.push(Arc::new(lower(&verified)));
        }
        if lowered.is_empty() {
            return Err("the filter is refused: it has no program".to_owned());
        }
        let except = (!wish.except.is_empty()).then(|| Pattern::parse(wish.except));
        let acting = (every > 1 || at_most > 0).then(|| Acting::new(every, at_most));
        Ok(Self {
            expression: wish.expression.to_owned(),
            alternatives: lowered,
            acts: then == Then::Act,
            verified: start.elapsed(),
            counts: None,
            role: Role::Judge,
            acting: acting.transpose()?.map(Arc::new),
            except: except.transpose()?,
            triggers: Vec::new(),
            hash: hasher.finish(),
        })
    }

    /// The same for a recording that waits for the events that follow.
    ///
    /// # Errors
    /// As [`Filter::read`], also when they cannot be read.
    pub fn with_triggers(mut self, fields: &mut Reader<'_>) -> Result<Self, String> {
        let refused = |error| format!("the filter is refused: {error}");
        let mut hasher = DefaultHasher::new();
        self.hash.hash(&mut hasher);
        while let Some(wish) = perflab_abi::Trigger::decode(fields).map_err(refused)? {
            (wish.effect as u8, wish.probes, wish.number).hash(&mut hasher);
            let mut filter = Self::read(&wish.filter)?;
            filter.hash.hash(&mut hasher);
            let acting = match &self.acting {
                Some(acting) => Arc::clone(acting),
                None => Arc::new(Acting::new(0, 0)?),
            };
            filter.role = match wish.effect {
                Effect::Start => {
                    acting.wait_for_start();
                    Role::Start
                }
                Effect::Stop => {
                    acting.wait_for_stop(wish.number);
                    Role::Stop
                }
            };
            filter.acting = Some(Arc::clone(&acting));
            self.acting = Some(acting);
            self.triggers.push(Trigger {
                probes: Pattern::parse(wish.probes)?,
                filter: Arc::new(filter),
            });
        }
        self.triggers
            .sort_by_key(|trigger| Reverse(trigger.filter.role as u8));
        self.hash = hasher.finish();
        Ok(self)
    }

    /// The same for somebody who waits for the first event that it accepts: see [`Filter::has_come`].
    ///
    /// # Errors
    /// When there are too many of them.
    pub fn awaited(mut self) -> Result<Self, String> {
        let acting = Acting::new(0, 0)?;
        acting.wait_for_stop(0);
        self.role = Role::Stop;
        self.acting = Some(Arc::new(acting));
        Ok(self)
    }

    /// The same, which counts the events that it accepts by the value of an argument.
    pub fn counting(mut self, argument: &str) -> Self {
        self.counts = Some(Counts::new(argument));
        self
    }

    /// Accepts all events.
    pub fn all() -> Self {
        let instruction = |opcode, imm| Instruction {
            opcode,
            dst: 0,
            src: 0,
            offset: 0,
            imm,
        };
        let set = instruction(opcode::ALU64 | opcode::MOV, 1);
        let exit = instruction(opcode::JMP | opcode::EXIT, 0);
        let code = [set, exit].map(Instruction::encode).concat();
        let program = Program {
            imports: &[],
            code: &code,
            literals: &[],
        };
        let lowered = verify(&program).map(|verified| Arc::new(lower(&verified)));
        Self {
            expression: "1".to_owned(),
            alternatives: lowered.into_iter().collect(),
            acts: true,
            verified: Duration::ZERO,
            counts: None,
            role: Role::Judge,
            acting: None,
            except: None,
            triggers: Vec::new(),
            hash: 0,
        }
    }

    /// Whether it judges the events of a site.
    pub fn judges(&self, site: &KnownSite) -> bool {
        let except = self.except.as_ref();
        !except.is_some_and(|except| is_meant(except, &site.description))
    }

    /// The filters of the events that its recording waits for, among those of a probe. They judge before it.
    pub fn triggers(&self, probe: &Description<'_>) -> impl Iterator<Item = &Arc<Self>> {
        let triggers = self.triggers.iter();
        let triggers = triggers.filter(|trigger| is_meant(&trigger.probes, probe));
        triggers.map(|trigger| &trigger.filter)
    }

    /// Whether both were read from the same bytes. Then the first one goes on, as it has counted events.
    pub fn is_same(&self, other: &Self) -> bool {
        self.hash == other.hash
    }

    /// Whether the event has come that somebody waits for.
    pub fn has_come(&self) -> bool {
        self.acting
            .as_ref()
            .is_some_and(|acting| acting.has_stopped())
    }

    /// What is done about accepted events first, if anything is.
    pub fn acting(&self) -> Option<&Arc<Acting>> {
        self.acting.as_ref()
    }

    /// What comes of accepted events.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What comes of an event with this verdict, which accepts it.
    fn role_of(&self, verdict: Verdict, acting: &Acting) -> Role {
        match verdict {
            Verdict::RecordAndTrigger if self.role == Role::Judge && acting.may_stop() => {
                Role::Stop
            }
            _ => self.role,
        }
    }

    /// The address of the code that an event with this verdict comes to, which accepts it.
    pub fn way(&self, verdict: Verdict) -> usize {
        let acting = self.acting.as_ref();
        acting.map_or_else(accept, |acting| acting.way(self.role_of(verdict, acting)))
    }

    /// Whether an event with this verdict, which accepts it, is taken, as that code decides it.
    pub fn takes(&self, verdict: Verdict) -> bool {
        let acting = self.acting.as_ref();
        acting.is_none_or(|acting| acting.takes(self.role_of(verdict, acting)))
    }
}

fn is_meant(pattern: &Pattern, probe: &Description<'_>) -> bool {
    pattern.matches(probe.provider, probe.name)
}

#[cfg(test)]
mod tests;
