import type { Grant } from '@jinn/core';
import { SERVER_TOOL, TOOL_TRUST } from '@jinn/core/trust';
import { fingerprintFolder } from '../folders/index.ts';
import { type CommandHost, survey } from './command-host.ts';

const GONE = 'the tool is gone';
const CHANGED = 'its code has changed';

/** Makes a function that returns why a grant does not count any more; undefined for one that may count. */
export async function createEndFinder(
  grants: readonly Grant[],
  host: CommandHost,
): Promise<(grant: Grant) => string | undefined> {
  const { tools, untrusted } = await survey(host);
  const folders = [...tools, ...untrusted];
  const { listLanguages } = await import('@jinn/lsp');
  const servers = grants.some(({ tool }) => tool === SERVER_TOOL)
    ? await listLanguages(host.machine).then(({ languages }) => languages.flatMap((each) => each.servers))
    : [];
  return ({ tool, type, key, fingerprint }) => {
    if (tool === SERVER_TOOL) return servers.some(({ id, untrusted: own }) => id === key && own) ? CHANGED : undefined;
    // Grants for commands from before all that runs was bound have the command in the place of a hash.
    if (host.builtIn.has(tool)) return fingerprint === key ? 'an older jinn gave it' : undefined;
    const found = folders.find(({ name, shown }) => (type === TOOL_TRUST ? shown === key : name === tool));
    if (!found) return GONE;
    return fingerprintFolder(found.folder) === fingerprint ? undefined : CHANGED;
  };
}
