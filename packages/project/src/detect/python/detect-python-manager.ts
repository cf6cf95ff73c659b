import type { ProjectDirectory } from '../../files/project-directory.ts';

const LOCKS: Readonly<Record<string, readonly string[]>> = {
  uv: ['uv.lock', 'uv.toml'],
  poetry: ['poetry.lock'],
  pdm: ['pdm.lock'],
  pipenv: ['Pipfile', 'Pipfile.lock'],
  pixi: ['pixi.lock', 'pixi.toml'],
  hatch: ['hatch.toml'],
};
/** The managers that run programs in an environment of their own. */
export const PYTHON_MANAGERS = Object.keys(LOCKS);
export const PYTHON_LOCKS = Object.values(LOCKS).flat();

/** The build backends of package managers. A backend shows its manager if nothing else does. */
const BACKENDS: readonly (readonly [backend: RegExp, manager: string])[] = [
  [/^hatchling\b/, 'hatch'],
  [/^poetry\b/, 'poetry'],
  [/^pdm\b/, 'pdm'],
  [/^uv_build\b/, 'uv'],
  [/^flit/, 'flit'],
];

export function managerOfBackend(backend = ''): string | undefined {
  return BACKENDS.find(([pattern]) => pattern.test(backend))?.[1];
}

/** Returns the package manager of Python that the files of a directory show. */
export function lockedPythonManager(directory: ProjectDirectory): string | undefined {
  return PYTHON_MANAGERS.find((manager) => directory.has(...(LOCKS[manager] ?? [])));
}
