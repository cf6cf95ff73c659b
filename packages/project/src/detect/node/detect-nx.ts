import type { ProjectDirectory } from '../../files/project-directory.ts';
import {
  commandsBy,
  commandsOf,
  type DetectFunction,
  isPlainName,
  type ProjectFinding,
  scriptsOf,
} from '../finding.ts';
import { execWith, lockedManager } from './detect-node-manager.ts';

const FILE = 'nx.json';
const PROJECT = 'project.json';

/** Detects nx, with the targets that nx.json has for all projects. */
export async function detectNx(directory: ProjectDirectory, manager: string): Promise<ProjectFinding> {
  const defaults = (await directory.jsonc(FILE)).table('targetDefaults').keys();
  // A name with a colon is an executor.
  const targets = defaults.filter((name) => !name.includes(':'));
  return {
    ...runMany(targets, manager),
    members: [{ patterns: ['**'], file: FILE, holding: PROJECT }],
  };
}

/** Returns commands that run targets in all projects that have them. */
export function runMany(targets: readonly string[], manager: string): ProjectFinding {
  const run = `${execWith(manager)} nx run-many -t`;
  return { runners: ['nx'], scripts: [scriptsOf(FILE, run, targets)], ...commandsOf(run, targets) };
}

/** Detects a project of an Nx workspace from project.json, with its targets. */
export const detectNxProject: DetectFunction = async (directory, { file, around }) => {
  if (!around.isNx && !directory.has(FILE)) return undefined;
  const manifest = await directory.jsonc(file);
  const name = manifest.string('name') ?? directory.json('package.json').stringIfAny('name') ?? directory.baseName;
  const manager = lockedManager(directory) ?? around.manager ?? 'npm';
  const run = `${execWith(manager)} nx run`;
  const targets = manifest
    .table('targets')
    .keys()
    .filter((target) => isPlainName(`${name}:${target}`));
  return {
    managers: [manager],
    runners: ['nx'],
    scripts: [
      scriptsOf(
        file,
        run,
        targets.map((target) => `${name}:${target}`),
      ),
    ],
    ...commandsBy((kind) => (targets.includes(kind) ? `${run} ${name}:${kind}` : undefined)),
    targets,
    name,
    description: manifest.tableIfAny('metadata').stringIfAny('description'),
  };
};
