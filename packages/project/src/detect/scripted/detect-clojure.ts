import type { ProjectDirectory } from '../../files/project-directory.ts';
import { commandsByAlias, type DetectFunction, isPlainName, type ProjectFinding, scriptsOf } from '../finding.ts';
import { execWith, lockedManager } from '../node/detect-node-manager.ts';

const BABASHKA = 'bb.edn';
const SHADOW = 'shadow-cljs.edn';
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|;[^\n]*|\\(?:\w+|.)|[()[\]{}]|#_|\^|[^\s,"();[\]{}\\]+/gs;
const OPENING = '([{';
const CLOSING = ')]}';
/** A prefix of a form: a tag, a quote, the mark of a set. */
const PREFIX = /^(?:#.*|['`@~]+)$/;
/** A prefix that omits the next form: the mark to discard it, or that of metadata. */
const DISCARDING = new Set(['#_', '^']);
const MAX_ENTRIES = 1_000;

/** Detects Clojure from Leiningen, the tools of deps.edn, shadow-cljs, and the tasks of babashka. */
export const detectClojure: DetectFunction = async (directory, { around }): Promise<ProjectFinding> => {
  const lein = directory.text('project.clj');
  if (lein !== undefined) {
    const name = /\(defproject\s{1,20}([\w./-]{1,100})/.exec(lein)?.[1];
    return { ...tasksOf(directory), languages: ['Clojure'], managers: ['lein'], ...LEIN, name };
  }
  const shadow = shadowBuild(directory, around.manager);
  const lint = directory.listed.some(({ name }) => name === '.clj-kondo') ? 'clj-kondo --lint src' : undefined;
  if (!directory.has('deps.edn')) {
    const isScript = directory.has(SHADOW) && !directory.has(BABASHKA);
    const languages = [isScript ? 'ClojureScript' : 'Clojure'];
    return {
      ...tasksOf(directory),
      languages,
      managers: directory.has(SHADOW) ? ['shadow-cljs'] : [],
      build: shadow,
      lint,
    };
  }
  const aliases = readEdnMap(readEdnMap(directory.text('deps.edn') ?? '').get(':aliases') ?? '');
  return {
    ...tasksOf(directory),
    languages: ['Clojure'],
    managers: ['clojure'],
    build: aliases.has(':build') ? 'clojure -T:build jar' : shadow,
    test: commandOfAlias('test', aliases.get(':test')),
    lint,
    guesses: { build: 'clojure -P' },
  };
};

const LEIN = { build: 'lein compile', test: 'lein test' };

function commandOfAlias(name: string, alias = ''): string | undefined {
  const keys = readEdnMap(alias);
  if (keys.has(':exec-fn')) return `clojure -X:${name}`;
  return keys.has(':main-opts') ? `clojure -M:${name}` : undefined;
}

function shadowBuild(directory: ProjectDirectory, above: string | undefined): string | undefined {
  const builds = readEdnMap(readEdnMap(directory.text(SHADOW) ?? '').get(':builds') ?? '');
  const build = [...builds.keys()].map((key) => key.replace(/^:/, '')).find(isPlainName);
  if (build === undefined) return undefined;
  return `${execWith(lockedManager(directory) ?? above ?? 'npm')} shadow-cljs compile ${build}`;
}

/** Returns the tasks of babashka. A keyword is a setting, and a key that starts with a hyphen is private. */
function tasksOf(directory: ProjectDirectory): ProjectFinding {
  const text = directory.text(BABASHKA);
  if (text === undefined) return {};
  const tasks = [...readEdnMap(readEdnMap(text).get(':tasks') ?? '').keys()].filter((name) => /^[^:-]/.test(name));
  return { runners: ['bb'], scripts: [scriptsOf(BABASHKA, 'bb', tasks)], tasks: commandsByAlias('bb', tasks) };
}

/** Reads the first map of a text in Clojure's data format. Of a broken text, it reads the parts that it can separate. */
export function readEdnMap(text: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let key: string | undefined;
  for (const form of keptOf(formsOf(firstMapOf(text).replace(/^\{|\}$/g, '')))) {
    if (key !== undefined) entries.set(key, form);
    key = key === undefined ? form : undefined;
    if (entries.size === MAX_ENTRIES) break;
  }
  return entries;
}

function firstMapOf(text: string): string {
  for (const form of formsOf(text)) if (form.startsWith('{')) return form;
  return '';
}

function* formsOf(text: string): Generator<string> {
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith(';')) continue;
    if (depth === 0) start = index;
    if (OPENING.includes(token)) depth++;
    else if (CLOSING.includes(token)) depth = Math.max(0, depth - 1);
    if (depth === 0) yield text.slice(start, index + token.length);
  }
  if (depth > 0) yield text.slice(start);
}

function* keptOf(forms: Iterable<string>): Generator<string> {
  let discarded = 0;
  for (const form of forms) {
    if (DISCARDING.has(form)) discarded++;
    else if (PREFIX.test(form)) continue;
    else if (discarded > 0) discarded--;
    else yield form;
  }
}
