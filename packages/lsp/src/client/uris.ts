import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The target of a server's URI: a path below the workspace root, or something outside, which has only a name. */
export type UriTarget = { readonly path: string } | { readonly outside: string };

/** Returns the URI of a path below the root. */
export function toUri(root: string, relative: string): string {
  return pathToFileURL(path.join(root, relative)).href;
}

/**
 * Returns the target of a URI. `root` is a real path. Anything but a plain file URI below it is outside, and its name
 * has no more than the last two segments, so that no path of the machine is shown.
 */
export function locate(root: string, uri: string): UriTarget {
  const file = toFile(uri);
  if (file === undefined) return { outside: nameOf(uri) };
  if (!isWithin(root, file)) return { outside: lastSegments(toSlashes(file)) };
  return { path: toSlashes(path.relative(root, file)) || '.' };
}

/** Reports whether a file is `directory` itself or lies below it. Both are absolute; links are not followed. */
export function isWithin(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * Returns the path of a file URI; undefined if it is not a file URI. Security: an escaped slash, another host, or a NUL
 * byte would make a path that `isWithin` does not see.
 */
function toFile(uri: string): string | undefined {
  if (!/^file:/i.test(uri)) return undefined;
  try {
    const file = path.normalize(fileURLToPath(uri));
    return file.includes('\0') ? undefined : file;
  } catch {
    return undefined;
  }
}

function nameOf(uri: string): string {
  const [plain = ''] = uri.slice(0, 2_000).split(/[?#]/);
  try {
    return lastSegments(decodeURIComponent(plain));
  } catch {
    return lastSegments(plain);
  }
}

function lastSegments(file: string): string {
  const name = file.split('/').filter(Boolean).slice(-2).join('/').slice(0, 200);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name goes into a line of an answer.
  return name.replace(/[\0-\x1f\x7f]/g, '?') || 'unknown';
}

function toSlashes(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

/** Makes absolute paths of the workspace relative in a text of a server. */
export function withoutRoot(text: string, root: string): string {
  return text.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '');
}
