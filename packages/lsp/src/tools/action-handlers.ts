import { ToolError } from '@jinn/core/errors';
import {
  type CodeAction,
  type FileEdit,
  findAllReferences,
  findCalls,
  findCodeActions,
  findDiagnostics,
  findHover,
  findLocations,
  findWorkspaceSymbols,
  type Place,
  planCodeAction,
  planFormat,
  planRename,
  type ServerView,
  showDiagnostic,
  type Way,
  withoutRoot,
} from '../index.ts';
import { ownSymbols, wordAt } from './locate-symbol.ts';
import { type FileQuery, type LspQuery, lastName } from './query.ts';
import {
  type ActionAnswer,
  formatLocations,
  formatNamed,
  formatReferences,
  formatSymbols,
  toPart,
} from './show-answers.ts';

const MAX_REFERENCES = 100;
const MAX_DIAGNOSTICS = 200;
const MAX_ACTIONS = 100;

/** A text, or edits to be shown or applied, or undefined if nothing was found. */
export type ActionResult = ActionAnswer | { readonly edits: readonly FileEdit[] };

export interface ActionHandler {
  readonly nothing: string;
  /** True if the answer concerns more than the file. */
  readonly isProjectWide?: boolean;
  /** Says why an answer may lack something of which the server does not know. */
  doubt?(found: ActionResult | undefined): string | undefined;
  run(view: ServerView, query: LspQuery, place: Place): Promise<ActionResult | undefined>;
}

export const ACTION_HANDLERS: Readonly<Record<FileQuery['action'], ActionHandler>> = {
  definition: leadsTo('definition', 'definition'),
  declaration: leadsTo('declaration', 'declaration'),
  type_definition: leadsTo('typeDefinition', 'type definition'),
  implementation: { ...leadsTo('implementation', 'implementation'), isProjectWide: true },
  references: {
    nothing: 'no references found',
    isProjectWide: true,
    doubt: (found) =>
      found && 'hasPlace' in found && found.hasPlace
        ? undefined
        : 'the position that was asked about is not among them',
    run: async (view, { offset = 0 }, place) =>
      formatReferences(await findAllReferences(view, place, { offset, limit: MAX_REFERENCES }), offset),
  },
  hover: {
    nothing: 'no hover information found',
    run: async (view, _, place) => {
      const text = await findHover(view, place);
      return text === undefined ? undefined : { text: withoutRoot(text, view.files.root) };
    },
  },
  symbols: { nothing: 'no symbols found', run: async (view) => formatSymbols(await ownSymbols(view)) },
  diagnostics: { nothing: 'no diagnostics found', run: formatDiagnostics },
  callers: {
    nothing: 'no callers found',
    isProjectWide: true,
    run: async (view, _, place) => formatCalls(view, 'incoming', place),
  },
  callees: {
    nothing: 'no callees found',
    run: async (view, _, place) => formatCalls(view, 'outgoing', place),
  },
  workspace_symbols: {
    nothing: 'no symbols found',
    isProjectWide: true,
    run: async (view, { query = '' }) => {
      const named = await findWorkspaceSymbols(view, query);
      const told = formatNamed(named);
      // Files that mention the name need not declare it.
      return named.some(({ name }) => name === query) ? told && { ...told, files: undefined } : told;
    },
  },
  rename: {
    nothing: 'no rename changes',
    isProjectWide: true,
    run: async (view, { symbol, new_name: newName = '' }, place) => {
      const expected = symbol === undefined ? wordAt(view.document.lines, place, view.document.path) : lastName(symbol);
      return toEdits(await planRename(view, place, { expected, newName }));
    },
  },
  code_actions: { nothing: 'no code actions found', run: handleCodeActions },
  format: {
    nothing: 'no format changes',
    run: async (view) => toEdits(await planFormat(view, indentOf(view))),
  },
};

/** Returns the files that an answer names, or undefined if none can be missing. */
export function filesOf(found: ActionResult | undefined): readonly string[] | undefined {
  if (found === undefined) return [];
  return 'edits' in found ? found.edits.map(({ path }) => path) : found.files;
}

function leadsTo(way: Way, name: string): ActionHandler {
  return {
    nothing: `no ${name} found`,
    run: async (view, _, place) => formatLocations(await findLocations(view, way, place)),
  };
}

function toEdits(edits: readonly FileEdit[]): ActionResult | undefined {
  return edits.length === 0 ? undefined : { edits: edits.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

async function formatCalls(
  view: ServerView,
  direction: 'incoming' | 'outgoing',
  place: Place,
): Promise<ActionAnswer | undefined> {
  const calls = await findCalls(view, direction, place);
  return formatNamed(calls.map((call) => ({ ...call, name: withoutRoot(call.name, view.files.root) })));
}

async function formatDiagnostics(view: ServerView): Promise<ActionAnswer | undefined> {
  const { diagnostics, isPending } = await findDiagnostics(view);
  if (isPending) {
    throw new ToolError('timeout', 'timed out: the server has not said yet what is wrong with this file', {
      suggestion: 'ask again: this does not say whether there are errors',
    });
  }
  if (diagnostics.length === 0) return undefined;
  const lines = diagnostics
    .slice(0, MAX_DIAGNOSTICS)
    .map((diagnostic) => withoutRoot(showDiagnostic(diagnostic), view.files.root));
  return toPart(lines, diagnostics.length);
}

async function handleCodeActions(view: ServerView, query: LspQuery, place: Place): Promise<ActionResult | undefined> {
  const { query: title, apply, character, symbol, line } = query;
  const isLine = character === undefined && symbol === undefined;
  const length = [...(view.document.lines.line(place.line - 1) ?? '')].length;
  const end = isLine && line !== undefined ? { line, character: length + 1 } : place;
  const actions = await findCodeActions(view, { start: place, end });
  const chosen =
    title === undefined
      ? actions
      : actions.filter((action) => action.title.toLowerCase().includes(title.toLowerCase()));
  if (apply) return toEdits(await planCodeAction(view, findAction(chosen, title ?? '')));
  if (chosen.length === 0) return undefined;
  return toPart(chosen.slice(0, MAX_ACTIONS).map(showAction), chosen.length);
}

function findAction(actions: readonly CodeAction[], title: string): CodeAction {
  const [only, ...others] = actions;
  const exact = actions.find((action) => action.title === title);
  if (exact) return exact;
  if (only && others.length === 0) return only;
  const suggestion = 'list them with action code_actions, and pass one title as query';
  if (!only) throw new ToolError('not_found', 'no action here has this title', { suggestion });
  const titles = actions.slice(0, MAX_ACTIONS).map((action) => JSON.stringify(action.title));
  throw new ToolError('invalid_args', `${actions.length} actions match: ${titles.join(', ')}`, { suggestion });
}

function showAction({ title, kind, disabled }: CodeAction): string {
  const what = kind === undefined ? title : `${title} (${kind})`;
  return disabled === undefined ? what : `${what} [not now: ${disabled}]`;
}

function indentOf({ document: { lines } }: ServerView): { tabSize: number; insertSpaces: boolean } {
  const [, indent = '  '] = /^(\t+| {2,8})\S/m.exec(lines.text) ?? [];
  return indent.startsWith('\t') ? { tabSize: 4, insertSpaces: false } : { tabSize: indent.length, insertSpaces: true };
}
