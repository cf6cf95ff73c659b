import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { PathStatus, Workspace } from '../../guard/index.ts';

/** Globs hardly ever contain these. `name.*` is a glob: any extension. */
const LOOKS_LIKE_REGEX = /\\[.\-/dDwWsSbB]|\.\+|(^|\/)\.\*|\.\*[\\(]|^\^|\$$|\([^()]*\|[^()]*\)/;
/** A comma that is not inside of braces. */
const SEPARATOR = /\s*,(?![^{]*\})\s*/;

/** Returns a sentence on why a glob, matched from `start`, may have matched nothing, if its text shows a reason. */
export function adviseGlob(workspace: Workspace, glob: string, start: string): string | undefined {
  if (glob.split('/').includes('..')) {
    return `${glob} leaves the searched directory: pass that directory as path, and a pattern without ".."`;
  }
  if (/^file:/i.test(glob))
    return `${glob} is a URL, but a glob is a path from the root of the workspace, such as src/*.ts`;
  const link = findLink(workspace, glob, start);
  if (link !== undefined) return link;
  if (isDirectory(workspace, glob, start)) {
    return `${glob} is a directory: try ${glob.replace(/\/+$/, '')}/** for all files below it`;
  }
  if (glob.startsWith('/') || glob.startsWith('~/')) {
    return `globs match paths relative to the workspace, so ${glob} finds nothing outside of it`;
  }
  if (SEPARATOR.test(glob))
    return `${glob} is one glob with a comma in it. For several try ${joinGlobs(glob.split(SEPARATOR))}`;
  if (!LOOKS_LIKE_REGEX.test(glob)) return undefined;
  const translated = toGlob(glob);
  const example = translated === undefined ? 'such as *.ts or src/**/*.{js,ts}' : `such as ${translated}`;
  return `${glob} looks like a regular expression, but globs are expected here, ${example}`;
}

/** A walk does not follow a link in the path of a glob. */
function findLink(workspace: Workspace, glob: string, start: string): string | undefined {
  const names = glob.split('/').filter((name) => name !== '' && name !== '.');
  for (const [i] of names.entries()) {
    const path = posix.join(start, ...names.slice(0, i + 1));
    const status = statusOf(workspace, path);
    if (status === undefined) return start === '.' ? undefined : findLink(workspace, glob, '.');
    if (status.path === path) continue;
    const isDirectory = status.kind === 'directory';
    const rest = isDirectory && i === names.length - 1 ? ['**'] : names.slice(i + 1);
    const enters = isDirectory ? `pass path: ${JSON.stringify(path)} to enter it, or` : 'pass';
    return `${path} is a link to ${status.path}, and links are not followed: ${enters} ${[status.path, ...rest].join('/')}`;
  }
  return undefined;
}

function joinGlobs(globs: readonly string[]): string {
  const endings = globs.map((glob) => /^\*\.([\w.-]+)$/.exec(glob)?.[1]);
  return endings.includes(undefined) ? `{${globs}}` : `*.{${endings}}`;
}

function isDirectory(workspace: Workspace, glob: string, start: string): boolean {
  return [glob, `${start}/${glob}`].some((path) => statusOf(workspace, path)?.kind === 'directory');
}

function statusOf(workspace: Workspace, path: string): PathStatus | undefined {
  try {
    return workspace.status(path.startsWith('/') ? path : `./${path}`);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function toGlob(regex: string): string | undefined {
  const glob = regex
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replace(/\(\?:|\(/g, '{')
    .replace(/\)/g, '}')
    .replace(/\|/g, ',')
    .replace(/\.[*+]/g, '*')
    .replace(/\\([.\-/])/g, '$1');
  return /^[\w\-./*{},]+$/.test(glob) ? glob : undefined;
}
