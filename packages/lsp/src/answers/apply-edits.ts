import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type FileState, mutate } from '@jinn/workspace';
import { type Charset, findCharset } from '@jinn/workspace/find-charset';
import { decodeSource } from '../documents/source-files.ts';
import type { FileEdit } from './edits.ts';

const BOM = '\ufeff';

/** The changes of the files, for `meta`. */
export interface AppliedEdits {
  readonly files: readonly { readonly path: string; readonly version?: string; readonly undo_id?: string }[];
  readonly operation_id?: string;
}

/**
 * Writes all files or none, with one undo. Throws `stale_file` for a file that differs from what the server was shown.
 */
export async function applyEdits(
  edits: readonly FileEdit[],
  ctx: ToolContext,
  { operation, ifVersions }: { operation: string; ifVersions?: Readonly<Record<string, string>> | undefined },
): Promise<AppliedEdits> {
  const paths = [...new Set(edits.flatMap((edit) => (edit.kind === 'rename' ? [edit.path, edit.to] : [edit.path])))];
  const { files, operationId } = await mutate(ctx, {
    operation,
    targets: paths.map((path) => ({ path })),
    ifVersions,
    // The texts that the server was shown are compared with the files: nothing depends on what the agent has read.
    takesStale: true,
    compute: async (states) => {
      const charsets = new Map<FileState, Charset | undefined>();
      for (const state of states) {
        const { path, content } = state;
        if (content) charsets.set(state, await findCharset(ctx, { path, content }));
      }
      const changes = new Changes(new Map(paths.map((path, i) => [path, states[i] as FileState])), charsets);
      for (const edit of edits) changes.add(edit);
      return { changes: changes.all, extra: undefined };
    },
  });
  const versions = files.map(({ file, version, undoId }) => ({
    path: file.path,
    ...(version !== undefined && { version }),
    ...(undoId !== undefined && { undo_id: undoId }),
  }));
  return { files: versions, ...(operationId !== undefined && { operation_id: operationId }) };
}

class Changes {
  readonly #states: ReadonlyMap<string, FileState>;
  readonly #charsets: ReadonlyMap<FileState, Charset | undefined>;
  readonly #contents = new Map<FileState, { content: Buffer | undefined; mode?: number | undefined }>();

  constructor(states: ReadonlyMap<string, FileState>, charsets: ReadonlyMap<FileState, Charset | undefined>) {
    this.#states = states;
    this.#charsets = charsets;
  }

  get all() {
    return [...this.#contents].map(([file, change]) => ({ file, ...change }));
  }

  add(edit: FileEdit): void {
    const file = this.#stateOf(edit.path);
    switch (edit.kind) {
      case 'change':
        this.#set(file, this.#encode(edit.after, file, edit.before));
        break;
      case 'create':
        this.#refuseExisting(file, edit.overwrite);
        this.#set(file, Buffer.from(edit.after));
        break;
      case 'rename': {
        const content = this.#encode(edit.after, file, edit.before);
        const target = this.#stateOf(edit.to);
        this.#refuseExisting(target, edit.overwrite);
        this.#set(target, content, file.mode);
        this.#set(file, undefined);
        break;
      }
      case 'delete':
        if (!file.content) throw staleTextError(edit.path);
        this.#set(file, undefined);
        break;
    }
  }

  #stateOf(path: string): FileState {
    return this.#states.get(path) as FileState;
  }

  /** Returns the bytes of a text. Throws `stale_file` unless the content of the file is what the server was shown. */
  #encode(after: string, file: FileState, before: string): Buffer {
    const { content, asked } = file;
    const charset = this.#charsets.get(file);
    if (!content || decodeSource(content, charset).text !== before) throw staleTextError(asked);
    if (!charset) return Buffer.from(content.toString('utf8', 0, 3) === BOM ? `${BOM}${after}` : after);
    const { text, encode } = charset.open(content, asked);
    if (text.toString().replace(BOM, '') === before) return encode(Buffer.from(after));
    throw new ToolError('binary_file', `${asked} has bytes that ${charset.name} writes in another form`, {
      suggestion: 'change it with edit_file instead (nothing was changed)',
    });
  }

  #refuseExisting({ content, asked }: FileState, overwrite: boolean): void {
    if (content && !overwrite) {
      throw new ToolError('conflict', `${asked} exists already (nothing was changed)`, {
        suggestion: 'move it out of the way, and try again',
      });
    }
  }

  #set(file: FileState, content: Buffer | undefined, mode?: number): void {
    if (this.#contents.has(file)) {
      throw new ToolError('lsp_error', `the server changes ${file.path} twice (nothing was changed)`, {
        suggestion: 'make the change with edit_file instead',
      });
    }
    this.#contents.set(file, { content, mode });
  }
}

function staleTextError(path: string): ToolError {
  return new ToolError('stale_file', `${path} changed while the server worked (nothing was changed)`, {
    suggestion: 'try again',
  });
}
