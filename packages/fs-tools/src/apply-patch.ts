import { posix } from 'node:path';
import { type ChangedFile, defineTool, type FileState, mutate, ToolError, type ToolOutput } from '@jinn/core';
import { changeMeta, diffOf } from './change-report.ts';
import { parsePatch, type Section } from './patch-parse.ts';
import { applyHunks } from './patch-place.ts';

const SNIFF_BYTES = 512;

export const applyPatch = defineTool({
  name: 'apply_patch',
  effect: 'write',
  description:
    'Apply a patch of the form "*** Begin Patch … *** End Patch" with sections Add File, Delete File, Update File and Move to. All of it is applied or nothing.',
  input: (z) =>
    z.strictObject({
      patch: z.string().check(z.minLength(1), z.describe('The patch, from *** Begin Patch to *** End Patch')),
      dry_run: z._default(
        z.boolean().check(z.describe('Check the patch and show the diffs, and write nothing')),
        false,
      ),
      if_versions: z.optional(
        z
          .record(z.string(), z.string())
          .check(z.describe('Change nothing unless these files still have these versions: path to version')),
      ),
    }),
  examples: [{ patch: '*** Begin Patch\n*** Update File: main.go\n@@\n-old\n+new\n*** End Patch' }],

  async run({ patch, dry_run, if_versions = {} }, ctx): Promise<ToolOutput> {
    const sections = parsePatch(patch);
    const paths = sections.flatMap(pathsOf);
    const result = await mutate(ctx, {
      operation: 'apply_patch',
      targets: paths.map((path) => ({ path, ifVersion: if_versions[path] })),
      dryRun: dry_run,
      compute: (files) => applyAll(sections, new Map(paths.map((path, i) => [path, files[i] as FileState]))),
    });
    const head = dry_run
      ? `[dry-run] patch with ${sections.length} operation(s):`
      : `applied patch with ${sections.length} operation(s):`;
    const { operationId } = result;
    const meta = {
      ...(operationId !== undefined && { operation_id: operationId }),
      files: result.files.map((one) => ({ path: one.file.path, ...changeMeta(one, { operationId: undefined }) })),
    };
    const lines = sections.map((section) => tell(section, dry_run));
    const diffs = dry_run ? result.files.map((one) => gitDiff(one).trimEnd()) : [];
    return { text: [head, ...lines, ...diffs].join('\n'), meta };
  },
});

function pathsOf(section: Section): string[] {
  return section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path];
}

/** What a file is after the sections so far. */
interface Draft {
  bytes: string | undefined;
  mode: number | undefined;
}

function applyAll(sections: readonly Section[], files: ReadonlyMap<string, FileState>) {
  const drafts = new Map<FileState, Draft>();
  const draftOf = (path: string): Draft => {
    const file = files.get(path) as FileState;
    const draft = drafts.get(file) ?? { bytes: textOf(file), mode: undefined };
    drafts.set(file, draft);
    return draft;
  };
  for (const section of sections) applySection(section, draftOf, files.get(section.path) as FileState);
  const changes = [...drafts].map(([file, { bytes, mode }]) => ({
    file,
    content: bytes === undefined ? undefined : Buffer.from(bytes, 'latin1'),
    mode,
  }));
  const isSame = ({ file, content }: (typeof changes)[number]) =>
    content === undefined ? file.content === undefined : file.content?.equals(content);
  if (changes.every(isSame)) {
    throw new ToolError('edit_no_change', 'the patch changes nothing', { suggestion: 'check what it should change' });
  }
  return changes;
}

function textOf({ asked, content }: FileState): string | undefined {
  if (content?.subarray(0, SNIFF_BYTES).includes(0)) {
    throw new ToolError('binary_file', `binary file: ${asked}`, { suggestion: 'patch text files only' });
  }
  return content?.toString('latin1');
}

function applySection(section: Section, draftOf: (path: string) => Draft, file: FileState): void {
  const { kind, path } = section;
  const draft = draftOf(path);
  if (kind === 'add') {
    if (draft.bytes !== undefined) throw exists(kind, path);
    draft.bytes = section.lines.map((line) => `${line}\n`).join('');
    return;
  }
  if (draft.bytes === undefined) {
    throw new ToolError('file_not_found', `${kind} ${path}: file not found`, {
      suggestion: 'check the path with list_dir, or use Add File for a new one',
    });
  }
  if (kind === 'delete') {
    refuseLink(kind, file);
    draft.bytes = undefined;
    return;
  }
  const bytes = applyHunks(path, draft.bytes, section.hunks);
  if (section.moveTo === undefined) {
    draft.bytes = bytes;
    return;
  }
  refuseLink('move', file);
  const target = draftOf(section.moveTo);
  if (target.bytes !== undefined) throw exists('move to', section.moveTo);
  Object.assign(target, { bytes, mode: file.mode });
  draft.bytes = undefined;
}

/** Removing what a link points to would leave the link behind, pointing nowhere. */
function refuseLink(kind: string, { asked, path }: FileState): void {
  const isPlain = posix.isAbsolute(asked) || asked.startsWith('~') || posix.normalize(asked) === path;
  if (isPlain) return;
  throw new ToolError('not_a_file', `${kind} ${asked}: it is reached through a link; the file is ${path}`, {
    suggestion: 'name the file itself',
  });
}

function exists(kind: string, path: string): ToolError {
  return new ToolError('patch_conflict', `${kind} ${path}: file already exists`, {
    suggestion: 'use Update File to change it, or another path',
  });
}

function tell(section: Section, dryRun: boolean): string {
  const { kind, path } = section;
  if (kind === 'add') return `${dryRun ? 'would add' : 'added'} ${path}`;
  if (kind === 'delete') return `${dryRun ? 'would delete' : 'deleted'} ${path}`;
  if (section.moveTo === undefined) return `${dryRun ? 'would update' : 'updated'} ${path}`;
  return `${dryRun ? 'would move' : 'moved'} ${path} to ${section.moveTo}`;
}

/** A diff that git applies, also where a file is made or removed. */
function gitDiff(one: ChangedFile): string {
  const { path, content } = one.file;
  const diff = diffOf(one);
  if (content === undefined)
    return `diff --git a/${path} b/${path}\nnew file mode 100644\n${diff.replace(/^--- .*/, '--- /dev/null')}`;
  if (one.after !== undefined) return diff;
  return `diff --git a/${path} b/${path}\ndeleted file mode 100644\n${diff.replace(/^\+\+\+ .*/m, '+++ /dev/null')}`;
}
