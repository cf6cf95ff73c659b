import fs from 'node:fs';
import { isWithin } from '@jinn/workspace';
import { realPath } from '../../index.ts';
import type { CommandView } from '../confinement.ts';
import { type Mount, toBytePath } from '../git/index.ts';
import { SETTINGS_INSIDE } from '../workspace/workspace-guard.ts';

const PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Entries of /run that programs need and that are not sockets: addresses of name servers, and programs of NixOS. */
const NEEDED_IN_RUN = ['current-system', 'booted-system', 'wrappers', 'opengl-driver', 'opengl-driver-32', 'host'].map(
  (name) => `/run/${name}`,
);

/** openat, close, mount, setns and statfs by architecture (syscalls(2)). */
const LINUX_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [257, 3, 165, 308, 137],
  arm64: [56, 57, 40, 268, 43],
  riscv64: [56, 57, 40, 268, 43],
  loong64: [56, 57, 40, 268, 43],
};
const O_PATH = 0o10000000;
const IN_TMP = '/run/jinn-writable';

/** The supervisor replaces this by a descriptor, which bubblewrap closes when its mounts are done. */
const READY = '{ready}';

/** Finds bubblewrap in fixed places, never on the PATH, which is the user's, or undefined if it is in none of them. */
export function findBubblewrap(): string | undefined {
  return PLACES.find((path) => fs.existsSync(path));
}

/** Returns the numbers and the filter of system calls for the script of the view, or undefined if none fit. */
export function viewNumbers(network: boolean): string | undefined {
  const known = numbers.get(network) ?? makeNumbers(network);
  numbers.set(network, known);
  return known;
}

const numbers = new Map<boolean, string | undefined>();

function makeNumbers(network: boolean): string | undefined {
  const calls = LINUX_CALLS[process.arch];
  const filters = seccompFilters(network);
  // By keyctl, a command gets a session keyring of its own.
  const keyctl = TABLES[process.arch]?.[0]?.keys[2];
  if (!calls || !filters) return undefined;
  return [...calls, O_PATH | fs.constants.O_NOFOLLOW, keyctl, filters.around, filters.command].join(' ');
}

/**
 * Makes the arguments of bubblewrap (bwrap(1)). It mounts only places whose parents no command can write to. The view
 * mounts the rest. `--die-with-parent` would cut off output that is still being written.
 */
export function bubblewrapArguments(view: CommandView): string[] {
  const { cwd, writable, temporary, settings, network, sockets, folders } = view;
  const bound = writable.filter((path) => path !== '/' && !isMountedByView(path, view));
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...(network ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL', writable.includes('/') ? '--bind' : '--ro-bind', '/', '/'],
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run'],
    ...neededInRun().flatMap((path) => ['--ro-bind', path, path]),
    ...(temporary === undefined ? ['--tmpfs', '/tmp'] : ['--bind', temporary, '/tmp']),
    ...(settings === undefined ? [] : ['--bind', settings, SETTINGS_INSIDE]),
    ...view.replaced.flatMap(({ from, to }) => ['--bind', from, to]),
    ...bound.flatMap((path) => ['--bind', path, path]),
    ...placesInTmp(view).flatMap((path, i) => ['--bind', path, `${IN_TMP}/${i}`]),
    ...sockets.flatMap((path) => ['--bind', path, path]),
    ...folders.flatMap(({ path, inside }) => ['--ro-bind', path, inside]),
    ...['--file', READY, '/run/jinn/here', '--chdir', cwd, '--'],
  ];
}

export function viewMounts(view: CommandView): Mount[] {
  const inTmp = placesInTmp(view);
  const writable = view.writable.filter((path) => isMountedByView(path, view) && !inTmp.includes(path));
  return [
    ...writable.map((path) => ({ kind: 'w' as const, path: toBytePath(path), id: undefined })),
    ...inTmp.map((path, i) => ({
      kind: 's' as const,
      path: toBytePath(path),
      id: undefined,
      target: `${IN_TMP}/${i}`,
    })),
    ...view.mounts,
  ];
}

/** Returns the writable places below the machine's /tmp, over which commands have another. The view puts them there. */
function placesInTmp(view: CommandView): string[] {
  return view.writable.filter((path) => path !== '/tmp' && isWithin(path, '/tmp') && isMountedByView(path, view));
}

/**
 * The view mounts most caches: bubblewrap reads the list of all mounts for each of its own, which takes 0.15 ms. The
 * view starts from bubblewrap's mounts, and so from the workspace, and does not see the replaced places.
 */
function isMountedByView(path: string, { cwd, replaced }: CommandView): boolean {
  return path !== '/' && !isWithin(cwd, path) && !replaced.some(({ to }) => isWithin(path, to) || isWithin(to, path));
}

function neededInRun(): string[] {
  const names = realPath('/etc/resolv.conf');
  const found = NEEDED_IN_RUN.filter((path) => fs.existsSync(path));
  return names?.startsWith('/run/') ? [...found, names] : found;
}

type ModeCall = readonly [number: number, mode: number, flags?: number];

/** The system calls that a command may not make, or not with every argument, for one instruction set (syscalls(2)). */
interface CallTable {
  /** AUDIT_ARCH_*, by which a call shows its instruction set. */
  readonly audit: number;
  /** add_key, request_key and keyctl. */
  readonly keys: readonly number[];
  /** clone and unshare, whose first argument has the flags. */
  readonly namespaces: readonly number[];
  /** socket and socketpair, whose first argument is the family. */
  readonly sockets: readonly number[];
  /** socketcall, which makes sockets with arguments in memory. */
  readonly socketcall?: number;
  readonly modes: readonly ModeCall[];
}

const GENERIC = {
  keys: [217, 218, 219],
  namespaces: [220, 97],
  sockets: [198, 199],
  modes: [
    [52, 1],
    [53, 2],
    [452, 2],
    [33, 2],
    [56, 3, 2],
  ],
} as const;
const CHMOD_OF_32_BITS = [
  [15, 1],
  [94, 1],
  [452, 2],
  [14, 1],
  [8, 1],
  [5, 2, 1],
] as const;
const X64: CallTable = {
  audit: 0xc000003e,
  keys: [248, 249, 250],
  namespaces: [56, 272],
  sockets: [41, 53],
  modes: [
    [90, 1],
    [91, 1],
    [268, 2],
    [452, 2],
    [133, 1],
    [259, 2],
    [85, 1],
    [2, 2, 1],
    [257, 3, 2],
  ],
};
const I386: CallTable = {
  audit: 0x40000003,
  keys: [286, 287, 288],
  namespaces: [120, 310],
  sockets: [359, 360],
  socketcall: 102,
  modes: [...CHMOD_OF_32_BITS, [306, 2], [297, 2], [295, 3, 2]],
};
const ARM: CallTable = {
  audit: 0x40000028,
  keys: [309, 310, 311],
  namespaces: [120, 337],
  sockets: [281, 288],
  modes: [...CHMOD_OF_32_BITS, [333, 2], [324, 2], [322, 3, 2]],
};

/** The instruction sets that a processor runs. */
const TABLES: Partial<Record<NodeJS.Architecture, readonly CallTable[]>> = {
  x64: [X64, I386],
  arm64: [{ audit: 0xc00000b7, ...GENERIC }, ARM],
  riscv64: [{ audit: 0xc00000f3, ...GENERIC }],
  loong64: [{ audit: 0xc0000102, ...GENERIC }],
};

/** io_uring_setup and openat2 everywhere, and clone3: their effect cannot be judged here. Programs know systems without them. */
const UNKNOWN_CALLS = [425, 437];
const CLONE3 = 435;
/** CLONE_NEWUSER. In a user namespace of its own, a command could unmount what hides a secret, and then rename that. */
const NEW_USER = 0x10000000;
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK: a network namespace confines these. Others reach hosts and devices next to it. */
const CONFINED_FAMILIES = [1, 2, 10, 16];
/** S_ISUID and S_ISGID. */
const SET_ID = 0o6000;
/** O_CREAT and O_TMPFILE: other calls that open a file leave the mode undefined. */
const CREATES = 0o100 | 0o20000000;
const [LOAD, AND, IF_EQUAL, IF_ANY_BIT, RETURN] = [0x20, 0x54, 0x15, 0x45, 0x06];
const [ALLOW, FAIL, EPERM, ENOSYS, EAFNOSUPPORT] = [0x7fff0000, 0x00050000, 1, 38, 97];
const [NUMBER_AT, INSTRUCTION_SET_AT, ARGUMENTS_AT] = [0, 4, 16];
/** Marks the calls of x32, which have the numbers of x64. */
const WITHOUT_X32 = 0xbfffffff;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const answer = (value: number): Instruction => [RETURN, 0, 0, value >>> 0];

/**
 * Returns the filters (seccomp(2)) of the sandbox, in hexadecimal, or undefined on an unknown processor. `around` is in force
 * from before bubblewrap starts. It takes away the keys of the kernel, which belong to the user's session, and files that
 * run as their owner: root would leave a way to become root. `command` is in force in the sandbox only, since bubblewrap
 * needs the user namespaces that it takes away. Without the network, it also takes away families of sockets.
 */
function seccompFilters(network: boolean): { around: string; command: string } | undefined {
  const tables = TABLES[process.arch];
  const command = (table: CallTable) => blockOfCommand(table, network);
  return tables && { around: encode(tables.map(blockAround)), command: encode(tables.map(command)) };
}

function encode(blocks: readonly Instruction[][]): string {
  const program = [load(INSTRUCTION_SET_AT), ...blocks.flat(), answer(ALLOW)];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [i, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(value, i * 8 + 4);
  }
  return bytes.toString('hex');
}

function blockAround({ audit, keys, modes }: CallTable): Instruction[] {
  return blockOf(audit, [
    ...keys.flatMap((number) => refuse(number, EPERM)),
    ...UNKNOWN_CALLS.flatMap((number) => refuse(number, ENOSYS)),
    ...modes.flatMap(refuseSetId),
  ]);
}

function blockOfCommand({ audit, namespaces, sockets, socketcall }: CallTable, network: boolean): Instruction[] {
  const families = [...sockets.flatMap(refuseFamilies), ...(socketcall ? refuse(socketcall, ENOSYS) : [])];
  const namespaceRules = [...refuse(CLONE3, ENOSYS), ...namespaces.flatMap(refuseNewUser)];
  return blockOf(audit, [...namespaceRules, ...(network ? [] : families)]);
}

function blockOf(audit: number, rules: readonly Instruction[]): Instruction[] {
  const block = [load(NUMBER_AT), [AND, 0, 0, WITHOUT_X32] as const, ...rules, answer(ALLOW)];
  return [[IF_EQUAL, 0, block.length, audit], ...block];
}

function refuse(number: number, error: number): Instruction[] {
  return [[IF_EQUAL, 0, 1, number], answer(FAIL | error)];
}

function refuseNewUser(number: number): Instruction[] {
  const body = [load(ARGUMENTS_AT), [IF_ANY_BIT, 0, 1, NEW_USER] as const, answer(FAIL | EPERM), answer(ALLOW)];
  return [[IF_EQUAL, 0, body.length, number], ...body];
}

function refuseFamilies(number: number): Instruction[] {
  const isConfined = CONFINED_FAMILIES.map(
    (family, i): Instruction => [IF_EQUAL, CONFINED_FAMILIES.length - i, 0, family],
  );
  const body = [load(ARGUMENTS_AT), ...isConfined, answer(FAIL | EAFNOSUPPORT), answer(ALLOW)];
  return [[IF_EQUAL, 0, body.length, number], ...body];
}

function refuseSetId([number, mode, flags]: ModeCall): Instruction[] {
  const judge = [
    load(ARGUMENTS_AT + 8 * mode),
    [IF_ANY_BIT, 0, 1, SET_ID] as const,
    answer(FAIL | EPERM),
    answer(ALLOW),
  ];
  const whenCreating = [load(ARGUMENTS_AT + 8 * (flags ?? 0)), [IF_ANY_BIT, 1, 0, CREATES] as const, answer(ALLOW)];
  const body: Instruction[] = flags === undefined ? judge : [...whenCreating, ...judge];
  return [[IF_EQUAL, 0, body.length, number], ...body];
}
