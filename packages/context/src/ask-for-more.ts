/** The directory that the most of some files lie in, below all directories that they have in common. */
export function fullestDirectory(paths: readonly string[]): string | undefined {
  const split = paths.map((path) => path.split('/').slice(0, -1));
  let depth = 0;
  while (split.length > 0 && split.every((names) => names.length > depth && names[depth] === split[0]?.[depth]))
    depth++;
  const counts = new Map<string, number>();
  for (const names of split) {
    if (names.length <= depth) continue;
    const directory = names.slice(0, depth + 1).join('/');
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  const [fullest] = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return fullest?.[0] ?? (depth > 0 ? split[0]?.slice(0, depth).join('/') : undefined);
}
