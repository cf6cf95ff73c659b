import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { isPlainText, type Workspace } from '@jinn/workspace';
import { type Charset, type CharsetContext, CharsetFinder } from '@jinn/workspace/find-charset';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const BOM = '\ufeff';

/** The text of a file, without a byte order mark. */
export interface ServedText {
  readonly text: string;
  /** False if bytes of the file are no characters: the text stands for them, but cannot be written back. */
  readonly isExact: boolean;
  readonly stat: string;
}

/** All paths are relative to the root. */
export interface SourceFiles {
  readonly root: string;
  /** Finds the encodings of files that are not UTF-8, for `read` and `decode`. Never throws. */
  prepare(paths: readonly string[]): Promise<void>;
  read(path: string): ServedText;
  /** Decodes a content that a file has or had. */
  decode(path: string, content: Buffer): Omit<ServedText, 'stat'>;
  stat(path: string): string | undefined;
  /** True if a directory has one of these names, which may be paths below it. */
  hasAny(directory: string, names: readonly string[]): boolean;
}

/** Opens files through the guard of the workspace, so that a server's answer opens nothing that a tool may not open. */
export function createSourceFiles(
  workspace: Workspace,
  context?: Pick<CharsetContext, 'user' | 'session'>,
): SourceFiles {
  const charsets = new Map<string, Charset>();
  const decode = (path: string, content: Buffer) => decodeSource(content, charsets.get(path));
  const readBytes = (path: string) =>
    workspace.withFile(path, (file) => {
      if (file.size > MAX_FILE_BYTES) {
        throw new ToolError('file_too_large', `${path} is larger than 4 MiB, too large for a language server`, {
          suggestion: 'search it with search_files instead',
        });
      }
      return { content: file.slice(0, file.size), stat: toText(file.stat) };
    });
  return {
    root: workspace.root,
    prepare: async (paths) => {
      if (!context) return;
      const finder = new CharsetFinder({ ...context, workspace });
      for (const path of paths) {
        try {
          const charset = await finder.find({ path, content: readBytes(path).content });
          if (charset) charsets.set(path, charset);
        } catch {} // The question about it reports why it cannot be read.
      }
    },
    read: (path) => {
      const { content, stat } = readBytes(path);
      return { ...decode(path, content), stat };
    },
    decode,
    stat: (path) => {
      try {
        return workspace.withFile(path, (file) => toText(file.stat));
      } catch {
        return undefined;
      }
    },
    hasAny: (directory, names) => hasAny(workspace, directory, names),
  };
}

function hasAny(workspace: Workspace, directory: string, names: readonly string[]): boolean {
  const [plain, below] = [names.filter((name) => !name.includes('/')), names.filter((name) => name.includes('/'))];
  try {
    const open = workspace.openDirectory(directory);
    try {
      if (plain.some((name) => isIn(open, name))) return true;
    } finally {
      open.close();
    }
  } catch {
    return false; // It has gone, or no tool may open it.
  }
  return below.some((name) => hasAny(workspace, posix.join(directory, posix.dirname(name)), [posix.basename(name)]));
}

function isIn(directory: ReturnType<Workspace['openDirectory']>, name: string): boolean {
  try {
    directory.modifiedOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Decodes the bytes of a file as servers see them. Bytes that are UTF-8 without a doubt have no other encoding. */
export function decodeSource(bytes: Buffer, charset?: Charset): Omit<ServedText, 'stat'> {
  if (charset && !isPlainText(bytes)) {
    const text = charset.decode(bytes).toString();
    return { text, isExact: !text.includes('\ufffd') };
  }
  const text = bytes.toString('utf8');
  return { text: text.startsWith(BOM) ? text.slice(1) : text, isExact: isUtf8(bytes) };
}

function toText({ mtimeNs, size, ino }: { mtimeNs: bigint; size: bigint; ino: bigint }): string {
  return `${mtimeNs}:${size}:${ino}`;
}
