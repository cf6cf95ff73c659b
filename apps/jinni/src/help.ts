/** The text of `--help`. It fits a screen of 80 columns. */
export const JINNI_HELP = `usage: jinni [OPTIONS] [PATH...]     Write a project as one document to paste
  jinni                          print this directory, and copy it
  jinni -l --not tests src       list the files of src, without tests
  jinni --no-copy -o all.md --format markdown --tree src docs/README.md
  jinni --changed main --diff --max-tokens 60000

Choose files (--usage prints the rules)
--not WORD,WORD  exclude tests, docs, vendor, build, examples, … or any name
--not-in D:W,W   the same below D   --not-files GLOB  exclude files by pattern
--keep-only A,B  only these names   --include GLOB,…  only these globs
--include-from F one glob per line of F, or of standard input if F is -
--changed [REF]  changed since the merge base with REF, or in A..B, A...B, C^!
--overrides FILE rules that win over all     --no-defaults  no built-in rules
--stdin          read more paths             -r, --root DIR root of the paths
--remote REPO    clone owner/name, a URL (#branch, #commit) or a page of it

Choose a form
-l, --list-only  only paths         -L, --list-token  tokens of each file
-S, --size       with -l: sizes     -l --tree, -l --diff   only these
--tree --tokens  tokens of each directory, largest first
--format fences|xml|markdown|json   --line-numbers    number the lines
--tree, --summary, --diff, --git-log N, --header-text TEXT, --prompt FILE
                 add at the start   --sort change     last changes at the end
--outline [GLOB] outlines instead of content, for all files or a glob
--compress       without bodies     --raw-notebooks   JSON instead of cells
--level GLOB:whole|compress|outline, --remove-comments, --remove-empty-lines
--max-tokens N   fit to a budget: the most useful files whole, then outlines
--focus TEXT     put first what a task needs    --explain  print why
--tokens fast|exact|o200k|cl100k|p50k|r50k    estimate, or count
--secrets omit|warn|fail  --cut-base64  cut long data    -s, --size-limit-mb N

Choose a target
-o, --output F   write to F         --split-output 2mb   F.1, F.2, …
--clip           only copy          --no-copy         do not copy
--stdout         print long documents too   --watch   write after each change

--profile NAME   settings of jinni.config.json or [tool.jinni] of pyproject.toml
--ignore-config  no settings files  --debug-explain   print the deciding rules
--init, --schema write settings, print their schema  -v, --version, -h, --help
`;
