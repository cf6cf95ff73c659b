import http from 'node:http';

const STATELESS = '2026-07-28';
const BY_HANDSHAKE = '2025-11-25';
const CLIENT = { name: 'bench', version: '1' };
const CAPABILITIES = { elicitation: { form: {} } };
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
};
const APPROVAL = { action: 'accept', content: { decision: 'Allow once' } };

/** Opens the session of a host, of either kind of revision; returns what makes a call in it. */
export async function openSession({ url, token, name, isStateless, agent }) {
  const send = (message, headers, onAsked) => post({ url, token, agent }, message, headers, onAsked);
  if (isStateless) {
    return (tool, args) =>
      callStateless((message, headers) => send(message, { ...headers, 'jinn-session': name }), tool, args);
  }
  const params = { protocolVersion: BY_HANDSHAKE, capabilities: CAPABILITIES, clientInfo: CLIENT };
  const { headers: given } = await send({ id: 1, method: 'initialize', params }, {});
  const headers = { 'mcp-session-id': given['mcp-session-id'], 'mcp-protocol-version': BY_HANDSHAKE };
  await send({ method: 'notifications/initialized' }, headers);
  let id = 1;
  return (tool, args) => {
    const message = { id: ++id, ...toRequest(tool, args) };
    const onAsked = (question) => send({ id: question.id, result: APPROVAL }, headers);
    return send(message, headers, onAsked).then(resultOf);
  };
}

function toRequest(tool, args, more = {}) {
  if (tool === 'tools/list') return { method: tool, params: more };
  return { method: 'tools/call', params: { name: tool, arguments: args, ...more } };
}

/** Makes a call of the stateless revision; what a person must approve is sent again with the answer. */
async function callStateless(send, tool, args) {
  const request = (more) => {
    const message = toRequest(tool, args, { _meta: META, ...more });
    const headers = {
      'mcp-protocol-version': STATELESS,
      'mcp-method': message.method,
      'mcp-name': message.params.name,
    };
    return send({ id: 1, ...message }, headers).then(resultOf);
  };
  const first = await request({});
  if (first.resultType !== 'input_required') return first;
  const { requestState } = first;
  return request({ requestState, inputResponses: { approval: APPROVAL } });
}

/** Returns the result of a call. Throws for any other answer. */
function resultOf({ status, last }) {
  if (status !== 200 || !last?.result || last.result.isError) {
    throw new Error(`${status} ${JSON.stringify(last).slice(0, 500)}`);
  }
  return last.result;
}

/** Sends a message; resolves with the last one that comes back. */
function post({ url, token, agent }, message, headers, onAsked = () => undefined) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return new Promise((resolve, reject) => {
    const request = http.request(url, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const read = reader(response.headers['content-type'] ?? '', onAsked);
      response.setEncoding('utf8');
      response.on('data', read.add);
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, last: read.end() }));
    });
    request.end(body);
  });
}

/** Reads an answer, be it JSON or a stream of events. */
function reader(type, onAsked) {
  let text = '';
  let last;
  const take = (event) => {
    const data = /^data: ?(\S.*)$/m.exec(event)?.[1];
    const message = data && JSON.parse(data);
    if (message?.method === 'elicitation/create') onAsked(message);
    else if (message && ('result' in message || 'error' in message)) last = message;
  };
  return {
    add: (chunk) => {
      text += chunk;
      if (!type.startsWith('text/event-stream')) return;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) take(event);
    },
    end: () => (type.startsWith('application/json') && text ? JSON.parse(text) : last),
  };
}
