import path from 'node:path';
import { type MentionedWord, type OpenServers, sharesServer } from '@jinn/lsp';
import type { ToolContext } from '@jinn/tool';
import { EXCLUDED_DIRECTORIES, walk } from '@jinn/walk';

/** The files that make a project for servers of TypeScript; a directory may have several. */
const PROJECT = /^[jt]sconfig(\..+)?\.json$/i;
const TEST = /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.|(^|\/)test_/i;
/** So much of the time of a call may be spent on it. */
const SHARE_FOR_FINDING = 0.3;

interface MentionScope {
  readonly ctx: ToolContext;
  readonly opened: Pick<OpenServers, 'watched' | 'mentions' | 'servers' | 'settings'>;
  readonly limitMs: number;
}

/**
 * Finds the other files that mention a word and that the server of a file may serve. One of each project comes first, and
 * one of its tests: with these open, a server knows most of the others by itself.
 */
export async function findMentions(
  file: string,
  word: string,
  where: MentionScope,
): Promise<MentionedWord | undefined> {
  if (word === '') return undefined;
  const { ctx, opened, limitMs } = where;
  const { candidates, projects } = await listSources(file, where);
  const limit = { limitMs: limitMs * SHARE_FOR_FINDING, checkpoint: ctx.checkpoint };
  const { paths, isWhole } = await opened.mentions.find(word, candidates, limit);
  const known = new Set<string>();
  const isFirst = (found: string) => {
    const group = `${nearest(found, projects)} ${TEST.test(found)}`;
    return !known.has(group) && known.add(group);
  };
  const firsts = paths.filter((found) => found !== file && isFirst(found));
  const files = [...firsts, ...paths.filter((found) => found !== file && !firsts.includes(found))];
  return { word, files, lacks: isWhole ? undefined : `there was no time to look for ${word} in all files` };
}

async function listSources(file: string, { ctx, opened }: MentionScope) {
  const isSource = sharesServer(opened.settings.table, file);
  const candidates: string[] = [];
  const projects = new Set<string>();
  const add = (found: string) => {
    if (isSource(found)) candidates.push(found);
    else if (PROJECT.test(path.posix.basename(found))) projects.add(path.posix.dirname(found));
  };
  // What is known of the files must be what they are now.
  if (opened.watched.paths) await opened.servers.synchronize();
  const { paths } = opened.watched;
  if (paths) {
    for (const found of paths) add(found);
  } else {
    const options = { gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint: ctx.checkpoint };
    await walk(ctx.workspace, '.', options, ({ kind, path: found }) => {
      if (kind === 'file') add(found);
      return undefined;
    });
  }
  return { candidates, projects };
}

/** Returns the nearest of these directories above a file; `.` if there is none. */
function nearest(file: string, directories: ReadonlySet<string>): string {
  let directory = path.posix.dirname(file);
  while (directory !== '.' && !directories.has(directory)) directory = path.posix.dirname(directory);
  return directory;
}
