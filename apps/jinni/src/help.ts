/** The text of `--help`. It fits a screen of 80 columns. */
export const JINNI_HELP = `usage: jinni [OPTIONS] [PATH...]     a project as one document, ready to paste
  jinni                          all of this directory, printed and copied
  jinni -l --not tests src       what would be taken in from src, without tests
  jinni --no-copy -o all.md --format markdown --tree src docs/README.md
  jinni --changed main --diff --max-tokens 60000

What is taken in
--not WORD,WORD  leave out tests, docs, vendor, build, examples, … or any name
--not-in D:W,W   the same below D   --not-files GLOB  leave out files by pattern
--keep-only A,B  nothing else       --include GLOB,…  nothing else, by globs
--changed [REF]  changed since HEAD left REF, or in A..B, A...B, C^!
--overrides FILE rules that win over all     --no-defaults  no built-in rules
--stdin          read more paths             -r, --root DIR paths begin there
--remote REPO    clone owner/name, a URL (#branch, #commit) or a page of it

What is printed
-l, --list-only  paths only         -L, --list-token  tokens of each file
-S, --size       with -l: sizes     -l --tree, -l --diff   these alone
--tree --tokens  tokens of each directory, the largest first
--format fences|xml|markdown|json   --line-numbers    number the lines
--tree, --summary, --diff, --git-log N, --header-text TEXT, --prompt FILE
                 stand at the head  --sort change     what changed last, last
--outline [GLOB] outlines instead of content, of all files or some
--compress       without bodies     --raw-notebooks   JSON instead of cells
--level GLOB:whole|compress|outline, --remove-comments, --remove-empty-lines
--max-tokens N   fit to a budget: what matters most whole, the next as outlines
--focus TEXT     what matters for this task, path or name  --explain  and why
--tokens fast|exact|o200k|cl100k|p50k|r50k    estimate, or count
--secrets omit|warn|fail  --cut-base64  cut long data    -s, --size-limit-mb N

Where it goes
-o, --output F   write to F         --split-output 2mb   F.1, F.2, …
--clip           copy only          --no-copy         do not copy
--stdout         print also what is long   --watch    write at each change

--profile NAME   settings of jinni.config.json or [tool.jinni] of pyproject.toml
--ignore-config  without them       --debug-explain   which rule decided, why
--usage          how files are chosen: .gitignore, .contextfiles, rules
--init, --schema such a file, and its schema         -v, --version, -h, --help
`;
