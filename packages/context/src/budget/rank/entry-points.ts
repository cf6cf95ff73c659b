import { posix } from 'node:path';
import { withoutExtension } from '../../signals/find-imports.ts';
import { pushTo } from '../../signals/reference-graph.ts';
import { toPlainName } from './file-role.ts';

const ENTRY_FIELDS = ['source', 'main', 'module', 'browser', 'bin', 'exports'];
/** If a package has more exports, they are its files, and do not show where it starts. */
const MOST_ENTRIES = 12;
/** Directories of build output, which stand for those of the source. */
const BUILT = /^(?:dist|build|out|lib|es|esm|esm5|cjs|commonjs|umd|browser|node|types)\//;
const NAMES: Readonly<Record<string, RegExp>> = {
  'Cargo.toml': /^\s*name\s*=\s*"([^"\n]+)"/m,
  'pyproject.toml': /^\s*name\s*=\s*"([^"\n]+)"/m,
  'setup.cfg': /^\s*name\s*=\s*([\w.-]+)/m,
  'setup.py': /\bname\s*=\s*['"]([\w.-]+)['"]/,
  'go.mod': /^module\s+\S*?([\w.-]+)(?:\/v\d+)?\s*$/m,
  'pom.xml': /<artifactId>([^<]+)<\/artifactId>/,
};

/** The facts about a project in its manifests. */
export interface ProjectFacts {
  readonly entries: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/** Reads the manifests of a project. `texts` has those at its top, by their paths. */
export function readManifests(texts: ReadonlyMap<string, string>, paths: readonly string[]): ProjectFacts {
  const entries = new Set<string>();
  const names = new Set<string>();
  const finder = new Files(paths);
  for (const [path, text] of texts) {
    const { dir, base } = posix.parse(path);
    const data = base === 'package.json' || base === 'composer.json' ? parseObject(text) : {};
    const own = typeof data['name'] === 'string' ? data['name'].slice(data['name'].lastIndexOf('/') + 1) : undefined;
    const name = own ?? NAMES[base]?.exec(text)?.[1];
    if (name !== undefined) names.add(toPlainName(name));
    const fields = ENTRY_FIELDS.flatMap((field) => {
      const value = field === 'exports' ? mainExport(data[field]) : data[field];
      return [...stringsIn(value)].slice(0, MOST_ENTRIES);
    });
    for (const entry of [...fields, ...entriesOf(base, text)])
      for (const file of finder.find(dir, entry)) entries.add(file);
  }
  return { entries, names };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function mainExport(value: unknown): unknown {
  return typeof value === 'object' && value !== null && '.' in value ? (value as Record<string, unknown>)['.'] : value;
}

function* stringsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* stringsIn(inner);
}

function entriesOf(name: string, text: string): string[] {
  if (name === 'Cargo.toml') {
    const named = [...text.matchAll(/^\s*path\s*=\s*"([^"\n]+\.rs)"/gm)].map(([, path = '']) => path);
    return [...named, 'src/main.rs', 'src/lib.rs'];
  }
  if (/^(?:pyproject\.toml|setup\.(?:cfg|py))$/.test(name)) {
    return [...text.matchAll(/=\s*['"]?([\w.]+):\w+/g)].map(([, module = '']) => module.replaceAll('.', '/'));
  }
  return [];
}

class Files {
  readonly #paths: ReadonlySet<string>;
  readonly #modules = new Map<string, string[]>();

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    for (const path of paths) pushTo(this.#modules, withoutExtension(path), path);
  }

  find(dir: string, named: string): readonly string[] {
    const path = posix.join(dir, named);
    if (this.#paths.has(path)) return [path];
    let rest = withoutExtension(named.replace(/^\.\//, ''));
    for (;;) {
      for (const top of ['', 'src', 'lib', 'source']) {
        for (const last of ['', 'index', '__init__', '__main__']) {
          const found = this.#modules.get(posix.join(dir, top, rest, last));
          if (found) return found;
        }
      }
      if (!BUILT.test(rest)) return [];
      rest = rest.replace(BUILT, '');
    }
  }
}
