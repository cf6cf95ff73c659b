import { type ContextRule, LAYERS } from './context-rule.ts';

/** What is left out unless a rule says otherwise. Secrets are never taken in by a rule at all. */
const LINES = [
  '!.* !.contextfiles !node_modules/ !__pycache__/ !*.pyc !*.pyo !venv/ !env/ !.venv/ !.env/ !*.egg-info/',
  '!build/ !dist/ !target/ !out/ !bin/ !obj/ !output/ !logs/ !*.log !log.* !*.bak !*.tmp !*.temp !*.swp !*~',
  '!*.gz !*.zip !*.tar !*.bz2 !*.xz !*.7z !*.rar !*.zipx !Thumbs.db !LICENSE',
].join(' ');

/**
 * The built-in rules, as `parseContextRules` reads them from a line each. They need none of what else a line may be: to
 * look for it would take most of the time of a run before its walk.
 */
export function defaultRules(): readonly ContextRule[] {
  return LINES.split(' ').map((text, i) => {
    const directoriesOnly = text.endsWith('/');
    return {
      text,
      pattern: text.slice(1, directoriesOnly ? -1 : undefined),
      includes: false,
      directoriesOnly,
      anchored: false,
      file: 'built-in rules',
      line: i + 1,
      base: '',
      layer: LAYERS.builtIn,
      order: i + 1,
    };
  });
}
