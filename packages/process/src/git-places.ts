import fs from 'node:fs';
import { posix } from 'node:path';
import { realPath } from './real-path.ts';

/** What a repository needs in the sandbox. Absolute real paths. */
export interface GitPlaces {
  /** Directories that are mounted in their own place, so that they cannot be moved away. */
  readonly writable: readonly string[];
  /** What git runs or obeys: whoever can change it has commands run outside, by the next one who uses git. */
  readonly readOnly: readonly string[];
}

/** Looks at one `.git`: the directory of a repository, or the file of a worktree or submodule. */
export function gitPlaces(git: string): GitPlaces {
  const stat = fs.lstatSync(git, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return ofDirectory(git);
  if (!stat?.isFile()) return { writable: [], readOnly: [] };
  const common = commonDirectory(git);
  const places = common === undefined ? { writable: [], readOnly: [] } : ofDirectory(common);
  return { ...places, readOnly: [...places.readOnly, git] };
}

function ofDirectory(git: string): GitPlaces {
  const names = ['config', 'config.worktree', 'hooks', ...modules(git)];
  const readOnly = names.map((name) => realPath(posix.join(git, name))).filter((path) => path !== undefined);
  return { writable: [git], readOnly };
}

/** The same files of submodules. */
function modules(git: string): string[] {
  try {
    const names = fs.readdirSync(posix.join(git, 'modules'));
    return names.flatMap((name) => [`modules/${name}/config`, `modules/${name}/hooks`]);
  } catch {
    return [];
  }
}

/**
 * The repository that a worktree belongs to, which lies outside the workspace. Security: the `.git` file may have been
 * written by anybody, so the repository has to know this worktree, by a file that nobody inside can write.
 */
function commonDirectory(gitFile: string): string | undefined {
  try {
    const [, target = ''] = /^gitdir: (.+)$/m.exec(fs.readFileSync(gitFile, 'utf8')) ?? [];
    const own = fs.realpathSync.native(posix.resolve(posix.dirname(gitFile), target));
    const common = posix.dirname(posix.dirname(own));
    const knows = fs.realpathSync.native(fs.readFileSync(`${own}/gitdir`, 'utf8').trim()) === gitFile;
    const isRepository = ['HEAD', 'objects', 'refs'].every((name) => fs.existsSync(`${common}/${name}`));
    return knows && isRepository && posix.basename(posix.dirname(own)) === 'worktrees' ? common : undefined;
  } catch {
    return undefined;
  }
}
