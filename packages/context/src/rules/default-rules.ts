import { type ContextRule, LAYERS } from './context-rules.ts';

/** The rules that hold unless a later one says otherwise. No rule takes in secrets. */
const LINES = [
  '!.* !.contextfiles !node_modules/ !__pycache__/ !*.pyc !*.pyo !venv/ !env/ !.venv/ !.env/ !*.egg-info/',
  '!build/ !dist/ !target/ !out/ !bin/ !obj/ !output/ !logs/ !*.log !log.* !*.bak !*.tmp !*.temp !*.swp !*~',
  '!*.gz !*.zip !*.tar !*.bz2 !*.xz !*.7z !*.rar !*.zipx !Thumbs.db !LICENSE',
].join(' ');

/**
 * Names of build output, and of files that programs leave behind. A file that git tracks has such a name by accident.
 */
const BEATEN = new Set(
  [
    '!venv/ !env/ !*.egg-info/ !build/ !dist/ !target/ !out/ !bin/ !obj/ !output/ !logs/',
    '!*.log !log.* !*.bak !*.tmp !*.temp',
  ]
    .join(' ')
    .split(' '),
);

/** Reports whether a file that git tracks is taken in even if this built-in rule matches it or a directory above it. */
export function isBeatenByTracking({ text }: Pick<ContextRule, 'text'>): boolean {
  return BEATEN.has(text);
}

/**
 * Makes the built-in rules, as `parseContextRules` would parse them. They need none of its checks, which would take
 * most of the time before the walk.
 */
export function defaultRules(): readonly ContextRule[] {
  return LINES.split(' ').map((text, i) => {
    const directoriesOnly = text.endsWith('/');
    return {
      text,
      pattern: text.slice(1, directoriesOnly ? -1 : undefined),
      excludes: true,
      directoriesOnly,
      anchored: false,
      file: 'built-in rules',
      line: i + 1,
      layer: LAYERS.builtIn,
      order: i + 1,
    };
  });
}
