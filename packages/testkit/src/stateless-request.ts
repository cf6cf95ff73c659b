const VERSION = '2026-07-28';
const CLIENT_INFO = { name: 'test', version: '1.0.0' };

interface RequestParams {
  readonly name?: string;
  readonly _meta?: object;
}

interface RequestOptions {
  readonly id?: string | number;
  readonly capabilities?: object;
}

/** Makes a request of the stateless revision of MCP: the headers and the body of a POST. */
export function toStatelessRequest(
  method: string,
  { _meta, ...params }: RequestParams & Readonly<Record<string, unknown>>,
  { id = 1, capabilities = {} }: RequestOptions = {},
) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ..._meta,
  };
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
  };
}
