import { defineTool, type Memory, type MemoryEntry, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { KEY, MAX_TEXT_BYTES, SHARED, withShared } from './shared-texts.ts';
import { toMarkdown } from './to-markdown.ts';

const GLOBAL = 'global';
/** The most bytes of values in a list. Further values are omitted, and `truncated` is set. */
const MAX_LISTED_BYTES = 1024 * 1024;
const READ_AT_ONCE = 64;
const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const DURATION = /^(?:\d{1,12}[smhdw])+$/;
const DURATION_PART = /(\d+)([smhdw])/g;
const MAX_SECONDS = 36_500 * SECONDS.d;

export const memory = defineTool({
  name: 'memory',
  effect: 'write',
  description:
    'Keep short texts by key across sessions, each project apart. append adds a line. scopes lists the projects that have texts. move takes those of one to another.',
  input: (z) =>
    z.strictObject({
      action: z
        .enum(['save', 'append', 'replace', 'recall', 'list', 'forget', 'export', 'scopes', 'move'])
        .check(z.describe('Action')),
      key: z.optional(z.string().check(z.describe('Up to 128 of a-z A-Z 0-9 _ . -'))),
      value: z.optional(z.string().check(z.describe('Text, at most 16 KiB'))),
      old_text: z.optional(z.string().check(z.describe('For replace: part that becomes value, there once'))),
      scope: z.optional(
        z
          .string()
          .check(
            z.describe(
              'Absolute path of a project (default: this one), "global", or "shared" (read-only). For list also "all"',
            ),
          ),
      ),
      from: z.optional(z.string().check(z.describe('For move: scope that has the texts'))),
      expires_in: z.optional(z.union([z.string(), z.int()]).check(z.describe('For save: seconds, or 30m, 12h, 7d'))),
      pin: z.optional(z.boolean().check(z.describe('For save: list it first'))),
      include_values: z._default(z.boolean().check(z.describe('For list: texts too')), false),
      query: z.optional(z.string().check(z.describe('For list: words, best match first'))),
      limit: z.optional(z.int().check(z.minimum(1), z.describe('For list: maximum'))),
    }),
  examples: [
    { action: 'save', key: 'project.notes', value: 'auth service uses JWT RS256' },
    { action: 'recall', key: 'project.notes' },
    { action: 'replace', key: 'project.notes', old_text: 'RS256', value: 'EdDSA' },
    { action: 'list', query: 'jwt', include_values: true },
    { action: 'save', key: 'build.status', value: 'main is red since the merge', expires_in: '12h' },
  ],

  async run(args, ctx): Promise<ToolOutput> {
    const { action } = args;
    const open = async () => withShared(await ctx.memory(), ctx);
    if (action === 'scopes' || action === 'move' || action === 'list' || action === 'export') {
      const store = await open();
      return withWarnings(store, await OF_SCOPES[action](store, args));
    }
    const { key } = args;
    if (key === undefined) throw invalid(`key is required for ${action}`, 'use action="list" to see available keys');
    const change = action === 'recall' || action === 'forget' ? OF_KEY[action] : CHANGES[action](key, args);
    const store = await open();
    const scope = action === 'recall' ? store.findScope(args.scope) : findWritable(store, args.scope);
    return withWarnings(store, await change(store, scope, key));
  },
});

type SavedEntry = Omit<MemoryEntry, 'updated'>;

interface SaveArgs {
  readonly value?: string | undefined;
  readonly expires_in?: string | number | undefined;
  readonly pin?: boolean | undefined;
  readonly old_text?: string | undefined;
}

type KeyAction = (store: Memory, scope: string, key: string) => Promise<ToolOutput>;

function findWritable(store: Memory, given: string | undefined): string {
  const scope = store.findScope(given);
  if (scope !== SHARED) return scope;
  throw invalid(
    'the scope "shared" is read-only: its texts are files of the user',
    'omit scope for the current project, or use "global"',
  );
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}

function checkKey(key: string): void {
  if (KEY.test(key)) return;
  const shown = JSON.stringify(key.slice(0, 140));
  throw invalid(`invalid key: ${shown} — only 1 to 128 of a-z A-Z 0-9 _ . -`, 'use a key like "db.host"');
}

/** Parses the arguments for saving. It checks the key before the value, and both before anything is opened. */
function toSave(key: string, { value: given, expires_in, pin = false }: SaveArgs): SavedEntry {
  const value = checkedValue('save', key, given);
  if (expires_in === undefined) return { key, value, pinned: pin, expires: undefined };
  if (pin) {
    throw invalid('pin and expires_in exclude each other: a pinned text does not expire', 'give only one of them');
  }
  return { key, value, pinned: false, expires: new Date(Date.now() + parseDuration(expires_in)) };
}

function checkedValue(action: string, key: string, value: string | undefined): string {
  checkKey(key);
  if (value === undefined) {
    throw invalid(`value is required for ${action}`, 'give the text to save; use action="forget" to remove a key');
  }
  return checkValue(value);
}

function checkValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_TEXT_BYTES) {
    throw invalid(
      `value exceeds 16 KiB limit (${bytes} bytes)`,
      'trim the value, or save it in parts under several keys',
    );
  }
  if (!value.isWellFormed()) {
    throw invalid(
      'value contains half of a surrogate pair, which is not text',
      'write each character beyond U+FFFF as a whole pair, or as itself',
    );
  }
  return value;
}

/** The actions that write a text, after a check of their arguments. */
const CHANGES: Readonly<Record<'save' | 'append' | 'replace', (key: string, args: SaveArgs) => KeyAction>> = {
  save: (key, args) => {
    const entry = toSave(key, args);
    return async (store, scope) => {
      await store.save(scope, entry);
      return { ...changed('saved', key), ...(entry.expires && { meta: { expires: entry.expires.toISOString() } }) };
    };
  },
  append: (key, args) => {
    const value = toEdit('append', key, args);
    return async (store, scope) => {
      await store.edit(scope, key, (before) => checkValue(before ? `${before.replace(/\n$/, '')}\n${value}` : value));
      return changed('appended', key);
    };
  },
  replace: (key, args) => {
    const value = toEdit('replace', key, args);
    const { old_text } = args;
    if (!old_text) throw invalid('old_text is required for replace', 'give the part of the text to replace');
    return async (store, scope) => {
      await store.edit(scope, key, async (before) => {
        if (before === undefined) throw await keyNotFound(store, scope, key);
        return checkValue(await replaceOnce(before, { key, old_text, value }));
      });
      return changed('replaced', key);
    };
  },
};

function toEdit(action: string, key: string, { value, pin, expires_in }: SaveArgs): string {
  if (!pin && expires_in === undefined) return checkedValue(action, key, value);
  throw invalid(`${action} keeps the pin and the expiry of a text`, 'leave pin and expires_in out, or use save');
}

function changed(what: string, key: string): ToolOutput {
  return { text: `${what}: ${key}`, visualize: () => ({ type: 'none', message: `${what} ${key}` }) };
}

interface Replacement {
  readonly key: string;
  readonly old_text: string;
  readonly value: string;
}

async function replaceOnce(text: string, { key, old_text, value }: Replacement): Promise<string> {
  const at = text.indexOf(old_text);
  if (at < 0) {
    const { nearestText } = await import('@jinn/fs-tools/match/nearest-text');
    const nearest = nearestText(toBytes(text), toBytes(old_text));
    const hint = nearest && `. Nearest match at line ${nearest.line}: did you mean this?\n${nearest.diff}`;
    throw new ToolError('edit_not_found', `old_text not found in ${key}${hint ?? ''}`, {
      suggestion: 'use action="recall" to see the text, then retry with the exact part',
    });
  }
  if (text.indexOf(old_text, at + 1) >= 0) {
    throw new ToolError('edit_not_unique', `old_text is in ${key} more than once`, {
      suggestion: 'add more of the text around it to old_text, and to value',
    });
  }
  return text.slice(0, at) + value + text.slice(at + old_text.length);
}

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The form of the key is checked last: a key that only an older jinn accepted can still be recalled. */
async function recall(store: Memory, scope: string, key: string): Promise<ToolOutput> {
  const entry = await store.recall(scope, key);
  if (entry) {
    const visualize = () => ({ type: 'markdown', content: entry.value, title: key }) as const;
    return { text: entry.value, meta: factsOf(entry), visualize };
  }
  checkKey(key);
  throw await keyNotFound(store, scope, key);
}

async function keyNotFound(store: Memory, scope: string, key: string): Promise<ToolError> {
  const isIn = async (other: string) => scope !== other && (await store.recall(other, key)) !== undefined;
  let suggestion = 'use action="list" to see available keys';
  if (await isIn(GLOBAL)) suggestion = 'it is saved for all projects: use scope="global"';
  else if (await isIn(SHARED)) suggestion = 'it is in a shared directory: use scope="shared"';
  return new ToolError('not_found', [`key not found: ${key}`, ...store.takeWarnings()].join('; '), { suggestion });
}

async function forget(store: Memory, scope: string, key: string): Promise<ToolOutput> {
  const existed = await store.forget(scope, key);
  if (!existed) checkKey(key);
  const message = existed ? `forgot ${key}` : `${key} was not saved`;
  return { text: `forgotten: ${key}`, meta: { existed }, visualize: () => ({ type: 'none', message }) };
}

const OF_KEY = { recall, forget };

interface ListArgs {
  readonly from?: string | undefined;
  readonly scope?: string | undefined;
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly include_values: boolean;
}

/** Lists a scope. If it is the project by default, warns of texts that only another scope lists. */
async function listWithHint(store: Memory, args: ListArgs): Promise<ToolOutput> {
  const output = await list(store, args);
  const isFound = (output.data as { readonly count: number }).count > 0;
  if (args.scope || (args.query?.trim() && isFound)) return output;
  const others: string[] = [];
  for (const scope of [GLOBAL, SHARED]) {
    const { length } = await store.list(scope, args.query);
    if (length > 0) others.push(`${length} more in the scope "${scope}"`);
  }
  if (others.length === 0) return output;
  return { ...output, warnings: [`${others.join(', ')}: use scope="all" to list them too`] };
}

interface EntryAddress {
  readonly scope: string;
  readonly key: string;
}

async function list(store: Memory, { scope, query, limit, include_values }: ListArgs): Promise<ToolOutput> {
  const isAll = scope === 'all';
  const found: EntryAddress[] = [];
  for (const one of isAll ? [store.findScope(undefined), GLOBAL, SHARED] : [store.findScope(scope)]) {
    for (const key of await store.list(one, query)) found.push({ scope: one, key });
  }
  const shown = found.slice(0, limit);
  const isCut = shown.length < found.length;
  const names = { keys: shown.map(({ key }) => key), count: shown.length };
  const visualize = async () => {
    const { visualizeEntries } = await import('./visualize-memory.ts');
    return visualizeEntries(readAll(store, shown), found.length);
  };
  if (!isAll && !include_values) return { data: names, ...cutOf(isCut, found.length), visualize };
  const entries: object[] = [];
  let bytes = 0;
  for await (const text of include_values ? readAll(store, shown) : shown) {
    const { key, scope: from } = text;
    const value = 'value' in text ? { value: text.value, ...factsOf(text) } : undefined;
    bytes += key.length + Buffer.byteLength(value?.value ?? '');
    if (bytes > MAX_LISTED_BYTES) break;
    entries.push({ key, ...(isAll && { scope: from }), ...value });
  }
  const isShort = isCut || bytes > MAX_LISTED_BYTES;
  return { data: { ...names, entries }, ...cutOf(isShort, found.length), visualize };
}

async function move(store: Memory, { from, scope }: ListArgs): Promise<ToolOutput> {
  if (from === undefined || from === '') {
    throw invalid('from is required for move', 'use action="scopes" to see all scopes');
  }
  const target = findWritable(store, scope);
  const source = findWritable(store, from);
  if (source === target) {
    throw invalid(`from and scope are the same: ${target}`, 'give the scope that the texts are to be in');
  }
  const { moved, kept } = await store.move(source, target);
  if (moved === 0 && kept.length === 0) {
    throw new ToolError('not_found', [`nothing is saved in ${source}`, ...store.takeWarnings()].join('; '), {
      suggestion: 'use action="scopes" to see all scopes',
    });
  }
  const stays = kept.length > 0 ? `. Not moved, because ${target} has the same keys: ${kept.join(', ')}` : '';
  return { text: `moved: ${moved}${stays}`, meta: { moved, kept, scope: target } };
}

function cutOf(isCut: boolean, totalCount: number): Pick<ToolOutput, 'truncated' | 'totalCount'> {
  return isCut ? { truncated: true, totalCount } : {};
}

async function exportAll(store: Memory, args: ListArgs): Promise<ToolOutput> {
  const scope = store.findScope(args.scope);
  const keys = await store.list(scope, undefined);
  const entries = readAll(
    store,
    keys.map((key) => ({ scope, key })),
  );
  const { text, count } = await toMarkdown(scope, entries);
  return { text, meta: { count }, visualize: () => ({ type: 'markdown', content: text }) };
}

/** The actions on all texts of a scope. */
const OF_SCOPES = {
  list: listWithHint,
  export: exportAll,
  move,
  scopes: async (store: Memory): Promise<ToolOutput> => {
    const scopes = await store.scopes();
    return { data: { scopes, count: scopes.length } };
  },
};

/** Reads texts, which come scope by scope. A text that another process has just forgotten is omitted. */
async function* readAll(store: Memory, located: readonly EntryAddress[]): AsyncGenerator<MemoryEntry & EntryAddress> {
  for (let at = 0; at < located.length; ) {
    const { scope } = located[at] as EntryAddress;
    const next = located.slice(at, at + READ_AT_ONCE).filter((one) => one.scope === scope);
    at += next.length;
    const keys = next.map(({ key }) => key);
    for (const entry of await store.recallAll(scope, keys)) yield { ...entry, scope };
  }
}

function factsOf({ updated, pinned, expires }: MemoryEntry): object {
  return { updated, ...(pinned && { pinned }), ...(expires && { expires: expires.toISOString() }) };
}

function withWarnings(store: Memory, output: ToolOutput): ToolOutput {
  const warnings = [...store.takeWarnings(), ...(output.warnings ?? [])];
  return warnings.length > 0 ? { ...output, warnings } : output;
}

/** Converts a number of seconds, or a text like "90", "30m" or "1d12h", to milliseconds. Throws `invalid_args`. */
function parseDuration(given: string | number): number {
  const seconds = toSeconds(given);
  if (seconds === undefined)
    throw invalidDuration(given, 'must be seconds, or numbers with s, m, h, d or w, like "1d12h"');
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw invalidDuration(given, 'must be between a second and 100 years');
}

function toSeconds(given: string | number): number | undefined {
  if (typeof given === 'number' || /^\d{1,12}$/.test(given)) return Number(given);
  if (!DURATION.test(given)) return undefined;
  const parts = given.matchAll(DURATION_PART);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS], 0);
}

function invalidDuration(given: string | number, rule: string): ToolError {
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 40)) : given;
  return new ToolError('invalid_args', `invalid expires_in: ${shown} — ${rule}`, {
    suggestion: 'give it like 90, "30m", "12h" or "7d", or leave it out to keep the text for ever',
  });
}
