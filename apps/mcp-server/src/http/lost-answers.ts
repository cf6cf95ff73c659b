/** The revision from which on clients take an event without data. */
const FIRST_WITH_PRIMING = '2025-11-25';
const MARK = 'answer-';
/** A request whose id is longer gets no mark, since the mark comes back in a header. */
const MAX_ID = 200;
const TYPE = 'text/event-stream';

/**
 * Begins a stream of answers with the id of the request. If the connection is lost before the answer, or the server dies, clients
 * ask by that id for what they have missed, here or at another server. Without it they wait until they give up.
 */
export function markStream(response: Response, request: Request, body: unknown): Response {
  const id = idOf(body);
  if (id === undefined || response.body === null || !response.headers.get('content-type')?.startsWith(TYPE)) {
    return response;
  }
  const version = request.headers.get('mcp-protocol-version') ?? '';
  // In the stateless revision a stream begins with an event that has data, and the mark belongs to that.
  const ownEvent = version === FIRST_WITH_PRIMING ? 'data: \n\n' : '';
  const mark = Buffer.from(`id: ${MARK}${Buffer.from(JSON.stringify(id)).toString('base64url')}\n${ownEvent}`);
  const marked = new TransformStream<Uint8Array, Uint8Array>({ start: (controller) => controller.enqueue(mark) });
  return new Response(response.body.pipeThrough(marked), response);
}

/**
 * Answers a client that asks for the events after a mark: the answer is lost, and the call was stopped. Returns
 * undefined for any other request.
 */
export function answerLost(request: Request): Response | undefined {
  const last = request.method === 'GET' ? request.headers.get('last-event-id') : null;
  if (!last?.startsWith(MARK)) return undefined;
  const id = readId(last.slice(MARK.length));
  if (id === undefined) return undefined;
  const message =
    'the connection was lost before this call was answered: see what it has done by then, and send it again';
  const answer = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
  return new Response(`event: message\ndata: ${answer}\n\n`, {
    headers: { 'content-type': TYPE, 'cache-control': 'no-store' },
  });
}

function idOf(body: unknown): string | number | undefined {
  const { method, id } = (body ?? {}) as { method?: unknown; id?: unknown };
  return typeof method === 'string' ? asId(id) : undefined;
}

function asId(id: unknown): string | number | undefined {
  const isId = typeof id === 'number' || (typeof id === 'string' && id.length <= MAX_ID);
  return isId ? id : undefined;
}

function readId(text: string): string | number | undefined {
  try {
    return asId(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}
