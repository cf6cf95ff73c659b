import type { Grammar } from './grammar.ts';
import { graphql, hcl, json, proto, sql, terraform, toml, yaml } from './grammars/data.ts';
import { javascript, typescript } from './grammars/ecmascript.ts';
import { elixir, haskell, ocaml } from './grammars/functional.ts';
import { csharp, dart, java, kotlin, scala, solidity } from './grammars/managed.ts';
import { css, dockerfile, html, make, markdown, svelte, vue } from './grammars/markup.ts';
import { bash, lua, php, python, ruby } from './grammars/scripting.ts';
import { c, cpp, go, rust, swift, zig } from './grammars/systems.ts';

export interface Language {
  readonly grammar: Grammar;
  /** Extensions, and whole names of files, in lower case. */
  readonly files: string;
  readonly programs?: string;
}

/** Every language by the name of its grammar's file. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  typescript: { grammar: typescript, files: '.ts .mts .cts', programs: 'tsx ts-node deno bun' },
  tsx: { grammar: typescript, files: '.tsx' },
  javascript: { grammar: javascript, files: '.js .mjs .cjs .jsx', programs: 'node nodejs' },
  python: { grammar: python, files: '.py .pyi .pyw', programs: 'python python2 python3 pypy3 uv' },
  go: { grammar: go, files: '.go' },
  rust: { grammar: rust, files: '.rs', programs: 'rust-script' },
  java: { grammar: java, files: '.java' },
  c: { grammar: c, files: '.c .h' },
  cpp: { grammar: cpp, files: '.cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .ipp .tpp .inl' },
  c_sharp: { grammar: csharp, files: '.cs .csx' },
  ruby: {
    grammar: ruby,
    files: '.rb .rake .gemspec .ru rakefile gemfile podfile vagrantfile brewfile',
    programs: 'ruby',
  },
  php: { grammar: php, files: '.php .phtml', programs: 'php' },
  kotlin: { grammar: kotlin, files: '.kt .kts', programs: 'kotlin' },
  swift: { grammar: swift, files: '.swift', programs: 'swift' },
  scala: { grammar: scala, files: '.scala .sc .sbt', programs: 'scala' },
  bash: {
    grammar: bash,
    files: '.sh .bash .bats .ebuild .bashrc .bash_profile .profile',
    programs: 'sh bash dash ksh',
  },
  lua: { grammar: lua, files: '.lua', programs: 'lua luajit' },
  elixir: { grammar: elixir, files: '.ex .exs', programs: 'elixir' },
  dart: { grammar: dart, files: '.dart', programs: 'dart' },
  solidity: { grammar: solidity, files: '.sol' },
  zig: { grammar: zig, files: '.zig .zon' },
  haskell: { grammar: haskell, files: '.hs', programs: 'runhaskell runghc' },
  ocaml: { grammar: ocaml, files: '.ml', programs: 'ocaml' },
  html: { grammar: html, files: '.html .htm .xhtml' },
  vue: { grammar: vue, files: '.vue' },
  svelte: { grammar: svelte, files: '.svelte' },
  css: { grammar: css, files: '.css' },
  sql: { grammar: sql, files: '.sql' },
  json: { grammar: json, files: '.json .jsonc .webmanifest .geojson' },
  yaml: { grammar: yaml, files: '.yaml .yml' },
  toml: { grammar: toml, files: '.toml' },
  markdown: { grammar: markdown, files: '.md .markdown .mdx' },
  terraform: { grammar: terraform, files: '.tf .tfvars' },
  hcl: { grammar: hcl, files: '.hcl .nomad' },
  dockerfile: { grammar: dockerfile, files: '.dockerfile dockerfile containerfile' },
  proto: { grammar: proto, files: '.proto' },
  graphql: { grammar: graphql, files: '.graphql .gql .graphqls' },
  make: { grammar: make, files: '.mk .mak makefile gnumakefile' },
};

export const LANGUAGE_NAMES: readonly string[] = Object.keys(LANGUAGES);
const byFile = index((language) => language.files);
const byProgram = index((language) => language.programs ?? '');

function index(words: (language: Language) => string): ReadonlyMap<string, string> {
  const entries = Object.entries(LANGUAGES).flatMap(([name, language]) =>
    words(language)
      .split(' ')
      .filter(Boolean)
      .map((word) => [word, name] as const),
  );
  return new Map(entries);
}

export function languageNamed(name: string): Language | undefined {
  return Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
}

const PRAGMA_BYTES = 2_048;

/** Returns the language to try for a file with errors: a header may be C++, and the types of Flow are like TypeScript's. */
export function otherLanguageOf(name: string, content: Uint8Array): string | undefined {
  if (name === 'c') return 'cpp';
  const isFlow = name === 'javascript' && Buffer.from(content.subarray(0, PRAGMA_BYTES)).includes('@flow');
  return isFlow ? 'tsx' : undefined;
}

const SHEBANG_BYTES = 128;

/** Finds the language by the file's name, or by the program of its first line if the name has no extension. */
export function sourceLanguageOf(name: string, head?: Uint8Array): string | undefined {
  const base = baseName(name).toLowerCase();
  const dot = base.lastIndexOf('.');
  const known = byFile.get(base) ?? (dot >= 0 ? byFile.get(base.slice(dot)) : undefined);
  if (known || (dot > 0 && !/^(dockerfile|containerfile|makefile)\./.test(base))) return known;
  const stem = /^(dockerfile|containerfile|makefile)\./.exec(base)?.[1];
  if (stem) return byFile.get(stem);
  return head && languageOfProgram(head);
}

function languageOfProgram(head: Uint8Array): string | undefined {
  const [line = ''] = Buffer.from(head.subarray(0, SHEBANG_BYTES)).toString('latin1').split('\n');
  if (!line.startsWith('#!')) return undefined;
  const [program = '', ...rest] = line.slice(2).trim().split(/\s+/).map(baseName);
  const word = program === 'env' ? (rest.find((each) => !each.startsWith('-') && !each.includes('=')) ?? '') : program;
  return byProgram.get(word) ?? byProgram.get(word.replace(/[\d.]+$/, ''));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
