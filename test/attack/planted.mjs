import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { MAX_MB, MAX_MS, within } from './bounds.mjs';
import { newRow, note, openByHandshake, openHttp, programsOf } from './doors.mjs';
import { environmentOf, makeDirectory, removeDirectory, startSession } from './jinn-process.mjs';

/** A call that has no answer by then waits for something that was planted, however busy the machine is. */
const WAIT_MS = 20_000;
const MANY = 100_000;
const MARK = 'A-PLANTED-PROGRAM-RAN';

export const suite = {
  name: 'planted',
  title:
    'FIFOs, sockets, devices, huge files and directories, and links under every name that jinn looks for by itself; programs in the PATH',
  async *run({ jinn, quick }) {
    for (const kind of KINDS.filter((_, i) => !quick || QUICK[i].length > 0)) {
      const row = newRow(`${kind.what} under ${quick ? 'one' : 'each'} of ${NAMES.length} names`);
      const names = quick ? QUICK[KINDS.indexOf(kind)] : NAMES;
      for (const name of names) await plantAndCall(row, { jinn, kind, name, quick });
      yield row;
    }
    yield await askOverHttp(jinn, quick);
    yield await lureByPath(jinn, quick);
    yield lureByLinks(jinn, quick);
  },
};

/** What git, walks, dumps, language servers, custom tools and the sandbox look for. `lib` is a nested repository. */
const NAMES = [
  ...['', '/HEAD', '/config', '/config.worktree', '/index', '/packed-refs', '/commondir', '/gitdir', '/shallow'],
  ...['/info', '/info/exclude', '/info/attributes', '/hooks', '/hooks/pre-commit', '/objects', '/objects/pack'],
  ...['/objects/pack/x.idx', '/objects/info/alternates', '/refs/heads/x', '/refs', '/modules', '/modules/x/HEAD'],
  ...['/worktrees', '/worktrees/x/gitdir', '/worktrees/x/HEAD', '/logs/HEAD'],
]
  .map((name) => `.git${name}`)
  .concat([
    ...['lib/.git', 'lib/HEAD', '.gitignore', '.ignore', '.rgignore', '.gitattributes', '.gitmodules', '.contextfiles'],
    ...['lib/.gitignore', 'lib/.contextfiles', 'lib/.gitattributes', '.editorconfig', '.env', '.envrc', '.vscode'],
    ...['.vscode/settings.json', '.vscode/tasks.json', '.mcp.json', '.claude', '.claude/settings.json', '.idea'],
    ...['package.json', 'package-lock.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.json', 'jsconfig.json'],
    ...['lib/package.json', 'lib/tsconfig.json', 'node_modules', 'node_modules/.bin/tsc', 'node_modules/typescript'],
    ...['node_modules/typescript/package.json', 'pyproject.toml', 'setup.py', 'requirements.txt', '.venv/bin/python'],
    ...['go.mod', 'go.work', 'Cargo.toml', 'Cargo.lock', 'build.rs', '.cargo/config.toml', 'pom.xml', 'build.gradle'],
    ...['Makefile', 'Gemfile', 'composer.json', 'mix.exs', 'Dockerfile', 'deno.json', 'CMakeLists.txt', 'turbo.json'],
    ...[
      'AGENTS.md',
      'CLAUDE.md',
      'README.md',
      'jinni.config.json',
      '.jinni',
      '.jinn',
      '.jinn/tools',
      'x.sln',
      'x.csproj',
    ],
    ...['.jinn/tools/x', '.jinn/tools/x/tool.md', '.jinn/tools/x/tool.json', '.jinn/tools/x/main.sh', 'a.ts', 'src'],
  ]);
/** The names of a short run, for the kinds in their order. */
const QUICK = [['lib/.git'], [], ['.gitignore'], ['.git/HEAD'], ['.git/worktrees'], [], ['.git/config'], []];

const KINDS = [
  { what: 'a FIFO', plant: (at) => run('mkfifo', at) },
  {
    what: 'a socket',
    plant: (at) =>
      run(
        'perl',
        '-MSocket',
        '-e',
        'socket(S,1,1,0); chdir shift; bind(S, sockaddr_un(shift)) or die',
        path.dirname(at),
        path.basename(at),
      ),
  },
  { what: 'a device without end', plant: (at) => run('mknod', at, 'c', '1', '5') },
  { what: 'a file of 2 GB', plant: (at) => run('truncate', '-s', '2G', at) },
  { what: `a directory of ${MANY} entries`, plant: plantMany },
  { what: 'a link to a device', plant: (at) => fs.symlinkSync('/dev/zero', at) },
  { what: 'a link to /proc', plant: (at) => fs.symlinkSync('/proc/self', at) },
  { what: 'a link to the kernel log', plant: (at) => fs.symlinkSync('/proc/kmsg', at) },
];

function run(program, ...args) {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

let many;

/** Makes the directory once; it goes from name to name, unless jinn has undone it: `.git/commondir` gets another name. */
function plantMany(at) {
  if (many === undefined)
    run(
      'bash',
      '-c',
      `mkdir "$0" && cd "$0" && seq ${MANY / 2} | xargs touch && seq -f d%g ${MANY / 2} | xargs mkdir`,
      at,
    );
  else fs.renameSync(many, at);
  many = `${makeDirectory('/var/tmp')}/many`;
  return () => {
    if (fs.existsSync(at)) fs.renameSync(at, many);
    else many = undefined;
  };
}

const SYMBOL = { path: 'a.ts', name_path: 'f' };
const EDIT = { path: 'b.txt', old_text: 'two', new_text: 'TWO', dry_run: true };
const call = (tool, args = {}) => ({ tool, args });
const patched = (name) => ({ patch: `*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch`, dry_run: true });

/** Calls of every tool: as an agent makes them without knowing of the plant, and then at its name. */
const REQUESTS = {
  'jinn,jinni,custom': (name) => [
    ...[call('list_dir', { depth: 4 }), call('list_dir', { no_ignore: true }), call('find_files', { pattern: '*' })],
    ...[call('search_files', { pattern: 'two' }), call('search_files', { pattern: 't(?=w)' }), call('checksum_tree')],
    ...[call('detect_project'), call('detect_project', { path: 'lib' }), call('related_context', { query: 'x' })],
    ...[call('read_context'), call('read_context', { list_only: true }), call('read_context', { changed: 'HEAD' })],
    ...[
      call('read_context', { project_root: 'lib' }),
      call('usage'),
      call('read_file', { path: 'b.txt', symbol: 'f' }),
    ],
    ...[call('multi_read', { files: [{ path: 'b.txt' }, { path: name }] }), call('edit_file', EDIT)],
    ...[call('multi_edit', { edits: [EDIT].map(({ dry_run: _, ...edit }) => edit), dry_run: true })],
    ...[call('search_replace', { pattern: 'two', replacement: 'x', files: '**', dry_run: true })],
    ...[call('diff_files', { path_a: 'b.txt', path_b: name }), call('stat_file', { path: name })],
    ...[call('memory', { action: 'list' }), call('undo', { action: 'list' })],
    ...[call('lsp_query', { action: 'diagnostics', path: 'a.ts' }), call('lsp_query', { action: 'servers' })],
    ...[call('read_file', { path: name }), call('list_dir', { path: name }), call('read_context', { targets: [name] })],
    ...[call('write_file', { path: name, content: 'x', dry_run: true }), call('apply_patch', patched(name))],
    ...[call('run_shell', { command: 'echo hi' }), call('run_shell', { command: 'echo hi', background: true })],
    ...[call('run_shell', { command: 'echo hi', cwd: 'lib' }), call('list_tools')],
  ],
  codescout: (name) => [
    ...[call('list_dir', { path: '.', recursive: true }), call('find_file', { pattern: '*' })],
    ...[call('search_pattern', { pattern: 'two' }), call('list_symbols'), call('list_symbols', { path: 'a.ts' })],
    ...[
      call('find_symbol', { pattern: 'f' }),
      call('find_references', SYMBOL),
      call('symbol_diagnostics', { path: 'a.ts' }),
    ],
    ...[call('goto_definition', { path: 'a.ts', line: 1 }), call('hover', { path: 'a.ts', line: 1 })],
    ...[call('rename_symbol', { ...SYMBOL, new_name: 'g' }), call('insert_code', { ...SYMBOL, code: '// x' })],
    ...[call('replace_symbol', { ...SYMBOL, new_body: 'function f() {}' }), call('remove_symbol', SYMBOL)],
    ...[call('read_file', { path: name }), call('create_file', { path: `${name}-new`, content: 'x' })],
    ...[
      call('edit_file', { path: name, old_string: 'x', new_string: 'y' }),
      call('run_command', { command: 'echo hi' }),
    ],
    ...[call('list_symbols', { path: name }), call('list_tools')],
  ],
  lean: (name) => [
    ...[
      call('read_file', { path: name }),
      call('read_file', { path: 'b.txt' }),
      call('find_files', {}),
      call('edit_file', EDIT),
    ],
    ...[
      call('find_files', { pattern: '*' }),
      call('search_files', { pattern: 'two' }),
      call('run_shell', { command: 'echo hi' }),
    ],
    ...[call('apply_patch', patched(name)), call('undo', { action: 'list' })],
    ...[call('search_replace', { pattern: 'two', replacement: 'x', files: '**', dry_run: true })],
  ],
};

function makePlace() {
  const [cwd, home] = [makeDirectory('/var/tmp'), makeDirectory()];
  const git = (...args) => run('git', '-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a@x', ...args);
  fs.mkdirSync(path.join(cwd, 'lib'));
  fs.writeFileSync(path.join(cwd, 'a.ts'), 'export function f() {\n  return 1;\n}\n');
  fs.writeFileSync(path.join(cwd, 'b.txt'), 'one\ntwo\n');
  fs.writeFileSync(path.join(cwd, 'lib/c.txt'), 'two\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'x');
  return { cwd, home };
}

async function plantAndCall(row, { jinn, kind, name, quick }) {
  const place = makePlace();
  const at = path.join(place.cwd, name);
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.rmSync(at, { recursive: true, force: true });
  let unplant;
  try {
    unplant = kind.plant(at);
  } catch (error) {
    row.notes.push(`not tried: ${name}: ${error.message.trim()}`);
  }
  const toolsets = quick ? ['jinn,jinni,custom'] : Object.keys(REQUESTS);
  for (const toolset of toolsets) await callAll(row, jinn, { place, toolset, name });
  if (kind.plant === plantMany) unplant?.();
  for (const directory of Object.values(place)) removeDirectory(directory);
}

async function callAll(row, jinn, { place, toolset, name }) {
  const flags = ['--toolset', toolset, '--sandbox=auto'];
  const start = () => startSession(jinn, { ...place, flags });
  let session = start();
  for (const request of REQUESTS[toolset](name)) {
    let faults = await ask(session, request);
    if (faults.length > 0) {
      // The calls before may have left memory that is not collected yet.
      session.kill();
      session = start();
      faults = await ask(session, request);
    }
    note(row, faults.length === 0, `${name}: ${request.tool} ${JSON.stringify(request.args)}: ${faults.join('; ')}`);
  }
  session.kill();
  await session.close();
}

async function ask(session, request) {
  const before = session.cpuMs() ?? 0;
  const answer = await within(WAIT_MS, session.ask(request));
  const [cpuMs, mb] = [(session.cpuMs() ?? 0) - before, Math.round(session.peakMb() ?? 0)];
  return [
    !answer && 'no answer',
    answer?.error_code === 'internal' && `internal: ${answer.error}`,
    cpuMs > MAX_MS && `took ${cpuMs} ms of CPU`,
    mb > MAX_MB && `took ${mb} MB`,
  ].filter(Boolean);
}

/** Calls over HTTP what waits in the end, and asks meanwhile whether the server lives. */
async function askOverHttp(jinn, quick) {
  const row = newRow('a FIFO, over HTTP: calls and the health of the server');
  for (const name of quick ? ['lib/.git', '.git/objects/pack/x.idx'] : NAMES) {
    const place = makePlace();
    const at = path.join(place.cwd, name);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    fs.rmSync(at, { recursive: true, force: true });
    KINDS[0].plant(at);
    const door = await openByHandshake(
      openHttp(programsOf(jinn), place, ['--sandbox', 'auto', '--toolset', 'jinn,jinni']),
    );
    for (const { tool, args } of REQUESTS['jinn,jinni,custom'](name)) {
      const [answer, health] = await Promise.all([
        within(WAIT_MS, door.call(tool, args)),
        within(WAIT_MS, healthOf(door)),
      ]);
      note(
        row,
        answer !== undefined && health === 200,
        `${name}: ${tool}: ${answer ? `health ${health}` : 'no answer'}`,
      );
    }
    await door.close();
    for (const directory of Object.values(place)) removeDirectory(directory);
  }
  return row;
}

async function healthOf({ transport }) {
  return (await fetch(new URL('/healthz', transport.url))).status;
}

const PROGRAMS = [
  'git',
  'rg',
  'bwrap',
  'node',
  'python3',
  'perl',
  'bash',
  'sh',
  'env',
  'npm',
  'ps',
  'go',
  'rust-analyzer',
].concat([
  'typescript-language-server',
  'tsc',
  'gopls',
  'pyright-langserver',
  'clangd',
  'xclip',
  'xsel',
  'wl-copy',
  'git-lfs',
]);

/** Puts programs of the workspace into the PATH, as npx does. None may run, but for the agent's own command. */
async function lureByPath(jinn, quick) {
  const row = newRow('programs of the workspace that the PATH names');
  for (const entry of quick ? ['ABSOLUTE'] : ['bin', '.', '', '/link', 'ABSOLUTE']) {
    const place = makePlace();
    const lure = layLures(place, entry);
    const expectNone = (what) => note(row, lure.take() === '', `${JSON.stringify(entry)}: ${what}`);
    await lureJinn(row, jinn, { lure, entry, expectNone });
    for (const args of [['--changed'], ['--git-log', '3'], ['--diff'], ['-c']]) {
      const jinni = path.join(path.dirname(jinn), '../../jinni/dist/jinni.cjs');
      // The program of the clipboard is the user's choice by their own PATH.
      const env = { ...environmentOf(place.home), ...lure.env, DISPLAY: '' };
      spawnSync(process.execPath, [jinni, ...args], { cwd: place.cwd, env, timeout: WAIT_MS });
      expectNone(`jinni ${args.join(' ')}`);
    }
    const flags = ['--toolset', 'jinn,jinni'];
    const door = await openByHandshake(openHttp(programsOf(jinn), { ...place, env: lure.env }, flags));
    for (const { tool, args } of REQUESTS['jinn,jinni,custom']('b.txt')) {
      await within(WAIT_MS, door.call(tool, args));
      expectNone(`jinn-mcp: ${tool}`);
    }
    await door.close();
    for (const directory of Object.values(place)) removeDirectory(directory);
  }
  return row;
}

/** What a project brings at the name of a file in which a person registers jinn, or with which they start to use jinni. */
const LURES = {
  'a link to a file': (at, home) => fs.symlinkSync(path.join(home, '.bashrc'), at),
  'a link to nothing': (at, home) => fs.symlinkSync(path.join(home, '.bash_login'), at),
  'a link above': (at, home) => {
    fs.rmdirSync(path.dirname(at));
    fs.symlinkSync(path.join(home, 'above'), path.dirname(at));
  },
  'a program': (at, home) => {
    const servers = JSON.stringify({ jinn: { command: 'touch', args: [path.join(home, MARK)] } });
    fs.writeFileSync(at, `{"mcpServers":${servers},"servers":${servers},"mcp":${servers}}`);
  },
};

function lureByLinks(jinn, quick) {
  const row = newRow('links out of a project, and programs that it names, where jinn is registered');
  for (const [file, ...words] of quick ? REGISTERED.slice(0, 2) : REGISTERED) {
    const lures = Object.keys(LURES).filter((lure) => lure !== 'a link above' || file.includes('/'));
    for (const lure of lures) {
      const { cwd, home } = makePlace();
      fs.writeFileSync(path.join(home, '.bashrc'), '{}');
      fs.mkdirSync(path.join(home, 'above'));
      fs.mkdirSync(path.join(cwd, path.dirname(file)), { recursive: true });
      LURES[lure](path.join(cwd, file), home);
      const before = treeOf(home);
      for (const [program, ...args] of [words, ['jinn-mcp', 'status']]) {
        const built = path.join(path.dirname(jinn), '../..', BUILT[program]);
        spawnSync(process.execPath, [built, ...args], { cwd, env: environmentOf(home), timeout: WAIT_MS });
      }
      note(row, treeOf(home) === before, `${lure} at ${file}: ${words.join(' ')}`);
      for (const directory of [cwd, home]) removeDirectory(directory);
    }
  }
  return row;
}

const BUILT = { 'jinn-mcp': 'mcp-server/dist/jinn-mcp.cjs', jinni: 'jinni/dist/jinni.cjs' };
const REGISTERED = [
  ['.mcp.json', 'jinn-mcp', 'install', 'claude-code'],
  ['jinni.config.json', 'jinni', '--init'],
  ['.mcp.json', 'jinn-mcp', 'uninstall', 'claude-code'],
  ['.cursor/mcp.json', 'jinn-mcp', 'install', 'cursor'],
  ['.vscode/mcp.json', 'jinn-mcp', 'install', 'vscode'],
  ['.gemini/settings.json', 'jinn-mcp', 'install', 'gemini-cli'],
  ['opencode.json', 'jinn-mcp', 'install', 'opencode'],
];

/** What a person's home holds, but for jinn's own state. */
function treeOf(home) {
  const names = fs.readdirSync(home, { recursive: true, withFileTypes: true });
  const own = names.map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  const files = own.filter((name) => !/^\/(config|cache)(\/|$)/.test(name.slice(home.length)));
  return files.map((name) => `${name} ${fs.statSync(name).isFile() ? fs.readFileSync(name, 'utf8') : ''}`).join('\n');
}

/** `take` returns what has run since the last time. */
function layLures({ cwd, home }, entry) {
  const [bin, mark, link] = [path.join(cwd, 'bin'), path.join(home, MARK), path.join(home, 'link')];
  fs.mkdirSync(bin);
  fs.symlinkSync(bin, link);
  for (const name of PROGRAMS.flatMap((name) => [path.join(bin, name), path.join(cwd, name)])) {
    fs.writeFileSync(name, `#!/bin/bash -p\necho "$0 $*" >> ${mark}\n`, { mode: 0o755 });
  }
  const named = { ABSOLUTE: bin, '/link': link }[entry] ?? entry;
  const take = () => {
    const text = fs.existsSync(mark) ? fs.readFileSync(mark, 'utf8') : '';
    fs.rmSync(mark, { force: true });
    return text;
  };
  return { place: { cwd, home }, env: { PATH: `${named}:${process.env.PATH}`, DISPLAY: ':0' }, take };
}

async function lureJinn(row, jinn, { lure: { place, env, take }, entry, expectNone }) {
  for (const flags of [[], ['--read-only']]) {
    // Without the sandbox, what runs by mistake can leave its mark.
    const all = ['--toolset', 'jinn,jinni,custom', '--sandbox=off', ...flags];
    const session = startSession(jinn, { ...place, env, flags: all });
    for (const request of REQUESTS['jinn,jinni,custom']('b.txt')) {
      await within(WAIT_MS, session.ask(request));
      expectNone(`${flags} ${request.tool}`);
    }
    if (flags.length === 0 && entry !== '') {
      await within(WAIT_MS, session.ask(call('run_shell', { command: 'clangd' })));
      note(row, take() !== '', `${JSON.stringify(entry)}: the command of the agent has lost its PATH`);
    }
    session.kill();
    await session.close();
  }
}
