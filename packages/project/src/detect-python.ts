import type { Detect, MemberPatterns } from './finding.ts';
import { frameworksOf } from './frameworks.ts';
import type { Manifest } from './manifest.ts';
import type { ProjectDirectory } from './project-directory.ts';

const REQUIREMENT = /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/;
const RUFF = ['ruff.toml', '.ruff.toml'];
const PYTEST = ['pytest.ini', 'conftest.py'];

/** Python: pyproject.toml, setup.py, requirements.txt, and the files of uv, poetry, pdm and pipenv. */
export const detectPython: Detect = async (directory) => {
  if (!directory.has('pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile')) return undefined;
  const pyproject = await directory.toml('pyproject.toml');
  const project = pyproject.table('project');
  const tool = pyproject.table('tool');
  const dependencies = await dependenciesOf(directory, pyproject);
  const manager = managerOf(directory, tool);
  const run = manager === 'pip' ? '' : `${manager} run `;
  const lints = tool.has('ruff') || directory.has(...RUFF) || dependencies.has('ruff');
  const tests = tool.has('pytest') || directory.has(...PYTEST) || dependencies.has('pytest');
  return {
    languages: ['Python'],
    frameworks: frameworksOf('python', dependencies),
    managers: [manager],
    build: buildOf(directory, manager, pyproject),
    test: directory.has('manage.py') && !tests ? `${run}python manage.py test` : `${run}pytest`,
    lint: lints ? `${run}ruff check` : otherLinter(directory, dependencies, run),
    members: uvMembers(tool),
    name: project.string('name') ?? tool.table('poetry').string('name'),
    description: project.string('description'),
  };
};

function managerOf(directory: ProjectDirectory, tool: Manifest): string {
  if (directory.has('uv.lock', 'uv.toml')) return 'uv';
  if (directory.has('poetry.lock')) return 'poetry';
  if (directory.has('pdm.lock')) return 'pdm';
  if (directory.has('Pipfile', 'Pipfile.lock')) return 'pipenv';
  return ['uv', 'poetry', 'pdm'].find((name) => tool.has(name)) ?? 'pip';
}

function buildOf(directory: ProjectDirectory, manager: string, pyproject: Manifest): string {
  switch (manager) {
    case 'uv':
      return pyproject.has('build-system') ? 'uv build' : 'uv sync';
    case 'poetry':
      return 'poetry build';
    case 'pdm':
      return 'pdm build';
    case 'pipenv':
      return 'pipenv install';
    default:
      return directory.has('pyproject.toml', 'setup.py') ? 'pip install .' : 'pip install -r requirements.txt';
  }
}

function otherLinter(directory: ProjectDirectory, dependencies: ReadonlySet<string>, run: string): string | undefined {
  if (directory.has('.flake8') || dependencies.has('flake8')) return `${run}flake8`;
  return directory.has('.pylintrc') || dependencies.has('pylint') ? `${run}pylint .` : undefined;
}

async function dependenciesOf(directory: ProjectDirectory, pyproject: Manifest): Promise<Set<string>> {
  const project = pyproject.table('project');
  const poetry = pyproject.table('tool').table('poetry');
  const groups = poetry.table('group');
  const extras = project.table('optional-dependencies');
  const pipfile = await directory.toml('Pipfile');
  const names = [
    ...project.strings('dependencies'),
    ...extras.keys().flatMap((key) => extras.strings(key)),
    ...groupsOf(pyproject.table('dependency-groups')),
    ...poetry.table('dependencies').keys(),
    ...poetry.table('dev-dependencies').keys(),
    ...groups.keys().flatMap((key) => groups.table(key).table('dependencies').keys()),
    ...pipfile.table('packages').keys(),
    ...pipfile.table('dev-packages').keys(),
    ...directory.names.filter((name) => name.startsWith('requirements')).flatMap((name) => linesOf(directory, name)),
  ];
  return new Set(names.map((name) => (REQUIREMENT.exec(name.trim())?.[0] ?? '').toLowerCase().replace(/[._]+/g, '-')));
}

/** Groups may include others, by tables between the strings. */
function groupsOf(groups: Manifest): string[] {
  return groups.keys().flatMap((key) => groups.stringsAmong(key));
}

function linesOf(directory: ProjectDirectory, name: string): string[] {
  return directory.text(name)?.split('\n') ?? [];
}

function uvMembers(tool: Manifest): MemberPatterns | undefined {
  const uv = tool.table('uv');
  if (!uv.has('workspace')) return undefined;
  const workspace = uv.table('workspace');
  const left = workspace.strings('exclude').map((pattern) => `!${pattern}`);
  return { patterns: [...workspace.strings('members'), ...left], file: 'pyproject.toml' };
}
