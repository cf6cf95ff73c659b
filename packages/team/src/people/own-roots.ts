import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ToolError } from '@jinn/core/errors';

/** Security: no name leaves the directory, hides its workspace, or looks like a flag to the command that makes it. */
const NAME = /^[\w@%][\w.@%-]{0,199}$/;
const CREATE_MS = 300_000;
const run = promisify(execFile);

interface OwnRootsOptions {
  /** The command that makes a workspace, with `{root}` and `{person}` for its place and its user. */
  readonly create?: readonly string[] | undefined;
  /** Returns the real path of a directory, or undefined if it is none. */
  realDirectory(path: string): string | undefined;
  onFailure(error: unknown): void;
}

/** Finds the workspace of each user in `apart`. The first call of a user makes it, by the command `create` if there is one. */
export function openOwnRoots(
  apart: string,
  { create = [], realDirectory, onFailure }: OwnRootsOptions,
): (person: string) => Promise<string> {
  const making = new Map<string, Promise<void>>();
  const make = async (person: string, root: string) => {
    // Another server may make it at the same time: the first one counts.
    const place = fs.mkdtempSync(path.join(apart, '.new-'));
    try {
      const fill = (part: string) => part.replaceAll('{root}', place).replaceAll('{person}', person);
      const [program, ...args] = create.map(fill);
      if (program !== undefined) await run(program, args, { cwd: apart, timeout: CREATE_MS });
      fs.renameSync(place, root);
    } catch (error) {
      fs.rmSync(place, { recursive: true, force: true });
      if (realDirectory(root) === root) return;
      onFailure(error);
      const suggestion = 'tell the operator: the log of the server has the reason';
      throw new ToolError('unavailable', 'your workspace could not be made', { suggestion });
    }
  };
  return async (person) => {
    const root = path.join(apart, person);
    const real = NAME.test(person) ? realDirectory(root) : undefined;
    if (real === root) return root;
    if (!NAME.test(person) || real !== undefined)
      throw new ToolError('path_outside_sandbox', 'this server has no workspace for you', {
        suggestion: 'tell the operator: it may be a link, or your name is no name of a directory',
      });
    const made = making.get(root) ?? make(person, root).finally(() => making.delete(root));
    making.set(root, made);
    await made;
    return root;
  };
}
