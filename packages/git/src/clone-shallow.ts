import { ToolError } from '@jinn/errors';
import { runProgram } from '@jinn/process';
import type { Environment } from '@jinn/tool';

const LIMIT_MS = 10 * 60_000;
const PROTOCOLS = 'https:http:ssh:git:file';
const OWNER_AND_NAME = /^\w[\w.-]*\/\w[\w.-]*$/;

/**
 * Returns the address that a person means by `owner/name`, `host/owner/name` or an address, with the branch or tag that
 * may follow a `#`. Throws ToolError for anything else.
 */
export function toRemoteUrl(asked: string): { readonly url: string; readonly ref: string | undefined } {
  const [address = '', ref] = asked.split('#', 2);
  const known = ref === undefined || ref === '' ? undefined : ref;
  if (OWNER_AND_NAME.test(address)) return { url: `https://github.com/${address}`, ref: known };
  if (/^(?:https?|ssh|git|file):\/\/[^-]/.test(address)) return { url: address, ref: known };
  if (/^\w[\w.-]*@\w[\w.-]*:[^-]/.test(address)) return { url: address, ref: known };
  if (/^[\w-]+(?:\.[\w-]+)+\/[\w./-]+$/.test(address)) return { url: `https://${address}`, ref: known };
  throw new ToolError('invalid_args', `${JSON.stringify(asked)} is no address of a git repository`, {
    suggestion: 'write owner/name for GitHub, or an address that begins with https:// or ssh://',
  });
}

interface Clone {
  readonly url: string;
  /** A branch or a tag; undefined for the default branch. */
  readonly ref: string | undefined;
  /** An empty directory. */
  readonly directory: string;
  /** How many commits of the history to fetch. */
  readonly depth?: number;
  readonly variables: Environment;
}

/**
 * Clones the last commits of a repository. Security: hooks and filters do not run, whoever named them; submodules are
 * not cloned; links become files; only the usual transports are used, so that an address cannot name a program.
 * Throws ToolError when git cannot clone it.
 */
export async function cloneShallow({ url, ref, directory, depth = 1, variables }: Clone): Promise<void> {
  const env = { ...variables, GIT_ALLOW_PROTOCOL: PROTOCOLS, GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' };
  const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.symlinks=false', 'init.templateDir='];
  const safe = [...settings, ...(await emptyFilters(directory, env))].flatMap((setting) => ['-c', setting]);
  const branch = ref === undefined ? [] : [`--branch=${ref}`];
  const shallow = [`--depth=${depth}`, '--single-branch', '--no-tags', '--no-recurse-submodules'];
  const { status, stderr } = await git(
    [...safe, 'clone', ...shallow, '--quiet', ...branch, '--', url, directory],
    directory,
    env,
  );
  if (status === 0) return;
  const reason = stderr.trim().split('\n').at(-1) ?? `ended with status ${status}`;
  throw new ToolError('not_found', `git could not clone ${url}: ${reason}`, {
    suggestion: 'check the address, the branch, and that git may read it without a question',
  });
}

/** Settings that take away the filters of the person and the system, such as that of LFS, which would fetch files. */
async function emptyFilters(directory: string, env: Environment): Promise<string[]> {
  let names = '';
  await git(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], directory, env, (text) => {
    names += text;
  });
  return names
    .split('\0')
    .filter((name) => name !== '' && !name.includes('='))
    .map((name) => (name.endsWith('.required') ? `${name}=false` : `${name}=`));
}

async function git(args: readonly string[], cwd: string, env: Environment, onText: (text: string) => void = () => {}) {
  const program = { command: 'git', args, cwd, env, limitMs: LIMIT_MS };
  return runProgram({ ...program, onData: (chunk) => onText(chunk.toString()) }).catch((cause) => {
    if (cause instanceof ToolError) throw cause;
    throw new ToolError('not_found', 'git could not be started', { cause });
  });
}
