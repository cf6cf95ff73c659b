import path from 'node:path';
import type { Environment } from '@jinn/core';
import { isWithin } from '../client/uris.ts';

/**
 * The variables of the process that a server gets. Tokens are not among them, nor variables that make a program load
 * other code.
 */
const SERVER_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|GOPATH|GOROOT|GOCACHE|GOMODCACHE|CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|JAVA_HOME|DOTNET_ROOT|GEM_HOME|GEM_PATH|OPAM\w+|VIRTUAL_ENV|SYSTEMROOT|APPDATA|LOCALAPPDATA|USERPROFILE)$/;

export interface EnvironmentOptions {
  /** The variables of this process. */
  readonly environment: Environment;
  /** The top of the workspace, absolute and real. */
  readonly root: string;
  /** True if a person trusts what of the workspace the server runs. */
  readonly isTrusted: boolean;
  /** The variables of the server's description. */
  readonly own?: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes the environment of a server: what is allowed of the process's, and what its description adds. Security: for a
 * server that is not trusted, no variable leads into the workspace, so that it takes neither `node` nor an interpreter
 * from there.
 */
export function serverEnvironment({ environment, root, isTrusted, own }: EnvironmentOptions): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !SERVER_VARIABLES.test(name)) continue;
    if (isTrusted) given[name] = value;
    else if (!/PATH$/.test(name)) {
      if (!path.isAbsolute(value) || !isWithin(root, value)) given[name] = value;
    } else {
      const outside = value.split(path.delimiter).filter((entry) => path.isAbsolute(entry) && !isWithin(root, entry));
      given[name] = outside.join(path.delimiter);
    }
  }
  return { ...given, ...own };
}
