/** How files are chosen, for users and agents. The text of `jinni --usage` and of the tool `usage`. */
export const RULES_PAGE = `# What jinni takes in

Every text file is taken in, unless a rule leaves it out. Rules come from five lists. The last rule that matches
decides, and a later list wins over an earlier one:

1. built-in rules: hidden names, node_modules/, build output, logs, archives and the like; lock files, minified,
   generated and vendored files (as .gitattributes says too), source maps and large SVG files
2. .gitignore files, as git reads them, and .git/info/exclude; then .ignore files, as ripgrep reads them
3. .contextfiles files, from the project root down
4. overrides: the file of --overrides, or the \`rules\` of read_context
5. exclusions: --not, --not-in, --not-files, --keep-only, --include, --include-from

A file that git tracks is taken in from build/, dist/, out/, bin/, output/ and the like. Hidden names and LICENSE
stay out even so, unless a rule names them. What the built-in rules leave out is summed up at the end. --no-defaults
turns them off; secrets stay out.

## Rules in .contextfiles and overrides

A rule is a line with a pattern as in .gitignore, but in the other sense: without "!" it takes in, and with "!" it
leaves out. It holds in the directory of its file and below.

    # a comment; empty lines are ignored
    build/             take in the directory build, which is left out otherwise, and all below it
    !*.tmp             leave out everything that ends in .tmp
    !/data/            leave out data in this directory only
    docs/**/*.md       take in Markdown anywhere below docs

- A name alone matches at any depth; a slash at the beginning or in the middle ties it to the directory of the file.
- A slash at the end: directories only. "*" and "?" stop at slashes, "**" does not, [a-z] and [!a-z] are one character.
- A rule also holds for everything below what it matches, until a later rule says otherwise. But a directory that lists
  1 and 2 leave out is opened only by its own name: "src/" does not take in src/node_modules, and neither does "*".
- A rule may name something in a directory that is left out, such as /build/keep.txt.
- Taking something in leaves nothing else out. To take in only some files, leave out all first: "!*", then "*.py",
  "src/**/*.ts" or "docs/". List 3 wins over list 2: "*.py" also takes in files that git ignores by their own names.
  Leave those out below it, such as "!local_settings.py".
- .git, .env and other secrets are never taken in by a rule, but such a file is if you name it.

## Targets

A file that is named is taken in whatever the rules say, unless it is binary. A directory that is named is walked even
if a rule leaves it out, and the rules decide on its content. Rules begin at the project root (--root, or the
working directory); for a target outside of that, at the target. Symbolic links are not followed.

## Exclusions

    --not tests                leave out what the word stands for: tests, docs, vendor, build, examples, cache, temp,
                               logs, generated, legacy, experimental; any other word: all names that contain it
    --not-in src/app:old,tests the same, below one directory
    --not-files "*.min.js"     leave out files by their paths or by globs
    --keep-only src,docs       leave out everything outside of these directories; the other rules still hold
    --include "*.py,docs/**"   the same for files by their globs; with both, a file must match both
    --include-from FILE        the same for the globs in the lines of a file, or of standard input (-)

All of these take lists of paths from the root and of globs, such as "src/**/*.{ts,tsx}". The path of an existing file
or directory stands for that one, whatever characters it has. In --keep-only and --include, "!*.test.ts" leaves out. A
pattern that matches nothing becomes a warning.

## When it is too much

The content may have 100 MB (--size-limit-mb, JINNI_MAX_SIZE_MB, size_limit_mb). Over that, nothing is printed, and the
largest files are named. --list-token prints the tokens of each file, --tree --tokens the totals of each directory.
--max-tokens N (max_tokens) fits the document to a budget: README and manifests first, then what much imports, entry
points and what changed lately; the next ones as outlines; tests, fixtures and generated files last. The rest is named;
read_context gives it in the next parts, by the call that its answer ends the list with.
`;
