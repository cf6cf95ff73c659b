/** Extensions of files that are nearly always text. */
const EXTENSIONS = [
  'bash bat bzl c cc cfg cjs clj cmake cpp cs css csv cts cxx dart diff elm erl ex exs fish fs go gradle',
  'graphql groovy h hh hpp hrl hs htm html hxx ini ipynb java jl js json json5 jsonc jsonl jsx kt kts less lisp',
  'lock lua m4 mak map md mdx mjs mk ml mli mts nim nix patch php pl pm po pod properties proto ps1 pug py pyi',
  'r rb rs rst sass scala scm scss sh sql svelte svg swift tcl tex tf toml ts tsv tsx txt vim vue xml xsd xsl',
  'yaml yml zig zsh',
]
  .join(' ')
  .split(' ');
const KNOWN = new Set(EXTENSIONS);

/** Reports whether a path has one of the extensions of text. */
export function hasTextName(path: string): boolean {
  return KNOWN.has(path.slice(path.lastIndexOf('.') + 1));
}
