//! The assembler text of a site; the header for C has the same.

/// What each object needs once: the note, and what tells an agent that the object is there, and goes.
#[doc(hidden)]
#[macro_export]
macro_rules! __object_text {
    () => {
        concat!(
            ".ifndef perflab_note_1\n",
            ".pushsection .note.perflab,\"aR\",@note\n",
            ".balign 4\n",
            ".long 8, 32, 1\n",
            ".asciz \"perflab\"\n",
            "perflab_note_1: .short 1, 32\n",
            ".long 0\n",
            ".hidden __start_perflab_sites\n",
            ".hidden __stop_perflab_sites\n",
            ".quad __start_perflab_sites - .\n",
            ".quad __stop_perflab_sites - .\n",
            ".quad perflab_object_1 - .\n",
            ".popsection\n",
            ".pushsection .data.perflab_object_1,\"awG\",@progbits,perflab_object_1,comdat\n",
            ".weak perflab_object_1\n",
            ".hidden perflab_object_1\n",
            ".type perflab_object_1,@object\n",
            ".balign 8\n",
            "perflab_object_1: .short 1, 16\n",
            ".long 0\n",
            ".quad 0\n",
            ".size perflab_object_1, 16\n",
            ".popsection\n",
            ".pushsection .text.perflab_gone_1,\"axG\",@progbits,perflab_gone_1,comdat\n",
            ".weak perflab_gone_1\n",
            ".hidden perflab_gone_1\n",
            ".type perflab_gone_1,@function\n",
            "perflab_gone_1: endbr64\n",
            "leaq perflab_object_1(%rip), %rdi\n",
            "movl $1, %eax\n",
            "xchgq %rax, 8(%rdi)\n",
            "cmpq $1, %rax\n",
            "jbe 993f\n",
            "jmpq *(%rax)\n",
            "993: ret\n",
            ".size perflab_gone_1, . - perflab_gone_1\n",
            ".popsection\n",
            ".pushsection .text.perflab_here_1,\"axG\",@progbits,perflab_here_1,comdat\n",
            ".weak perflab_here_1\n",
            ".hidden perflab_here_1\n",
            ".type perflab_here_1,@function\n",
            "perflab_here_1: endbr64\n",
            "movl $1, perflab_object_1+4(%rip)\n",
            "ret\n",
            ".size perflab_here_1, . - perflab_here_1\n",
            ".popsection\n",
            ".pushsection .init_array,\"aw\"\n",
            ".balign 8\n",
            ".quad perflab_here_1\n",
            ".popsection\n",
            ".pushsection .fini_array,\"aw\"\n",
            ".balign 8\n",
            ".quad perflab_gone_1\n",
            ".popsection\n",
            ".endif\n",
        )
    };
}

/// The count of tracers, shared by all sites of a probe. The counts have pages of the file for themselves
/// and for what follows: of two segments that map the same page, as lld lays them out, the kernel may
/// raise the count in the wrong one.
#[doc(hidden)]
#[macro_export]
macro_rules! __semaphore_text {
    ($semaphore:expr) => {
        concat!(
            ".ifndef perflab_counts_1\n",
            ".pushsection .probes,\"awGR\",@progbits,perflab_counts_1,comdat\n",
            ".weak perflab_counts_1\n",
            ".hidden perflab_counts_1\n",
            ".balign 4096\n",
            "perflab_counts_1:\n",
            ".popsection\n",
            ".endif\n",
            ".ifndef ",
            $semaphore,
            "\n",
            ".pushsection .probes,\"awG\",@progbits,",
            $semaphore,
            ",comdat\n",
            ".weak ",
            $semaphore,
            "\n",
            ".hidden ",
            $semaphore,
            "\n",
            ".type ",
            $semaphore,
            ",@object\n",
            ".balign 2\n",
            $semaphore,
            ": .short 0\n",
            ".size ",
            $semaphore,
            ", 2\n",
            ".popsection\n",
            ".endif\n",
        )
    };
}

/// One copy of a site: what `perflab_abi::Site` says.
#[doc(hidden)]
#[macro_export]
macro_rules! __entry_text {
    ($backend:literal, $flags:literal, $address:literal, $target:literal, $semaphore:expr, $text:expr) => {
        concat!(
            ".pushsection perflab_text,\"aMS\",@progbits,1\n",
            "991: .asciz \"",
            $text,
            "\"\n",
            ".popsection\n",
            ".pushsection perflab_sites,\"a?R\",@progbits\n",
            ".balign 8\n",
            ".short 1, 48, ",
            $backend,
            ", ",
            $flags,
            "\n",
            ".quad ",
            $address,
            "\n",
            ".quad ",
            $target,
            "\n",
            ".quad {point} - .\n",
            ".quad 991b - .\n",
            ".quad ",
            $semaphore,
            " - .\n",
            ".popsection\n",
        )
    };
}

/// A no-op of their own for tracers in the kernel, so that they never write to ours.
#[doc(hidden)]
#[macro_export]
macro_rules! __tracer_text {
    ($provider:expr, $name:expr, $semaphore:expr, $places:expr) => {
        concat!(
            "992: nop # {places}\n",
            ".pushsection .note.stapsdt,\"?\",@note\n",
            ".balign 4\n",
            ".long 995f - 994f, 997f - 996f, 3\n",
            "994: .asciz \"stapsdt\"\n",
            "995: .balign 4\n",
            "996: .quad 992b\n",
            ".quad _.stapsdt.base\n",
            ".quad ",
            $semaphore,
            "\n",
            ".asciz \"",
            $provider,
            "\"\n",
            ".asciz \"",
            $name,
            "\"\n",
            ".asciz \"",
            $places,
            "\"\n",
            "997: .balign 4\n",
            ".popsection\n",
            ".ifndef _.stapsdt.base\n",
            ".pushsection .stapsdt.base,\"aG\",@progbits,.stapsdt.base,comdat\n",
            ".weak _.stapsdt.base\n",
            ".hidden _.stapsdt.base\n",
            "_.stapsdt.base: .space 1\n",
            ".size _.stapsdt.base, 1\n",
            ".popsection\n",
            ".endif\n",
        )
    };
}

/// Where a tracer finds the first words of a probe with many arguments, behind the register `{places}`: libbpf takes no
/// more than these.
#[doc(hidden)]
#[macro_export]
macro_rules! __first_places_text {
    () => {
        "8@0({places}) 8@8({places}) 8@16({places}) 8@24({places}) 8@32({places}) 8@40({places}) \
         8@48({places}) 8@56({places}) 8@64({places}) 8@72({places}) 8@80({places}) 8@88({places}) "
    };
}

/// Where a tracer finds the words: 16 bytes for each argument, behind the register `{places}`. The
/// numbers are the offsets that are left.
#[doc(hidden)]
#[macro_export]
macro_rules! __places_text {
    ($($word:tt)*) => {
        $crate::__places_from!(0 8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168
            176 184; $($word)*)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __places_from {
    ($($offset:literal)*;) => { "" };
    ($first:literal $second:literal $($offset:literal)*; [$a:expr] $($word:tt)*) => {
        concat!("8@", $first, "({places}) ", $crate::__places_from!($($offset)*; $($word)*))
    };
    ($first:literal $second:literal $($offset:literal)*; [$a:expr, $b:expr] $($word:tt)*) => {
        concat!("8@", $first, "({places}) 8@", $second, "({places}) ",
            $crate::__places_from!($($offset)*; $($word)*))
    };
}
