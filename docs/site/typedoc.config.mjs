// The pages of the library, from the types that jinn-sdk is published with. What they lack ends the build.
/** Members whose names say what they are: those of unions, and the words of other APIs. */
const NAMED = {
  'ApiAnswers.function': 'content role tool_call_id',
  'ApiAnswers.function_call': 'call_id output type',
  'ApiAnswers.function_call.__type.output': 'detail image_url text type',
  'ApiAnswers.tool_use': 'content is_error tool_use_id type',
  'ApiTools.anthropic': 'description input_schema name',
  'ApiTools.gemini': 'description name parametersJsonSchema',
  'ApiTools.openai': 'function type',
  'ApiTools.openai.__type.function': 'description name parameters strict',
  'ApiTools.openai-responses': 'description name parameters strict type',
  JinnEvent: 'ok type',
  'McpTool.annotations': 'openWorldHint readOnlyHint',
  'McpTool.inputSchema': 'type',
  'McpTool.outputSchema': 'type',
  ToolArgs: 'args',
  ToolData: 'data',
};

export default {
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: 'tsconfig.json',
  entryPoints: ['../../packages/sdk/dist/*.d.ts'],
  out: 'api',
  name: 'jinn-sdk',
  readme: 'none',
  outputFileStrategy: 'modules',
  entryFileName: 'modules',
  pageTitleTemplates: { module: ({ name }) => (name === 'index' ? 'jinn-sdk' : `jinn-sdk/${name}`) },
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  // What the library inherits from Node and the frameworks.
  excludeExternals: true,
  // The types of the frameworks are for their own checks.
  skipErrorChecking: true,
  // Types that have a page already.
  externalSymbolLinkMappings: { 'jinn-sdk': { Toolsets: '/docs/tools/', Visualization: '/docs/protocol' } },
  validation: { notDocumented: true, notExported: true, invalidLink: true },
  requiredToBeDocumented: [
    'Accessor',
    'Class',
    'Constructor',
    'Function',
    'Interface',
    'Method',
    'Property',
    'TypeAlias',
    'Variable',
  ],
  intentionallyNotDocumented: Object.entries(NAMED).flatMap(([place, names]) =>
    names.split(' ').map((name) => `index.${place}.__type.${name}`),
  ),
  intentionallyNotExported: ['AnthropicImage', 'JsonSchema', 'ObjectSchema', 'OfCall', 'ToolsOf'],
  treatWarningsAsErrors: true,
};
