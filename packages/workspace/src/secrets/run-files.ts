import type { ChangedFile, MutationContext } from '../guard/mutate/mutation.ts';

/** Names of places, in lower case: a home may be on a file system that ignores case. */
export interface PlaceTree {
  /** True for a place itself: all that is below it belongs to it. */
  isPlace: boolean;
  /** By their first character, so that few need to be looked at for a name that is known in part. */
  readonly named: Map<string, Map<string, PlaceTree>>;
  /** What is below names with `*` in them, which stands for any text. */
  readonly patterns: Map<string, PlaceTree>;
}

/**
 * Files of a project that a program runs, or takes commands from, when a user opens the project or works in it. Anyone who
 * can write them can run something as the user. A directory stands for everything in it, `*` for any text within one
 * name.
 */
const OF_PROJECTS: Readonly<Record<string, string>> = {
  'VS Code': `
    .vscode/extensions.json, .vscode/launch.json, .vscode/mcp.json, .vscode/settings.json, .vscode/tasks.json,
    *.code-workspace
  `,
  'a tool for dev containers': '.devcontainer, .devcontainer.json',
  direnv: '.envrc',
  mise: `
    .config/mise, .config/mise.toml, .mise, .mise.*.toml, .mise.toml, mise.*.toml, mise.toml, mise/config.local.toml,
    mise/config.toml
  `,
  'an agent by MCP': '.mcp.json',
  'Claude Code': `
    .claude/agents, .claude/commands, .claude/hooks, .claude/settings.json, .claude/settings.local.json, .claude/skills
  `,
  Codex: '.codex',
  Cursor: '.cursor/environment.json, .cursor/hooks, .cursor/hooks.json, .cursor/mcp.json, .cursor/worktrees.json',
  'Gemini CLI': '.gemini/extensions, .gemini/settings.json',
  'Qwen Code': '.qwen/settings.json',
  OpenCode: '.opencode, opencode.json, opencode.jsonc',
  Crush: '.crush.json, crush.json',
  'Amazon Q': '.amazonq/cli-agents, .amazonq/mcp.json',
  'Roo Code': '.roo/mcp.json',
  Kilo: '.kilocode/mcp.json',
  Kiro: '.kiro/agents, .kiro/hooks, .kiro/settings',
  Cline: '.clinerules/hooks',
  Windsurf: '.windsurf/hooks.json',
  'GitHub Copilot': '.github/hooks',
  Aider: '.aider.conf.yml',
  Mercurial: '.hg/hgrc',
  Continue: '.continue/mcpServers',
  Zed: '.zed/debug.json, .zed/settings.json, .zed/tasks.json',
  'an editor of JetBrains': '.fleet, .idea, .run',
  Vim: '.exrc, .lvimrc, .nvim.lua, .nvimrc, .vimrc',
  Emacs: '.dir-locals-2.el, .dir-locals.el',
  Helix: '.helix',
};

/**
 * Files below the home that a session, git, ssh or a common program runs when it starts. Any path with these names
 * counts: a home may be reached by a path that does not look like one.
 */
const OF_STARTS: Readonly<Record<string, string>> = {
  'the shell': `
    .bash_aliases, .bash_completion, .bash_login, .bash_logout, .bash_profile, .bashrc, .config/elvish, .config/fish,
    .config/nushell, .config/powershell, .config/starship.toml, .config/zsh, .cshrc, .inputrc, .kshrc, .login, .logout, .mkshrc,
    .oh-my-bash, .oh-my-zsh, .profile, .tcshrc, .xonshrc, .zlogin, .zlogout, .zprofile, .zshenv, .zshrc
  `,
  'the desktop': `
    .config/autostart, .config/autostart-scripts, .config/environment.d, .config/hypr, .config/i3, .config/openbox,
    .config/plasma-workspace, .config/sway, .config/systemd, .config/xfce4, .config/xprofile, .local/share/applications,
    .local/share/dbus-1, .local/share/systemd, .pam_environment, .xinitrc, .xprofile, .Xresources, .xserverrc,
    .xsession, .xsessionrc, Library/LaunchAgents
  `,
  ssh: '.ssh',
  git: '.config/git, .gitattributes_global, .gitconfig',
  'an everyday program': `
    .curlrc, .emacs, .exrc, .gdbinit, .hgrc, .irbrc, .lesskey, .npmrc_global, .perldb, .pryrc, .psqlrc, .pythonrc, .Rprofile,
    .screenrc, .sqliterc, .tmux.conf, .vimrc, .wgetrc
  `,
};

/** The same for names that mean something else in a project. */
const BELOW_HOME: Readonly<Record<string, string>> = {
  'the shell': '.bun/bin, .cargo/bin, .deno/bin, .local/bin, bin, go/bin',
  'an everyday program': `
    .cargo/config.toml, .claude, .codex, .config/alacritty, .config/Code/User, .config/direnv, .config/emacs, .config/helix,
    .config/kitty, .config/mise, .config/nvim, .config/tmux, .config/VSCodium/User, .config/wezterm, .config/zed, .emacs.d,
    .gemini, .gvimrc, .lldbinit, .mailcap, .npmrc, .vim, .wezterm.lua
  `,
};

export interface RunFiles {
  /** The names without `*`, as paths below the top of a project or the home. */
  readonly paths: readonly string[];
  tree(): PlaceTree;
  /** Returns the program that runs a file, by its path below the top of a project or the home. */
  runnerAt(path: string): string | undefined;
  /** Returns the program that runs a file, by the end of its path. */
  runnerOf(path: string): string | undefined;
  /** Reports whether this is a path of the table, or of a directory in it. */
  holds(path: string): boolean;
}

export const PROJECT_RUN_FILES: RunFiles = toRunFiles(OF_PROJECTS);
/** Known without the home in front of them. */
export const START_FILES: RunFiles = toRunFiles(OF_STARTS);
export const HOME_RUN_FILES: RunFiles = toRunFiles(OF_STARTS, BELOW_HOME);

function toRunFiles(...tables: Readonly<Record<string, string>>[]): RunFiles {
  let known: { runner: string; tree: PlaceTree }[] | undefined;
  let whole: PlaceTree | undefined;
  const rows = tables.flatMap((table) => Object.entries(table));
  const trees = () => {
    known ??= rows.map(([runner, text]) => ({ runner, tree: toPlaceTree(toList(text)) }));
    return known;
  };
  const tree = () => {
    whole ??= toPlaceTree(rows.flatMap(([, text]) => toList(text)));
    return whole;
  };
  const runnerFrom = (names: readonly string[], from: number) =>
    trees().find((one) => follow(one.tree, names, from).some(isPlace))?.runner;
  return {
    paths: rows.flatMap(([, text]) => toList(text)).filter((path) => !path.includes('*')),
    tree,
    runnerAt: (path) => runnerFrom(path.split('/'), 0),
    runnerOf: (path) => {
      const names = path.split('/');
      const from = names.findIndex((_, i) => follow(tree(), names, i).some(isPlace));
      return from < 0 ? undefined : runnerFrom(names, from);
    },
    holds: (path) => follow(tree(), path.split('/')).length > 0,
  };
}

function toList(text: string): string[] {
  return text.trim().split(/,\s+/);
}

export function toPlaceTree(paths: readonly string[]): PlaceTree {
  const root = emptyTree();
  for (const path of paths) {
    let at = root;
    for (const name of path.toLowerCase().split('/')) {
      const names = name.includes('*') ? at.patterns : namesLike(at, name);
      const below = names.get(name) ?? emptyTree();
      names.set(name, below);
      at = below;
    }
    at.isPlace = true;
  }
  return root;
}

/** Returns what a name points to: more than one branch if patterns match it too. */
export function branchesAt(tree: PlaceTree, name: string): PlaceTree[] {
  const folded = name.toLowerCase();
  const exact = tree.named.get(folded.charAt(0))?.get(folded);
  const found = exact ? [exact] : [];
  for (const [pattern, branch] of tree.patterns) if (matches(folded, pattern)) found.push(branch);
  return found;
}

/** Returns where the names from a position on point to, but no further than to a place. */
export function follow(tree: PlaceTree, names: readonly string[], from = 0, step = branchesAt): PlaceTree[] {
  let found = [tree];
  for (let i = from; i < names.length && found.length > 0 && !found.some(isPlace); i++) {
    found = found.flatMap((branch) => step(branch, names[i] ?? ''));
  }
  return found;
}

export function isPlace(branch: PlaceTree): boolean {
  return branch.isPlace;
}

function namesLike({ named }: PlaceTree, name: string): Map<string, PlaceTree> {
  const initial = name.charAt(0);
  const names = named.get(initial) ?? new Map();
  named.set(initial, names);
  return names;
}

function matches(name: string, pattern: string): boolean {
  const [start = '', end = ''] = pattern.split('*');
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

function emptyTree(): PlaceTree {
  return { isPlace: false, named: new Map(), patterns: new Map() };
}

/** Warns if a program runs a written file. `findLinked` returns the paths that a link is on the way to. */
export function warnOfRunners(
  ctx: MutationContext,
  files: readonly ChangedFile[],
  findLinked: (root: string, paths: readonly string[]) => readonly { path: string; real: string }[],
): void {
  const { root } = ctx.workspace;
  const written = files.filter(({ changed, after }) => changed && after);
  const linked = written.length === 0 ? [] : findLinked(root, PROJECT_RUN_FILES.paths);
  for (const { file } of written) {
    const link = linked.find(({ real }) => `${root}/${file.path}/`.startsWith(`${real}/`));
    const runner = runnerOf(file.path) ?? (link && runnerOf(link.path));
    if (runner === undefined) continue;
    const by = link ? ` by the link ${link.path}` : '';
    ctx.warn(
      `${file.path} is a file that ${runner} runs or takes commands from${by}: tell the user that it was changed`,
    );
  }
}

function runnerOf(path: string): string | undefined {
  return PROJECT_RUN_FILES.runnerOf(path) ?? START_FILES.runnerOf(path);
}
