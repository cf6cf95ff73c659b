import { posix } from 'node:path';
import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type ComputedChanges, type FileChange, type FileState, mutate } from '@jinn/workspace';
import { changesMeta, diffOf, visualizing } from './diff/change-report.ts';
import { openText } from './edit/edit-text.ts';
import { rejectBrokenNotebook } from './edit/notebook-sources.ts';
import { applyHunks } from './patch/patch-apply.ts';
import { type Patch, parsePatch } from './patch/patch-parse.ts';
import type { Section } from './patch/patch-text.ts';
import { rejectLoneSurrogates } from './read/text-content.ts';

/** Each file is synced to the disk, which takes most of the time. */
const MAX_FILES = 200;
/** A file counts once for each section that updates it. */
const MAX_UPDATED_BYTES = 64 * 1024 * 1024;

export const applyPatch = defineTool({
  name: 'apply_patch',
  effect: 'write',
  description:
    'Change, add, delete and move files by one patch, or by a unified diff. All of it is applied or nothing.',
  input: (z) =>
    z.strictObject({
      patch: z
        .string()
        .check(
          z.minLength(1),
          z.describe(
            'As in *** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@ function f\n context\n-old\n+new\n*** Add File: c.ts\n+line\n*** Delete File: d.ts\n*** End Patch',
          ),
        ),
      dry_run: z._default(z.boolean().check(z.describe('Preview')), false),
      if_versions: z.optional(
        z.record(z.string(), z.string()).check(z.describe('Only if these paths still have these versions')),
      ),
    }),
  examples: [{ patch: '*** Begin Patch\n*** Update File: main.go\n@@\n-old\n+new\n*** End Patch' }],
  hosting: { isShown: true, tellsVersions: 'without-session', unlisted: ['if_versions'] },

  async run({ patch, dry_run, if_versions }, ctx): Promise<ToolOutput> {
    rejectLoneSurrogates('patch', patch);
    const parsed = parsePatch(patch);
    const { sections } = parsed;
    const paths = sections.flatMap(pathsOf);
    rejectTooMany(new Set(paths).size);
    const result = await mutate(ctx, {
      operation: 'apply_patch',
      targets: paths.map((path) => ({ path })),
      ifVersions: if_versions,
      dryRun: dry_run,
      compute: async (files) => {
        const byPath = new Map(paths.map((path, i) => [path, files[i] as FileState]));
        try {
          return await applyAll(parsed, byPath, ctx);
        } catch (error) {
          const gone = sections.find(({ kind, path }) => kind !== 'add' && byPath.get(path)?.content === undefined);
          throw gone ? await (await import('./read/missing-file.ts')).suggestPath(error, gone.path, ctx) : error;
        }
      },
    });
    const head = dry_run ? [`[dry-run] patch with ${sections.length} operation(s):`] : [];
    const lines = sections.map((section, i) =>
      formatSection(section, { dryRun: dry_run, notes: result.extra[i] ?? [] }),
    );
    const diffs = dry_run ? await Promise.all(result.files.map((one) => diffOf(one, ctx))) : [];
    return {
      text: [...head, ...lines, ...diffs.map((diff) => diff.trimEnd())].join('\n'),
      meta: await changesMeta(result, ctx),
      visualize: visualizing(result.files, { dryRun: dry_run }, ctx),
    };
  },
});

function rejectTooMany(count: number): void {
  if (count <= MAX_FILES) return;
  throw new ToolError('resource_limit', `the patch names ${count} files: a call changes at most ${MAX_FILES}`, {
    suggestion: `send several patches of up to ${MAX_FILES} files (nothing was changed)`,
  });
}

function pathsOf(section: Section): string[] {
  return [...new Set([section.path, targetOf(section)])];
}

function targetOf(section: Section): string {
  return section.kind === 'update' ? (section.moveTo ?? section.path) : section.path;
}

interface Draft {
  content: Buffer | undefined;
  mode: number | undefined;
}

async function applyAll(
  patch: Patch,
  files: ReadonlyMap<string, FileState>,
  ctx: ToolContext,
): Promise<ComputedChanges<readonly (readonly string[])[]>> {
  const drafts = new Map<FileState, Draft>();
  const draftOf = (path: string): Draft => {
    const file = files.get(path) as FileState;
    const draft = drafts.get(file) ?? { content: file.content, mode: undefined };
    drafts.set(file, draft);
    return draft;
  };
  const extra = patch.sections.map((): readonly string[] => []);
  let updatedBytes = 0;
  for (const [i, section] of patch.sections.entries()) {
    await ctx.checkpoint();
    const draft = draftOf(section.path);
    const file = files.get(section.path) as FileState;
    const target = targetOf(section);
    if (section.kind === 'add') add(section, draft);
    else if (draft.content === undefined)
      throw new ToolError('file_not_found', `${section.kind} ${section.path}: file not found`, {
        suggestion: 'check the path with list_dir, or use Add File for a new one',
      });
    else if (section.kind === 'delete') await remove(ctx, section, draft, file);
    else {
      updatedBytes += draft.content.length;
      if (updatedBytes > MAX_UPDATED_BYTES)
        throw new ToolError('resource_limit', 'the sections of the patch update more than 64 MB in all', {
          suggestion: 'put all hunks of a file into one section, or send several patches (nothing was changed)',
        });
      const { content, notes } = await update(ctx, section, { ...file, content: draft.content }, patch.ending);
      extra[i] = notes;
      if (section.moveTo === undefined) draft.content = content;
      else move({ file, draft, content }, { path: section.moveTo, target: draftOf(target) });
    }
    extra[i] = [...(extra[i] ?? []), ...setMode(section, draftOf(target), files.get(target) as FileState)];
  }
  const changes = [...drafts].map(([file, { content, mode }]): FileChange => {
    if (content) rejectBrokenNotebook(file, content);
    return { file, content, mode };
  });
  if (changes.every(isSame)) {
    throw new ToolError('edit_no_change', 'the patch changes nothing', { suggestion: 'check what it should change' });
  }
  return { changes, extra };
}

function isSame({ file, content, mode = file.mode }: FileChange): boolean {
  return content && file.content ? content.equals(file.content) && mode === file.mode : content === file.content;
}

function add({ path, lines, isOpen }: Extract<Section, { kind: 'add' }>, draft: Draft): void {
  if (draft.content !== undefined) throw exists('add', path);
  draft.content = Buffer.from(lines.join('\n') + (isOpen || lines.length === 0 ? '' : '\n'), 'latin1');
}

async function remove(
  ctx: ToolContext,
  { path, hunks = [] }: Extract<Section, { kind: 'delete' }>,
  draft: Draft,
  file: FileState,
): Promise<void> {
  rejectLink('delete', file);
  const { content } = draft;
  const text = hunks.length > 0 && content ? (await openText(ctx, { ...file, asked: path, content })).bytes : '';
  if (text !== '' && applyHunks(path, text, hunks, '\n').bytes !== '') {
    throw new ToolError('patch_conflict', `delete ${path}: the file holds more than the patch removes`, {
      suggestion: 'read the file, and delete it with *** Delete File if nothing of it is to stay',
    });
  }
  draft.content = undefined;
}

async function update(
  ctx: ToolContext,
  { path, hunks }: Extract<Section, { kind: 'update' }>,
  file: FileState & { readonly content: Buffer },
  ending: string,
) {
  if (hunks.length === 0) return { content: file.content, notes: [] };
  const { bytes, toContent, explain } = await openText(ctx, { ...file, asked: path });
  try {
    const patched = applyHunks(path, bytes, hunks, ending);
    return { content: toContent(patched.bytes), notes: patched.notes };
  } catch (error) {
    throw explain(error);
  }
}

function setMode(section: Section, draft: Draft, file: FileState): readonly string[] {
  if (section.kind === 'delete' || section.isExecutable === undefined) return [];
  const before = draft.mode ?? file.mode;
  if (before === undefined && !section.isExecutable) return []; // A new file cannot be executed by default.
  const mode = before ?? 0o666 & ~process.umask();
  // As git does: who may read it may run it.
  draft.mode = section.isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
  return draft.mode === before ? [] : [`mode ${section.isExecutable ? '100755' : '100644'}`];
}

function move(
  { file, draft, content }: { file: FileState; draft: Draft; content: Buffer },
  { path, target }: { path: string; target: Draft },
): void {
  rejectLink('move', file);
  if (target.content !== undefined) throw exists('move to', path);
  target.content = content;
  target.mode = draft.mode ?? file.mode;
  draft.content = undefined;
}

/** Refuses a path through a link: removing the target would leave the link behind, pointing nowhere. */
function rejectLink(kind: string, { asked, path }: FileState): void {
  const isPlain = posix.isAbsolute(asked) || asked.startsWith('~') || posix.normalize(asked) === path;
  if (isPlain) return;
  throw new ToolError('not_a_file', `${kind} ${asked}: it is reached through a link. The file is ${path}`, {
    suggestion: 'name the file itself',
  });
}

function exists(kind: string, path: string): ToolError {
  return new ToolError('patch_conflict', `${kind} ${path}: file already exists`, {
    suggestion: 'use Update File to change it, or another path',
  });
}

function formatSection(section: Section, { dryRun, notes }: { dryRun: boolean; notes: readonly string[] }): string {
  const { kind, path } = section;
  if (kind === 'delete') return `${dryRun ? 'would delete' : 'deleted'} ${path}`;
  const loose = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  if (kind === 'add') return `${dryRun ? 'would add' : 'added'} ${path}${loose}`;
  if (section.moveTo === undefined) return `${dryRun ? 'would update' : 'updated'} ${path}${loose}`;
  return `${dryRun ? 'would move' : 'moved'} ${path} to ${section.moveTo}${loose}`;
}
