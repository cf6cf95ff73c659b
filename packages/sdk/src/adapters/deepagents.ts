import { ToolError } from '@jinn/core/errors';
import type { FileInfo, ReadResult, SandboxBackendProtocolV2 } from 'deepagents';
import type { CallAnswer } from '../call-answer.ts';
import type { Jinn, ToolArgs, ToolData, ToolName } from '../create-jinn.ts';

/** The most files and matches of one search if deepagents gives no number. */
const MOST_FOUND = 1_000;
const LINES = 500;
/** The lines of one window of a whole file. */
const WINDOW = 2_000;

/** The part of an instance that the backend needs. The instance serves the tools of the toolset jinn. */
export interface BackendJinn extends Pick<Jinn, 'root'> {
  /** Calls a tool. Rejects with a ToolError, whose `code` names the fault. */
  call<N extends ToolName>(name: N, args: ToolArgs<N>): Promise<CallAnswer<ToolData<N>>>;
}

interface Match {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** The facts next to the text of `read_file`, `edit_file` and `run_shell`. */
interface Meta {
  readonly lines?: {
    readonly total: number;
    readonly shown: readonly { readonly first: number; readonly last: number }[];
    readonly last_line_open?: true;
  };
  readonly cut_line?: { readonly start_line: number; readonly start_byte: number };
  readonly places?: number;
  readonly exit_code?: number;
}

/**
 * Makes an instance the backend of `createDeepAgent`: its file tools and its shell then work as the tools of jinn do,
 * in the directory of the instance. Paths are those of the machine. A path outside of the directory is read from its
 * top. Questions of jinn go to `approve` of the instance.
 */
export function jinnBackend(jinn: BackendJinn): SandboxBackendProtocolV2 {
  const { root } = jinn;
  const toPath = (path: string) => (path === root || path.startsWith(`${root}/`) ? path : path.replace(/^\/?/, './'));
  const toInfo = (path: string): FileInfo => ({
    path: `${root}/${path}`.replace(/\/$/, ''),
    is_dir: path.endsWith('/'),
  });
  const read = async (file: string, start_line: number, count: number): Promise<ReadResult> => {
    const args = { path: toPath(file), start_line, end_line: start_line + count - 1, line_numbers: false };
    return toReadResult(await jinn.call('read_file', args));
  };
  const readWhole = async (file: string) => {
    const path = toPath(file);
    const { modified } = (await jinn.call('stat_file', { path })).data;
    const dates = { created_at: modified, modified_at: modified };
    const texts: string[] = [];
    for (let next: Part | undefined = { start_line: 1, start_byte: 1 }; next; ) {
      const end_line = next.start_line + WINDOW - 1;
      const answer = await jinn.call('read_file', { path, ...next, end_line, line_numbers: false, raw: true });
      const { content = '', mimeType = '' } = toReadResult(answer);
      if (typeof content !== 'string') return { content, mimeType, ...dates };
      next = nextPart(answer);
      texts.push(content, endsLine(answer) ? '\n' : '');
    }
    return { content: texts.join(''), mimeType: 'text/plain', ...dates };
  };
  return {
    id: root,
    ls: (path) =>
      orError(async () => {
        const { entries = [] } = (await jinn.call('list_dir', { path: toPath(path) })).data;
        return { files: entries.map(toInfo) };
      }),
    read: (file, offset = 0, limit = LINES) => orError(() => read(file, offset + 1, limit)),
    readRaw: (file) => orError(async () => ({ data: await readWhole(file) })),
    write: (file, content) =>
      orError(async () => {
        await jinn.call('write_file', { path: toPath(file), content });
        return { path: file, filesUpdate: null };
      }),
    edit: (file, old_text, new_text, replace_all = false) =>
      orError(async () => {
        const { meta = {} } = await jinn.call('edit_file', { path: toPath(file), old_text, new_text, replace_all });
        return { path: file, filesUpdate: null, occurrences: (meta as Meta).places ?? 1 };
      }),
    grep: (pattern, path, glob, maxCount) =>
      orError(async () => {
        const max_matches = maxCount ?? MOST_FOUND;
        const within = { path: toPath(path ?? '/'), ...(glob && { include: glob }) };
        const { data, truncated = false }: CallAnswer<unknown> = await jinn.call('search_files', {
          ...within,
          pattern,
          literal: true,
          format: 'json',
          max_matches,
        });
        const matches = (data ?? []) as readonly Match[];
        return { matches: matches.map(({ file, line, text }) => ({ path: `${root}/${file}`, line, text })), truncated };
      }),
    glob: (pattern, path = '/') =>
      orError(async () => {
        const args = { pattern: pattern.replace(/^\/+/, ''), path: toPath(path), limit: MOST_FOUND };
        const { files, truncated } = (await jinn.call('find_files', args)).data;
        return { files: files.map(toInfo), truncated };
      }),
    execute: async (command) => {
      const failed = (error: string) => ({ output: error, exitCode: null, truncated: false });
      const done = await orError(async () => ({ answer: await jinn.call('run_shell', { command }) }));
      if ('error' in done) return failed(done.error);
      const { text, truncated = false, meta = {} } = done.answer;
      return { output: text, exitCode: (meta as Meta).exit_code ?? null, truncated };
    },
  };
}

async function orError<T>(work: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, message, suggestion } = error;
    return { error: [`${code}: ${message}`, suggestion].filter(Boolean).join('\n') };
  }
}

function toReadResult({ text, content: [image] = [], meta = {} }: CallAnswer<unknown>): ReadResult {
  if (image) return { content: Buffer.from(image.data, 'base64'), mimeType: image.mimeType };
  const { total = 0, shown: [range] = [] } = (meta as Meta).lines ?? {};
  if (!range) return { content: '', mimeType: 'text/plain', totalLines: total };
  const { first: startLine, last: endLine } = range;
  const content = text
    .split('\n')
    .slice(0, endLine - startLine + 1)
    .join('\n');
  const more = endLine < total && { nextOffset: endLine };
  return { content, mimeType: 'text/plain', totalLines: total, startLine, endLine, ...more };
}

interface Part {
  readonly start_line: number;
  readonly start_byte?: number;
}

function nextPart({ meta = {} }: CallAnswer<unknown>): Part | undefined {
  const { lines: { total = 0, shown: [range] = [] } = {}, cut_line: cut } = meta as Meta;
  if (cut) return { start_line: cut.start_line, start_byte: cut.start_byte };
  return range && range.last < total ? { start_line: range.last + 1, start_byte: 1 } : undefined;
}

function endsLine({ meta = {} }: CallAnswer<unknown>): boolean {
  const { lines: { shown = [], last_line_open: isOpen = false } = {}, cut_line: cut } = meta as Meta;
  return shown.length > 0 && !isOpen && !cut;
}
