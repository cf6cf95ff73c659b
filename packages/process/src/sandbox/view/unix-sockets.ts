import fs from 'node:fs';

/**
 * Returns the paths of the Unix sockets of this machine on which somebody listens or receives. The list of the system
 * shows a path as the server wrote it, so that one below another root may be named too.
 */
export function unixSockets(): string[] {
  let text: string;
  try {
    text = fs.readFileSync('/proc/net/unix', 'latin1');
  } catch {
    return [];
  }
  const paths = new Set<string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(' /');
    if (at >= 0) paths.add(line.slice(at + 1));
  }
  return [...paths];
}

export function isSocketForUser(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return fs.statSync(path).isSocket();
  } catch {
    return false;
  }
}
