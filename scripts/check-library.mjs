// Packs the library as it is built, and checks what its users get: publint its files and exports, attw its types.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT, run, runTool } from './setup.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-library-'));
try {
  const options = { cwd: path.join(ROOT, 'packages/sdk') };
  const packed = run('npm', ['pack', '--ignore-scripts', '--loglevel=error', `--pack-destination=${folder}`], options);
  const file = path.join(folder, fs.readdirSync(folder)[0] ?? 'none.tgz');
  // Node.js loads it with import and, from 20.19 on, with require.
  const checked = [packed, runTool('publint', [file, '--strict']), runTool('attw', [file, '--profile=esm-only'])];
  for (const { ok, output } of checked) if (!ok) console.error(output);
  if (!checked.every(({ ok }) => ok)) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true });
}
