import { type ToolContext, ToolError } from '@jinn/core';
import { collect, detectAll, languagesOf, surroundingsOf } from './detect-all.ts';
import { findMembers } from './find-members.ts';
import type { Finding, Surroundings } from './finding.ts';
import type { Note } from './manifest.ts';
import { MemberOpener } from './member-opener.ts';
import type { Place, ProjectDirectory } from './project-directory.ts';
import { firstFiles } from './project-files.ts';

const MAX_MEMBERS = 500;
/** What is read of all members together. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_CONFIG_FILES = 50;
const MAX_TARGETS = 50;
const MAX_TEXT = 200;

interface Found {
  readonly directory: ProjectDirectory;
  readonly findings: readonly Finding[];
  readonly around: Surroundings;
  readonly note: Note;
}

/** What each member of a workspace is, sorted by path. */
export async function describeMembers(ctx: ToolContext, top: string, { directory, findings, around, note }: Found) {
  const paths = new Set<string>();
  for (const members of findings.flatMap((finding) => finding.members ?? [])) {
    for (const path of await findMembers(ctx, directory, members, note)) paths.add(path);
  }
  paths.delete('.');
  if (paths.size > MAX_MEMBERS) note(`there are ${paths.size} members; ${MAX_MEMBERS} are described`);
  const inside = surroundingsOf(directory, around);
  const described = [];
  const opener = new MemberOpener(ctx);
  const budget = { left: MAX_BYTES, isSpent: false };
  try {
    for (const path of [...paths].sort().slice(0, MAX_MEMBERS)) {
      await ctx.checkpoint();
      const opened = tryToRead(opener, { top, path, note, budget });
      const member = opened && (await describeMember(opened, inside, note));
      if (member) described.push(member);
    }
  } finally {
    opener.close();
  }
  if (budget.isSpent) note(`only ${MAX_BYTES / 1024 / 1024} MB of the members' manifests are read`);
  return described;
}

/** Undefined, and a note, for a directory that may not be read. */
function tryToRead(opener: MemberOpener, place: Place): ProjectDirectory | undefined {
  try {
    return opener.read(place);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
    place.note(`${place.path}: ${error.code.replaceAll('_', ' ')}`);
    return undefined;
  }
}

/** Undefined for a directory that a glob hit and that is no project. */
async function describeMember(directory: ProjectDirectory, around: Surroundings, note: Note) {
  const findings = await detectAll(directory, around);
  const languages = languagesOf(findings);
  const targets = collect(findings, (finding) => finding.targets).slice(0, MAX_TARGETS);
  const isNxProject = findings.some((finding) => finding.targets !== undefined);
  if (languages.length === 0 && !isNxProject) return undefined;
  const name = findings.find((finding) => finding.name !== undefined)?.name ?? directory.baseName;
  const description = findings.find((finding) => finding.description !== undefined)?.description;
  return {
    path: directory.path,
    name: name.slice(0, MAX_TEXT),
    ...(description !== undefined && { description: description.slice(0, MAX_TEXT) }),
    languages,
    frameworks: collect(findings, ({ frameworks }) => frameworks),
    ...(isNxProject && { targets }),
    config_files: firstFiles(directory.names, MAX_CONFIG_FILES, directory.path, note),
  };
}
