import { LAYERS, parseContextRules, RuleTable } from './context-rules.ts';
import { ruleOfKept } from './exclusions.ts';

/** Compiles globs into a test for paths. A glob also holds for everything below what it matches; none matches all. */
export function compileGlobs(globs: readonly string[], flag: string): (path: string) => boolean {
  if (globs.length === 0) return () => true;
  const lines = globs.flatMap((glob) => ruleOfKept(glob, flag).lines);
  const source = { file: flag, base: '', layer: LAYERS.flags };
  const table = new RuleTable(parseContextRules(Buffer.from(lines.join('\n')), source).rules, '');
  return (path) => {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      if (slash > 0 && table.find(path.slice(0, slash), true)) return true;
    }
    return table.find(path, false) !== undefined;
  };
}
