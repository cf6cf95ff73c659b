import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';

const REQUIREMENT = /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/;
/** The most requirements files that are read. */
const MAX_REQUIREMENTS = 20;
const REQUIREMENTS = /requirements[\w.-]*\.(?:txt|in)$|^requirements\//;

/** The manifests of a Python project. The table of a missing file is empty. */
export interface PythonManifests {
  readonly pyproject: Manifest;
  /** The tables of tools in pyproject.toml. */
  readonly tool: Manifest;
  readonly pipfile: Manifest;
  readonly pixi: Manifest;
  /** The same as [tool.hatch]. */
  readonly hatch: Manifest;
  readonly conda: Manifest;
}

export async function readPythonManifests(directory: ProjectDirectory): Promise<PythonManifests> {
  const pyproject = await directory.toml('pyproject.toml');
  const tool = pyproject.table('tool');
  return {
    pyproject,
    tool,
    pipfile: await directory.toml('Pipfile'),
    pixi: directory.has('pixi.toml') ? await directory.toml('pixi.toml') : tool.table('pixi'),
    hatch: directory.has('hatch.toml') ? await directory.toml('hatch.toml') : tool.table('hatch'),
    conda: await directory.yaml(directory.find('environment.yml', 'environment.yaml') ?? 'environment.yml'),
  };
}

/** Reports whether a name is requirements.txt or a similar one. */
export function isRequirements(name: string): boolean {
  return REQUIREMENTS.test(name);
}

/** Returns the normalised names of all dependencies. */
export function dependenciesOfPython(directory: ProjectDirectory, manifests: PythonManifests): Set<string> {
  const { pyproject, tool, pipfile, pixi, conda } = manifests;
  const project = pyproject.table('project');
  const poetry = tool.table('poetry');
  const names = [
    ...project.strings('dependencies'),
    ...stringsIn(project.table('optional-dependencies')),
    ...stringsIn(pyproject.table('dependency-groups')),
    ...poetry.table('dependencies').keys(),
    ...poetry.table('dev-dependencies').keys(),
    ...tablesIn(poetry.table('group')).flatMap((group) => group.table('dependencies').keys()),
    ...stringsIn(tool.table('pdm').table('dev-dependencies')),
    ...tool.table('uv').strings('dev-dependencies'),
    ...pipfile.table('packages').keys(),
    ...pipfile.table('dev-packages').keys(),
    ...pixi.table('dependencies').keys(),
    ...pixi.table('pypi-dependencies').keys(),
    ...conda.stringsAmong('dependencies'),
    ...requirementsOf(directory),
  ];
  return new Set(names.map((name) => (REQUIREMENT.exec(name.trim())?.[0] ?? '').toLowerCase().replace(/[._]+/g, '-')));
}

function requirementsOf(directory: ProjectDirectory): string[] {
  const files = directory.names.filter(isRequirements);
  const read = files.slice(0, MAX_REQUIREMENTS);
  if (files.length > read.length) directory.warn('requirements', `${read.length} of ${files.length} files are read`);
  return read.flatMap((name) => directory.text(name)?.split('\n') ?? []);
}

/** Returns all strings of the lists in a table, without the tables by which a group includes another. */
function stringsIn(table: Manifest): string[] {
  return table.keys().flatMap((key) => table.stringsAmong(key));
}

function tablesIn(table: Manifest): Manifest[] {
  return table.keys().map((key) => table.table(key));
}
