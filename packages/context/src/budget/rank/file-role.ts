import { posix } from 'node:path';
import { withoutExtension } from '../../signals/find-imports.ts';

export interface RankedFile {
  readonly path: string;
  readonly tokens: number;
}

/** The role of a file for someone who wants to understand a project. */
export type FileRole =
  | 'readme'
  | 'manifest'
  | 'source'
  | 'document'
  | 'data'
  | 'tool'
  | 'example'
  | 'test'
  | 'fixture'
  | 'bulk';

const README = /^readme(?:\.\w+)?$/i;
const MANIFESTS = new Set(
  [
    'package.json pyproject.toml setup.py setup.cfg requirements.txt Pipfile Cargo.toml go.mod go.work pom.xml',
    'build.gradle build.gradle.kts settings.gradle settings.gradle.kts Gemfile composer.json mix.exs pubspec.yaml',
    'Package.swift CMakeLists.txt Makefile meson.build deno.json deno.jsonc build.sbt project.clj deps.edn',
    'Project.toml DESCRIPTION rebar.config stack.yaml dune-project MODULE.bazel pnpm-workspace.yaml build.zig',
  ]
    .join(' ')
    .split(' '),
);
const MANIFEST_EXTENSIONS = /\.(?:gemspec|csproj|fsproj|cabal|opam|nimble|rockspec)$/;

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|pyi?|rb|php|go|rs|java|kts?|scala|groovy|cs|fs|vb|c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|swift|dart|exs?|erl|hrl|hs|mli?|clj[cs]?|edn|lua|pl|pm|r|jl|zig|nim|sh|bash|zsh|fish|ps1|sql|proto|graphql|tf|sol|elm|cr|d|lisp|el|rkt|scm|vim|jq|awk|y|yy|ypp|l|ll|g4|peg)$/i;
const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|txt|org|tex)$/i;

const FIXTURE =
  /(?:^|\/)(?:fixtures?|__fixtures__|testdata|test[-_]data|__snapshots__|snapshots?|golden|cassettes|mocks?|__mocks__)\//i;
const TEST = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|[\w-]+[-_.]tests?)\//i;
const TEST_NAME = /(?:^|\/)(?:test_[^/]*|conftest\.py|[^/]*(?:[._-](?:test|spec)s?|[a-z](?:Tests?|Spec))\.\w+)$/;
const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?|bench(?:es|mark|marks)?|sandbox|playground)\//i;
/** Files for the work on a project, which are not part of it. */
const TOOL =
  /^(?:scripts?|tools?|ci|contrib|hack|misc|docs|website)\/|(?:^|\/)(?:[\w.-]+\.config\.[cm]?[jt]s|gulpfile\.\w+|build\.rs|conf\.py|noxfile\.py|tasks\.py)$/i;
const BULK_DIRECTORY =
  /(?:^|\/)(?:vendor|third[_-]party|generated|__generated__|gen|locales?|i18n|translations?|dist|node_modules)\//i;
const BULK_NAME =
  /(?:^|\/)(?:change(?:s|log)|history|news|releases?|(?:third[-_]?party[-_]?)?(?:licen[cs]es?|notices?)|copying|authors|contributors)(?:[.-]\w+)*$/i;
const BULK_EXTENSION =
  /(?:\.(?:svg|snap|map|lock|lockb|csv|tsv|jsonl|ndjson|po|pot|log|patch|diff|geojson|ipynb|sum)|\.min\.\w+|[._-]generated\.\w+|_pb2?\.\w+|\.pb\.\w+|-lock\.(?:json|ya?ml)|\.g\.dart|\.designer\.cs)$/i;

/** Returns the role of a file by its path. */
export function roleOf(path: string): FileRole {
  const name = posix.basename(path);
  if (FIXTURE.test(path)) return 'fixture';
  if (BULK_DIRECTORY.test(path) || BULK_EXTENSION.test(name) || BULK_NAME.test(name)) return 'bulk';
  if (TEST.test(path) || TEST_NAME.test(path)) return 'test';
  if (EXAMPLE.test(path)) return 'example';
  if (README.test(name)) return 'readme';
  if (MANIFESTS.has(name) || MANIFEST_EXTENSIONS.test(name)) return 'manifest';
  if (SOURCE.test(name)) return TOOL.test(path) ? 'tool' : 'source';
  return DOCUMENT.test(name) ? 'document' : 'data';
}

const ENTRY_NAME = /^(?:main|index|__main__|app|cli|server|lib|mod|program|application|manage|wsgi|asgi)$/i;

/** Reports whether a program or a library starts in a source file, by its name. */
export function isEntryPoint(path: string): boolean {
  const { name } = posix.parse(path);
  return ENTRY_NAME.test(name) || /^cmd\/[^/]+\/[^/]+\.go$/.test(path);
}

/** Returns a name as letters and digits, to compare it. */
export function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the name of a source file without its extension. */
export function sourceStemOf(path: string): string {
  return posix.parse(withoutExtension(path)).name;
}

/** Returns the subject of a test by its name, or the subject that tests of a file would have. */
export function subjectOf(path: string): string {
  const stem = posix.basename(path).replace(/\..*$/, '');
  return toPlainName(stem.replace(/^test[_-]|[_.-](?:test|spec)s?$|(?<=[a-z])(?:Tests?|Spec|IT)$/g, '')).replace(
    /s$/,
    '',
  );
}
