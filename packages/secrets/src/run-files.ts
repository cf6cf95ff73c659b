import { branchesAt, type PlaceTree, toPlaceTree } from './place-tree.ts';

/**
 * Files of a project that a program runs, or takes commands from, when somebody opens the project or works in it. Whoever can
 * write them can run something as the person. A directory stands for everything in it, `*` for any text within one name.
 */
const OF_PROJECTS: Readonly<Record<string, string>> = {
  'VS Code': `
    .vscode/extensions.json, .vscode/launch.json, .vscode/mcp.json, .vscode/settings.json, .vscode/tasks.json,
    *.code-workspace
  `,
  'a tool for dev containers': '.devcontainer, .devcontainer.json',
  direnv: '.envrc',
  mise: '.mise, .mise.toml, mise.toml',
  'an agent by MCP': '.mcp.json',
  'Claude Code': `
    .claude/agents, .claude/commands, .claude/hooks, .claude/settings.json, .claude/settings.local.json, .claude/skills
  `,
  Codex: '.codex',
  Cursor: '.cursor/environment.json, .cursor/hooks, .cursor/hooks.json, .cursor/mcp.json',
  'Gemini CLI': '.gemini/settings.json',
  'Qwen Code': '.qwen/settings.json',
  OpenCode: '.opencode, opencode.json, opencode.jsonc',
  Crush: '.crush.json, crush.json',
  'Amazon Q': '.amazonq/cli-agents, .amazonq/mcp.json',
  'Roo Code': '.roo/mcp.json',
  Kilo: '.kilocode/mcp.json',
  Kiro: '.kiro/hooks, .kiro/settings',
  Continue: '.continue/mcpServers',
  Zed: '.zed/debug.json, .zed/settings.json, .zed/tasks.json',
  'an editor of JetBrains': '.fleet, .idea, .run',
  Vim: '.exrc, .lvimrc, .nvim.lua, .nvimrc, .vimrc',
  Emacs: '.dir-locals-2.el, .dir-locals.el',
  Helix: '.helix',
};

/** The same below the home: what a shell, a desktop or a program of every day runs when it starts. */
const OF_HOME: Readonly<Record<string, string>> = {
  'the shell': `
    .bash_aliases, .bash_completion, .bash_login, .bash_logout, .bash_profile, .bashrc, .config/elvish, .config/fish,
    .config/nushell, .config/powershell, .config/starship.toml, .config/zsh, .cshrc, .inputrc, .kshrc, .login, .logout, .mkshrc,
    .oh-my-bash, .oh-my-zsh, .profile, .tcshrc, .xonshrc, .zlogin, .zlogout, .zprofile, .zshenv, .zshrc, bin, .bun/bin,
    .cargo/bin, .deno/bin, .local/bin, go/bin
  `,
  'the desktop': `
    .config/autostart, .config/autostart-scripts, .config/environment.d, .config/hypr, .config/i3, .config/openbox,
    .config/plasma-workspace, .config/sway, .config/systemd, .config/xfce4, .config/xprofile, .local/share/applications,
    .local/share/dbus-1, .local/share/systemd, .pam_environment, .xinitrc, .xprofile, .Xresources, .xserverrc,
    .xsession, .xsessionrc, Library/LaunchAgents
  `,
  ssh: '.ssh',
  git: '.config/git, .gitconfig',
  'a program that the person starts': `
    .config/alacritty, .config/direnv, .config/emacs, .config/helix, .config/kitty, .config/mise, .config/nvim,
    .config/tmux, .config/Code/User, .config/VSCodium/User, .config/wezterm, .config/zed, .cargo/config.toml, .claude, .codex,
    .emacs, .emacs.d, .gdbinit, .gemini, .gvimrc, .lldbinit, .mailcap, .npmrc, .psqlrc, .pythonrc, .screenrc, .sqliterc, .tmux.conf, .vim, .vimrc, .wezterm.lua
  `,
};

/** A table of files that programs run, as it can be searched. */
export interface RunFiles {
  /** Returns the names of the table, below the top of a project or the home. */
  tree(): PlaceTree;
  /** Returns the program that runs a file, by the end of its path; undefined if none does. */
  runnerOf(path: string): string | undefined;
  /** Reports whether this is a path of the table, or of a directory in it. */
  holds(path: string): boolean;
}

/** Files of a project, below its top directory. */
export const PROJECT_RUN_FILES: RunFiles = toRunFiles(OF_PROJECTS);
/** Files below the home. */
export const HOME_RUN_FILES: RunFiles = toRunFiles(OF_HOME);

function toRunFiles(table: Readonly<Record<string, string>>): RunFiles {
  const toList = (text: string) => text.trim().split(/,\s+/);
  let known: { runner: string; tree: PlaceTree }[] | undefined;
  let whole: PlaceTree | undefined;
  const trees = () => {
    known ??= Object.entries(table).map(([runner, text]) => ({ runner, tree: toPlaceTree(toList(text)) }));
    return known;
  };
  const tree = () => {
    whole ??= toPlaceTree(Object.values(table).flatMap(toList));
    return whole;
  };
  const runnerOf = (path: string): string | undefined => {
    const found = trees().find((one) => follow(one.tree, path).some(({ isPlace }) => isPlace));
    const end = path.indexOf('/') + 1;
    return found?.runner ?? (end > 0 ? runnerOf(path.slice(end)) : undefined);
  };
  return { tree, runnerOf, holds: (path) => follow(tree(), path).length > 0 };
}

/** Returns what a path leads to, or the place that it lies in. */
function follow(tree: PlaceTree, path: string): PlaceTree[] {
  let at = [tree];
  for (const name of path.split('/')) {
    const places = at.filter(({ isPlace }) => isPlace);
    at = [...places, ...at.flatMap((one) => branchesAt(one, name))];
  }
  return at;
}
