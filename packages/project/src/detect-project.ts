import { posix } from 'node:path';
import { defineTool, type ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findPrograms } from '@jinn/process';
import { type ChosenCommands, chooseCommands, commandsByLanguage } from './choose-command.ts';
import { collectValues, detectAll, languagesOf, surroundingsOf } from './detect/detect-all.ts';
import { type ProjectFinding, type ProjectSurroundings, withoutEmpty } from './detect/finding.ts';
import type { WarnFunction } from './files/manifest.ts';
import { ProjectDirectory } from './files/project-directory.ts';
import { firstFiles } from './files/project-files.ts';
import { describeMembers } from './members/detect-members.ts';

const MAX_NOTES = 50;
const MAX_NOTE = 400;
const MAX_SCRIPTS = 50;
const MAX_CONFIG_FILES = 1_000;

const STRINGS = { type: 'array', items: { type: 'string' } } as const;
export const detectProject = defineTool({
  name: 'detect_project',
  effect: 'read',
  description:
    'Detect languages, frameworks, package managers, build, test and lint commands of a project, and the members of a monorepo.',
  input: (z) =>
    z.strictObject({
      path: z._default(z.string().check(z.minLength(1), z.describe('Root')), '.'),
    }),
  output: {
    type: 'object',
    properties: {
      languages: STRINGS,
      build_tool: { type: 'string' },
      test_command: { type: 'string' },
      single_test_command: { type: 'string' },
      linter: { type: 'string' },
      commands: { type: 'array', items: { type: 'object' } },
      config_files: STRINGS,
      frameworks: STRINGS,
      package_managers: STRINGS,
      task_runners: STRINGS,
      scripts: STRINGS,
      members: { type: 'array', items: { type: 'object' } },
      groups: { type: 'array', items: { type: 'object' } },
      not_installed: STRINGS,
      notes: STRINGS,
    },
    required: ['languages', 'config_files'],
  },
  examples: [{}, { path: '.' }],

  async run({ path }, ctx) {
    const notes = new Set<string>();
    const warn: WarnFunction = (sentence) => {
      if (notes.size < MAX_NOTES) notes.add(sentence.replace(/\s+/g, ' ').slice(0, MAX_NOTE));
    };
    const directory = await ProjectDirectory.open(ctx, { top: path, path: '', warn });
    const around = await readSurroundings(ctx, path);
    const own = await detectAll(directory, around);
    const telling = own.filter(({ isTooling }) => !isTooling);
    const hasMembers = own.some(({ members }) => members?.some(({ patterns }) => patterns.length > 0));
    const findings = languagesOf(telling).length > 0 || hasMembers ? own : [...own, BELOW];
    const { members, groups } = await describeMembers(ctx, path, { directory, findings, around, warn });
    const targets = new Set(members.flatMap((member) => member.targets ?? []));
    const tasks = targets.size > 0 ? await findNxTargets(directory, [...targets], around) : [];
    const summary = summarise(directory, [...tasks, ...findings], warn);
    const below = findings === own ? [] : [...new Set(members.flatMap(({ languages }) => languages))];
    const not_installed = notInstalled([summary, ...members], ctx.commandPath ?? '');
    const languages = below.length > 0 ? [...new Set([...languagesOf(telling), ...below])] : summary.languages;
    const described = { ...summary, languages, members, groups, not_installed, notes: [...notes] };
    return {
      data: withoutEmpty(described, ['languages', 'config_files']),
      visualize: async () => (await import('./visualize-project.ts')).visualizeProject(summary, members),
    };
  },
});

/** A directory without a language of its own, such as one with backend/ and frontend/, has the projects one level down. */
const BELOW: ProjectFinding = { members: [{ patterns: ['*'], file: '*', isGuess: true }] };

async function findNxTargets(
  directory: ProjectDirectory,
  targets: string[],
  around: ProjectSurroundings,
): Promise<ProjectFinding[]> {
  if (!directory.has('nx.json')) return [];
  const { runMany } = await import('./detect/node/detect-nx.ts');
  return [runMany(targets.toSorted(), surroundingsOf(directory, around).manager ?? 'npm')];
}

/** Reads the directories above, up to the root of the workspace: a member has no lock file of its own. */
async function readSurroundings(ctx: ToolContext, path: string): Promise<ProjectSurroundings> {
  const above: ProjectDirectory[] = [];
  let { path: at } = ctx.workspace.status(path);
  while (at !== '.') {
    at = posix.dirname(at);
    const directory = await tryToOpen(ctx, at);
    if (!directory) break;
    above.push(directory);
  }
  return above.reduceRight<ProjectSurroundings>((around, directory) => surroundingsOf(directory, around), {});
}

async function tryToOpen(ctx: ToolContext, path: string): Promise<ProjectDirectory | undefined> {
  try {
    return await ProjectDirectory.open(ctx, { top: `./${path}`, path: '', warn: () => {} });
  } catch (error) {
    if (error instanceof ToolError && error.code === 'permission_denied') return undefined;
    throw error;
  }
}

function summarise(directory: ProjectDirectory, findings: readonly ProjectFinding[], warn: WarnFunction) {
  const commands = commandsByLanguage(findings);
  return {
    languages: languagesOf(findings),
    ...chooseCommands(findings),
    ...(commands.length > 0 && { commands }),
    config_files: firstFiles(directory.names, MAX_CONFIG_FILES, 'the project', warn),
    frameworks: collectValues(findings, ({ frameworks }) => frameworks),
    package_managers: collectValues(findings, ({ managers }) => managers),
    task_runners: collectValues(findings, ({ runners }) => runners),
    scripts: listScripts(findings, warn),
  };
}

function listScripts(findings: readonly ProjectFinding[], warn: WarnFunction): string[] {
  const lists = findings.flatMap(({ scripts }) => scripts ?? []);
  for (const { file, commands } of lists) {
    if (commands.length > MAX_SCRIPTS) {
      warn(`${file}: it has ${commands.length} scripts, and ${MAX_SCRIPTS} are listed: read the file for the rest`);
    }
  }
  return [...new Set(lists.flatMap(({ commands }) => commands.slice(0, MAX_SCRIPTS)))];
}

/** Returns the programs of the commands that are not on the PATH. */
function notInstalled(described: readonly ChosenCommands[], searchPath: string): string[] {
  const commands = described.flatMap((one) => [one.build_tool, one.test_command, one.single_test_command, one.linter]);
  const programs = new Set(commands.flatMap((command = '') => /^[\w.+-]+(?= |$)/.exec(command) ?? []));
  return [...programs].filter((program) => findPrograms(program, searchPath).length === 0);
}
