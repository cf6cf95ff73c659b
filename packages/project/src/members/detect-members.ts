import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { fromSystemError, ToolError } from '@jinn/core/errors';
import type { OpenDirectory } from '@jinn/workspace';
import { type ChosenCommands, chooseCommands } from '../choose-command.ts';
import { collectValues, detectAll, languagesOf, surroundingsOf } from '../detect/detect-all.ts';
import { type ProjectFinding, type ProjectSurroundings, withoutEmpty } from '../detect/finding.ts';
import type { WarnFunction } from '../files/manifest.ts';
import { type DirectoryRequest, ProjectDirectory } from '../files/project-directory.ts';
import { firstFiles } from '../files/project-files.ts';
import { findMembers } from './find-members.ts';

const MAX_MEMBERS = 5_000;
const MAX_LISTINGS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_CONFIG_FILES = 50;
const MAX_TARGETS = 50;
const MAX_TEXT = 200;
/** The manifest of most kinds of members. An answer does not name it. */
const MANIFESTS = ['package.json', 'go.mod', 'Cargo.toml', 'pyproject.toml', 'pom.xml', 'project.json'];
/** Of more members, only the first are listed, with fewer facts, and all are counted in groups. */
const MANY = 100;

interface DetectedProject {
  readonly directory: ProjectDirectory;
  readonly findings: readonly ProjectFinding[];
  readonly around: ProjectSurroundings;
  readonly warn: WarnFunction;
}

/** Describes the members of a workspace, sorted by path. */
export async function describeMembers(
  ctx: ToolContext,
  top: string,
  { directory, findings, around, warn }: DetectedProject,
) {
  const paths = new Set<string>();
  for (const members of findings.flatMap((finding) => finding.members ?? [])) {
    for (const path of await findMembers(ctx, directory, members, warn)) paths.add(path);
  }
  paths.delete('.');
  if (paths.size > MAX_MEMBERS)
    warn(`only the first ${MAX_MEMBERS} of ${paths.size} directories are looked at for members`);
  const inside = surroundingsOf(directory, around);
  const described: Member[] = [];
  const opener = new MemberOpener(ctx);
  const budget = { left: MAX_BYTES, isSpent: false, listings: MAX_LISTINGS };
  try {
    for (const path of [...paths].sort().slice(0, MAX_MEMBERS)) {
      await ctx.checkpoint();
      const opened = tryToRead(opener, { top, path, warn, budget });
      const member = opened && (await describeMember(opened, inside, warn));
      if (member) described.push(member);
    }
  } finally {
    opener.close();
  }
  if (budget.isSpent) warn(`only ${MAX_BYTES / 1024 / 1024} MB of the members' manifests are read`);
  if (described.length <= MANY) return { members: described, groups: [] };
  const compact = described.slice(0, MANY).map(({ path, name, languages }) => ({ path, name, languages }));
  warn(`there are ${described.length} members. groups counts them, and ${MANY} are listed`);
  return { members: compact as Member[], groups: groupByParent(described) };
}

interface Member extends ChosenCommands {
  readonly path: string;
  readonly name: string;
  readonly languages: readonly string[];
  readonly targets?: readonly string[];
}

function groupByParent(members: readonly Member[]) {
  const groups = new Map<string, { members: number; languages: Set<string> }>();
  for (const { path, languages } of members) {
    const parent = posix.dirname(path);
    const group = groups.get(parent) ?? { members: 0, languages: new Set() };
    group.members++;
    for (const language of languages) group.languages.add(language);
    groups.set(parent, group);
  }
  return [...groups].map(([path, group]) => ({ path, members: group.members, languages: [...group.languages] }));
}

function tryToRead(opener: MemberOpener, request: DirectoryRequest): ProjectDirectory | undefined {
  try {
    return opener.read(request);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
    request.warn(`${request.path}: ${error.code.replaceAll('_', ' ')}`);
    return undefined;
  }
}

async function describeMember(directory: ProjectDirectory, around: ProjectSurroundings, warn: WarnFunction) {
  const findings = await detectAll(directory, around);
  const languages = languagesOf(findings);
  const targets = collectValues(findings, (finding) => finding.targets).slice(0, MAX_TARGETS);
  const isNxProject = findings.some((finding) => finding.targets !== undefined);
  if (languages.length === 0 && !isNxProject) return undefined;
  const name = findings.find((finding) => finding.name !== undefined)?.name ?? directory.baseName;
  const names = directory.names.filter((file) => !MANIFESTS.includes(file));
  const description = findings.find((finding) => finding.description !== undefined)?.description;
  return {
    path: directory.path,
    name: name.slice(0, MAX_TEXT),
    ...(description !== undefined && { description: description.slice(0, MAX_TEXT) }),
    languages,
    ...chooseCommands(findings),
    ...withoutEmpty({
      frameworks: collectValues(findings, ({ frameworks }) => frameworks),
      targets,
      config_files: firstFiles(names, MAX_CONFIG_FILES, directory.path, warn),
    }),
  };
}

/** Reads the directories of members. The parent of the last one stays open: most members are siblings. */
class MemberOpener {
  readonly #ctx: ToolContext;
  #path: string | undefined;
  #parent: OpenDirectory | undefined;

  constructor(ctx: ToolContext) {
    this.#ctx = ctx;
  }

  /** Reads a directory. Throws ToolError if the path is refused, missing, or not a directory. */
  read(request: DirectoryRequest): ProjectDirectory {
    const location = posix.join(request.top, request.path);
    const parent = this.#open(posix.dirname(location));
    let directory: OpenDirectory;
    try {
      directory = parent.child(posix.basename(location));
    } catch (error) {
      throw fromSystemError(error, parent.pathOf(posix.basename(location)));
    }
    try {
      return new ProjectDirectory(this.#ctx, request, directory);
    } finally {
      directory.close();
    }
  }

  close(): void {
    this.#parent?.close();
    this.#parent = undefined;
  }

  #open(path: string): OpenDirectory {
    if (this.#parent && this.#path === path) return this.#parent;
    this.close();
    this.#path = path;
    this.#parent = this.#ctx.workspace.openDirectory(path);
    return this.#parent;
  }
}
