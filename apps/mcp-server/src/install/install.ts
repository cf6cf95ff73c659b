import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@jinn/core/text';
import { isLoopback } from '../http/http-access.ts';
import {
  type ConfigFile,
  getEntry,
  readBackups,
  readConfigFile,
  removeEntry,
  replaceConfigFile,
  setEntry,
} from './config-file.ts';
import {
  type ConfigMembers,
  flagsOf,
  HOSTS,
  type HostDirectories,
  type HostKind,
  isOurs,
  type LaunchCommand,
  mergeEntry,
  toLaunch,
} from './hosts.ts';

export interface InstallOptions {
  readonly host: string;
  readonly program: LaunchCommand;
  /** The command by its name, for files that travel with a project to other machines. Absent if it is not on the PATH. */
  readonly byName?: LaunchCommand;
  readonly more: readonly string[];
  readonly url?: string | undefined;
  readonly hasToken: boolean;
  readonly places: HostDirectories;
  /** With `print`, only the registration is shown. With `dry-run`, the file as it would become. */
  readonly mode: 'write' | 'dry-run' | 'print';
}

/** Registers jinn-mcp with a host, and returns the message. The user's own members of the entry stay. Throws an Error for the user. */
export function install(options: InstallOptions): string {
  const { places, mode } = options;
  const host = hostOf(options.host);
  const config = readConfigFile(host.files(places), places.root);
  if (mode === 'print') return setEntry('', host, mergeEntry(host, reach(host, options, undefined), undefined));
  const known = edit(config, (text) => getEntry(text, host));
  const before = known ? undefined : readEntryBefore(config, host);
  const after = edit(config, (text) =>
    setEntry(text, host, mergeEntry(host, reach(host, options, known), known ?? before)),
  );
  if (after === config.text) return `jinn is registered with ${host.title} already: ${config.path}\n`;
  const added = nameAdded(before ?? {}, host);
  const again = added.length === 0 ? '' : `. Your additions are back: ${added.join(', ')}`;
  const text = finish(config, after, { mode, done: `registered jinn with ${host.title}${again}` });
  const hasChoice = mode === 'write' && options.more.length === 0 && options.url === undefined;
  return hasChoice
    ? `${text}for fewer tools, at half the tokens: jinn-mcp install ${options.host} --toolset lean\n`
    : text;
}

/** Removes the registration and returns the message for the user. Throws an Error for the user. */
export function uninstall({ host: name, places, mode }: Pick<InstallOptions, 'host' | 'places' | 'mode'>): string {
  const host = hostOf(name);
  const config = readConfigFile(host.files(places), places.root);
  const after = edit(config, (text) => removeEntry(text, host));
  if (after === (config.text ?? '')) return `jinn is not registered with ${host.title}: ${config.path}\n`;
  const text = finish(config, after, { mode, done: `jinn is no longer registered with ${host.title}` });
  return mode === 'write' ? `${text}${describeRemoved(getEntry(config.text ?? '', host) ?? {}, host, name)}` : text;
}

function readEntryBefore(config: ConfigFile, host: HostKind): ConfigMembers | undefined {
  const [newest = ''] = config.text === undefined ? [] : readBackups(config);
  try {
    return getEntry(newest, host);
  } catch {
    return undefined;
  }
}

// The user's additions go with the entry, since hosts refuse one without a command, some of them with the whole file. They stay in the
// copy of the file, from which `install` takes them.
function describeRemoved(entry: ConfigMembers, host: HostKind, name: string): string {
  const own = Object.keys(entry).filter((member) => !isAdded(entry, host, member));
  const added = nameAdded(entry, host).join(', ');
  const kept = added && `, and your additions: ${added}; \`jinn-mcp install ${name}\` brings that back`;
  return `removed: ${own.join(', ')}${kept}\n`;
}

// Values are not shown, since some are secrets.
function nameAdded(entry: ConfigMembers, host: HostKind): string[] {
  const added = Object.keys(entry).filter((member) => isAdded(entry, host, member));
  return added.map((member) => {
    const value = entry[member];
    return isObject(value) && Object.keys(value).length > 0 ? `${member} (${Object.keys(value).join(', ')})` : member;
  });
}

function isAdded(entry: ConfigMembers, host: HostKind, member: string): boolean {
  return !isOurs(member) && !isDeepStrictEqual(entry[member], host.defaults?.[member]);
}

function hostOf(name: string): HostKind {
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined;
  if (host) return host;
  throw new Error(`unknown host: ${name}. The hosts are ${Object.keys(HOSTS).join(', ')}`);
}

function reach(host: HostKind, options: InstallOptions, known: ConfigMembers | undefined): ConfigMembers {
  const { program, byName, more, url, places } = options;
  if (url !== undefined) return reachByUrl(host, url, options.hasToken);
  const { command, args } = host.project === 'absolute' ? program : (byName ?? program);
  const flags = more.length > 0 || known === undefined ? more : flagsOf(known);
  return host.entry(toLaunch(host, { command, args: [...args, ...flags] }, places.root));
}

function reachByUrl(host: HostKind, url: string, isSet: boolean): ConfigMembers {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Error(`--http: ${url} is not a URL`);
  if (host.remote === undefined) {
    throw new Error(`${host.title} takes no server by its URL from this file. Add it in its settings, as a connector`);
  }
  const hasToken = !isLoopback(new URL(url).hostname) || isSet;
  if (hasToken && !host.readsToken) {
    throw new Error(
      `${host.title} reads no token from the environment, and none is written into its file. Add the header "Authorization: Bearer …" yourself`,
    );
  }
  return host.remote({ url, hasToken });
}

function edit<T>({ path, text = '' }: ConfigFile, change: (text: string) => T): T {
  try {
    return change(text);
  } catch (error) {
    throw new Error(`${path} was left as it is: ${(error as Error).message}`);
  }
}

function finish(
  config: ConfigFile,
  after: string,
  { mode, done }: Pick<InstallOptions, 'mode'> & { readonly done: string },
): string {
  if (mode !== 'write') return `${config.path} would be:\n${after}`;
  const backup = replaceConfigFile(config, after);
  return `${done}: ${config.path}\n${backup === undefined ? '' : `as it was before: ${backup}\n`}`;
}
