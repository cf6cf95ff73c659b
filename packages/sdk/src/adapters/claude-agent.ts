import { createSdkMcpServer, type McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import { toMcpTool } from '@jinn/toolsets';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import packageJson from '../../package.json' with { type: 'json' };
import type { ModelJinn } from '../create-jinn.ts';

/**
 * Makes an MCP server in this process of the tools of an instance, for `mcpServers` of the Claude Agent SDK. Questions
 * of jinn go to `approve` of the instance, no matter what the SDK allows.
 */
export function jinnServer(jinn: ModelJinn, name = 'jinn'): McpSdkServerConfigWithInstance {
  const config = createSdkMcpServer({ name, version: packageJson.version });
  const { server } = config.instance;
  server.registerCapabilities({ tools: {} });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await jinn.tools()).map(toListed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    const { ok, content } = await jinn.callForModel(params.name, params.arguments ?? {}, { signal });
    return { isError: !ok, content: content.map((block) => ({ ...block })) };
  });
  return config;
}

function toListed(tool: Parameters<typeof toMcpTool>[0]) {
  const { outputSchema: _, inputSchema, ...rest } = toMcpTool(tool);
  return { ...rest, inputSchema: { ...inputSchema, type: 'object' as const } };
}
