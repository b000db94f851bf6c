//! The functions of a program, and how they differ from those of another build.

use std::collections::BTreeMap;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSymbol, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A function of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Symbol {
    /// Its name as the linker knows it.
    pub name: String,
    /// Where its code begins, as linked.
    pub address: u64,
    /// Bytes of its code.
    pub size: u64,
}

/// How the functions of two builds differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolChanges {
    /// Those that are new.
    pub came: Vec<SymbolChange>,
    /// Those that are gone.
    pub went: Vec<SymbolChange>,
    /// Those whose code has another size.
    pub resized: Vec<SymbolChange>,
    /// How many have the same size at another address.
    pub moved: usize,
    /// How many have the same size at the same address. Their code is not compared.
    pub unchanged: usize,
}

/// A function that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolChange {
    /// Its name.
    pub name: String,
    /// Bytes of its code before; 0 where it is new.
    pub before: u64,
    /// Bytes of its code after; 0 where it is gone.
    pub after: u64,
}

/// The functions of a 64-bit ELF file, by address; none where it has no symbols or is another kind of file.
pub fn symbols(file: &[u8]) -> Vec<Symbol> {
    let Ok(elf) = ElfFile64::<object::Endianness>::parse(file) else {
        return Vec::new();
    };
    let text = |symbol: object::read::elf::ElfSymbol64<'_, '_, object::Endianness>| {
        let is_code = symbol.kind() == SymbolKind::Text && symbol.is_definition();
        let name = symbol.name().ok().filter(|name| !name.is_empty())?;
        is_code.then(|| Symbol {
            name: name.to_owned(),
            address: symbol.address(),
            size: symbol.size(),
        })
    };
    let mut found: Vec<Symbol> = elf.symbols().filter_map(text).collect();
    found.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    found
}

/// How the functions differ, each list with the largest difference first. Functions of one name, as static ones of
/// several files, are one: their sizes are added up.
pub fn symbol_changes(before: &[Symbol], after: &[Symbol]) -> SymbolChanges {
    let (before, after) = (by_name(before), by_name(after));
    let mut found = SymbolChanges::default();
    for (name, (size, addresses)) in &before {
        let change = |after| SymbolChange {
            name: (*name).to_owned(),
            before: *size,
            after,
        };
        match after.get(name) {
            None => found.went.push(change(0)),
            Some((now, _)) if now != size => found.resized.push(change(*now)),
            Some((_, now)) if now != addresses => found.moved += 1,
            Some(_) => found.unchanged += 1,
        }
    }
    let new = after.iter().filter(|(name, _)| !before.contains_key(*name));
    found.came = new
        .map(|(name, (size, _))| SymbolChange {
            name: (*name).to_owned(),
            before: 0,
            after: *size,
        })
        .collect();
    for list in [&mut found.came, &mut found.went, &mut found.resized] {
        list.sort_by(|a, b| {
            let size = |change: &SymbolChange| change.before.abs_diff(change.after);
            size(b).cmp(&size(a)).then_with(|| a.name.cmp(&b.name))
        });
    }
    found
}

/// The bytes of all functions of a name, and where they are.
fn by_name(symbols: &[Symbol]) -> BTreeMap<&str, (u64, Vec<u64>)> {
    let mut by_name: BTreeMap<&str, (u64, Vec<u64>)> = BTreeMap::new();
    for symbol in symbols {
        let entry = by_name.entry(&symbol.name).or_default();
        entry.0 = entry.0.saturating_add(symbol.size);
        entry.1.push(symbol.address);
    }
    by_name
}
