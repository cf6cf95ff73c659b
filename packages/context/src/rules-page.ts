/** How files are chosen, for people and agents; what `jinni --usage` and the tool `usage` give. */
export const RULES_PAGE = `# What jinni takes in

Everything that is text is taken in, unless a rule leaves it out. Rules come from five lists. Of all rules that match,
the last one decides; a later list goes before an earlier one:

1. built-in rules: hidden names, node_modules/, build output, logs, archives and their like
2. .gitignore files, as git reads them, and .git/info/exclude
3. .contextfiles files, from the project root down
4. overrides: the file of --overrides, or the \`rules\` of read_context
5. exclusions: --not, --not-in, --not-files, --keep-only

## Rules in .contextfiles and overrides

A rule is a line with a pattern as .gitignore has them, in the other sense: without "!" it takes in, with "!" it leaves
out. It holds in the directory of its file and below.

    # a comment; empty lines say nothing
    build/             take in the directory build, which is left out otherwise, and all below it
    !*.tmp             leave out all that ends in .tmp
    !/data/            leave out data in this very directory
    docs/**/*.md       take in Markdown anywhere below docs

- A name alone matches at any depth; a slash at the beginning or in the middle ties it to the directory of the file.
- A slash at the end: directories only. "*" and "?" stop at slashes, "**" does not, [a-z] and [!a-z] are one character.
- What is matched is matched with all below it, until a later rule says otherwise.
- A directory that is left out is not entered: take the directory in, not only what lies in it. An override may also
  name what lies below, such as /build/keep.txt. "*" alone opens no directory of lists 1 and 2.
- Taking something in leaves nothing else out. For only some files, leave out all first: "!*", then "*.py".
- .git, .env and other secrets are never taken in by a rule. Name such a file itself, and it is.

## Targets

A file that is named is taken in whatever the rules say, unless it is binary. A directory that is named is walked even
if a rule leaves it out; the rules say what of its content is taken in. Rules begin at the project root (--root, or the
working directory); for a target outside of that, at the target. Symbolic links are not followed.

## Exclusions

    --not tests                leave out what the word stands for: tests, docs, vendor, build, examples, cache, temp,
                               logs, generated, legacy, experimental; any other word: all names that contain it
    --not-in src/app:old,tests the same, below one directory
    --not-files "*.min.js"     leave out files by a pattern
    --keep-only src,docs       leave out all that is not in these directories; the other rules still hold

## When it is too much

The content may have 100 MB (--size-limit-mb, JINNI_MAX_SIZE_MB, size_limit_mb). Beyond that nothing is printed, and the
largest files are named. --list-token shows what each file costs; --max-tokens N fits the document to a budget: the
largest files become outlines, then the largest of what remains are left out; both are listed.
`;
