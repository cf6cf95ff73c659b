import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';
import {
  type Commands,
  commandsBy,
  commandsOf,
  type DetectFunction,
  firstCommands,
  isPlainName,
  type MemberPatterns,
  type ProjectFinding,
  scriptsOf,
} from '../finding.ts';
import { frameworksOf } from '../frameworks.ts';
import { lockedPythonManager, managerOfBackend, PYTHON_MANAGERS } from './detect-python-manager.ts';

const REQUIREMENT = /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/;
const MAX_REQUIREMENTS = 20;
const REQUIREMENTS = /requirements[\w.-]*\.(?:txt|in)$|^requirements\//;
const MANIFESTS = ['pyproject.toml', 'setup.py', 'setup.cfg', 'Pipfile', 'manage.py'];
/** Files that other languages have too. */
const ENVIRONMENTS = ['pixi.toml', 'environment.yml', 'environment.yaml'];
const RUFF = ['ruff.toml', '.ruff.toml'];
const PYTEST = ['pytest.ini', '.pytest.ini', 'conftest.py'];

/** Detects Python from pyproject.toml, setup.py, requirements.txt and files of uv, poetry, pdm, pipenv, pixi, conda. */
export const detectPython: DetectFunction = async (directory, { around }) => {
  const isPython = directory.has(...MANIFESTS) || directory.names.some(isRequirements);
  if (!isPython && !directory.has(...ENVIRONMENTS)) {
    const locked = lockedPythonManager(directory);
    return locked === undefined ? undefined : { languages: ['Python'], managers: [locked] };
  }
  const manifests = await readPythonManifests(directory);
  const dependencies = dependenciesOfPython(directory, manifests);
  const known = managerOf(directory, manifests.tool, around.pythonManager);
  const manager = known ?? backendManager(directory, manifests) ?? 'pip';
  // hatchling alone has no environment in which hatch could run the tools of the project.
  const runs = PYTHON_MANAGERS.includes(manager) && (known !== undefined || manager !== 'hatch');
  const run = runs ? `${manager} run ` : '';
  const { written, ...scripts } = scriptsOfPython(directory, manifests, run);
  const managers = [manager, ...scripts.managers];
  if (!isPython && !dependencies.has('python')) return { ...scripts, ...written, managers };
  const project = manifests.pyproject.table('project');
  return {
    ...scripts,
    languages: ['Python'],
    frameworks: frameworksOf('python', dependencies),
    managers,
    build: written.build ?? buildOf(directory, manager, manifests),
    test: written.test ?? noxTest(directory, run) ?? testOf(directory, manifests.tool, dependencies, run),
    lint: written.lint ?? lintOf(directory, manifests.tool, dependencies, run),
    // Rust comes before Python, but here it is what the Python package is made of.
    ...(isMaturin(manifests) && { overrides: { build: 'maturin develop', test: written.test ?? `${run}pytest` } }),
    guesses: { build: installOf(directory), test: `${run}pytest` },
    members: uvMembers(manifests.tool),
    name: project.string('name') ?? manifests.tool.table('poetry').string('name'),
    description: project.string('description') ?? manifests.tool.table('poetry').string('description'),
  };
};

/** A package of a workspace has pyproject.toml, and its lock file is in a directory above. */
function managerOf(directory: ProjectDirectory, tool: Manifest, around: string | undefined): string | undefined {
  // [tool.hatch] alone is what the backend hatchling reads. Only environments show that hatch manages them.
  const isTable = (name: string) => (name === 'hatch' ? tool.table('hatch').has('envs') : tool.has(name));
  const own = lockedPythonManager(directory) ?? PYTHON_MANAGERS.find(isTable);
  const above = directory.has('pyproject.toml') ? around : undefined;
  const isConda = !directory.has(...MANIFESTS) && directory.has('environment.yml', 'environment.yaml');
  return own ?? above ?? (isConda ? 'conda' : undefined);
}

function backendManager(directory: ProjectDirectory, { pyproject }: PythonManifests): string | undefined {
  if (directory.names.some(isRequirements)) return undefined;
  return managerOfBackend(pyproject.table('build-system').stringIfAny('build-backend'));
}

function buildOf(
  directory: ProjectDirectory,
  manager: string,
  { pyproject, tool }: PythonManifests,
): string | undefined {
  if (manager === 'pip') return undefined;
  if (manager === 'uv') return pyproject.has('build-system') ? 'uv build' : 'uv sync';
  if (manager === 'poetry') return tool.table('poetry').is(false, 'package-mode') ? 'poetry install' : 'poetry build';
  if (manager === 'conda') return `conda env create -f ${directory.find('environment.yml', 'environment.yaml')}`;
  return ['pdm', 'hatch', 'flit'].includes(manager) ? `${manager} build` : `${manager} install`;
}

function isMaturin({ pyproject, tool }: PythonManifests): boolean {
  return pyproject.table('build-system').stringIfAny('build-backend') === 'maturin' || tool.has('maturin');
}

/** Returns the command of a test session of nox, which makes the environment if no manager knows one. */
function noxTest(directory: ProjectDirectory, run: string): string | undefined {
  const isTest = (name: string) => /^(?:unit[-_]?)?tests?(?:[-_]?unit)?$/.test(name);
  const session = noxSessions(directory).find(({ name, kind }) => isTest(name) || isTest(kind));
  return run === '' && session !== undefined ? `nox -s ${session.name}` : undefined;
}

function installOf(directory: ProjectDirectory): string | undefined {
  if (directory.has('pyproject.toml', 'setup.py')) return 'pip install .';
  const names = directory.names.filter((name) => isRequirements(name) && isPlainName(name));
  const name = names.find((other) => other === 'requirements.txt') ?? names[0];
  return name === undefined ? undefined : `pip install -r ${name}`;
}

function testOf(
  directory: ProjectDirectory,
  tool: Manifest,
  dependencies: ReadonlySet<string>,
  run: string,
): string | undefined {
  const isPytest = [...dependencies].some((name) => /^pytest\b/.test(name));
  if (run === 'hatch run ' && !directory.has('manage.py')) return 'hatch test';
  if (tool.has('pytest') || directory.has(...PYTEST) || isPytest) return `${run}pytest`;
  if (directory.has('manage.py')) return `${run}python manage.py test`;
  if (directory.has('tox.ini', 'tox.toml') || tool.has('tox')) return 'tox';
  return directory.has('noxfile.py') ? 'nox' : undefined;
}

function lintOf(
  directory: ProjectDirectory,
  tool: Manifest,
  dependencies: ReadonlySet<string>,
  run: string,
): string | undefined {
  if (tool.has('ruff') || directory.has(...RUFF) || dependencies.has('ruff')) return `${run}ruff check`;
  if (directory.has('.flake8') || dependencies.has('flake8')) return `${run}flake8`;
  const isPylint = tool.has('pylint') || directory.has('.pylintrc', 'pylintrc') || dependencies.has('pylint');
  return isPylint ? `${run}pylint .` : undefined;
}

function uvMembers(tool: Manifest): MemberPatterns[] {
  const uv = tool.table('uv');
  if (!uv.has('workspace')) return [];
  const workspace = uv.table('workspace');
  const left = workspace.strings('exclude').map((pattern) => `!${pattern}`);
  return [{ patterns: [...workspace.strings('members'), ...left], file: 'pyproject.toml' }];
}

/** The manifests of a Python project. The table of a missing file is empty. */
interface PythonManifests {
  readonly pyproject: Manifest;
  readonly tool: Manifest;
  readonly pipfile: Manifest;
  readonly pixi: Manifest;
  /** The same as [tool.hatch]. */
  readonly hatch: Manifest;
  readonly conda: Manifest;
}

async function readPythonManifests(directory: ProjectDirectory): Promise<PythonManifests> {
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
function isRequirements(name: string): boolean {
  return REQUIREMENTS.test(name);
}

/** Returns the normalised names of all dependencies. */
function dependenciesOfPython(directory: ProjectDirectory, manifests: PythonManifests): Set<string> {
  const { pyproject, tool, pipfile, pixi, conda } = manifests;
  const project = pyproject.table('project');
  const poetry = tool.table('poetry');
  const groups = poetry.table('group');
  const names = [
    ...project.strings('dependencies'),
    ...stringsIn(project.table('optional-dependencies')),
    ...stringsIn(pyproject.table('dependency-groups')),
    ...poetry.table('dependencies').keys(),
    ...poetry.table('dev-dependencies').keys(),
    ...groups.keys().flatMap((name) => groups.table(name).table('dependencies').keys()),
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

function stringsIn(table: Manifest): string[] {
  return table.keys().flatMap((key) => table.stringsAmong(key));
}

interface ScriptSource {
  readonly file: string;
  readonly run: string;
  readonly names: readonly string[];
  /** The commands, if the names alone are not enough. */
  readonly commands?: Commands;
  readonly manager?: string;
  readonly runner?: string;
}

/** Returns the scripts of package managers and runners, and the programs that the project itself installs. */
function scriptsOfPython(directory: ProjectDirectory, manifests: PythonManifests, run: string) {
  const sources = sourcesOf(directory, manifests, run).filter(({ names }) => names.length > 0);
  const written: Commands = firstCommands(
    sources.map(({ commands, run: runs, names }) => commands ?? commandsOf(runs, names)),
  );
  const scripts = [...sources, ...entryPoints(manifests, run)].map(({ file, run, names }) =>
    scriptsOf(file, run, names),
  );
  return {
    written,
    scripts,
    managers: sources.flatMap(({ manager }) => manager ?? []),
    runners: sources.flatMap(({ runner }) => runner ?? []),
  } satisfies ProjectFinding & { written: Commands };
}

function sourcesOf(
  directory: ProjectDirectory,
  { tool, pipfile, pixi, hatch }: PythonManifests,
  run: string,
): ScriptSource[] {
  const file = 'pyproject.toml';
  const envs = hatch.table('envs');
  return [
    { file, run: `${run}poe`, names: publicNames(tool.table('poe').table('tasks')), runner: 'poe' },
    { file, run: `${run}task`, names: publicNames(tool.table('taskipy').table('tasks')), runner: 'taskipy' },
    { file, run: 'pdm run', names: publicNames(tool.table('pdm').table('scripts')), manager: 'pdm' },
    { file: 'Pipfile', run: 'pipenv run', names: publicNames(pipfile.table('scripts')), manager: 'pipenv' },
    {
      file: directory.find('hatch.toml') ?? file,
      run: 'hatch run',
      names: envs.keys().flatMap((env) => {
        const names = publicNames(envs.table(env).table('scripts'));
        return names.map((name) => (env === 'default' ? name : `${env}:${name}`));
      }),
      runner: 'hatch',
    },
    noxSource(noxSessions(directory)),
    {
      file: directory.find('pixi.toml') ?? file,
      run: 'pixi run',
      names: publicNames(pixi.table('tasks')),
      manager: 'pixi',
    },
  ];
}

interface NoxSession {
  readonly name: string;
  /** The name of its function, which is the same unless the decorator gives another one. */
  readonly kind: string;
}

/** Returns the sessions of a noxfile whose names can be part of a command. */
function noxSessions(directory: ProjectDirectory): NoxSession[] {
  const text = directory.text('noxfile.py') ?? '';
  const sessions = /^@(?:nox\.)?session\b([^\n]{0,300}\n(?:[ \t)@][^\n]{0,300}\n){0,20})def[ \t]+(\w{1,100})/gm;
  const named = [...text.matchAll(sessions)].map(([, decorator = '', kind = '']) => {
    const [, , name = kind] = /\bname[ \t]*=[ \t]*(["'])([^"'\n]{1,100})\1/.exec(decorator) ?? [];
    return { name, kind };
  });
  return named.filter(({ name }) => isPlainName(name));
}

function noxSource(sessions: readonly NoxSession[]): ScriptSource {
  const commands = commandsBy((wanted) => {
    const session = sessions.find(({ name, kind }) => name === wanted || kind === wanted);
    return session && `nox -s ${session.name}`;
  });
  return {
    file: 'noxfile.py',
    run: 'nox -s',
    names: sessions.map(({ name }) => name),
    commands,
    runner: 'nox',
  };
}

/** Returns the programs of the project. They can be run if a manager installs it into an environment of its own. */
function entryPoints({ pyproject, tool }: PythonManifests, run: string): ScriptSource[] {
  if (run === '') return [];
  const tables = [pyproject.table('project'), tool.table('poetry')];
  const names = tables.flatMap((table) => table.table('scripts').keys());
  return [{ file: 'pyproject.toml', run: run.trim(), names }];
}

/** Leaves out names that start with an underscore: they are settings, or private. */
function publicNames(table: Manifest): string[] {
  return table.keys().filter((name) => !name.startsWith('_'));
}
