import { posix } from 'node:path';
import type { Recency } from '@jinn/git/git-log';
import type { SignalObserver } from '../../signals/observer.ts';
import { pushTo, ReferenceGraph } from '../../signals/reference-graph.ts';
import { type ProjectFacts, readManifests } from './entry-points.ts';
import {
  type FileRole,
  isEntryPoint,
  type RankedFile,
  roleOf,
  sourceStemOf,
  subjectOf,
  toPlainName,
} from './file-role.ts';
import { rankByFocus } from './focus.ts';

export interface RankSignals {
  readonly observer: SignalObserver;
  readonly recent: ReadonlyMap<string, Recency>;
}

/** Files by rank. Entries that say the most come first. */
export interface Ranking<T extends RankedFile> {
  readonly files: readonly T[];
  roleOf(path: string): FileRole;
  reasonOf(path: string): string;
  readonly asked: ReadonlySet<string>;
  readonly entries: ReadonlySet<string>;
}

const BASE: Readonly<Record<FileRole, number>> = {
  readme: 9,
  manifest: 6,
  source: 10,
  document: 4,
  data: 3,
  tool: 3,
  example: 2,
  test: 1,
  fixture: -6,
  bulk: -10,
};
const PER_DEPTH = 0.5;
const ENTRY = 4;
const NAMED_AS_ENTRY = 2;
const NAMED_AS_PROJECT = 3;
const IN_README = 1.5;
const TESTED = 1.5;
const RECENT = 4;
const PER_USERS = 1.6;
const MOST_FOR_USERS = 8;
const PER_USED = 1.4;
const MOST_FOR_USED = 5;
/** A file with this many tokens is neither large nor small. */
const USUAL = 600;
const MOST_FOR_SIZE = 3;
/** The header of a smaller file says nearly as much as its content. */
const TINY = 120;
/** Beyond this many files in one directory, each says less. */
const CROWD = 10;
/** A file that this many files use stands out of any crowd. */
const STANDS_OUT = 12;
/** Forms of one module. The first one that exists says the most, and the others repeat it. */
const FORMS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.d.ts', '.cjs', '.d.mts', '.d.cts'];
const FORM = /(?:\.d)?\.[cm]?[jt]sx?$/;
/** Directories in which a module and its built form lie side by side. */
const SIDES = /^(?:src|source|(?:dist|build|out)(?:\/(?:cjs|esm\d?|es|umd|node|browser))?)\//;
const FOR_ANOTHER_FORM = 12;
/** Declarations without a source next to them say what exists, and not how it works. */
const DECLARATIONS = /\.d\.[cm]?ts$/;
const FOR_DECLARATIONS = 3;
/** Files for building, which say little about what a project is for. */
const AUXILIARY =
  /(?:^|[-_.]|[a-z](?=[A-Z]))(?:utils?|helpers?|errors?|constants?|types?|symbols?|warnings?|common|compat|versions?)$/i;
const FOR_AUXILIARY = 2;

/** Sorts files by how much they say about a project, the most first. The same files always get the same order. */
export function rankFiles<T extends RankedFile>(files: readonly T[], signals: RankSignals): Ranking<T> {
  const scorer = new Scorer(files, signals);
  const { focus } = signals.observer;
  const focused = focus && rankByFocus(files, { focus, sources: signals.observer.sources, graph: scorer.graph });
  const scores = new Map(files.map((file) => [file, scorer.scoreOf(file) + (focused?.scoreOf(file.path) ?? 0)]));
  const score = (file: T) => scores.get(file) ?? 0;
  return {
    files: files.toSorted((a, b) => score(b) - score(a) || (a.path < b.path ? -1 : 1)),
    roleOf: (path) => scorer.roleOf(path),
    reasonOf: (path) => [focused?.reasonOf(path), scorer.reasonOf(path)].filter(Boolean).join(', '),
    asked: focused?.asked ?? new Set(),
    entries: scorer.entries,
  };
}

/** Finds the paths of modules that also exist in a form that says more, such as `add.cjs` next to `add.js`. */
export function findOtherForms(files: readonly RankedFile[]): ReadonlySet<string> {
  const best = new Map<string, { path: string; form: number }>();
  const others = new Set<string>();
  for (const { path } of files) {
    const form = FORMS.indexOf(FORM.exec(path)?.[0] ?? '');
    if (form < 0) continue;
    const module = path.replace(FORM, '').replace(SIDES, '');
    const known = best.get(module);
    if (known === undefined || form < known.form) best.set(module, { path, form });
    if (known !== undefined) others.add(form < known.form ? known.path : path);
  }
  return others;
}

class Scorer {
  readonly graph: ReferenceGraph;
  readonly #observer: SignalObserver;
  readonly #recent: RankSignals['recent'];
  readonly #facts: ProjectFacts;
  readonly #otherForms: ReadonlySet<string>;
  readonly #words: ReadonlySet<string>;
  readonly #crowds = new Map<string, number>();
  /** The files of one name in one directory, such as a source and its header. */
  readonly #modules = new Map<string, string[]>();
  readonly #users = new Map<string, number>();
  readonly #tested: ReadonlySet<string>;

  constructor(files: readonly RankedFile[], { observer, recent }: RankSignals) {
    this.#observer = observer;
    this.#recent = recent;
    this.graph = new ReferenceGraph(observer.sources);
    const paths = files.map(({ path }) => path);
    this.#facts = readManifests(ofTop(observer.texts, 'manifest'), paths);
    this.#otherForms = findOtherForms(files);
    this.#words = new Set(
      [...ofTop(observer.texts, 'readme').values()].flatMap((text) => text.match(/[\w$]{4,}/g) ?? []),
    );
    this.#tested = new Set(paths.filter((path) => roleOf(path) === 'test').map(subjectOf));
    for (const path of observer.sources.keys()) pushTo(this.#modules, moduleOf(path), path);
    for (const path of paths.filter((path) => this.roleOf(path) === 'source')) {
      const directory = posix.dirname(path);
      this.#crowds.set(directory, (this.#crowds.get(directory) ?? 0) + 1);
    }
  }

  get entries(): ReadonlySet<string> {
    return this.#facts.entries;
  }

  scoreOf({ path, tokens }: RankedFile): number {
    const role = this.roleOf(path);
    const depth = path.split('/').length - 1;
    const tiny = this.entries.has(path) ? 0 : Math.max(0, 1 - tokens / TINY) * 4;
    const score = BASE[role] - depth * PER_DEPTH - tiny + (this.#recent.get(path)?.share ?? 0) * RECENT;
    if (role !== 'source') return score - (role === 'readme' ? 0 : Math.log2(Math.max(1, tokens / 1000)));
    return score + this.#scoreOfSource(path, tokens) - (this.#otherForms.has(path) ? FOR_ANOTHER_FORM : 0);
  }

  reasonOf(path: string): string {
    const role = this.roleOf(path);
    const share = this.#recent.get(path)?.share ?? 0;
    const changed = share > 0.2 ? 'changed lately' : '';
    if (role !== 'source')
      return [role === 'bulk' ? 'generated or for the record' : role, changed].filter(Boolean).join(', ');
    const users = this.#countUsers(path);
    return [
      this.#facts.entries.has(path) ? 'entry point' : isEntryPoint(path) ? 'named as an entry point' : '',
      users > 0 ? `used by ${users} ${users === 1 ? 'file' : 'files'}` : 'used by none',
      this.#isNamedAsProject(path) && 'named as the project',
      this.#isInReadme(path) && 'in the README',
      this.#tested.has(subjectOf(path)) && 'has tests',
      changed,
      this.#otherForms.has(path) && 'another form of a module',
    ]
      .filter(Boolean)
      .join(', ');
  }

  roleOf(path: string): FileRole {
    return this.#observer.generated.has(path) ? 'bulk' : roleOf(path);
  }

  #scoreOfSource(path: string, tokens: number): number {
    const count = this.#countUsers(path);
    const users = Math.min(MOST_FOR_USERS, PER_USERS * Math.log2(1 + count));
    const used = Math.min(MOST_FOR_USED, PER_USED * Math.log2(1 + this.graph.usesOf(path).size));
    const least = this.entries.has(path) ? 0 : -MOST_FOR_SIZE;
    const size = Math.max(least, Math.min(MOST_FOR_SIZE, Math.log2(Math.max(1, tokens) / USUAL)));
    const others = (this.#crowds.get(posix.dirname(path)) ?? 1) / CROWD;
    const crowd = Math.max(0, 1 - count / STANDS_OUT) * Math.log2(Math.max(1, others));
    const entry = this.#facts.entries.has(path) ? ENTRY : isEntryPoint(path) ? NAMED_AS_ENTRY : 0;
    const named = this.#isNamedAsProject(path) ? NAMED_AS_PROJECT : 0;
    const told = (this.#isInReadme(path) ? IN_README : 0) + (this.#tested.has(subjectOf(path)) ? TESTED : 0);
    const bare =
      (DECLARATIONS.test(path) ? FOR_DECLARATIONS : 0) + (AUXILIARY.test(sourceStemOf(path)) ? FOR_AUXILIARY : 0);
    return users + used + size - crowd + entry + named + told - bare;
  }

  /** Counts the users of a file and of its header or built form. Tests do not count, since they use everything. */
  #countUsers(path: string): number {
    const known = this.#users.get(path);
    if (known !== undefined) return known;
    const module = this.#modules.get(moduleOf(path)) ?? [path];
    const users = new Set(module.flatMap((part) => [...this.graph.usersOf(part)]));
    const count = [...users].filter((user) => this.roleOf(user) === 'source' && !module.includes(user)).length;
    this.#users.set(path, count);
    return count;
  }

  #isNamedAsProject(path: string): boolean {
    return this.#facts.names.has(toPlainName(sourceStemOf(path)));
  }

  #isInReadme(path: string): boolean {
    return this.#words.has(sourceStemOf(path));
  }
}

function moduleOf(path: string): string {
  return posix.join(posix.dirname(path), sourceStemOf(path));
}

function ofTop(texts: ReadonlyMap<string, string>, role: FileRole): ReadonlyMap<string, string> {
  const files = [...texts].map(([path, text]) => ({ path, tokens: 0, text }));
  return new Map(essentialFiles(files, role).map(({ path, text }) => [path, text]));
}

/** Returns the READMEs or manifests of the project itself: those at the least depth that has any. */
export function essentialFiles<T extends RankedFile>(files: readonly T[], role: FileRole): T[] {
  const known = files.filter(({ path }) => roleOf(path) === role);
  const depthOf = ({ path }: T) => path.split('/').length;
  const least = Math.min(...known.map(depthOf));
  return known.filter((file) => depthOf(file) === least).toSorted((a, b) => a.tokens - b.tokens);
}
