// Packs the MCP server, as it is built, into an .mcpb bundle that hosts install by a click, and writes beside it the entry for the
// registry of MCP servers. Native modules fit one system, so the bundle has none: it searches with its own engine, and undo
// needs the SQLite of Node 22.13 or newer.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packExtension } from '@anthropic-ai/mcpb';
import { bundleName, describeBundle, describeServer } from './manifests.mjs';
import { copyGrammars } from './program.mjs';
import { ROOT, stop } from './setup.mjs';

const SERVER = path.join(ROOT, 'apps/mcp-server');
const PARTS = ['dist', 'LICENSE', 'README.md'];

/** Writes the bundle and the entry for the registry into a directory. Returns the path of the bundle. */
async function bundleServer(directory) {
  if (!fs.existsSync(path.join(SERVER, 'dist/jinn-mcp.cjs')))
    stop('The server is not built: run `npm run build` first.');
  const staged = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-bundle-'));
  for (const part of PARTS) fs.cpSync(path.join(SERVER, part), path.join(staged, part), { recursive: true });
  copyGrammars(path.join(staged, 'dist/grammars'));
  write(staged, 'manifest.json', describeBundle());
  fs.mkdirSync(directory, { recursive: true });
  const bundle = path.join(directory, bundleName());
  const packed = await packExtension({ extensionPath: staged, outputPath: bundle, silent: true });
  fs.rmSync(staged, { recursive: true, force: true });
  if (!packed) stop('mcpb refused the bundle; the lines above say why.');
  const sha256 = createHash('sha256').update(fs.readFileSync(bundle)).digest('hex');
  write(directory, 'server.json', describeServer({ sha256 }));
  return bundle;
}

function write(directory, name, value) {
  fs.writeFileSync(path.join(directory, name), `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = path.resolve(process.argv[2] ?? path.join(ROOT, 'bundle'));
  console.log(`wrote ${await bundleServer(directory)}, and server.json beside it`);
}
