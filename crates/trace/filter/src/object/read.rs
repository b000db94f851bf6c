//! From an object to a program. The file may be anybody's, so nothing in it is believed.

use object::LittleEndian;
use object::elf::{
    self, EM_BPF, ET_REL, FileHeader64, R_BPF_64_32, R_BPF_64_64, Rel64, SHF_ALLOC, SHF_EXECINSTR,
    SHF_WRITE, SHT_PROGBITS, SHT_REL, SHT_RELA, STT_FUNC, STT_SECTION,
};
use object::read::elf::{FileHeader, SectionHeader, SectionTable, SymbolTable};
use object::read::{SectionIndex, SymbolIndex};
use perflab_bpf::{Instruction, MOST_INSTRUCTIONS, MOST_LITERALS, Rule, opcode, verify};

use super::forward::forward;
use super::problem::{ObjectProblem, shown};
use super::{IMPORTS, LITERALS, PROGRAM, class_of};
use crate::program::{FilterProgram, Import};

/// The filter of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterObject {
    /// What its function is called; any characters. Empty if the object does not say.
    pub name: String,
    /// The program, which [`verify`] accepts.
    pub program: FilterProgram,
}

/// Reads the filter of an object. Its blocks may have another order than in the file, see [`ObjectProblem::Loop`].
///
/// # Errors
/// When the file is no object with one filter, or if the filter breaks a rule.
pub fn read_object(bytes: &[u8]) -> Result<FilterObject, ObjectProblem> {
    let object = Object::parse(bytes)?;
    let (section, name) = object.filter()?;
    let mut code = object.code(section)?;
    let imports = object.imports()?;
    let literals = object.relocate(section, &mut code)?;
    let numbered = forward(&code).map_err(|at| ObjectProblem::Loop {
        at,
        shown: shown(&code, at),
    })?;
    let instructions = numbered.iter().map(|(_, instruction)| *instruction);
    let program = FilterProgram {
        imports,
        code: instructions.flat_map(Instruction::encode).collect(),
        literals,
    };
    if let Err(refused) = verify(&program.program(&program.borrowed())) {
        // As the file has it: jumps may lead elsewhere now.
        let at = numbered.get(refused.at).map_or(0, |(at, _)| *at);
        return Err(ObjectProblem::refused(&code, at, refused.rule));
    }
    Ok(FilterObject { name, program })
}

type Header = FileHeader64<LittleEndian>;

/// A file of sections and symbols.
struct Object<'d> {
    data: &'d [u8],
    sections: SectionTable<'d, Header>,
    symbols: SymbolTable<'d, Header>,
}

fn damaged(error: object::Error) -> ObjectProblem {
    ObjectProblem::Damaged(error.to_string())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl<'d> Object<'d> {
    fn parse(data: &'d [u8]) -> Result<Self, ObjectProblem> {
        let header = Header::parse(data).map_err(|_| ObjectProblem::NoObject)?;
        let endian = header.endian().map_err(|_| ObjectProblem::NoObject)?;
        let is_object = header.e_type(endian) == ET_REL && header.e_machine(endian) == EM_BPF;
        if !is_object {
            return Err(ObjectProblem::NoObject);
        }
        let sections = header.sections(endian, data).map_err(damaged)?;
        let symbols = sections.symbols(endian, data, elf::SHT_SYMTAB);
        Ok(Self {
            data,
            sections,
            symbols: symbols.map_err(damaged)?,
        })
    }

    fn section(&self, name: &str) -> Option<SectionIndex> {
        let found = self.sections.section_by_name(LittleEndian, name.as_bytes());
        found.map(|(index, _)| index)
    }

    fn content(&self, index: SectionIndex) -> Result<&'d [u8], ObjectProblem> {
        let section = self.sections.section(index).map_err(damaged)?;
        section.data(LittleEndian, self.data).map_err(damaged)
    }

    /// The functions of a section, by their places in it.
    fn functions(&self, section: SectionIndex) -> Vec<(u64, String)> {
        let symbols = self.symbols.enumerate();
        let functions = symbols.filter(|(index, symbol)| {
            let own = self.symbols.symbol_section(LittleEndian, symbol, *index);
            symbol.st_type() == STT_FUNC && own == Ok(Some(section))
        });
        let functions = functions.map(|(_, symbol)| {
            let name = self.symbols.symbol_name(LittleEndian, symbol);
            let place = symbol.st_value.get(LittleEndian);
            (place, text(name.unwrap_or_default()))
        });
        functions.collect()
    }

    /// The section of the filter, and what its function is called.
    fn filter(&self) -> Result<(SectionIndex, String), ObjectProblem> {
        let section = self.section(PROGRAM).ok_or(ObjectProblem::NoFilter)?;
        let mut functions = self.functions(section);
        match functions.pop() {
            Some(_) if !functions.is_empty() => {
                let all = self.functions(section).into_iter();
                let all: Vec<String> = all.map(|(_, name)| format!("`{name}`")).collect();
                Err(ObjectProblem::Several(all.join(", ")))
            }
            Some((0, name)) => Ok((section, name)),
            Some((_, name)) => Err(ObjectProblem::Damaged(format!(
                "`{name}` does not begin at the beginning of its section"
            ))),
            None => Ok((section, String::new())),
        }
    }

    fn code(&self, section: SectionIndex) -> Result<Vec<Instruction>, ObjectProblem> {
        let content = self.content(section)?;
        let (code, rest) = content.as_chunks::<{ Instruction::BYTES }>();
        let code: Vec<Instruction> = code.iter().map(|each| Instruction::decode(*each)).collect();
        // Looked at here, as what follows takes time in proportion to it.
        if code.len() > MOST_INSTRUCTIONS || !rest.is_empty() {
            return Err(ObjectProblem::refused(&code, 0, Rule::Size));
        }
        Ok(code)
    }

    fn imports(&self) -> Result<Vec<Import>, ObjectProblem> {
        let section = self.section(IMPORTS).ok_or(ObjectProblem::NoImports)?;
        let content = self.content(section)?;
        // The zero that ends a text in C.
        let content = content.strip_suffix(&[0]).unwrap_or(content);
        let lines = content.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        let imports = lines.map(|line| {
            let line = text(line);
            let (class, name) = line.split_once(' ').unwrap_or_default();
            match class_of(class) {
                Some(class) if !name.is_empty() => Ok(Import {
                    class,
                    name: name.to_owned(),
                }),
                _ => Err(ObjectProblem::Import(line)),
            }
        });
        imports.collect()
    }

    /// Makes instructions that load addresses of constants load those of literals, and returns these.
    fn relocate(
        &self,
        section: SectionIndex,
        code: &mut [Instruction],
    ) -> Result<Vec<u8>, ObjectProblem> {
        let mut literals = Literals::default();
        for table in self.sections.iter() {
            let kind = table.sh_type(LittleEndian);
            if !matches!(kind, SHT_REL | SHT_RELA) || table.info_link(LittleEndian) != section {
                continue;
            }
            let relocations = table.rel(LittleEndian, self.data).map_err(damaged)?;
            let (relocations, _) = relocations.ok_or_else(|| {
                ObjectProblem::Damaged("its relocations are not those of clang".to_owned())
            })?;
            for relocation in relocations {
                self.resolve(relocation, code, &mut literals)?;
            }
        }
        Ok(literals.bytes)
    }

    fn resolve(
        &self,
        relocation: &Rel64<LittleEndian>,
        code: &mut [Instruction],
        literals: &mut Literals,
    ) -> Result<(), ObjectProblem> {
        let misplaced = || ObjectProblem::Damaged("a relocation is of no instruction".to_owned());
        let place = usize::try_from(relocation.r_offset.get(LittleEndian));
        let place = place.map_err(|_| misplaced())?;
        let at = place / Instruction::BYTES;
        let index = SymbolIndex(relocation.r_sym(LittleEndian) as usize);
        let first = *code.get(at).ok_or_else(misplaced)?;
        if !place.is_multiple_of(Instruction::BYTES) {
            return Err(misplaced());
        }
        match relocation.r_type(LittleEndian) {
            R_BPF_64_32 => Err(ObjectProblem::Function {
                at,
                name: self.function(index, first)?,
            }),
            R_BPF_64_64 if first.opcode == opcode::WIDE => {
                let from = self.literal(index, first, at, literals)?;
                if literals.bytes.len() > MOST_LITERALS {
                    return Err(ObjectProblem::refused(code, at, Rule::Size));
                }
                let [one, other, ..] = code.get_mut(at..).unwrap_or_default() else {
                    return Err(misplaced());
                };
                // A distance of more than 32 bits.
                if other.imm != 0 {
                    return Err(misplaced());
                }
                *one = Instruction {
                    src: LITERALS,
                    imm: 0,
                    ..first
                };
                other.imm = from as i32;
                Ok(())
            }
            other => Err(ObjectProblem::Damaged(format!(
                "instruction {at} has a relocation of kind {other}, expected an address of constants"
            ))),
        }
    }

    /// Where in the literals the constant is that an instruction loads the address of.
    fn literal(
        &self,
        index: SymbolIndex,
        first: Instruction,
        at: usize,
        literals: &mut Literals,
    ) -> Result<usize, ObjectProblem> {
        let symbol = self.symbols.symbol(index).map_err(damaged)?;
        let name = self.symbols.symbol_name(LittleEndian, symbol);
        let mut name = text(name.map_err(damaged)?);
        let own = self.symbols.symbol_section(LittleEndian, symbol, index);
        let Some(own) = own.map_err(damaged)? else {
            return Err(ObjectProblem::Data { at, name });
        };
        let section = self.sections.section(own).map_err(damaged)?;
        let flags = section.sh_flags(LittleEndian);
        let is_constant = section.sh_type(LittleEndian) == SHT_PROGBITS
            && flags.contains(SHF_ALLOC)
            && !flags.intersects(SHF_WRITE.with(SHF_EXECINSTR));
        if !is_constant {
            if name.is_empty() {
                let of_section = self.sections.section_name(LittleEndian, section);
                name = text(of_section.map_err(damaged)?);
            }
            return Err(ObjectProblem::Data { at, name });
        }
        let content = section.data(LittleEndian, self.data).map_err(damaged)?;
        let base = literals.base(own, content);
        let outside = || {
            ObjectProblem::Damaged(format!(
                "instruction {at} loads an address outside of its section"
            ))
        };
        let place = symbol.st_value.get(LittleEndian);
        let place = place.wrapping_add_signed(i64::from(first.imm));
        let place = usize::try_from(place).map_err(|_| outside())?;
        if place > content.len() {
            return Err(outside());
        }
        Ok(base + place)
    }

    /// What the function is called that an instruction calls.
    fn function(&self, index: SymbolIndex, call: Instruction) -> Result<String, ObjectProblem> {
        let symbol = self.symbols.symbol(index).map_err(damaged)?;
        let name = self.symbols.symbol_name(LittleEndian, symbol);
        let name = text(name.map_err(damaged)?);
        if symbol.st_type() != STT_SECTION {
            return Ok(name);
        }
        // A section, and in the instruction the distance of the function from its beginning, less one.
        let section = self.symbols.symbol_section(LittleEndian, symbol, index);
        let Some(section) = section.map_err(damaged)? else {
            return Ok(name);
        };
        let place = (i64::from(call.imm) + 1) * Instruction::BYTES as i64;
        let functions = self.functions(section).into_iter();
        let mut functions = functions.filter(|(own, _)| i64::try_from(*own) == Ok(place));
        Ok(functions.next().map_or(name, |(_, name)| name))
    }
}

/// The sections of constants that a filter uses, one behind the other.
#[derive(Debug, Default)]
struct Literals {
    bytes: Vec<u8>,
    /// The sections, and where they begin.
    begins: Vec<(SectionIndex, usize)>,
}

impl Literals {
    /// Where a section begins. It is added if it is new.
    fn base(&mut self, section: SectionIndex, content: &[u8]) -> usize {
        let mut begins = self.begins.iter();
        if let Some((_, base)) = begins.find(|(own, _)| *own == section) {
            return *base;
        }
        let base = self.bytes.len();
        self.bytes.extend_from_slice(content);
        self.begins.push((section, base));
        base
    }
}
