import { posix } from 'node:path';
import type { ProjectDirectory } from '../files/project-directory.ts';
import type { DetectFunction } from './finding.ts';
import { frameworksOf } from './frameworks.ts';

const MAX_MODULES = 20;
const MAX_LINE = 2_000;
/** Security: the path becomes part of a command. */
const PLAIN_PATH = /^[\w][\w./-]{0,199}$/;
const MODULE = /^module[ \t(]+["`]?([^\s"`)]+)/m;
/** The start of a line outside of parentheses. */
const GO_MOD = /^(?:module|go|toolchain|godebug|require|exclude|replace|retract|tool|ignore)(?![\w-])/;
const GO_WORK = /^(?:go|toolchain|godebug|use|replace)(?![\w-])/;
const LINTERS = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json'];

/** Detects Go from go.mod, and from go.work with the modules that it uses. */
export const detectGo: DetectFunction = async (directory) => {
  const module = linesOf(directory, 'go.mod', GO_MOD);
  const modules = usesOf(linesOf(directory, 'go.work', GO_WORK));
  const packages = packagesOf(directory, modules);
  // Without a module at the top, the linter must be told where the modules are.
  const lint = modules.length > 0 ? `golangci-lint run ${packages}` : 'golangci-lint run';
  return {
    languages: ['Go'],
    frameworks: frameworksOf('go', requiredBy(module)),
    managers: ['go'],
    build: `go build ${packages}`,
    test: `go test ${packages}`,
    ...(directory.has(...LINTERS) ? { lint } : { guesses: { lint } }),
    members: [{ patterns: modules, file: 'go.work', arePaths: true }],
    name: MODULE.exec(module.join('\n'))?.[1],
  };
};

function requiredBy(module: readonly string[]): string[] {
  const words = module.map((line) =>
    line
      .replace(/^require\s/, '')
      .trim()
      .split(/\s+/, 2),
  );
  return words.filter(([, version]) => /^v\d/.test(version ?? '')).map(([name = '']) => name.replace(/\/v\d+$/, ''));
}

function usesOf(work: readonly string[]): string[] {
  const paths: string[] = [];
  let isInside = false;
  for (const line of work) {
    const [, rest] = /^use(?=[\s(])\s*(.*)/.exec(line) ?? [];
    if (rest === undefined && !isInside) continue;
    const text = (rest ?? line).trim();
    if (text === '' || text === '(' || text === ')') isInside = text === '' ? isInside : text === '(';
    else paths.push(text.replace(/^"(.*)"$/, '$1'));
  }
  return paths;
}

function linesOf(directory: ProjectDirectory, file: string, known: RegExp): string[] {
  const text = directory.text(file) ?? '';
  // An indirect requirement says nothing about the project.
  const isIndirect = (line: string) => /\/\/ indirect\b/.test(line);
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.slice(0, MAX_LINE))
    .map((line) => (isIndirect(line) ? '' : line.replace(/\/\/.*/, '')));
  let isInside = false;
  for (const [i, line] of lines.entries()) {
    const words = line.trim();
    if (!isInside && words !== '' && !known.test(words)) {
      directory.warn(file, `line ${i + 1} is not valid`);
      break;
    }
    if (words.endsWith('(')) isInside = true;
    else if (words.endsWith(')')) isInside = false;
  }
  return lines;
}

function packagesOf(directory: ProjectDirectory, modules: readonly string[]): string {
  const all = modules.flatMap((module) => {
    const path = posix.normalize(module).replace(/\/$/, '');
    if (path === '.') return ['./...'];
    if (PLAIN_PATH.test(path)) return [`./${path}/...`];
    directory.warn('go.work', `the commands skip the module ${JSON.stringify(module.slice(0, 100))}`);
    return [];
  });
  if (all.length > MAX_MODULES)
    directory.warn('go.work', `the commands are for ${MAX_MODULES} of ${all.length} modules`);
  return all.length === 0 ? './...' : all.slice(0, MAX_MODULES).join(' ');
}
