import FRAMEWORKS from './frameworks.json' with { type: 'json' };

/** Returns the frameworks among the dependencies of one kind, in the order of the dependencies, as their makers spell them. */
export function frameworksOf(kind: keyof typeof FRAMEWORKS, dependencies: Iterable<string>): string[] {
  const names: Readonly<Record<string, string>> = FRAMEWORKS[kind];
  const known = [...dependencies].filter((dependency) => Object.hasOwn(names, dependency));
  return [...new Set(known.flatMap((dependency) => names[dependency] ?? []))];
}
