import fs from 'node:fs';
import path from 'node:path';
import { setEntry } from './edit-config.ts';
import { HOSTS, type HostKind, type Launch, type Places, toLaunch } from './hosts.ts';

export interface InstallOptions {
  readonly host: string;
  /** The command by its absolute path, for desktop programs, which have no PATH. */
  readonly program: Launch;
  /** The command by its name, for files that travel with a project to other machines; absent if it is not on the PATH. */
  readonly byName?: Launch;
  readonly places: Places;
  /** `print` shows only the registration; `dry-run` shows the file as it would become. */
  readonly mode: 'write' | 'dry-run' | 'print';
}

/**
 * Registers jinn-mcp with a host and returns what to tell the user. The file is replaced whole, and its old content is kept
 * beside it under a new name. Nothing is written if nothing changes. Throws an Error whose message is for the user.
 */
export function install({ host: name, program, byName, places, mode }: InstallOptions): string {
  const host = HOSTS[name];
  if (host === undefined) throw new Error(`unknown host: ${name}; the hosts are ${Object.keys(HOSTS).join(', ')}`);
  const launch = host.project === 'absolute' ? program : (byName ?? program);
  const entry = host.entry(toLaunch(host, launch, places.root));
  if (mode === 'print') return setEntry('', host, entry);
  const named = host.file(places);
  const file = fs.existsSync(named) ? fs.realpathSync(named) : named;
  const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
  const after = edit(file, before ?? '', host, entry);
  if (after === before) return `jinn is registered with ${host.title} already: ${file}\n`;
  if (mode === 'dry-run') return `${file} would be:\n${after}`;
  const backup = before === undefined ? undefined : keepBackup(file);
  replace(file, after, { isPrivate: !named.startsWith(`${places.root}/`) });
  return `registered jinn with ${host.title}: ${file}\n${backup === undefined ? '' : `as it was before: ${backup}\n`}`;
}

function edit(file: string, before: string, host: HostKind, entry: object): string {
  try {
    return setEntry(before, host, entry);
  } catch (error) {
    throw new Error(`${file} was left as it is: ${(error as Error).message}`);
  }
}

function keepBackup(file: string): string {
  for (let i = 1; ; i++) {
    const backup = i === 1 ? `${file}.bak` : `${file}.bak${i}`;
    try {
      fs.copyFileSync(file, backup, fs.constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Writes a file whole or not at all, and keeps its mode. A new file outside of the project is private: it may come to hold secrets. */
function replace(file: string, text: string, { isPrivate }: { isPrivate: boolean }): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mode = fs.existsSync(file) ? fs.statSync(file).mode & 0o777 : isPrivate ? 0o600 : 0o644;
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, text, { mode, flag: 'wx' });
  if (fs.existsSync(file)) fs.chmodSync(temporary, mode);
  fs.renameSync(temporary, file);
}
