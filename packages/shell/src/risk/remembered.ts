const MAX_KEPT = 4_096;

/** Returns `find`, which then runs once a name. Commands may hold any number of names, so 4096 results are kept at most. */
export function remembered<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    if (known.has(name)) return known.get(name) as T;
    const found = find(name);
    if (known.size >= MAX_KEPT) known.clear();
    known.set(name, found);
    return found;
  };
}
