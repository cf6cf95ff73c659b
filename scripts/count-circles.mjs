/**
 * Counts the groups of files that reach each other by their imports (Tarjan's strongly connected components of two and more).
 * `kind` names the set of files that each file imports.
 */
export function countCircles(files, kind) {
  const targets = new Map(files.map((each) => [each.file, each[kind]]));
  const numbers = new Map();
  const lowest = new Map();
  const path = [];
  let circles = 0;
  const visit = (file) => {
    numbers.set(file, numbers.size);
    lowest.set(file, numbers.get(file));
    path.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!targets.has(target)) continue;
      if (!numbers.has(target)) visit(target);
      if (path.includes(target)) lowest.set(file, Math.min(lowest.get(file), lowest.get(target)));
    }
    if (lowest.get(file) !== numbers.get(file)) return;
    const group = path.splice(path.indexOf(file));
    if (group.length > 1) circles++;
  };
  for (const file of targets.keys()) if (!numbers.has(file)) visit(file);
  return circles;
}
