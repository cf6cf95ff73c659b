import { LAYERS, parseContextRules } from './context-rules.ts';
import { ruleOfKept } from './exclusions.ts';

/**
 * Compiles globs into a test for paths. A glob also holds for everything below a directory that it matches. No globs
 * match every path.
 */
export function compileGlobs(globs: readonly string[], flag: string): (path: string) => boolean {
  if (globs.length === 0) return () => true;
  const lines = globs.flatMap((glob) => ruleOfKept(glob, flag).lines);
  const { list } = parseContextRules(Buffer.from(lines.join('\n')), { file: flag, base: [], layer: LAYERS.flags });
  return (path) => {
    const names = path.split('/');
    return names.some((name, i) => {
      return list.find({ directory: names.slice(0, i), depth: 0 }, name, i < names.length - 1) !== undefined;
    });
  };
}
