/** Reports whether a path is a place or lies in it. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}

/** Leaves out paths within another one. */
export function outermost(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].sort()) if (!kept.some((place) => isWithin(path, place))) kept.push(path);
  return kept;
}
