import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';
import { type DetectFunction, type Finding, isPlainName, type MemberPatterns } from '../finding.ts';
import { type Frameworks, frameworksOf } from '../frameworks.ts';
import { lockedPythonManager, managerOfBackend, PYTHON_MANAGERS } from './detect-python-manager.ts';
import {
  dependenciesOfPython,
  isRequirements,
  type PythonManifests,
  readPythonManifests,
} from './detect-python-manifests.ts';
import { noxSessions, scriptsOfPython } from './detect-python-scripts.ts';

const MANIFESTS = ['pyproject.toml', 'setup.py', 'setup.cfg', 'Pipfile', 'manage.py'];
/** Files that other languages have too. */
const ENVIRONMENTS = ['pixi.toml', 'environment.yml', 'environment.yaml'];
const FRAMEWORKS: Frameworks = {
  django: 'Django',
  djangorestframework: 'Django REST framework',
  wagtail: 'Wagtail',
  flask: 'Flask',
  fastapi: 'FastAPI',
  starlette: 'Starlette',
  litestar: 'Litestar',
  sanic: 'Sanic',
  quart: 'Quart',
  pyramid: 'Pyramid',
  bottle: 'Bottle',
  falcon: 'Falcon',
  cherrypy: 'CherryPy',
  tornado: 'Tornado',
  aiohttp: 'aiohttp',
  streamlit: 'Streamlit',
  gradio: 'Gradio',
  dash: 'Dash',
  nicegui: 'NiceGUI',
  reflex: 'Reflex',
  celery: 'Celery',
  scrapy: 'Scrapy',
  torch: 'PyTorch',
  pytorch: 'PyTorch',
  jax: 'JAX',
  tensorflow: 'TensorFlow',
};
const RUFF = ['ruff.toml', '.ruff.toml'];
const PYTEST = ['pytest.ini', '.pytest.ini', 'conftest.py'];

/** Detects Python from pyproject.toml, setup.py, requirements.txt and files of uv, poetry, pdm, pipenv, pixi, conda. */
export const detectPython: DetectFunction = async (directory, { around }) => {
  const isPython = directory.has(...MANIFESTS) || directory.names.some(isRequirements);
  if (!isPython && !directory.has(...ENVIRONMENTS)) return byLock(directory);
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
    frameworks: frameworksOf(FRAMEWORKS, dependencies),
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

function byLock(directory: ProjectDirectory): Finding | undefined {
  const manager = lockedPythonManager(directory);
  return manager === undefined ? undefined : { languages: ['Python'], managers: [manager] };
}

/**
 * Returns the manager that the files show. A package of a workspace has pyproject.toml, and its lock file is in a
 * directory above.
 */
function managerOf(directory: ProjectDirectory, tool: Manifest, around: string | undefined): string | undefined {
  // [tool.hatch] alone is what the backend hatchling reads; only environments show that hatch manages them.
  const isTable = (name: string) => (name === 'hatch' ? tool.table('hatch').has('envs') : tool.has(name));
  const own = lockedPythonManager(directory) ?? PYTHON_MANAGERS.find(isTable);
  const above = directory.has('pyproject.toml') ? around : undefined;
  const isConda = !directory.has(...MANIFESTS) && directory.has('environment.yml', 'environment.yaml');
  return own ?? above ?? (isConda ? 'conda' : undefined);
}

/** Returns the manager of the build backend, unless requirements show that the project is installed by pip. */
function backendManager(directory: ProjectDirectory, { pyproject }: PythonManifests): string | undefined {
  if (directory.names.some(isRequirements)) return undefined;
  return managerOfBackend(pyproject.table('build-system').stringIfAny('build-backend'));
}

function buildOf(
  directory: ProjectDirectory,
  manager: string,
  { pyproject, tool }: PythonManifests,
): string | undefined {
  switch (manager) {
    case 'uv':
      return pyproject.has('build-system') ? 'uv build' : 'uv sync';
    case 'poetry':
      return tool.table('poetry').is(false, 'package-mode') ? 'poetry install' : 'poetry build';
    case 'pdm':
      return 'pdm build';
    case 'hatch':
    case 'flit':
      return `${manager} build`;
    case 'conda':
      return `conda env create -f ${directory.find('environment.yml', 'environment.yaml')}`;
    case 'pip':
      return undefined;
    default:
      return `${manager} install`;
  }
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

/** Returns the command by which pip installs the project. */
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
