//! A filter in eBPF, as it is sent to an agent and as an object has it.

use perflab_bpf::{Class, Lowered, Program, Refused};

/// A value that a filter takes from an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Import {
    /// What it is.
    pub class: Class,
    /// The argument's name, or `$ctx.` and a name.
    pub name: String,
}

/// A filter in eBPF: a [`Program`] that owns its parts. Nobody has verified it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterProgram {
    /// What it takes from an event: the slots of its context, in order.
    pub imports: Vec<Import>,
    /// The instructions, 8 bytes each.
    pub code: Vec<u8>,
    /// The bytes of all literals.
    pub literals: Vec<u8>,
}

impl FilterProgram {
    /// The imports, for [`FilterProgram::program`].
    pub fn borrowed(&self) -> Vec<perflab_bpf::Import<'_>> {
        let imports = self.imports.iter();
        let imports = imports.map(|import| perflab_bpf::Import {
            class: import.class,
            name: &import.name,
        });
        imports.collect()
    }

    /// The program with its imports, which are [`FilterProgram::borrowed`].
    pub fn program<'a>(&'a self, imports: &'a [perflab_bpf::Import<'a>]) -> Program<'a> {
        Program {
            imports,
            code: &self.code,
            literals: &self.literals,
        }
    }

    /// Verifies and lowers it, as an agent does.
    ///
    /// # Errors
    /// When it is refused, with the instruction and the rule.
    pub fn lowered(&self) -> Result<Lowered, Refused> {
        let imports = self.borrowed();
        let verified = perflab_bpf::verify(&self.program(&imports))?;
        Ok(perflab_bpf::lower(&verified))
    }
}
