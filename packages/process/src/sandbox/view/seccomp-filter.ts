/**
 * A call that sets the mode of a file: its number, the positions of the mode and, if it may only open a file, of the
 * flags.
 */
type ModeCall = readonly [number: number, mode: number, flags?: number];

/** The system calls that a command may not make, or not with every argument, for one instruction set (syscalls(2)). */
interface CallTable {
  /** AUDIT_ARCH_*, by which a call shows its instruction set. */
  readonly audit: number;
  readonly keys: readonly number[];
  readonly modes: readonly ModeCall[];
}

const GENERIC = {
  keys: [217, 218, 219],
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
  modes: [...CHMOD_OF_32_BITS, [306, 2], [297, 2], [295, 3, 2]],
};
const ARM: CallTable = {
  audit: 0x40000028,
  keys: [309, 310, 311],
  modes: [...CHMOD_OF_32_BITS, [333, 2], [324, 2], [322, 3, 2]],
};

const TABLES: Partial<Record<NodeJS.Architecture, readonly CallTable[]>> = {
  x64: [X64, I386],
  arm64: [{ audit: 0xc00000b7, ...GENERIC }, ARM],
  riscv64: [{ audit: 0xc00000f3, ...GENERIC }],
  loong64: [{ audit: 0xc0000102, ...GENERIC }],
};

/** io_uring_setup and openat2 everywhere: their effect cannot be judged here. Programs know systems without them. */
const UNKNOWN_CALLS = [425, 437];
/** S_ISUID and S_ISGID. */
const SET_ID = 0o6000;
/** O_CREAT and O_TMPFILE: other calls that open a file leave the mode undefined. */
const CREATES = 0o100 | 0o20000000;
const [LOAD, AND, IF_EQUAL, IF_ANY_BIT, RETURN] = [0x20, 0x54, 0x15, 0x45, 0x06];
const [ALLOW, FAIL, EPERM, ENOSYS] = [0x7fff0000, 0x00050000, 1, 38];
const [NUMBER_AT, INSTRUCTION_SET_AT, ARGUMENTS_AT] = [0, 4, 16];
/** Marks the calls of x32, which have the numbers of x64. */
const WITHOUT_X32 = 0xbfffffff;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const answer = (value: number): Instruction => [RETURN, 0, 0, value >>> 0];

/**
 * Returns the filter (seccomp(2)) of every command in the sandbox, in hexadecimal. It takes away the keys of the
 * kernel, which belong to the user's session, and files that run as their owner. Undefined on an unknown processor.
 */
export function seccompFilter(architecture = process.arch): string | undefined {
  const tables = TABLES[architecture];
  if (tables === undefined) return undefined;
  const program = [load(INSTRUCTION_SET_AT), ...tables.flatMap(blockOf), answer(ALLOW)];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [i, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(value, i * 8 + 4);
  }
  return bytes.toString('hex');
}

/** Returns the number of keyctl of a processor, by which a command gets a session keyring of its own. */
export function keyctlNumber(architecture = process.arch): number | undefined {
  return TABLES[architecture]?.[0]?.keys[2];
}

function blockOf({ audit, keys, modes }: CallTable): Instruction[] {
  const block = [
    load(NUMBER_AT),
    [AND, 0, 0, WITHOUT_X32] as const,
    ...keys.flatMap((number) => refuse(number, EPERM)),
    ...UNKNOWN_CALLS.flatMap((number) => refuse(number, ENOSYS)),
    ...modes.flatMap(refuseSetId),
    answer(ALLOW),
  ];
  return [[IF_EQUAL, 0, block.length, audit], ...block];
}

function refuse(number: number, error: number): Instruction[] {
  return [[IF_EQUAL, 0, 1, number], answer(FAIL | error)];
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
