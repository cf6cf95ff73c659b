import fs from 'node:fs';
import path from 'node:path';
import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { runProgram } from '@jinn/process';
import { withoutGit } from './git-repository.ts';

const LIMIT_MS = 10 * 60_000;
const PROTOCOLS = 'https:http:ssh:git:file';
const OWNER_AND_NAME = /^\w[\w.-]*\/\w[\w.-]*$/;

/** A page of a forge: GitHub's `/tree/REF/PATH`, GitLab's `/-/tree/REF/PATH`, Gitea's `/src/branch/REF/PATH`. */
const PAGE =
  /^(https?:\/\/[^/]+\/.+?)(?:\/-)?\/(?:tree|blob|commits?|raw|src\/(?:branch|tag|commit))\/([^?#]+?)\/?(?:[?#].*)?$/;
const HASH = /^[0-9a-f]{7,64}$/;
const WHOLE_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export interface RemoteRepository {
  readonly url: string;
  /** A branch, a tag or a commit, or undefined for the default branch. */
  readonly ref: string | undefined;
  /** A ref and perhaps a path after it: only the repository shows where the ref ends. */
  readonly refAndPath?: string | undefined;
}

/**
 * Reads `owner/name`, `host/owner/name`, an address, or the address of a page of a directory, file or commit. `#` may
 * precede a branch, a tag or a commit. Throws ToolError for anything else.
 */
export function toRemote(asked: string): RemoteRepository {
  const [, repository, refAndPath] = PAGE.exec(asked) ?? [];
  if (repository !== undefined) return { url: repository, ref: undefined, refAndPath: toRefAndPath(refAndPath ?? '') };
  const [address = '', ref] = asked.split('#', 2);
  const known = ref === undefined || ref === '' ? undefined : ref;
  if (OWNER_AND_NAME.test(address)) return { url: `https://github.com/${address}`, ref: known };
  if (/^(?:https?|ssh|git|file):\/\/[^-]/.test(address)) return { url: address, ref: known };
  if (/^\w[\w.-]*@\w[\w.-]*:[^-]/.test(address)) return { url: address, ref: known };
  if (/^[\w-]+(?:\.[\w-]+)+\/[\w./-]+$/.test(address)) return { url: `https://${address}`, ref: known };
  throw new ToolError('invalid_args', `${JSON.stringify(asked)} is not an address of a git repository`, {
    suggestion: 'write owner/name for GitHub, or an address that starts with https:// or ssh://',
  });
}

/** Security: an address that someone else wrote must not name files outside of the clone. */
function toRefAndPath(text: string): string {
  const refAndPath = decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  if (!refAndPath.split('/').some((part) => part === '..' || part === '.' || part === '')) return refAndPath;
  throw new ToolError('invalid_args', `${JSON.stringify(refAndPath)} is not a branch with a path`, {
    suggestion: 'copy the address from the page of the directory or file',
  });
}

interface RemoteClone extends RemoteRepository {
  readonly directory: string;
  readonly depth?: number;
  readonly variables: Environment;
}

/**
 * Clones the last commits of a repository into an empty directory. Returns the path that was asked for with the ref.
 * Security: no hooks and filters run, no matter who named them. Submodules are not cloned. Links become files. Only the usual
 * transports are used, so that an address cannot name a program. Throws ToolError if git cannot clone it.
 */
export async function cloneShallow(asked: RemoteClone): Promise<string | undefined> {
  const { url, refAndPath, directory, depth = 1, variables } = asked;
  const env = {
    ...variables,
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: PROTOCOLS,
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
  };
  const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.symlinks=false', 'init.templateDir='];
  const safe = [...settings, ...(await emptyFilters(directory, env))].flatMap((setting) => ['-c', setting]);
  const run = (...args: string[]) => runGit([...safe, ...args], directory, env);
  const named = refAndPath === undefined ? { ref: asked.ref, path: undefined } : await splitRef(url, refAndPath, run);
  const { ref } = named;
  const isHash = ref !== undefined && HASH.test(ref);
  if (!isHash || !(await fetchCommit({ url, commit: ref, depth, directory }, run))) {
    const branch = ref === undefined ? [] : [`--branch=${ref}`];
    const shallow = [`--depth=${depth}`, '--single-branch', '--no-tags', '--no-recurse-submodules'];
    orThrow(await run('clone', ...shallow, '--quiet', ...branch, '--', url, '.'), url);
  }
  return named.path;
}

type RunGit = (...args: string[]) => Promise<GitEnd>;

interface GitEnd {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Names of branches may have slashes in them. */
async function splitRef(url: string, refAndPath: string, run: RunGit) {
  const { stdout } = orThrow(await run('ls-remote', '--quiet', '--heads', '--tags', '--', url), url);
  const names = [...stdout.matchAll(/\trefs\/(?:heads|tags)\/(.+)$/gm)].map(([, name = '']) => name);
  const beginning = names.filter((name) => `${refAndPath}/`.startsWith(`${name}/`));
  const [first = ''] = refAndPath.split('/');
  const ref = beginning.sort((a, b) => b.length - a.length)[0] ?? first;
  const within = refAndPath.slice(ref.length + 1);
  return { ref, path: within === '' ? undefined : within };
}

/** Without others, if the server serves it, or else with all of the history. Returns false if it may be a branch. */
async function fetchCommit(
  { url, commit, depth, directory }: { url: string; commit: string; depth: number; directory: string },
  run: RunGit,
): Promise<boolean> {
  await run('init', '--quiet');
  const fetch = ['fetch', '--quiet', '--no-recurse-submodules'];
  if (WHOLE_HASH.test(commit)) {
    const { status } = await run(...fetch, `--depth=${depth}`, '--no-tags', '--', url, commit);
    if (status === 0) return (await run('checkout', '--quiet', 'FETCH_HEAD')).status === 0;
  }
  const all = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  const isThere =
    (await run(...fetch, '--', url, ...all)).status === 0 &&
    (await run('checkout', '--quiet', '--detach', commit)).status === 0;
  if (!isThere) fs.rmSync(path.join(directory, '.git'), { recursive: true, force: true });
  return isThere;
}

function orThrow(end: GitEnd, url: string): GitEnd {
  if (end.status === 0) return end;
  const reason = causeIn(end.stderr) ?? `ended with status ${end.status}`;
  throw new ToolError('not_found', withoutPassword(`git could not clone ${url}: ${reason}`), {
    suggestion: 'check the address, the branch or commit, and that git may read it without a question',
  });
}

/** Returns the first line that names a cause, without the directories of absolute paths. Advice of git follows it. */
function causeIn(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.replace(/^(?:fatal|error|remote): */, '').trim());
  const cause = lines.find((line) => /\p{L}/u.test(line) && !/^(?:warning|hint|cloning into)\b/i.test(line));
  return cause?.replace(/(?<![^\s'"(])\/(?:[^\s'"]*\/)?(?=[^\s'"/])/g, '');
}

function withoutPassword(text: string): string {
  return text.replace(/(https?:\/\/)[^\s/]*@/g, '$1');
}

/** The user and the system may have filters, such as that of LFS, which would fetch files. */
async function emptyFilters(directory: string, env: Environment): Promise<string[]> {
  const { stdout } = await runGit(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], directory, env);
  return stdout
    .split('\0')
    .filter((name) => name !== '' && !name.includes('='))
    .map((name) => (name.endsWith('.required') ? `${name}=false` : `${name}=`));
}

async function runGit(args: readonly string[], cwd: string, env: Environment): Promise<GitEnd> {
  const chunks: Buffer[] = [];
  const program = { command: 'git', args, cwd, env, limitMs: LIMIT_MS };
  const end = await runProgram({ ...program, onData: (chunk) => void chunks.push(chunk) }).catch((cause) => {
    if (cause instanceof ToolError) throw cause;
    throw withoutGit(cause);
  });
  return { ...end, stdout: Buffer.concat(chunks).toString() };
}
