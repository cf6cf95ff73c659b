import type { ToolContext } from '@jinn/core';
import { EXCLUDED_DIRECTORIES, walk } from '@jinn/workspace/walk';
import { type MentionedWord, type OpenServers, sharesServer } from '../index.ts';

/** The share of a call's time that may be spent on it. */
const SHARE_FOR_FINDING = 0.3;

interface MentionScope {
  readonly ctx: ToolContext;
  readonly opened: Pick<OpenServers, 'watched' | 'mentions' | 'servers' | 'settings'>;
  readonly limitMs: number;
}

/** Finds the other files that mention a word and that the server of a file may serve. */
export async function findMentions(
  file: string,
  word: string,
  where: MentionScope,
): Promise<MentionedWord | undefined> {
  if (word === '') return undefined;
  const { ctx, opened, limitMs } = where;
  const candidates = await listSources(file, where);
  const limit = { limitMs: limitMs * SHARE_FOR_FINDING, checkpoint: ctx.checkpoint };
  const { paths, isWhole } = await opened.mentions.find(word, candidates, limit);
  const files = paths.filter((found) => found !== file);
  return { word, files, lacks: isWhole ? undefined : `there was no time to look for ${word} in all files` };
}

async function listSources(file: string, { ctx, opened }: MentionScope): Promise<string[]> {
  const isSource = sharesServer(opened.settings.table, file);
  // The known facts about the files must be up to date.
  if (opened.watched.paths) await opened.servers.synchronize();
  const { paths } = opened.watched;
  if (paths) return [...paths].filter(isSource);
  const candidates: string[] = [];
  const options = { gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint: ctx.checkpoint };
  await walk(ctx.workspace, '.', options, ({ kind, path: found }) => {
    if (kind === 'file' && isSource(found)) candidates.push(found);
    return undefined;
  });
  return candidates;
}
