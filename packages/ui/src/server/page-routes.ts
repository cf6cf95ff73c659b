import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ToolError } from '@jinn/core/errors';
import { fillPage } from '@jinn/views';
import { isOfKind } from '../journal/call-state.ts';
import { type CallDetail, type CallHead, readCalls, readDetail } from '../journal/read-journal.ts';
import type { WorkspaceState } from '../workspace/workspace-state.ts';
import { drawCall, readSession } from './draw-call.ts';
import type { LiveCalls } from './live-calls.ts';
import type { PageEvents } from './page-events.ts';
import { type PageRequest, type RequestHandler, readBuiltPage } from './page-server.ts';
import type { OpenQuestions } from './question-socket.ts';
import { createLifeLook } from './watch-deaths.ts';

const MAX_ROWS = 5_000;
/** How many calls are read to find the workspaces. */
const MAX_LOOKED_AT = 20_000;
/** The longest line that the user may type for a job: a terminal takes no longer one. */
const MAX_LINE = 4_000;
/** How many calls are counted at once. */
const TURN = 4_000;

export interface RoutesOptions {
  readonly directory: string;
  /** The workspace that the page is started in. */
  readonly root: string;
  readonly events: PageEvents;
  readonly questions: OpenQuestions;
  readonly live: LiveCalls;
  openWorkspace(root: string): WorkspaceState;
}

type Route = (request: PageRequest, options: RoutesOptions) => unknown;

/** What each request does, by its method and path. */
const ROUTES: Readonly<Record<string, Route>> = {
  'GET /api/calls': ({ query }, { directory }) => listCalls(query, directory),
  'GET /api/call': ({ query }, { directory }) => showDetail(readDetail(directory, query.get('at') ?? '')),
  'GET /api/count': (request, { directory }) => countCalls(request, directory),
  'GET /api/events': ({ response }, { events, questions, live }) => {
    events.open(response, [{ type: 'questions', questions: questions.list() }, ...live.events()]);
  },
  'GET /api/workspaces': (_, options) => ({ workspaces: workspacesOf(options) }),
  'GET /api/changes': (request, options) =>
    workspaceOf(request, options).compare(operationsOf(request.query, options.directory)),
  'GET /api/export': ({ query }, { directory }) => exportSession(query.get('session') ?? '', directory),
  'GET /api/grants': (request, options) => workspaceOf(request, options).grants(),
  'GET /api/tools': (request, options) => workspaceOf(request, options).tools(),
  'GET /api/tool': (request, options) => workspaceOf(request, options).describe(request.query.get('name') ?? ''),
  'GET /api/history': (request, options) => workspaceOf(request, options).call('undo', { action: 'list', limit: 500 }),
  'GET /api/preview': (request, options) =>
    workspaceOf(request, options).preview({
      id: request.query.get('id'),
      with_later: request.query.get('with_later') === 'true',
    }),
  'GET /api/memory': (request, options) =>
    workspaceOf(request, options).call('memory', { action: 'list', scope: 'all', include_values: true }),
  'POST /api/answer': ({ body }, { questions }) => {
    const fault = questions.answer(body);
    if (fault !== undefined) throw new ToolError('conflict', fault);
    return {};
  },
  'POST /api/stop': ({ body }, { live }) => {
    if (!live.stop(body['id'])) throw new ToolError('not_found', 'the call does not run any more');
    return { text: 'stopping' };
  },
  'POST /api/input': ({ body: { id, text } }, { live }) => {
    const isLine = typeof text === 'string' && !/[\r\n]/.test(text);
    if (!isLine || text.length > MAX_LINE)
      throw new ToolError('invalid_args', `the text must be a line of at most ${MAX_LINE} characters`);
    if (!live.type(id, text)) throw new ToolError('not_found', 'the job does not run any more');
    return { text: 'sent' };
  },
  'POST /api/restore': (request, options) => {
    const { id, with_later } = request.body;
    return workspaceOf(request, options).call('undo', { action: 'restore', id, with_later: with_later === true });
  },
  'POST /api/memory': (request, options) => {
    const { workspace: _, action, ...rest } = request.body;
    return workspaceOf(request, options).call('memory', { ...rest, action: action === 'save' ? 'save' : 'forget' });
  },
  'POST /api/revoke': (request, options) => workspaceOf(request, options).revoke(request.body),
  'POST /api/trust': (request, options) => workspaceOf(request, options).trust(request.body),
  'POST /api/variable': (request, options) => workspaceOf(request, options).setVariable(request.body),
};

/** Makes the handler for the requests of the page. */
export function createRoutes(options: RoutesOptions): RequestHandler {
  return (request) => {
    const route = Object.hasOwn(ROUTES, `${request.method} ${request.path}`)
      ? ROUTES[`${request.method} ${request.path}`]
      : undefined;
    if (!route) throw new ToolError('not_found', 'there is nothing at this path');
    return route(request, options);
  };
}

/**
 * Opens the workspace of a request. Security: only a workspace in which calls were made, so that a path from the
 * browser opens no other.
 */
function workspaceOf({ query, body }: PageRequest, options: RoutesOptions): WorkspaceState {
  const asked = query.get('workspace') ?? body['workspace'];
  if (typeof asked !== 'string' || !isKnown(asked, options) || !isDirectory(asked))
    throw new ToolError('not_found', 'no call was made in this directory');
  return options.openWorkspace(asked);
}

function isKnown(workspace: string, { directory, root }: RoutesOptions): boolean {
  const wants = (head: CallHead) => head.workspace === workspace;
  return workspace === root || readCalls(directory, { limit: 1, wants, most: MAX_LOOKED_AT }).rows.length > 0;
}

function isDirectory(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function workspacesOf({ directory, root }: RoutesOptions): string[] {
  const found = new Set([root]);
  const wants = ({ workspace }: CallHead) => {
    found.add(workspace);
    return false;
  };
  readCalls(directory, { limit: 1, wants, most: MAX_LOOKED_AT });
  return [...found].filter(isDirectory);
}

function listCalls(query: URLSearchParams, directory: string) {
  const limit = Math.min(Number(query.get('limit')) || MAX_ROWS, MAX_ROWS);
  const lifeOf = createLifeLook();
  const page = readCalls(directory, { before: query.get('before') ?? undefined, limit, ...filterOf(query, lifeOf) });
  return { ...page, rows: page.rows.map(lifeOf) };
}

/** Counts calls, in turns that keep no one waiting, as long as the tab wants the number. */
async function countCalls({ query, response }: Pick<PageRequest, 'query' | 'response'>, directory: string) {
  const { text, wants } = filterOf(query, createLifeLook());
  const ids = new Set<string>();
  let before: string | undefined;
  do {
    const collect = (head: CallHead) => {
      if (wants(head)) ids.add(head.id);
      return false; // No row is wanted.
    };
    before = readCalls(directory, { before, limit: 1, most: TURN, text, wants: collect }).next;
    await setImmediate();
  } while (before !== undefined && !response.destroyed);
  return { count: ids.size };
}

function filterOf(query: URLSearchParams, lifeOf: ReturnType<typeof createLifeLook>) {
  const filters = ['tool', 'session', 'workspace'] as const;
  const wanted = filters.map((name) => [name, query.get(name)] as const).filter(([, value]) => value);
  const state = query.get('state');
  return {
    text: query.get('text')?.toLowerCase(),
    wants: (head: CallHead) =>
      wanted.every(([name, value]) => head[name] === value) && (!state || isOfKind(lifeOf(head), state)),
  };
}

function operationsOf(query: URLSearchParams, directory: string): ReadonlySet<string> {
  const [session, workspace] = [query.get('session'), query.get('workspace')];
  const wants = (head: CallHead) =>
    head.session === session && head.workspace === workspace && head.operation !== undefined;
  const { rows } = readCalls(directory, { limit: MAX_ROWS, wants });
  return new Set(rows.map(({ operation = '' }) => operation));
}

async function exportSession(session: string, directory: string): Promise<object> {
  return { html: fillPage(readBuiltPage('view.html'), await readSession(session, directory)) };
}

function showDetail(detail: CallDetail | undefined): object {
  if (!detail) return {};
  const { changes: _, ...kept } = detail;
  return { ...kept, visualization: drawCall(detail) };
}
