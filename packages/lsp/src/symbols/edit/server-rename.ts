import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  type ByteRange,
  createOutlines,
  type Identifier,
  isOutline,
  newFaults,
  type Outline,
  type SyntaxSymbol,
} from '@jinn/syntax';
import { versionOf } from '@jinn/workspace';
import {
  type FileEdit,
  type LanguageAnswer,
  type Place,
  planRename,
  RESERVED_WORDS,
  rejectUnready,
  TextLines,
  whyRefused,
} from '../../index.ts';
import { type FoundUses, mentionedIn } from '../find/find-uses.ts';
import { askServer, type NoAnswer } from '../server/ask-server.ts';
import { ContentLines, wordOf } from '../show/content-lines.ts';
import type { Source } from '../show/read-source.ts';

/** Words that parse as names, but that no declaration may have in a module. */
const MORE_RESERVED: Readonly<Record<string, string>> = {
  typescript: 'arguments async eval undefined',
  python: '__debug__',
  java:
    'abstract assert boolean break byte case catch char class const continue default do double else enum extends final ' +
    'finally float for goto if implements import instanceof int interface long native new package private protected ' +
    'public return short static strictfp super switch synchronized this throw throws transient try void volatile while ' +
    'true false null _',
  go: '_',
  rust: 'abstract become box do final gen macro override priv try typeof unsized virtual yield _',
};

const SCRIPTS: ReadonlySet<string> = new Set('typescript tsx javascript vue svelte html'.split(' '));
/** Errors that mean that no server answers. */
const NO_SERVER: ReadonlySet<string> = new Set(['lsp_unavailable', 'timeout', 'resource_limit']);
const TYPES: ReadonlySet<string> = new Set('class interface trait impl extension struct union enum'.split(' '));
/** Languages in which a member may be named alone in its type. */
const IMPLICIT: ReadonlySet<string> = new Set('java c_sharp kotlin scala swift cpp dart ruby'.split(' '));
/** The text that may be between a name and the one before it. */
const ACCESS = /(?:\?\.|\.|->|::)\s*$/;
const MOST_BEFORE = 300;

type Change = Extract<FileEdit, { kind: 'change' }>;

export interface RenamedSymbol {
  readonly source: Source;
  readonly symbol: SyntaxSymbol;
}

/**
 * Throws `lsp_error` for a plan that does more than replace whole identifiers, or omits the declaration, and
 * `invalid_args` for a name that is taken.
 */
export async function planServerRename(
  ctx: ToolContext,
  renamed: RenamedSymbol,
  { uses, newName }: { uses: FoundUses; newName: string },
): Promise<LanguageAnswer<readonly Change[]> | NoAnswer> {
  const { source, symbol } = renamed;
  const place = { line: symbol.line, character: new ContentLines(source.content).columnOf(symbol.nameStart) };
  const answer = await askServer(ctx, {
    about: source,
    mentioned: mentionedIn(uses, symbol.name, source.path),
    run: async (view) => {
      if (!view.client.can('renameProvider', 'textDocument/rename'))
        throw new ToolError('lsp_unavailable', `${view.client.server.id} cannot rename`);
      const edits = await planRename(view, place, { expected: symbol.name, newName });
      rejectUnready(view);
      return checkPlan(edits, { renamed, newName, place });
    },
    reported: (changes) => changes.map(({ path }) => path),
  });
  if ('why' in answer) {
    if (NO_SERVER.has(answer.error.code)) return answer;
    throw answer.error;
  }
  const planned = answer.value.map(({ path }) => path);
  const holding = uses.files.map(({ path }) => path);
  const why = whyRefused(answer, planned, { own: source.path, holding });
  if (why !== undefined) return { why, error: new ToolError('timeout', why) };
  for (const change of answer.value) await rejectClash(ctx, renamed, { change, newName });
  return answer;
}

interface Plan {
  readonly renamed: RenamedSymbol;
  readonly newName: string;
  readonly place: Place;
}

function checkPlan(edits: readonly FileEdit[], plan: Plan): readonly Change[] {
  const { source, symbol } = plan.renamed;
  const changes = edits.map((edit) => {
    if (edit.kind !== 'change') throw suspiciousError(`would ${edit.kind} ${edit.path}`);
    checkChange(edit, plan);
    return edit;
  });
  const own = changes.find(({ path }) => path === source.path);
  const { line, character } = plan.place;
  const isDeclared = own?.edits.some(({ range: { start } }) => start.line === line && start.character === character);
  if (!isDeclared)
    throw suspiciousError(`would not rename ${symbol.name} where it is declared, at ${source.path}:${line}`);
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Security: a range that is off by a character, or covers another word, would damage code that no one looks at. */
function checkChange({ path, before, after, edits }: Change, { renamed: { symbol }, newName }: Plan): void {
  const lines = new TextLines(before);
  const pairs = [
    [symbol.name, newName],
    [newName, symbol.name],
  ].flatMap(([from, to]) => [`${from}: ${to}`, `${from}:${to}`, `${from} as ${to}`]);
  const allowed = new Set([newName, ...pairs]);
  let [text, at] = ['', 0];
  for (const { range, newText } of edits) {
    const { line, character } = range.start;
    const place = `${path}:${line}:${character}`;
    const word = wordOf(lines.line(line - 1) ?? '', range);
    if (word !== symbol.name) throw suspiciousError(`would change ${place}, where ${symbol.name} does not stand`);
    if (!allowed.has(newText.replace(/\s+/g, ' ')))
      throw suspiciousError(`would put another text than ${newName} at ${place}`);
    const position = lines.positionOf(range.start, 'utf-16');
    const start = (position && lines.offsetOf(position, 'utf-16')) as number; // The range was read in this text.
    text += before.slice(at, start) + newText;
    at = start + symbol.name.length;
  }
  // Edits in several steps have ranges of texts in between.
  if (text + before.slice(at) !== after) throw suspiciousError(`would change ${path} in several steps`);
}

async function rejectClash(
  ctx: ToolContext,
  renamed: RenamedSymbol,
  { change, newName }: { change: Change; newName: string },
): Promise<void> {
  const { path, before, after } = change;
  const content = Buffer.from(path === renamed.source.path ? renamed.source.content : before);
  const outlines = ctx.session.use(createOutlines);
  const outline = await outlines.read({ path, content, version: versionOf(content) });
  const identifiers = await outlines.identifiers({ path, content }, newName);
  if (!isOutline(outline) || 'reason' in identifiers) return;
  await rejectUnfit(ctx, newName, { before: { path, content, outline }, after: Buffer.from(after) });
  const clash = findClash(renamed, { path, content, outline, identifiers });
  if (!clash) return;
  const place = `${path}:${new ContentLines(content).lineOf(clash.start)}`;
  throw invalid(`${newName} is in use already, at ${place} (nothing was changed)`, 'choose another name');
}

function findClash(
  { source, symbol }: RenamedSymbol,
  file: { path: string; content: Buffer; outline: Outline; identifiers: readonly Identifier[] },
): ByteRange | undefined {
  const parent = source.outline.symbols[symbol.parent];
  const isOfType = parent !== undefined && TYPES.has(parent.kind);
  if (isOfType && file.path === source.path) {
    const within = file.identifiers.find(({ start, end }) => parent.start <= start && end <= parent.end);
    if (within) return within;
  }
  if (isOfType && !IMPLICIT.has(source.outline.language)) return undefined;
  return file.identifiers.find((range) => {
    const before = file.content.toString('utf8', Math.max(0, range.start - MOST_BEFORE), range.start);
    const isMember = file.outline.symbols.some(({ nameStart, parent }) => nameStart === range.start && parent >= 0);
    return !endsInAccess(before) && !isKey(range) && !isMember;
  });
}

/** Three dots spread the name after them. */
function endsInAccess(text: string): boolean {
  return ACCESS.test(text) && !/\.\.\.\s*$/.test(text);
}

const KEY =
  /property_identifier|field_identifier|hash_key|label|statement_identifier|keyword_argument|keyed_element|literal_element/;

function isKey({ type, parent }: Identifier): boolean {
  // `{ name }` stands for `{ name: name }`.
  const isShorthand = type.startsWith('shorthand_property') || parent === 'shorthand_field_initializer';
  return !isShorthand && (KEY.test(type) || KEY.test(parent));
}

function suspiciousError(what: string): ToolError {
  return new ToolError('lsp_error', `the plan of the language server is refused: it ${what} (nothing was changed)`, {
    suggestion: 'change the name as text',
  });
}

/** Throws `invalid_args` for a word of the language. */
export function rejectReserved(name: string, language: string): void {
  const id = SCRIPTS.has(language) ? 'typescript' : language;
  const more = MORE_RESERVED[id];
  if (more === undefined || !`${RESERVED_WORDS[id] ?? ''} ${more}`.split(' ').includes(name)) return;
  throw invalid(`${name} is a word of the language, so that nothing can have it as its name`, 'choose another name');
}

async function rejectUnfit(
  ctx: ToolContext,
  newName: string,
  { before, after }: { before: Pick<Source, 'path' | 'content' | 'outline'>; after: Buffer },
): Promise<void> {
  const outlines = ctx.session.use(createOutlines);
  const { path } = before;
  const outline = await outlines.read({ path, content: after, version: versionOf(after) });
  if (!isOutline(outline)) return;
  const [fault] = newFaults(before, { content: after, outline });
  if (!fault) return;
  const place = `${path}:${new ContentLines(after).lineOf(fault.start)}`;
  throw invalid(`${newName} cannot be a name at ${place} (nothing was changed)`, 'choose another name');
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
