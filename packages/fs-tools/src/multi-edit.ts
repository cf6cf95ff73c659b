import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { startClock } from '@jinn/core/thread/clock';
import { type FileState, mutate } from '@jinn/workspace';
import { changesMeta, diffOf, formatEdit, visualizing } from './diff/change-report.ts';
import { type Edit, NotUniqueError } from './edit/edit-errors.ts';
import {
  type EditableText,
  type EditedText,
  editText,
  openText,
  rejectBadTexts,
  type Splice,
} from './edit/edit-text.ts';
import { exactPlaces, type SearchText, toSearchText } from './match/find-text.ts';

const MAX_EDITS = 200;
const MAX_TOLD = 20;
/** How many failed edits come with the text nearest to theirs: finding it takes a pass over the file each. */
const MAX_HINTS = 5;
const MAX_MS = 4_000;

export const multiEdit = defineTool({
  name: 'multi_edit',
  effect: 'write',
  description:
    'Make several edits as edit_file does, in one file or many, in order: later ones see earlier ones. All of them are made or none.',
  input: (z) =>
    z.strictObject({
      edits: z
        .array(
          z.strictObject({
            path: z.string().check(z.minLength(1), z.describe('File')),
            old_text: z.string().check(z.describe('Text')),
            new_text: z.string().check(z.describe('Replacement')),
            fuzzy_indent: z._default(z.boolean().check(z.describe('As in edit_file')), false),
            show_context: z._default(z.int().check(z.minimum(0), z.describe('Lines to show around it')), 0),
            near_line: z.optional(z.int().check(z.minimum(1), z.describe('As in edit_file'))),
            if_version: z.optional(z.string().check(z.describe('Only if it still has this version'))),
          }),
        )
        .check(z.minLength(1), z.maxLength(MAX_EDITS), z.describe('Edits')),
      dry_run: z._default(z.boolean().check(z.describe('Preview')), false),
    }),
  examples: [
    {
      edits: [
        { path: 'a.go', old_text: 'foo', new_text: 'bar' },
        { path: 'b.go', old_text: 'baz', new_text: 'qux' },
      ],
    },
  ],
  hosting: { isShown: true, tellsVersions: 'without-session', unlisted: ['show_context', 'if_version'] },

  async run({ edits, dry_run }, ctx): Promise<ToolOutput> {
    for (const [index, edit] of edits.entries()) rejectBadTexts(edit, `edits[${index}]: `);
    const result = await mutate(ctx, {
      operation: 'multi_edit',
      targets: edits.map(({ path, if_version }) => ({ path, ifVersion: if_version })),
      dryRun: dry_run,
      compute: (files) => applyAll(edits, files, ctx),
    });
    const head = dry_run ? [`[dry-run] ${counted(edits.length, 'edit')} validated:`] : [];
    const diffs = dry_run ? await Promise.all(result.files.map((one) => diffOf(one, ctx))) : [];
    const body = dry_run ? diffs.map((diff) => diff.trimEnd()) : result.extra;
    return {
      text: [...head, ...body].join('\n'),
      meta: await changesMeta(result, ctx),
      visualize: visualizing(result.files, { dryRun: dry_run }, ctx),
    };
  },
});

interface Failure {
  readonly index: number;
  readonly path: string;
  readonly error: ToolError;
}

interface Draft {
  readonly file: FileState;
  readonly origins: Origins;
  readonly first: SearchText;
  readonly open: EditableText;
  text: SearchText;
}

async function applyAll(
  edits: readonly (Edit & { readonly show_context: number })[],
  files: readonly FileState[],
  ctx: ToolContext,
) {
  const drafts = new Map<FileState, Draft>();
  const failures: Failure[] = [];
  const told: string[] = [];
  const elapsedMs = startClock();
  for (const [index, edit] of edits.entries()) {
    if (elapsedMs() > MAX_MS)
      throw new ToolError(
        'timeout',
        `the edits took more than ${MAX_MS / 1000} seconds of processor time: edits[${index}] was not reached`,
        { suggestion: 'send fewer edits of such large files in a call (nothing was changed)' },
      );
    await ctx.checkpoint();
    const file = files[index] as FileState;
    try {
      const draft = await draftOf(ctx, drafts, file, edit);
      const edited = applyOne(draft, edit, { index, withHint: failures.length < MAX_HINTS });
      told.push(formatEdit(edit, edited, edit.show_context));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const isTold = failures.length < MAX_HINTS;
      failures.push({
        index,
        path: edit.path,
        error: isTold ? await explain(error, edit, drafts.get(file), ctx) : error,
      });
    }
  }
  const overlapping = failures.find(({ error }) => error.code === 'edit_overlap');
  if (overlapping) throw overlapping.error;
  if (failures.length > 0) throw toError(failures, edits.length);
  const changes = [...drafts.values()].map(({ file, text, open }) => ({ file, content: open.toContent(text.bytes) }));
  return { changes, extra: told };
}

async function explain(
  error: ToolError,
  { path }: Edit,
  draft: Draft | undefined,
  ctx: ToolContext,
): Promise<ToolError> {
  if (!draft) return (await import('./read/missing-file.ts')).suggestPath(error, path, ctx);
  if (draft.open.notebook || !(error instanceof NotUniqueError)) return draft.open.explain(error);
  return error.withSymbols(ctx.session, { path: draft.file.path, content: Buffer.from(draft.text.bytes, 'latin1') });
}

async function draftOf(ctx: ToolContext, drafts: Map<FileState, Draft>, file: FileState, edit: Edit): Promise<Draft> {
  const known = drafts.get(file);
  if (known) return known;
  const open = await openText(ctx, { ...file, asked: edit.path });
  const first = toSearchText(open.bytes);
  const draft = { file, origins: new Origins(open.bytes.length), first, open, text: first };
  drafts.set(file, draft);
  return draft;
}

function applyOne(
  draft: Draft,
  edit: Edit,
  { index, withHint }: { readonly index: number; readonly withHint: boolean },
): EditedText {
  let edited: EditedText;
  try {
    edited = editText(draft.text, edit, withHint);
  } catch (error) {
    const owner = ownerAtFirst(draft, edit);
    throw owner === undefined ? error : overlap(owner, index);
  }
  const [place] = edited.places;
  if (!place) return edited;
  const owner = draft.origins.ownerOf(place);
  if (owner !== undefined) throw overlap(owner, index);
  draft.origins.edit(place, place.splices, index);
  draft.text = toSearchText(edited.bytes);
  return edited;
}

/** Returns the earlier edit that took the text which this one would have matched if it had come first. */
function ownerAtFirst({ first, text, origins }: Draft, { old_text }: Edit): number | undefined {
  if (first === text) return undefined;
  const places = exactPlaces(first, old_text);
  const [place] = places;
  return place && places.length === 1 ? origins.ownerAtFirst(place) : undefined;
}

function overlap(first: number, second: number): ToolError {
  return new ToolError('edit_overlap', `edits[${first}] and edits[${second}] target overlapping regions`, {
    suggestion: 'split them into separate multi_edit calls, or combine them into one edit of the whole region',
  });
}

function toError(failures: readonly Failure[], count: number): ToolError {
  const lines = failures
    .slice(0, MAX_TOLD)
    .map(
      ({ index, path, error: { message } }) =>
        `  edits[${index}]${message.split(/[\s,;:()]+/).includes(path) ? '' : ` ${path}`}: ${message}`,
    );
  const more = failures.length > MAX_TOLD ? [`  and ${failures.length - MAX_TOLD} more`] : [];
  const [first] = failures;
  const message = [
    `${failures.length} of ${count} edits failed validation, and nothing was changed:`,
    ...lines,
    ...more,
  ];
  const suggestion = failures.length === 1 ? first?.error.suggestion : undefined;
  return new ToolError(first?.error.code ?? 'edit_not_found', message.join('\n'), {
    suggestion: suggestion ?? 'fix the reported edits and send the whole batch again',
  });
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A run of the text as it is now. `at` is its place before the first edit. Undefined for text that an edit wrote. */
interface Run {
  readonly length: number;
  readonly at: number | undefined;
}

/**
 * Tracks, for each byte of a text that is edited several times, whether it was there before the first edit, and which edit
 * matched it. Two edits may not target the same bytes, but may change what an earlier one wrote.
 */
class Origins {
  #runs: Run[];
  readonly #claims: (Range & { readonly owner: number })[] = [];

  constructor(length: number) {
    this.#runs = [{ length, at: 0 }];
  }

  /** Returns the edit that matched some of these bytes before, or undefined if none did, or if one wrote part of them. */
  ownerOf(range: Range): number | undefined {
    const runs = this.#cut(range);
    if (runs.some(({ at }) => at === undefined)) return undefined;
    return runs.map((run) => this.ownerAtFirst(toRange(run))).find((owner) => owner !== undefined);
  }

  /** Returns the edit that matched some of these bytes of the text before the first edit, or undefined if none did. */
  ownerAtFirst({ start, end }: Range): number | undefined {
    return this.#claims.find((claim) => claim.start < end && start < claim.end)?.owner;
  }

  edit(range: Range, splices: readonly Splice[], owner: number): void {
    for (const run of this.#cut(range)) if (run.at !== undefined) this.#claims.push({ ...toRange(run), owner });
    for (const { start, end, bytes } of splices.toReversed()) {
      const rest = this.#cut({ start: end, end: Number.POSITIVE_INFINITY });
      this.#runs = [...this.#cut({ start: 0, end: start }), { length: bytes.length, at: undefined }, ...rest];
    }
  }

  #cut({ start, end }: Range): Run[] {
    const runs: Run[] = [];
    let position = 0;
    for (const { length, at } of this.#runs) {
      const from = Math.max(start, position);
      const to = Math.min(end, position + length);
      if (from < to) runs.push({ length: to - from, at: at === undefined ? undefined : at + from - position });
      position += length;
    }
    return runs;
  }
}

function toRange({ at = 0, length }: Run): Range {
  return { start: at, end: at + length };
}
