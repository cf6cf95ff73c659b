import type { ProjectDirectory } from '../../files/project-directory.ts';
import { commandsByAlias, type DetectFunction, type Finding, isPlainName, scriptsOf } from '../finding.ts';
import { execWith, lockedManager } from '../node/detect-node-manager.ts';
import { readEdnMap } from './detect-edn.ts';

const BABASHKA = 'bb.edn';
const SHADOW = 'shadow-cljs.edn';

/** Detects Clojure from Leiningen, the tools of deps.edn, shadow-cljs, and the tasks of babashka. */
export const detectClojure: DetectFunction = async (directory, { around }): Promise<Finding> => {
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

/** Returns the command of an alias; undefined unless it names a function or the arguments of clojure.main. */
function commandOfAlias(name: string, alias = ''): string | undefined {
  const keys = readEdnMap(alias);
  if (keys.has(':exec-fn')) return `clojure -X:${name}`;
  return keys.has(':main-opts') ? `clojure -M:${name}` : undefined;
}

/** Returns the command for the first build of shadow-cljs, which is a dependency of package.json. */
function shadowBuild(directory: ProjectDirectory, above: string | undefined): string | undefined {
  const builds = readEdnMap(readEdnMap(directory.text(SHADOW) ?? '').get(':builds') ?? '');
  const build = [...builds.keys()].map((key) => key.replace(/^:/, '')).find(isPlainName);
  if (build === undefined) return undefined;
  return `${execWith(lockedManager(directory) ?? above ?? 'npm')} shadow-cljs compile ${build}`;
}

/** Returns the tasks of babashka. A keyword is a setting, and a key that begins with a hyphen is private. */
function tasksOf(directory: ProjectDirectory): Finding {
  const text = directory.text(BABASHKA);
  if (text === undefined) return {};
  const tasks = [...readEdnMap(readEdnMap(text).get(':tasks') ?? '').keys()].filter((name) => /^[^:-]/.test(name));
  return { runners: ['bb'], scripts: [scriptsOf(BABASHKA, 'bb', tasks)], tasks: commandsByAlias('bb', tasks) };
}
