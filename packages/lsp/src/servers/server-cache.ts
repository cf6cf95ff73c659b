import path from 'node:path';

/** Replaces `{cache}` by a directory, in a text, a list, or an object of these. */
export function withCache<T>(value: T, cache: () => string): T {
  if (typeof value === 'string') return value.replaceAll('{cache}', cache) as T;
  if (Array.isArray(value)) return value.map((entry) => withCache(entry, cache)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withCache(entry, cache)])) as T;
}

/** Returns the directory where a server may keep what it knows of a project; each server and project has its own. */
export function cacheOf(cacheDirectory: string, serverId: string, root: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto'); // Loaded here, since most servers keep nothing.
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 16);
  return path.join(cacheDirectory, 'lsp', `${serverId}-${hash}`);
}
