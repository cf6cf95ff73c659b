import { ToolError } from '@jinn/errors';
import type { Workspace } from '@jinn/guard';

/** Characters that globs hardly ever contain. `name.*` is a glob: any extension. */
const LOOKS_LIKE_REGEX = /\\[.\-/dDwWsSbB]|\.\+|(^|\/)\.\*|\.\*[\\(]|^\^|\$$|\([^()]*\|[^()]*\)/;
/** A comma that is not inside of braces. */
const SEPARATOR = /\s*,(?![^{]*\})\s*/;

/**
 * Returns a sentence on why a glob may have matched nothing, and what to try; undefined if its text shows no reason.
 * `start` is the directory from which the glob is matched, relative to the workspace root.
 */
export function adviseGlob(workspace: Workspace, glob: string, start: string): string | undefined {
  if (glob.split('/').includes('..')) {
    return `${glob} leads out of the directory that is searched; pass that directory as path, and a pattern without ".."`;
  }
  if (glob.startsWith('/') || glob.startsWith('~/')) {
    const inside = glob.replace(/^~?\/+/, '');
    return `globs match paths relative to the workspace, so ${glob} finds nothing outside of it; try ${inside || '**'}`;
  }
  if (isDirectory(workspace, glob, start)) {
    return `${glob} is a directory; try ${glob.replace(/\/+$/, '')}/** for all files below it`;
  }
  if (SEPARATOR.test(glob))
    return `${glob} is one glob with a comma in it; for several try ${joinGlobs(glob.split(SEPARATOR))}`;
  if (!LOOKS_LIKE_REGEX.test(glob)) return undefined;
  const translated = toGlob(glob);
  const example = translated === undefined ? 'such as *.ts or src/**/*.{js,ts}' : `such as ${translated}`;
  return `${glob} looks like a regular expression, but globs are expected here, ${example}`;
}

/** Joins globs to one that matches the paths of any. */
function joinGlobs(globs: readonly string[]): string {
  const endings = globs.map((glob) => /^\*\.([\w.-]+)$/.exec(glob)?.[1]);
  return endings.includes(undefined) ? `{${globs}}` : `*.{${endings}}`;
}

function isDirectory(workspace: Workspace, glob: string, start: string): boolean {
  return [glob, `${start}/${glob}`].some((path) => kindOf(workspace, `./${path}`) === 'directory');
}

function kindOf(workspace: Workspace, path: string): string | undefined {
  try {
    return workspace.status(path).kind;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** Converts a simple regular expression to a glob; undefined for any other. */
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
