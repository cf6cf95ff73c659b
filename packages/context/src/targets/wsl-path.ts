const REMOTE = /^(?:vscode-remote:\/\/|vscode:\/\/vscode-remote\/)wsl(?:(?:\+|%2B)|\.localhost\/)([^/]+)(\/.*)?$/i;

/** Translates an editor's address of a file in WSL into a path. Returns anything else as it is. */
export function translateWslPath(path: string): string {
  const match = REMOTE.exec(path);
  if (!match) return path;
  try {
    return decodeURIComponent(match[2] ?? '/');
  } catch {
    return path;
  }
}
