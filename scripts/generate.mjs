// Writes what is generated: from the tools packages/toolsets/src/schemas, docs/tools and the README's table, from
// bench/RESULTS.md the README's figures as a table and as bars, the picture of the layers, from the table of language
// servers that of docs/lsp-servers.md, the schema of the protocol, the types of the library, and the manifests of
// packages, plugins and registries; the names of the packages from scripts/names.mjs. With --check it writes nothing, and fails
// if a file is not up to date.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { drawBars } from './bars.mjs';
import { readFigures, renderFigures } from './figures.mjs';
import { drawLayers } from './layers.mjs';
import { renderManifests } from './manifests.mjs';
import { NAMES, nameManifest, renameIn } from './names.mjs';
import { install, ROOT } from './setup.mjs';
import { renderToolTypes, renderVisualization } from './tool-types.mjs';

const SCHEMAS = 'packages/toolsets/src/schemas';
const PAGES = 'docs/tools';
const PROTOCOL = 'docs/protocol.schema.json';
const VISUALIZATION = 'packages/core/src/visualization/visualization-type.d.ts';
const TOOL_TYPES = 'packages/sdk/src/tool-types.d.ts';
const TABLE = /(<!-- tools:begin -->\n)[\s\S]*(<!-- tools:end -->)/;
const FIGURES = /(<!-- figures:begin -->\n)[\s\S]*(<!-- figures:end -->)/;
const MEASURED = 'bench/RESULTS.md';
const PERFORMANCE = 'docs/performance.md';
const LAYERS = 'docs/pictures/layers.svg';
const BARS = 'docs/pictures/figures.svg';
/** It names the package with the grammars. */
const COMPILE = 'packages/syntax/src/compile.ts';
const LSP_PAGE = 'docs/lsp-servers.md';
const SERVERS = 'packages/lsp/src/servers/servers.json';
const CLI_PAGE = 'docs/cli.md';
const FLAG_TABLES = /(<!-- (\w+)-flags:begin -->\n)[\s\S]*?(<!-- \w+-flags:end -->)/g;
const SERVER_TABLE = /(<!-- servers:begin -->\n)[\s\S]*(<!-- servers:end -->)/;
/** What the README says of each toolset. */
const TOOLSETS = {
  jinn: 'Files, search, commands, undo, memory',
  lean: 'The same work with fewer tokens',
  symbols: 'Declarations in 38 languages, by name',
  jinni: 'Reading a whole project in one result',
  codescout: 'The tool names and workflow of codescout',
};
/** The examples above the list of tools. */
const LIST_TOOLS = `echo '{"tool":"list_tools"}' | jinn    # what is served\njinn --schema --toolset lean           # the tools of lean, as a model gets them`;
/** An import of a schema. */
const SCHEMA = /\/schemas\/(\w+\/\w+\.json)$/;
const VIRTUAL = [
  {
    matches: /^entry$/,
    id: path.join(ROOT, 'entry.mjs'),
    code: `
      export { createRegistry, describeTools } from './packages/core/src/tool/index.ts';
      export { FIXED_TOOLSETS } from './packages/toolsets/src/index.ts';
      export { protocolSchema } from './apps/jinn/src/protocol-schema.ts';
      export { JINN_SPEC } from './apps/jinn/src/jinn-spec.ts';
      export { MCP_SPEC } from './apps/mcp-server/src/mcp-spec.ts';
      export { JINNI_SPEC } from './apps/jinni/src/jinni-spec.ts';
      export { visualizationJsonSchema } from './packages/core/src/visualization/visualization-schema.ts';
    `,
  },
  { matches: SCHEMA, id: path.join(ROOT, 'schema.mjs'), code: 'export default {};' },
];

/** Updates the generated files, or with `check` only compares them. Returns the names of those that are not up to date. */
async function generate({ check }) {
  const { toolsets, schemas, protocol, visualization, specs } = await describeToolsets();
  const wanted = render(toolsets, schemas)
    .set(PROTOCOL, `${JSON.stringify(protocol, null, 2)}\n`)
    .set(VISUALIZATION, renderVisualization(visualization))
    .set(
      CLI_PAGE,
      contentOf(CLI_PAGE).replace(FLAG_TABLES, (_, begin, name, end) => begin + renderFlags(name, specs[name]) + end),
    );
  const present = [SCHEMAS, PAGES].flatMap((folder) => filesIn(folder));
  const surplus = present.filter((file) => !wanted.has(file));
  const changed = [...wanted].filter(([file, text]) => contentOf(file) !== text).map(([file]) => file);
  if (!check) {
    for (const file of surplus) fs.rmSync(path.join(ROOT, file));
    for (const file of changed) write(file, wanted.get(file));
  }
  return changed.concat(surplus);
}

/**
 * Loads the tools from their sources, without the schemas that this script writes. Also returns which of these they import:
 * a toolset may take tools of another one, with their schemas.
 */
async function describeToolsets() {
  const { rolldown } = await import('rolldown');
  const { scriptText } = await import('./script-text.mjs');
  const schemas = new Set();
  const bundle = await rolldown({
    input: 'entry',
    cwd: ROOT,
    platform: 'node',
    external: ['better-sqlite3'],
    plugins: [
      scriptText(),
      {
        name: 'entry-without-schemas',
        resolveId: (id) => {
          const schema = SCHEMA.exec(id)?.[1];
          if (schema) schemas.add(schema);
          return VIRTUAL.find(({ matches }) => matches.test(id))?.id;
        },
        load: (id) => VIRTUAL.find((module) => module.id === id)?.code,
      },
    ],
  });
  const file = path.join(ROOT, 'node_modules/.cache/jinn-generate.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  const { createRegistry, describeTools, FIXED_TOOLSETS, protocolSchema, visualizationJsonSchema, ...specs } =
    await import(pathToFileURL(file).href);
  const toolsets = await Promise.all(
    FIXED_TOOLSETS.map(async ({ name, tools }) => {
      const entries = tools.map(({ name, effect, loadDefinition }) => ({ name, effect, load: loadDefinition }));
      const describe = async (hides) =>
        describeTools(await createRegistry({ toolsets: [{ name, tools: entries }], hides }));
      // A program that has the library decides on dangerous commands itself.
      return { name, tools: await describe([]), ofLibrary: await describe(['overrides']) };
    }),
  );
  return {
    toolsets,
    schemas,
    protocol: protocolSchema(),
    visualization: visualizationJsonSchema(),
    specs: { jinn: specs.JINN_SPEC, mcp: specs.MCP_SPEC, jinni: specs.JINNI_SPEC },
  };
}

/** Returns the text of every generated file. */
function render(toolsets, schemas) {
  const files = new Map();
  for (const { name: toolset, tools } of toolsets) {
    for (const tool of tools) {
      const schema = `${toolset}/${tool.name}.json`;
      if (schemas.has(schema)) files.set(`${SCHEMAS}/${schema}`, `${JSON.stringify(tool.schema, null, 2)}\n`);
      files.set(`${PAGES}/${toolset}/${tool.name}.md`, renderPage(toolset, tool));
    }
  }
  files.set(`${PAGES}/README.md`, renderIndex(toolsets));
  const measured = contentOf(MEASURED);
  const withFigures = (page) => page.replace(FIGURES, (_, begin, end) => begin + renderFigures(measured) + end);
  const readme = contentOf('README.md').replace(TABLE, (_, begin, end) => begin + renderTable(toolsets) + end);
  files.set('README.md', withFigures(readme)).set(PERFORMANCE, withFigures(contentOf(PERFORMANCE)));
  files.set(LAYERS, drawLayers()).set(BARS, drawBars(readFigures(measured)));
  const servers = renderServers(JSON.parse(contentOf(SERVERS)));
  const lspPage = contentOf(LSP_PAGE).replace(SERVER_TABLE, (_, begin, end) => `${begin}${servers}${end}`);
  for (const [file, text] of renderManifests()) files.set(file, text);
  files.set(LSP_PAGE, lspPage).set(TOOL_TYPES, renderToolTypes(toolsets));
  return addNames(files);
}

/** Puts the names of the packages into the manifests, the changesets and the pages. */
function addNames(files) {
  for (const folder of Object.keys(NAMES)) {
    const manifest = `${folder}/package.json`;
    files.set(manifest, nameManifest(files.get(manifest) ?? contentOf(manifest), folder));
  }
  const written = ['docs', '.changeset'].flatMap(filesIn).filter((file) => !file.startsWith(`${PAGES}/`));
  const pages = written.filter((file) => file.endsWith('.md'));
  for (const page of ['README.md', 'CONTRIBUTING.md', COMPILE, ...pages])
    files.set(page, renameIn(files.get(page) ?? contentOf(page)));
  return files;
}

/** A row for each server of a language, the best first. */
function renderServers({ languages, servers }) {
  const rows = Object.values(languages).flatMap(({ name, extensions = {}, names = {}, servers: ids }) => {
    const files = [...Object.keys(extensions).map((extension) => `.${extension}`), ...Object.keys(names)].join(' ');
    return ids.map((id, i) => {
      const { command, install, runsProjectCode = '', runsCodeOf = [], codeFiles = [] } = servers[id];
      const decisive = runsCodeOf.map((file) => `**\`${file}\`**`);
      const cells = [
        i === 0 ? name : '',
        i === 0 ? files : '',
        `\`${command.join(' ')}\``,
        showInstall(install),
        runsProjectCode,
        [...decisive, ...codeFiles.map((file) => `\`${file}\``)].join(' '),
      ];
      return `| ${cells.map(escapeCell).join(' | ')} |`;
    });
  });
  return [
    '| Language | Files | Server | Install | Runs, and so needs trust | Trusted while these are unchanged |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Marks a command as code, without what stands beside it in parentheses. */
function showInstall(install) {
  return install.replace(/^(?:apt|cargo|cs|dotnet|gem|ghcup|go|nimble|nix|npm|opam|pip|rustup) .*?(?=$| \()/, '`$&`');
}

/** A table of the flags of a program, and one of its commands with theirs. */
function renderFlags(name, { flags, commands = {} }) {
  const program = name === 'mcp' ? 'jinn-mcp' : name;
  const commandRows = Object.entries(commands).flatMap(([word, command]) => commandRow(`${program} ${word}`, command));
  const tables = [
    ['| Flag | Effect |', '|---|---|', ...Object.entries(flags).map(flagRow)],
    commandRows.length > 0 ? ['| Command | Effect |', '|---|---|', ...commandRows] : [],
  ];
  return tables
    .map((rows) => rows.join('\n'))
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
}

function flagRow([name, { about, short, value, optional }]) {
  const shown = { equals: `[=${value}]`, word: ` [${value}]` }[optional] ?? (value ? ` ${value}` : '');
  const names = [...(short ? [`-${short}`] : []), `--${name}${shown}`].map((each) => `\`${each}\``).join(', ');
  return `| ${names} | ${escapeCell(about)} |`;
}

function commandRow(words, { about, flags = {}, commands = {} }) {
  const own = Object.keys(flags).filter((flag) => flag !== 'help');
  const taken = own.length > 0 ? ` (${own.map((flag) => `\`--${flag}\``).join(', ')})` : '';
  const below = Object.entries(commands).flatMap(([word, command]) => commandRow(`${words} ${word}`, command));
  return [`| \`${words}\` | ${escapeCell(about)}${taken} |`, ...below];
}

function renderPage(toolset, { name, effect, description, schema, examples }) {
  const calls = examples.map((args) => JSON.stringify({ tool: name, args }));
  return [
    '<!-- generated by `npm run generate` from the tool itself -->',
    `# ${name}`,
    description,
    `Toolset \`${toolset}\`, effect \`${effect}\`.`,
    ...renderArguments(schema),
    '## Examples',
    `\`\`\`json\n${calls.join('\n')}\n\`\`\``,
  ]
    .join('\n\n')
    .concat('\n');
}

function renderArguments({ properties = {}, required = [] }) {
  const rows = argumentRows(properties, required, '');
  if (rows.length === 0) return ['It takes no arguments.'];
  return [
    '## Arguments',
    ['| Name | Type | Required | Default | Meaning |', '|---|---|---|---|---|', ...rows].join('\n'),
  ];
}

/** Returns a table row for each argument, and below it one for each member of its entries. */
function argumentRows(properties, required, prefix) {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const fallback = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
    const cells = [`\`${prefix}${key}\``, typeOf(schema), required.includes(key) ? 'yes' : '', fallback];
    const row = `| ${cells.concat(escapeCell(schema.description ?? '')).join(' | ')} |`;
    const { properties: members = {}, required: needed = [] } = schema.items ?? {};
    return [row, ...argumentRows(members, needed, `${prefix}${key}[].`)];
  });
}

function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.type === 'array') return `array of ${schema.items ? typeOf(schema.items) : 'anything'}`;
  return schema.type ?? 'anything';
}

function renderIndex(toolsets) {
  const parts = toolsets.map(({ name, tools }) => {
    const rows = tools.map(
      (tool) => `| [${tool.name}](${name}/${tool.name}.md) | ${tool.effect} | ${firstSentence(tool)} |`,
    );
    return [`## Toolset ${name}`, ['| Tool | Effect | Purpose |', '|---|---|---|', ...rows].join('\n')].join('\n\n');
  });
  const opening = [
    '# Tools',
    'This page lists the tools of each toolset, with the most that each may do (its effect). The page of a tool has its arguments and examples.',
    `\`\`\`sh\n${LIST_TOOLS}\n\`\`\``,
  ];
  return ['<!-- generated by `npm run generate` -->', ...opening, ...parts].join('\n\n').concat('\n');
}

/** A row for each toolset, with the number of its tools. */
function renderTable(toolsets) {
  const rows = Object.entries(TOOLSETS).map(([name, use]) => {
    const { tools } = toolsets.find((each) => each.name === name);
    const title = `[\`${name}\`](${PAGES}/README.md#toolset-${name})${name === 'jinn' ? ' (default)' : ''}`;
    return `| ${title} | ${tools.length} | ${use} |`;
  });
  return ['| Toolset | Tools | Use it for |', '|---|--:|---|', ...rows, ''].join('\n');
}

function firstSentence({ description }) {
  return escapeCell(/^.*?[.;:](?=\s|$)/s.exec(description)?.[0].replace(/[.;:]$/, '') ?? description);
}

function escapeCell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function filesIn(folder) {
  const absolute = path.join(ROOT, folder);
  return fs.existsSync(absolute)
    ? fs
        .readdirSync(absolute, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    : [];
}

function contentOf(file) {
  const absolute = path.join(ROOT, file);
  return fs.existsSync(absolute) ? fs.readFileSync(absolute, 'utf8') : '';
}

function write(file, text) {
  fs.mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
  fs.writeFileSync(path.join(ROOT, file), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  const check = process.argv.includes('--check');
  const files = await generate({ check });
  for (const file of files) console.log(check ? `not up to date: ${file}` : `wrote ${file}`);
  if (check && files.length > 0) {
    console.log('`npm run generate` brings them up to date');
    process.exitCode = 1;
  }
}
