import path from 'node:path';
import type { ToolContext } from '@jinn/core';
import type { OpenServers } from '@jinn/lsp';
import { EXCLUDED_DIRECTORIES, walk } from '@jinn/walk';

/** Kinds of files whose servers know a project only after a file of it was opened; `marks` are the files that make one. */
const FAMILIES = [
  { files: /\.[cm]?[jt]sx?$/i, marks: /^[jt]sconfig(\..+)?\.json$/i },
  { files: /\.(c|h|cc|cpp|cxx|hh|hpp|hxx)$/i, marks: undefined },
] as const;
const MAX_MENTIONS = 20;
const LIMIT_MS = 1_000;

interface Where {
  readonly ctx: ToolContext;
  readonly opened: Pick<OpenServers, 'watched' | 'mentions' | 'servers'>;
}

/**
 * Finds other files that mention a word, at most 20, for a server to open before it is asked: those of different projects
 * first. Nothing where a server knows all of the project by itself. Takes a second at most.
 */
export async function findMentions(file: string, word: string, { ctx, opened }: Where): Promise<string[]> {
  const family = FAMILIES.find(({ files }) => files.test(file));
  if (!family || word === '') return [];
  const { candidates, projects } = await listFamily(family, { ctx, opened });
  if (family.marks && projects.size < 2) return [];
  const directories = new Set([...projects].map((mark) => path.posix.dirname(mark)));
  const byProject = new Map<string, string[]>();
  const { checkpoint } = ctx;
  for (const found of await opened.mentions.find(word, candidates, { limitMs: LIMIT_MS, checkpoint })) {
    if (found === file) continue;
    const project = nearest(found, directories);
    byProject.set(project, [...(byProject.get(project) ?? []), found]);
  }
  // One of each project first: the server finds the others by itself.
  const [firsts, others] = [
    [...byProject.values()].map(([first]) => first),
    [...byProject.values()].flatMap(([, ...rest]) => rest),
  ];
  return [...firsts, ...others].filter((name) => name !== undefined).slice(0, MAX_MENTIONS);
}

async function listFamily({ files, marks }: (typeof FAMILIES)[number], { ctx, opened }: Where) {
  const candidates: string[] = [];
  const projects = new Set<string>();
  const add = (found: string) => {
    const name = path.posix.basename(found);
    if (files.test(name)) candidates.push(found);
    if (marks?.test(name)) projects.add(found);
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

/** The nearest of these directories above a file. */
function nearest(file: string, directories: ReadonlySet<string>): string {
  let directory = path.posix.dirname(file);
  while (directory !== '.' && !directories.has(directory)) directory = path.posix.dirname(directory);
  return directory;
}
