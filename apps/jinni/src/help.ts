/** The text of `--help`. It fits a screen of 24 lines and 80 columns. */
export const HELP = `usage: jinni [OPTIONS] [PATH...]     a project as one document, ready to paste
  jinni                          all of this directory, printed and copied
  jinni -l --not tests src       what would be taken in from src, without tests
  jinni --no-copy -o all.md --format markdown --tree src docs/README.md
  jinni --changed main --diff --max-tokens 60000

-l, --list-only  paths only         -L, --list-token  tokens of each file
-S, --size       with -l: sizes     -s, --size-limit-mb N  at most N MB (100)
-o, --output F   write to F         -r, --root DIR    rules, paths begin there
--no-copy        leave the clipboard alone   --stdin  read more paths from stdin
--not WORD       leave out tests, docs, vendor, build, examples, … or any name
--not-in D:W,W   the same below D   --not-files GLOB  leave out files by pattern
--keep-only A,B  nothing else       --overrides FILE  rules that win over all
--changed [REF]  changed since REF  --diff            and the diff (REF: HEAD)
--format fences|xml|markdown|json   --line-numbers    number the lines
--tree           at the head        --summary         files, bytes, tokens
--max-tokens N   largest files become outlines, then are left out, until it fits
--tokens fast|exact                 estimate, or count with a real tokenizer
--debug-explain  which rule decided, to stderr and jinni_debug.log
--usage          how files are chosen: .gitignore, .contextfiles, rules
--version, -h, --help
`;
