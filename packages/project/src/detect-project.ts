import { posix } from 'node:path';
import { defineTool, type ToolContext, ToolError } from '@jinn/core';
import { detectGo, detectRust } from './detect-compiled.ts';
import { detectNode, hasTsconfig, lockedManager } from './detect-node.ts';
import { detectDeno, detectPhp, detectRuby, detectToolchains } from './detect-others.ts';
import { detectPython } from './detect-python.ts';
import { detectJust, detectMake, detectTask } from './detect-runners.ts';
import { findMembers } from './find-members.ts';
import type { Commands, Detect, Finding, Surroundings } from './finding.ts';
import type { Note } from './manifest.ts';
import { MemberOpener } from './member-opener.ts';
import { ProjectDirectory } from './project-directory.ts';

/** The order in which they are asked: what an earlier one says goes before (seeds/jinn-tool-reference). */
const DETECTORS: readonly Detect[] = [
  detectGo,
  detectNode,
  detectDeno,
  detectRust,
  detectPython,
  detectPhp,
  detectRuby,
  detectToolchains,
  detectMake,
  detectTask,
  detectJust,
];
const MAX_NOTES = 50;
const MAX_MEMBERS = 500;
const MAX_SCRIPTS = 100;
const MAX_TEXT = 200;

const STRINGS = { type: 'array', items: { type: 'string' } } as const;
export const detectProject = defineTool({
  name: 'detect_project',
  effect: 'read',
  description:
    'Detect the languages, frameworks, package managers, and the build, test and lint commands of a project from its config files, and the members of a monorepo.',
  input: (z) =>
    z.strictObject({
      path: z._default(z.string().check(z.minLength(1), z.describe('Project root to look at')), '.'),
    }),
  output: {
    type: 'object',
    properties: {
      languages: STRINGS,
      build_tool: { type: 'string' },
      test_command: { type: 'string' },
      linter: { type: 'string' },
      config_files: STRINGS,
      frameworks: STRINGS,
      package_managers: STRINGS,
      task_runners: STRINGS,
      scripts: STRINGS,
      members: { type: 'array', items: { type: 'object' } },
      notes: STRINGS,
    },
    required: ['languages', 'config_files', 'members'],
  },
  examples: [{}, { path: '.' }],

  async run({ path }, ctx) {
    const notes = new Set<string>();
    const note: Note = (sentence) => void (notes.size < MAX_NOTES && notes.add(oneLine(sentence)));
    const directory = await ProjectDirectory.open(ctx, { top: path, path: '', note });
    const around = await lookAround(ctx, path);
    const findings = await detect(directory, around);
    const members = await describeMembers(ctx, path, { directory, findings, around, note });
    return { data: { ...summarise(directory, findings), members, notes: [...notes] } };
  },
});

async function detect(directory: ProjectDirectory, around: Surroundings): Promise<Finding[]> {
  const findings = await Promise.all(DETECTORS.map((find) => find(directory, around)));
  return findings.filter((finding) => finding !== undefined);
}

/** Lock files and tsconfig.json of the directories above, as far as the workspace goes: a member has none of its own. */
async function lookAround(ctx: ToolContext, path: string): Promise<Surroundings> {
  let manager: string | undefined;
  let isTypeScript = false;
  let { path: at } = ctx.workspace.status(path);
  while (at !== '.') {
    at = posix.dirname(at);
    const above = await tryToOpen(ctx, at);
    if (!above) break;
    manager ??= lockedManager(above);
    isTypeScript ||= hasTsconfig(above);
  }
  return { manager, isTypeScript };
}

async function tryToOpen(ctx: ToolContext, path: string): Promise<ProjectDirectory | undefined> {
  try {
    return await ProjectDirectory.open(ctx, { top: `./${path}`, path: '', note: () => {} });
  } catch (error) {
    if (error instanceof ToolError && error.code === 'permission_denied') return undefined;
    throw error;
  }
}

function summarise(directory: ProjectDirectory, findings: readonly Finding[]) {
  const { build, test, lint } = chooseCommands(findings);
  return {
    languages: collect(findings, ({ languages }) => languages).filter((language, _, all) => !isUpgraded(language, all)),
    ...(build !== undefined && { build_tool: build }),
    ...(test !== undefined && { test_command: test }),
    ...(lint !== undefined && { linter: lint }),
    config_files: directory.names,
    frameworks: collect(findings, ({ frameworks }) => frameworks),
    package_managers: collect(findings, ({ managers }) => managers),
    task_runners: collect(findings, ({ runners }) => runners),
    scripts: collect(findings, ({ scripts }) => scripts).slice(0, MAX_SCRIPTS),
  };
}

/** What is written down as a script goes first, that of just before that of package.json; then the first toolchain. */
function chooseCommands(findings: readonly Finding[]): Commands {
  const all: readonly Commands[] = [...findings.map(({ overrides = {} }) => overrides).toReversed(), ...findings];
  const first = (kind: keyof Commands) => all.find((commands) => commands[kind] !== undefined)?.[kind];
  return { build: first('build'), test: first('test'), lint: first('lint') };
}

/** tsconfig.json makes JavaScript TypeScript. */
function isUpgraded(language: string, all: readonly string[]): boolean {
  return language === 'JavaScript' && all.includes('TypeScript');
}

function collect(findings: readonly Finding[], choose: (finding: Finding) => readonly string[] | undefined): string[] {
  return [...new Set(findings.flatMap((finding) => choose(finding) ?? []))];
}

interface Found {
  readonly directory: ProjectDirectory;
  readonly findings: readonly Finding[];
  readonly around: Surroundings;
  readonly note: Note;
}

async function describeMembers(ctx: ToolContext, top: string, { directory, findings, around, note }: Found) {
  const paths = new Set<string>();
  for (const { members } of findings) {
    for (const path of members ? await findMembers(ctx, top, members, note) : []) paths.add(path);
  }
  paths.delete('.');
  if (paths.size > MAX_MEMBERS) note(`there are ${paths.size} members; ${MAX_MEMBERS} are described`);
  const inside = {
    manager: lockedManager(directory) ?? around.manager,
    isTypeScript: around.isTypeScript || hasTsconfig(directory),
  };
  const described = [];
  const opener = new MemberOpener(ctx);
  try {
    for (const path of [...paths].sort().slice(0, MAX_MEMBERS)) {
      await ctx.checkpoint();
      const member = await describeMember(opener.read({ top, path, note }), inside);
      if (member) described.push(member);
    }
  } finally {
    opener.close();
  }
  return described;
}

/** Undefined for a directory that a glob hit and that is no project. */
async function describeMember(directory: ProjectDirectory, around: Surroundings) {
  const findings = await detect(directory, around);
  const languages = collect(findings, (finding) => finding.languages);
  if (languages.length === 0) return undefined;
  const name = findings.find((finding) => finding.name !== undefined)?.name;
  const description = findings.find((finding) => finding.description !== undefined)?.description;
  return {
    path: directory.path,
    ...(name !== undefined && { name: name.slice(0, MAX_TEXT) }),
    ...(description !== undefined && { description: description.slice(0, MAX_TEXT) }),
    languages,
    frameworks: collect(findings, ({ frameworks }) => frameworks),
    config_files: directory.names,
  };
}

function oneLine(sentence: string): string {
  return sentence.replace(/\s+/g, ' ').slice(0, 2 * MAX_TEXT);
}
