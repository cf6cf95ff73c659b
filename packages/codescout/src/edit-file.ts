import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { changeMeta } from '@jinn/fs-tools/diff/change-report';
import { openText } from '@jinn/fs-tools/edit/edit-text';
import { FOREIGN, nearestText } from '@jinn/fs-tools/match/nearest-text';
import { createLineCounter, rejectLoneSurrogates, toLatin1 } from '@jinn/fs-tools/read/text-content';
import { mutate } from '@jinn/workspace';
import { rejectReference } from './buffers/buffers.ts';
import { unescaped, warnOfEscapes } from './text/escaped-text.ts';

const MAX_LISTED = 10;

const MARK = '\xef\xbb\xbf';
const MAX_RESULT = 64 * 1024 * 1024;

interface EditArgs {
  readonly path: string;
  readonly old_string?: string | undefined;
  readonly new_string: string;
  readonly replace_all: boolean;
  readonly insert?: 'prepend' | 'append' | undefined;
}

export const editFile = defineTool({
  name: 'edit_file',
  effect: 'write',
  description:
    'Replace an exact string in a file, whitespace and line endings included. It must occur once, unless replace_all is set. With insert, add text at the start or the end instead.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File path relative to the project root')),
      old_string: z.optional(z.string().check(z.describe('Exact text to find. Not needed with insert'))),
      new_string: z.string().check(z.describe('Replacement text ("" deletes)')),
      replace_all: z._default(z.boolean().check(z.describe('Replace every occurrence')), false),
      insert: z.optional(z.enum(['prepend', 'append']).check(z.describe('Add new_string at the start or the end'))),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  examples: [
    { path: 'src/main.rs', old_string: 'use crate::old_helper;', new_string: 'use crate::new_helper;' },
    { path: 'CHANGELOG.md', insert: 'prepend', new_string: '## 1.2.0\n\n' },
  ],

  async run(args, ctx): Promise<ToolOutput> {
    rejectReference(ctx, args.path);
    rejectBadTexts(args);
    warnOfEscapes(ctx, 'new_string', args.new_string);
    let texts = { before: '', after: '' };
    const result = await mutate(ctx, {
      operation: 'edit_file',
      targets: [{ path: args.path, ifVersion: args.if_version }],
      compute: async ([file]) => {
        if (!file) throw new Error('one target gives one file');
        if (!file.content) throw missing(args.path);
        const { bytes, notebook, toContent, explain } = await openText(ctx, file);
        if (notebook && args.insert) throw noInsert(args.path);
        try {
          texts = { before: bytes, after: args.insert ? insertText(bytes, args) : replaceText(bytes, args) };
          return { changes: [{ file, content: toContent(texts.after) }], extra: undefined };
        } catch (error) {
          throw explain(error);
        }
      },
    });
    const [changed] = result.files;
    if (!changed) throw new Error('one target gives one change');
    warnOfLineEnds(ctx, args.path, texts.before, texts.after);
    return { text: '"ok"', meta: await changeMeta(changed, result, ctx) };
  },
});

function rejectBadTexts({ old_string, new_string, insert }: EditArgs): void {
  rejectLoneSurrogates('new_string', new_string);
  if (insert) return;
  if (old_string === undefined) {
    throw new ToolError('invalid_args', 'edit_file: missing required argument old_string', {
      suggestion: 'pass the text to replace, or insert: "prepend" or "append" to add new_string',
    });
  }
  rejectLoneSurrogates('old_string', old_string);
  if (old_string === '') {
    throw new ToolError('old_text_empty', 'old_string is empty', {
      suggestion: 'use insert: "prepend" or "append" to add text, or create_file to write the whole file',
    });
  }
  if (old_string === new_string) {
    throw new ToolError('edit_no_change', 'old_string and new_string are the same', {
      suggestion: 'send the text as it should become in new_string',
    });
  }
}

/** Adds text after a byte order mark, which must stay the first thing in a file. */
function insertText(bytes: string, { insert, new_string }: EditArgs): string {
  const added = toLatin1(new_string);
  if (insert === 'append') return bytes + added;
  return bytes.startsWith(MARK) ? MARK + added + bytes.slice(MARK.length) : added + bytes;
}

function replaceText(bytes: string, args: EditArgs): string {
  const wanted = toLatin1(args.old_string ?? '');
  const first = bytes.indexOf(wanted);
  if (first < 0) throw notFound(bytes, args.path, args.old_string ?? '');
  const added = toLatin1(args.new_string);
  if (args.replace_all) return replaceAll(bytes, wanted, added, args.path);
  if (bytes.indexOf(wanted, first + wanted.length) >= 0) throw notUnique(bytes, wanted, args.path);
  return bytes.slice(0, first) + added + bytes.slice(first + wanted.length);
}

function replaceAll(bytes: string, wanted: string, added: string, path: string): string {
  let [count, at] = [0, bytes.indexOf(wanted)];
  for (; at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) count++;
  if (bytes.length + count * (added.length - wanted.length) <= MAX_RESULT) return bytes.replaceAll(wanted, () => added);
  throw new ToolError('file_too_large', `${path} would become larger than 64 MiB`, {
    suggestion: 'replace fewer occurrences (nothing was changed)',
  });
}

function noInsert(path: string): ToolError {
  return new ToolError('invalid_args', `${path} is a notebook, to which insert cannot add text`, {
    suggestion: 'replace a line of a cell, without insert, or write the whole notebook with create_file',
  });
}

function missing(path: string): ToolError {
  return new ToolError('file_not_found', `file not found: ${path}`, {
    suggestion: 'use create_file to make it, or find_file to see where it is',
  });
}

function warnOfLineEnds(ctx: Pick<ToolContext, 'warn'>, path: string, before: string, after: string): void {
  const [own, now] = [lineEndsOf(before), lineEndsOf(after)];
  if (!now.hasLf || !now.hasCrlf || own.hasLf === own.hasCrlf) return;
  const kind = own.hasCrlf ? '\\r\\n' : '\\n';
  ctx.warn(
    `${path} has both \\r\\n and \\n as line ends now. Before, all were ${kind}: send ${kind} in new_string to keep that`,
  );
}

function lineEndsOf(text: string) {
  return { hasCrlf: text.includes('\r\n'), hasLf: /(?<!\r)\n/.test(text) };
}

/** `bytes` is the file, a character for each byte. */
function notFound(bytes: string, path: string, old_string: string): ToolError {
  const wanted = toLatin1(old_string);
  const nearest = nearestText(bytes, wanted);
  const reason = reasonFor(bytes, wanted) ?? (nearest?.unseen && `the text looks the same, but ${nearest.unseen}`);
  const closest =
    nearest === undefined || bytes === '' ? '' : `. Closest match at line ${nearest.line}:\n${nearest.diff}`;
  return new ToolError('edit_not_found', `old_string not found in ${path}${reason ? `: ${reason}` : ''}${closest}`, {
    suggestion: reason
      ? 'send old_string exactly as it is in the file'
      : nearest?.isForeign
        ? `${FOREIGN}: send a part of line ${nearest.line} that is ASCII`
        : 'copy the text from the file, with its whitespace. search_pattern finds the line',
  });
}

function reasonFor(bytes: string, wanted: string): string | undefined {
  const plain = wanted.replaceAll('\r\n', '\n');
  const windows = plain.replaceAll('\n', '\r\n');
  if (windows !== wanted && bytes.includes(windows))
    return 'the lines of the file end in \\r\\n, those of old_string in \\n';
  if (plain !== wanted && bytes.includes(plain))
    return 'the lines of the file end in \\n, those of old_string in \\r\\n';
  const real = unescaped(wanted);
  if (real !== undefined && bytes.includes(real)) {
    return 'old_string has backslashes where the file has real line breaks, tabs or quotes (it was escaped twice)';
  }
  const trimmed = wanted.trim();
  if (trimmed !== '' && trimmed !== wanted && bytes.includes(trimmed)) {
    return 'it is there with other whitespace at its start or end';
  }
  return undefined;
}

function notUnique(bytes: string, wanted: string, path: string): ToolError {
  const lines: number[] = [];
  const lineOf = createLineCounter(bytes);
  let count = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) {
    count++;
    if (lines.length < MAX_LISTED) lines.push(lineOf(at));
  }
  const more = count > lines.length ? ', …' : '';
  return new ToolError(
    'edit_not_unique',
    `old_string found ${count} times in ${path} (lines ${lines.join(', ')}${more})`,
    { suggestion: 'include more surrounding context, or use replace_all: true (nothing was changed)' },
  );
}
