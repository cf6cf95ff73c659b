import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type FileState, mutate } from '@jinn/workspace';
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
    compute: (states) => {
      const changes = new Changes(new Map(paths.map((path, i) => [path, states[i] as FileState])));
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
  readonly #contents = new Map<FileState, { content: Buffer | undefined; mode?: number | undefined }>();

  constructor(states: ReadonlyMap<string, FileState>) {
    this.#states = states;
  }

  get all() {
    return [...this.#contents].map(([file, change]) => ({ file, ...change }));
  }

  add(edit: FileEdit): void {
    const file = this.#stateOf(edit.path);
    switch (edit.kind) {
      case 'change':
        this.#set(file, encode(edit.after, this.#expect(file, edit.before)));
        break;
      case 'create':
        this.#refuseExisting(file, edit.overwrite);
        this.#set(file, Buffer.from(edit.after));
        break;
      case 'rename': {
        const content = this.#expect(file, edit.before);
        const target = this.#stateOf(edit.to);
        this.#refuseExisting(target, edit.overwrite);
        this.#set(target, encode(edit.after, content), file.mode);
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

  /** Throws `stale_file` unless the content is what the server was shown. */
  #expect({ content, asked }: FileState, before: string): Buffer {
    if (content && decodeSource(content).text === before) return content;
    throw staleTextError(asked);
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

function encode(text: string, before: Buffer): Buffer {
  return Buffer.from(before.toString('utf8', 0, 3) === BOM ? `${BOM}${text}` : text);
}

function staleTextError(path: string): ToolError {
  return new ToolError('stale_file', `${path} changed while the server worked (nothing was changed)`, {
    suggestion: 'try again',
  });
}
