import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { once, scratch } from '../measure.mjs';

/** The release of Debian that the sources are of. */
const RELEASE = 'deb-src http://deb.debian.org/debian bookworm main\n';

/** Fetches the source of `name@version` from npm or from Debian. Returns its directory. */
export function fetchSource(name, from) {
  const directory = scratch(`source-${name}`);
  if (fs.readdirSync(directory).length > 0) return directory;
  const archive = from === 'npm' ? packFromNpm(name) : downloadFromDebian(name);
  execFileSync('tar', ['-xf', archive, '-C', directory, '--strip-components=1']);
  fs.rmSync(archive);
  return directory;
}

function packFromNpm(name) {
  const into = scratch('archives');
  return path.join(into, execFileSync('npm', ['pack', '--silent', name], { cwd: into, encoding: 'utf8' }).trim());
}

function downloadFromDebian(name) {
  const cwd = scratch('archives');
  const [source, version] = name.split('@');
  execFileSync('apt-get', [...aptFlags(), 'source', '--download-only', source], { cwd, stdio: 'ignore' });
  const file = fs.readdirSync(cwd).find((entry) => entry.startsWith(`${source}_${version}.orig.tar.`));
  if (!file) throw new Error(`Debian has no ${name}`);
  return path.join(cwd, file);
}

/** Sets up lists of packages of its own, so that those of the machine stay as they are. */
const aptFlags = once(() => {
  const home = scratch('apt');
  for (const directory of ['lists/partial', 'cache/archives/partial']) {
    fs.mkdirSync(path.join(home, directory), { recursive: true });
  }
  fs.writeFileSync(path.join(home, 'sources.list'), RELEASE);
  const flags = [
    `Dir::Etc::SourceList=${home}/sources.list`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State::Lists=${home}/lists`,
    `Dir::Cache=${home}/cache`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  execFileSync('apt-get', [...flags, 'update'], { stdio: 'ignore' });
  return flags;
});
