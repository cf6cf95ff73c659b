// The pages of the library, from the types that jinn-sdk is published with. A missing description ends the build, except for
// properties, whose names often say it.
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
    'TypeAlias',
    'Variable',
  ],
  intentionallyNotExported: ['AnthropicImage', 'JsonSchema', 'ObjectSchema', 'OfCall', 'ToolsOf'],
  treatWarningsAsErrors: true,
};
