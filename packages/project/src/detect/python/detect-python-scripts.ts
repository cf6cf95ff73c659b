import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';
import { type Commands, commandsOf, type Finding, firstCommands, isPlainName, scriptsOf } from '../finding.ts';
import type { PythonManifests } from './detect-python-manifests.ts';

interface Source {
  readonly file: string;
  readonly run: string;
  readonly names: readonly string[];
  /** The commands, if the names alone are not enough. */
  readonly commands?: Commands;
  readonly manager?: string;
  readonly runner?: string;
}

/** Returns the scripts of package managers and runners, and the programs that the project itself installs. */
export function scriptsOfPython(directory: ProjectDirectory, manifests: PythonManifests, run: string) {
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
  } satisfies Finding & { written: Commands };
}

/** Returns the sources of scripts, in order of precedence. */
function sourcesOf(
  directory: ProjectDirectory,
  { tool, pipfile, pixi, hatch }: PythonManifests,
  run: string,
): Source[] {
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
      names: envs.keys().flatMap((env) => hatchNames(env, envs.table(env).table('scripts'))),
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
  /** The name by which nox runs it. */
  readonly name: string;
  /** The name of its function, which is the same unless the decorator gives another one. */
  readonly kind: string;
}

/** Returns the sessions of a noxfile whose names can be part of a command. */
export function noxSessions(directory: ProjectDirectory): NoxSession[] {
  const text = directory.text('noxfile.py') ?? '';
  const sessions = /^@(?:nox\.)?session\b([^\n]{0,300}\n(?:[ \t)@][^\n]{0,300}\n){0,20})def[ \t]+(\w{1,100})/gm;
  const named = [...text.matchAll(sessions)].map(([, decorator = '', kind = '']) => {
    const [, , name = kind] = /\bname[ \t]*=[ \t]*(["'])([^"'\n]{1,100})\1/.exec(decorator) ?? [];
    return { name, kind };
  });
  return named.filter(({ name }) => isPlainName(name));
}

function noxSource(sessions: readonly NoxSession[]): Source {
  const command = (wanted: string) => {
    const session = sessions.find(({ name, kind }) => name === wanted || kind === wanted);
    return session && `nox -s ${session.name}`;
  };
  return {
    file: 'noxfile.py',
    run: 'nox -s',
    names: sessions.map(({ name }) => name),
    commands: { build: command('build'), test: command('test'), lint: command('lint') },
    runner: 'nox',
  };
}

/** Returns the programs of the project. They can be run if a manager installs it into an environment of its own. */
function entryPoints({ pyproject, tool }: PythonManifests, run: string): Source[] {
  if (run === '') return [];
  const tables = [pyproject.table('project'), tool.table('poetry')];
  const names = tables.flatMap((table) => table.table('scripts').keys());
  return [{ file: 'pyproject.toml', run: run.trim(), names }];
}

/** Leaves out names that begin with an underscore: they are settings, or private. */
function publicNames(table: Manifest): string[] {
  return table.keys().filter((name) => !name.startsWith('_'));
}

function hatchNames(env: string, scripts: Manifest): string[] {
  return publicNames(scripts).map((name) => (env === 'default' ? name : `${env}:${name}`));
}
