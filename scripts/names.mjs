// The names of the packages in npm's registry. `npm run generate` puts them into the manifests, the changesets and the pages.
// It must load on Node 12, as setup.mjs must.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './setup.mjs';

/** What stands before each name, such as `@scope/`. */
const SCOPE = '';
const BARE = {
  'apps/jinn': 'jinn',
  'apps/mcp-server': 'jinn-mcp',
  'apps/jinni': 'jinni',
  'packages/sdk': 'jinn-sdk',
  'packages/grammars': 'jinn-grammars',
};
const EACH = Object.values(BARE).join('|');
const INSTALLS = new RegExp(
  String.raw`npm install (-g )?(?:"\$\(npm pack --silent \./((?:apps|packages)/[\w-]+)\)"|(?:@[\w-]+/)?(${EACH}))(?![\w@/.-])`,
  'g',
);
const IMPORTS = /(')(?:@[\w-]+\/)?(jinn-sdk'|jinn-grammars\/)/g;
const CHANGES = new RegExp(`^"(?:@[\\w-]+/)?(${EACH})": `, 'gm');

/** The name of each package, by its folder. */
export const NAMES = Object.fromEntries(Object.entries(BARE).map(([folder, name]) => [folder, SCOPE + name]));

/** Says whether npm's registry has a package, or will have it with the next release. */
export function isPublished(folder) {
  return !JSON.parse(fs.readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')).private;
}

/** Returns the command that installs a program: by its name, or from this clone as long as it is not published. */
export function installCommand(folder, flag = '-g ') {
  return `npm install ${flag}${isPublished(folder) ? NAMES[folder] : `"$(npm pack --silent ./${folder})"`}`;
}

/** Returns the manifest of a package with its name. */
export function nameManifest(text, folder) {
  return text.replace(/"name": "[^"]*"/, `"name": "${NAMES[folder]}"`);
}

/** Returns a page or a changeset with the names of today. */
export function renameIn(text) {
  const folderOf = (name) => Object.keys(BARE).find((folder) => BARE[folder] === name);
  return text
    .replace(INSTALLS, (_, flag = '', folder, name) => installCommand(folder || folderOf(name), flag))
    .replace(IMPORTS, (_, begin, name) => begin + SCOPE + name)
    .replace(CHANGES, (_, name) => `"${SCOPE}${name}": `);
}
