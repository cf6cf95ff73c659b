import { OpenFile, openToRead } from '../guard/index.ts';

/**
 * Opens a file by its path, past the guard. It follows no link at the end of the path, and does not block on a FIFO.
 * Throws the system's error, and ToolError if it is not a regular file.
 */
export function openPlainly(path: string, shown = path): OpenFile {
  return OpenFile.adopt(openToRead(path), shown, shown);
}

/** Opens a file of the user's by its path. It follows links, since the user made them; else it is like `openPlainly`. */
export function openOfUser(path: string, shown = path): OpenFile {
  return OpenFile.adopt(openToRead(path, { followsLinks: true }), shown, shown);
}

/** Reads a whole file and closes it; undefined when it has more bytes than the limit. */
export function readUpTo(file: OpenFile, limit: number): Buffer | undefined {
  try {
    return file.size <= limit ? file.slice(0, file.size) : undefined;
  } finally {
    file.close();
  }
}
