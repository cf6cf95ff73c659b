import { nearestName } from './nearest.ts';

/** The names that models use for arguments that are called otherwise here. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filepath', 'filename', 'file', 'directory', 'dir'],
  start_line: ['offset', 'line_start', 'from'],
  end_line: ['line_end', 'to'],
  max_entries: ['limit', 'max_results'],
  key: ['name', 'id'],
  value: ['content', 'text', 'data'],
  query: ['q', 'search', 'prompt'],
  expires_in: ['ttl', 'expires', 'expiry'],
  limit: ['max_results', 'count', 'top_k'],
};

/** Returns the argument that was meant by an unknown one, by spelling or by another name for it; undefined if none is. */
export function nearestArgument(unknown: string, names: readonly string[]): string | undefined {
  return nearestName(unknown, names) ?? names.find((name) => ALIASES[name]?.includes(unknown.toLowerCase()));
}
