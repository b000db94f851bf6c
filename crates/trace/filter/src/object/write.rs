//! From a program to an object, with the sections and relocations that clang would write.

use object::elf::{
    ELFCLASS64, ELFDATA2LSB, ELFMAG, ELFOSABI_NONE, EM_BPF, ET_REL, EV_CURRENT, FileFlags,
    FileHeader64, Ident, R_BPF_64_64, Rel64, SHF_ALLOC, SHF_EXECINSTR, SHF_INFO_LINK, SHT_NULL,
    SHT_PROGBITS, SHT_REL, SHT_STRTAB, SHT_SYMTAB, STB_GLOBAL, STB_LOCAL, STT_FUNC, STT_SECTION,
    SectionFlags, SectionHeader64, SectionType, Sym64, SymbolSection,
};
use object::pod::{bytes_of, bytes_of_slice};
use object::{LittleEndian, U16, U32, U64};
use perflab_bpf::{Instruction, opcode};

use super::{IMPORTS, LITERALS, PROGRAM};
use crate::program::FilterProgram;

/// Numbers of sections: their places in the file. The first one is nothing.
const PROGRAM_SECTION: u32 = 1;
const LITERALS_SECTION: u32 = 3;
const SYMBOLS_SECTION: u32 = 5;
const NAMES_SECTION: u32 = 6;

/// The symbol of the section of literals, and those that are not seen elsewhere, which come first.
const LITERALS_SYMBOL: u32 = 1;
const LOCAL_SYMBOLS: u32 = 2;

/// The alignment of all sections.
const ALIGNED: usize = 8;

/// Writes a program as an object, its function with the name `filter`. Objects and disassemblers of LLVM and libbpf can
/// read it.
pub fn write_object(program: &FilterProgram) -> Vec<u8> {
    let (code, relocations) = relocatable(&program.code);
    let imports = program.imports.iter();
    let imports = imports.map(|import| format!("{} {}\n", import.class, import.name));
    let mut names = vec![0];
    let symbols = [
        Sym64::default(),
        Sym64 {
            st_info: STB_LOCAL | STT_SECTION,
            st_shndx: U16::new(LittleEndian, SymbolSection::new(LITERALS_SECTION)),
            ..Sym64::default()
        },
        Sym64 {
            st_name: U32::new(LittleEndian, add_name(&mut names, "filter")),
            st_info: STB_GLOBAL | STT_FUNC,
            st_shndx: U16::new(LittleEndian, SymbolSection::new(PROGRAM_SECTION)),
            st_size: U64::new(LittleEndian, code.len() as u64),
            ..Sym64::default()
        },
    ];
    let mut sections = vec![
        Section {
            flags: SHF_ALLOC | SHF_EXECINSTR,
            ..Section::new(PROGRAM, SHT_PROGBITS, code)
        },
        Section {
            flags: SHF_INFO_LINK,
            link: SYMBOLS_SECTION,
            info: PROGRAM_SECTION,
            entry: size_of::<Rel64<LittleEndian>>(),
            ..Section::new(
                ".relperflab/filter",
                SHT_REL,
                bytes_of_slice(&relocations).to_vec(),
            )
        },
        Section {
            flags: SHF_ALLOC,
            ..Section::new(".rodata", SHT_PROGBITS, program.literals.clone())
        },
        Section {
            flags: SHF_ALLOC,
            ..Section::new(
                IMPORTS,
                SHT_PROGBITS,
                imports.collect::<String>().into_bytes(),
            )
        },
        Section {
            link: NAMES_SECTION,
            info: LOCAL_SYMBOLS,
            entry: size_of::<Sym64<LittleEndian>>(),
            ..Section::new(".symtab", SHT_SYMTAB, bytes_of_slice(&symbols).to_vec())
        },
        Section::new(".strtab", SHT_STRTAB, Vec::new()),
    ];
    let places: Vec<u32> = sections
        .iter()
        .map(|section| add_name(&mut names, section.name))
        .collect();
    if let Some(last) = sections.last_mut() {
        last.content = names;
    }
    laid_out(&sections, &places)
}

/// A section of the file.
struct Section {
    name: &'static str,
    kind: SectionType,
    flags: SectionFlags,
    content: Vec<u8>,
    link: u32,
    info: u32,
    /// Bytes of each entry, of a table.
    entry: usize,
}

impl Section {
    fn new(name: &'static str, kind: SectionType, content: Vec<u8>) -> Self {
        Self {
            name,
            kind,
            flags: SectionFlags::default(),
            content,
            link: 0,
            info: 0,
            entry: 0,
        }
    }

    /// Its header, with the places of its name and of its content.
    fn header(&self, name: u32, offset: usize) -> SectionHeader64<LittleEndian> {
        SectionHeader64 {
            sh_name: U32::new(LittleEndian, name),
            sh_type: U32::new(LittleEndian, self.kind),
            sh_flags: U64::new(LittleEndian, self.flags),
            sh_addr: U64::default(),
            sh_offset: U64::new(LittleEndian, offset as u64),
            sh_size: U64::new(LittleEndian, self.content.len() as u64),
            sh_link: U32::new(LittleEndian, self.link),
            sh_info: U32::new(LittleEndian, self.info),
            sh_addralign: U64::new(LittleEndian, ALIGNED as u64),
            sh_entsize: U64::new(LittleEndian, self.entry as u64),
        }
    }
}

/// Adds a name to the table of names, and returns its place.
fn add_name(names: &mut Vec<u8>, name: &str) -> u32 {
    let place = names.len() as u32;
    names.extend_from_slice(name.as_bytes());
    names.push(0);
    place
}

/// The code, in which an instruction that loads the address of a literal has only the literal's place, and a relocation
/// for each of these.
fn relocatable(code: &[u8]) -> (Vec<u8>, Vec<Rel64<LittleEndian>>) {
    let mut written = code.to_vec();
    let (instructions, _) = written.as_chunks_mut::<{ Instruction::BYTES }>();
    let mut relocations = Vec::new();
    let mut at = 0;
    while let Some([first, second, ..]) = instructions.get_mut(at..) {
        let read = Instruction::decode(*first);
        let high = Instruction::decode(*second);
        if read.opcode == opcode::WIDE && read.src == LITERALS {
            *first = Instruction {
                src: 0,
                imm: high.imm,
                ..read
            }
            .encode();
            *second = Instruction { imm: 0, ..high }.encode();
            relocations.push(Rel64 {
                r_offset: U64::new(LittleEndian, (at * Instruction::BYTES) as u64),
                r_info: Rel64::r_info(LittleEndian, LITERALS_SYMBOL, R_BPF_64_64),
            });
        }
        at += if read.opcode == opcode::WIDE { 2 } else { 1 };
    }
    (written, relocations)
}

/// The file: its header, the sections, and their headers.
fn laid_out(sections: &[Section], names: &[u32]) -> Vec<u8> {
    let mut file = vec![0; size_of::<FileHeader64<LittleEndian>>()];
    let nothing = Section::new("", SHT_NULL, Vec::new());
    let mut headers = vec![SectionHeader64 {
        sh_addralign: U64::default(),
        ..nothing.header(0, 0)
    }];
    for (section, name) in sections.iter().zip(names) {
        file.resize(file.len().next_multiple_of(ALIGNED), 0);
        headers.push(section.header(*name, file.len()));
        file.extend_from_slice(&section.content);
    }
    file.resize(file.len().next_multiple_of(ALIGNED), 0);
    let header = FileHeader64::<LittleEndian> {
        e_ident: Ident {
            magic: ELFMAG,
            class: ELFCLASS64,
            data: ELFDATA2LSB,
            version: EV_CURRENT,
            os_abi: ELFOSABI_NONE,
            abi_version: 0,
            padding: [0; 7],
        },
        e_type: U16::new(LittleEndian, ET_REL),
        e_machine: U16::new(LittleEndian, EM_BPF),
        e_version: U32::new(LittleEndian, u32::from(EV_CURRENT.0)),
        e_entry: U64::default(),
        e_phoff: U64::default(),
        e_shoff: U64::new(LittleEndian, file.len() as u64),
        e_flags: U32::new(LittleEndian, FileFlags::default()),
        e_ehsize: U16::new(LittleEndian, size_of::<FileHeader64<LittleEndian>>() as u16),
        e_phentsize: U16::default(),
        e_phnum: U16::default(),
        e_shentsize: U16::new(
            LittleEndian,
            size_of::<SectionHeader64<LittleEndian>>() as u16,
        ),
        e_shnum: U16::new(LittleEndian, headers.len() as u16),
        e_shstrndx: U16::new(LittleEndian, SymbolSection::new(NAMES_SECTION)),
    };
    let header = bytes_of(&header);
    if let Some(begin) = file.get_mut(..header.len()) {
        begin.copy_from_slice(header);
    }
    file.extend_from_slice(bytes_of_slice(&headers));
    file
}
