/** How files are chosen, for people and agents; the text of `jinni --usage` and of the tool `usage`. */
export const RULES_PAGE = `# What jinni takes in

Every text file is taken in, unless a rule leaves it out. Rules come from five lists. The last rule that matches
decides, and a later list wins over an earlier one:

1. built-in rules: hidden names, node_modules/, build output, logs, archives and the like
2. .gitignore files, as git reads them, and .git/info/exclude
3. .contextfiles files, from the project root down
4. overrides: the file of --overrides, or the \`rules\` of read_context
5. exclusions: --not, --not-in, --not-files, --keep-only

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
- A rule also holds for everything below what it matches, until a later rule says otherwise.
- A directory that is left out is not entered: take in the directory, not only something below it. An override may also
  name what lies below, such as /build/keep.txt. "*" alone opens no directory that lists 1 and 2 leave out.
- Taking something in leaves nothing else out. To take in only some files, leave out all first: "!*", then "*.py".
- .git, .env and other secrets are never taken in by a rule, but such a file is if you name it.

## Targets

A file that is named is taken in whatever the rules say, unless it is binary. A directory that is named is walked even
if a rule leaves it out, and the rules decide on its content. Rules begin at the project root (--root, or the
working directory); for a target outside of that, at the target. Symbolic links are not followed.

## Exclusions

    --not tests                leave out what the word stands for: tests, docs, vendor, build, examples, cache, temp,
                               logs, generated, legacy, experimental; any other word: all names that contain it
    --not-in src/app:old,tests the same, below one directory
    --not-files "*.min.js"     leave out files by a pattern
    --keep-only src,docs       leave out everything outside of these directories; the other rules still hold

## When it is too much

The content may have 100 MB (--size-limit-mb, JINNI_MAX_SIZE_MB, size_limit_mb). Over that, nothing is printed, and the
largest files are named. --list-token prints the tokens of each file. --max-tokens N fits the document to a budget: the
largest files are replaced by outlines, then the largest that remain are left out, and both are listed.
`;
