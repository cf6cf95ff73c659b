import { posix } from 'node:path';
import { type FocusTerms, splitName, stemOf } from '../../signals/focus-terms.ts';
import type { ReferenceGraph, SourceSignals } from '../../signals/reference-graph.ts';
import { type RankedFile, roleOf, subjectOf } from './file-role.ts';

const PATH = 100;
const DECLARED = 30;
const IN_NAME = 12;
const IN_DECLARED = 5;
const IN_TEXT = 3;
/** A file that matches less than this share of the best match is not asked for. */
const SHARE_OF_BEST = 0.55;
const MOST_ASKED = 5;
/** The score that files get for being asked for, and for being near to such files. */
const FOR_ASKED = 60;
const FOR_TESTS = 26;
const FOR_USED = 22;
const FOR_USERS = 22;
const FOR_MATCH = 20;
/** What declares a name of the text comes before all that matches it. */
const FOR_DEFINITION = 40;
/** A name that more files declare does not show what is asked for. */
const MOST_DEFINITIONS = 3;

interface FocusSignals {
  readonly focus: FocusTerms;
  readonly sources: ReadonlyMap<string, SourceSignals>;
  readonly graph: ReferenceGraph;
}

export interface FocusRanking {
  readonly asked: ReadonlySet<string>;
  scoreOf(path: string): number;
  reasonOf(path: string): string;
}

/** Finds the files that a text, a path or a name asks for, with the files that they use, their users and their tests. */
export function rankByFocus(files: readonly RankedFile[], signals: FocusSignals): FocusRanking {
  const matches = new Matches(files, signals);
  const best = [...matches.scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const least = (best[0]?.[1] ?? 0) * SHARE_OF_BEST;
  const askable = best.filter(([path, score]) => score >= least && score > 0 && roleOf(path) !== 'test');
  const { definitions } = matches;
  const found = askable.length > 0 ? askable : best.slice(0, 1);
  const defining = best.filter(([path]) => definitions.has(path));
  const asked = new Map([...defining, ...found].slice(0, Math.max(MOST_ASKED, defining.length)));
  const most = best[0]?.[1] ?? 1;
  const near = nearTo({ asked, matches: matches.scores }, files, signals);
  return {
    asked: new Set(asked.keys()),
    scoreOf: (path) => {
      const match = (matches.scores.get(path) ?? 0) / most;
      const defines = definitions.has(path) ? FOR_DEFINITION : 0;
      return defines + (asked.has(path) ? FOR_ASKED : 0) + match * FOR_MATCH + (near.get(path)?.score ?? 0);
    },
    reasonOf: (path) => {
      if (asked.has(path)) return 'what is asked for';
      return near.get(path)?.reason ?? ((matches.scores.get(path) ?? 0) > most / 4 ? 'matches' : '');
    },
  };
}

interface Near {
  readonly score: number;
  readonly reason: string;
}

function nearTo(
  { asked, matches }: { readonly asked: ReadonlyMap<string, number>; readonly matches: ReadonlyMap<string, number> },
  files: readonly RankedFile[],
  { graph }: FocusSignals,
): ReadonlyMap<string, Near> {
  const near = new Map<string, Near>();
  const best = Math.max(...asked.values());
  const add = (path: string, score: number, reason: string) => {
    const known = near.get(path);
    if (!asked.has(path) && (known === undefined || known.score < score)) near.set(path, { score, reason });
  };
  for (const [path, match] of asked) {
    const share = match / best;
    const subject = subjectOf(path);
    const name = posix.basename(path);
    for (const used of graph.usesOf(path))
      add(used, share * FOR_USED * rarity(graph.usersOf(used).size), `used by ${name}`);
    for (const user of graph.usersOf(path)) {
      if (roleOf(user) !== 'test') add(user, share * FOR_USERS * rarity(graph.usesOf(user).size), `uses ${name}`);
    }
    for (const { path: test } of files.filter((file) => roleOf(file.path) === 'test')) {
      const isNamed = subjectOf(test) === subject;
      const match = (matches.get(test) ?? 0) / best;
      if (isNamed || (match > 0.3 && graph.usersOf(path).has(test))) {
        add(test, share * FOR_TESTS * (isNamed ? 1 : match), `tests ${name}`);
      }
    }
  }
  return near;
}

function rarity(count: number): number {
  return 1 / 3 + 2 / 3 / (1 + Math.log2(1 + count) / 4);
}

class Matches {
  readonly scores = new Map<string, number>();
  readonly definitions: ReadonlySet<string>;
  readonly #focus: FocusTerms;
  /** How much each term says: the fewer files have it, the more. */
  readonly #weights: readonly number[];

  constructor(files: readonly RankedFile[], { focus, sources }: FocusSignals) {
    this.#focus = focus;
    const having = focus.terms.map((_, i) => files.filter(({ path }) => (focus.counts.get(path)?.[i] ?? 0) > 0).length);
    this.definitions = new Set(focus.names.flatMap((name) => definitionsOf(name, focus, sources)));
    this.#weights = having.map((count) => Math.log2(1 + files.length / (1 + count)));
    for (const { path } of files) {
      const score = this.#scoreOf(path, sources.get(path)?.names.declared ?? new Set());
      if (score > 0) this.scores.set(path, score);
    }
  }

  #scoreOf(path: string, declared: ReadonlySet<string>): number {
    const role = roleOf(path);
    const share = role === 'source' ? 1 : role === 'test' ? 0.7 : 0.3;
    const asPath = isPathIn(path, this.#focus.text) ? PATH : 0;
    const asName = this.#focus.names.some((name) => declared.has(name) && isTelling(name)) ? DECLARED : 0;
    return asPath + share * (asName + this.#scoreOfTerms(path, declared));
  }

  #scoreOfTerms(path: string, declared: ReadonlySet<string>): number {
    const inName = new Set(splitName(posix.basename(path).replace(/\.\w+$/, '')).map(stemOf));
    const inDeclared = new Set([...declared].flatMap(splitName).map(stemOf));
    const counts = this.#focus.counts.get(path) ?? [];
    let score = 0;
    for (const [i, term] of this.#focus.terms.entries()) {
      const count = counts[i] ?? 0;
      const inText = (IN_TEXT * count) / (count + 3);
      const weight = this.#weights[i] ?? 0;
      score += (weight * ((inName.has(term) ? IN_NAME : 0) + (inDeclared.has(term) ? IN_DECLARED : 0) + inText)) / 4;
    }
    return score;
  }
}

function definitionsOf(name: string, { text }: FocusTerms, sources: FocusSignals['sources']): readonly string[] {
  const declaring = [...sources].filter(([path, { names }]) => roleOf(path) === 'source' && names.declared.has(name));
  const isCode = isTelling(name) || /^[\w$]+$/.test(text) || text.includes(`${name}(`) || text.includes(`\`${name}\``);
  return isCode && declaring.length <= MOST_DEFINITIONS ? declaring.map(([path]) => path) : [];
}

function isPathIn(path: string, text: string): boolean {
  return text.split(/[\s,;'"`()]+/).some((word) => {
    if (!/[./]/.test(word)) return false;
    const named = word.replace(/^\.\//, '').replace(/\/$/, '');
    return named !== '' && (path === named || path.endsWith(`/${named}`) || path.startsWith(`${named}/`));
  });
}

/** Reports whether a word is written like a name of code, and not like any word. */
function isTelling(name: string): boolean {
  return /[a-z0-9][A-Z]|_|\$|^[A-Z]/.test(name);
}
