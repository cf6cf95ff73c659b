import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createRandom, makeDirectory } from './jinn-process.mjs';
import { PLANTS, PROGRAM_PLACES, READS, RUN_FILES, SECRET_PLACES, SYSTEM, WRITES } from './sandbox-attempts.mjs';
import { DAILY } from './sandbox-daily.mjs';
import { GIT_TRAPS, PERSON_USES_GIT } from './sandbox-git.mjs';

/** Without programs below the home of whoever starts this. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Who does not exist as a person, but owns nothing either: the ordinary user when this runs as root. */
const NOBODY = 65534;
const SECRET = 'hunter2-of-the-person';
const RACE_SECONDS = 60;

export const suite = {
  name: 'sandbox',
  title: 'commands in the sandbox that try to reach what lies outside, and work that must go on inside',
  async *run({ jinn, quick, seed, seconds }) {
    const missing = whatIsMissing();
    if (missing) return yield { what: 'everything', tried: 0, held: 0, failed: 0, notes: [missing] };
    const random = createRandom(seed);
    for (const user of users().slice(quick ? -1 : 0)) {
      const some = (list) => (quick ? list.filter(() => random() < 0.08) : list);
      const scene = await openScene(jinn, user);
      const say = (what) => `${what}, ${user.name}`;
      yield await attempt(say('writing outside'), some(WRITES), scene);
      yield await attempt(say('reading secrets'), some(READS), scene);
      yield await attempt(say('processes and the system'), some(SYSTEM), scene);
      yield await attempt(say('Unix sockets'), quick ? SOCKETS.slice(0, 5) : SOCKETS, scene);
      await scene.close();
      yield await plantRunFiles(say('files that other programs run'), some(RUN_FILES), { jinn, user });
      yield await attemptTraps(say('turning git against the person'), some(GIT_TRAPS), { jinn, user });
      yield await race(say('swapping directories'), { jinn, user, seconds: seconds ?? (quick ? 2 : RACE_SECONDS) });
      yield await doDailyWork(say('daily work'), some(DAILY), { jinn, user });
    }
  },
};

function whatIsMissing() {
  if (process.platform !== 'linux') return 'the sandbox of this system is not tested';
  const lacking = ['bwrap', 'perl', 'git', 'python3'].filter((name) => spawnSync('which', [name]).status !== 0);
  return lacking.length > 0 ? `${lacking.join(', ')} is not installed` : undefined;
}

function users() {
  const own = { name: process.getuid() === 0 ? 'as root' : 'as an ordinary user', before: [], id: process.getuid() };
  if (own.id !== 0 || spawnSync('which', ['setpriv']).status !== 0) return [own];
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  return [own, { name: 'as an ordinary user', before: ['setpriv', ...ids], id: NOBODY }];
}

/** A home with a workspace in it, outside of /tmp, which is another one inside anyway. */
async function openScene(jinn, user, config = {}) {
  const base = makeDirectory('/var/tmp');
  const home = `${base}/home`;
  const root = `${home}/work`;
  for (const directory of [
    'work/sub',
    'work/node_modules',
    '.config/jinn',
    '.cache/pip',
    '.npm/_cacache',
    '.deno/bin',
  ]) {
    fs.mkdirSync(`${home}/${directory}`, { recursive: true });
  }
  for (const directory of PROGRAM_PLACES) fs.mkdirSync(path.dirname(`${home}/${directory}`), { recursive: true });
  for (const name of [...PROGRAM_PLACES, '.bashrc', 'notes.txt']) fs.writeFileSync(`${home}/${name}`, '# as it was\n');
  for (const name of SECRET_PLACES) {
    fs.mkdirSync(path.dirname(`${home}/${name}`), { recursive: true });
    fs.writeFileSync(`${home}/${name}`, SECRET);
  }
  fs.writeFileSync(`${home}/.config/jinn/config.json`, JSON.stringify(config));
  fs.writeFileSync(`${root}/sub/.env`, SECRET);
  fs.writeFileSync(`${root}/a.txt`, 'text\n');
  spawnSync('chown', ['-R', `${user.id}:${user.id}`, base]);
  fs.chmodSync(base, 0o755);
  const env = { PATH: SYSTEM_PATH, HOME: home };
  const person = (command, cwd = root) => asUser(user, ['bash', '-c', command], { cwd, env, encoding: 'utf8' });
  const session = openSession(user, [readableProgram(jinn)], { cwd: root, env });
  return { base, home, root, user, env, person, ...session };
}

/** Copies the built program once to where the ordinary user can read it. */
function readableProgram(jinn) {
  copy ??= makeDirectory('/var/tmp');
  const program = path.join(copy, path.basename(jinn));
  if (!fs.existsSync(program)) fs.cpSync(path.dirname(jinn), copy, { recursive: true });
  fs.chmodSync(copy, 0o755);
  return program;
}

let copy;

function asUser(user, argv, options) {
  const [program, ...args] = [...user.before, ...argv];
  return spawnSync(program, args, options);
}

function openSession(user, [program], options) {
  const argv = [...user.before, process.execPath, program, '--sandbox=require', '--meta'];
  const child = spawn(argv[0], argv.slice(1), { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const run = async (command, args = {}) => {
    const request = { tool: 'run_shell', args: { command, force: true, ...args } };
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('jinn ended');
    const answer = JSON.parse(value);
    return { ...answer, said: answer.result ?? answer.error };
  };
  const ended = new Promise((resolve) => child.on('close', resolve));
  const close = () => {
    child.stdin.end();
    return ended;
  };
  return { run, close };
}

/** A server outside of which a command tries to read; `open` gives what ends it. */
async function listen(scene, place) {
  const program = `import socket, sys
s = socket.socket(socket.AF_UNIX); p = sys.argv[1]
s.bind('\\0' + p[1:] if p[0] == '@' else p); s.listen(9); print('ready', flush=True)
while True:
    c, _ = s.accept(); c.sendall(b'ESCAPED'); c.close()`;
  const [command, ...args] = [...scene.user.before, 'python3', '-c', program, place];
  const child = spawn(command, args, { env: scene.env, stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error(`nobody can listen at ${place}`)));
  });
  return () => child.kill('SIGKILL');
}

const connect = (place) =>
  `python3 -c "import socket,sys; p=sys.argv[1]; s=socket.socket(socket.AF_UNIX); s.connect(chr(0)+p[1:] if p[0]=='@' else p); print(s.recv(9).decode())" '${place}'`;

const SOCKETS = [
  'home/x.sock',
  'home/.docker/run/docker.sock',
  'home/.colima/docker.sock',
  '/tmp',
  '@',
  'tmux',
  'later',
].flatMap((kind) => [true, false].map((network) => ({ kind, network })));

async function trySocket({ kind, network }, scene) {
  if (kind === 'tmux') return tryTmux(scene, network);
  const name = `jinn-attack-${process.pid}-${network}`;
  const place =
    kind === '@'
      ? `@${name}`
      : kind === '/tmp'
        ? `/tmp/${name}.sock`
        : `${scene.base}/${kind === 'later' ? 'home/l.sock' : kind}`;
  if (!place.startsWith('@')) scene.person(`mkdir -p $(dirname ${place}); rm -f ${place}`);
  const end = await listen(scene, place);
  try {
    return (await scene.run(connect(place), { network })).said;
  } finally {
    end();
    if (!place.startsWith('@')) fs.rmSync(place, { force: true });
  }
}

async function tryTmux(scene, network) {
  const name = `jinn${process.pid}`;
  if (scene.person(`tmux -L ${name} new-session -d`).status !== 0) return 'no tmux';
  await scene.run(`tmux -L ${name} new-window 'touch ${scene.home}/by-tmux'; sleep 0.3`, { network });
  scene.person(`tmux -L ${name} kill-server`);
  return fs.existsSync(`${scene.home}/by-tmux`) ? 'ESCAPED' : '';
}

async function attempt(what, list, scene) {
  const row = { what, tried: 0, held: 0, failed: 0, notes: [] };
  const before = snapshot(scene);
  for (const one of list) {
    const said = one.kind ? await trySocket(one, scene) : await runAll(scene, one);
    const hasEscaped = said.includes(SECRET) || said.includes('ESCAPED\n') || /^ESCAPED/m.test(said);
    count(row, !hasEscaped && snapshot(scene) === before, JSON.stringify(one));
    if (snapshot(scene) !== before) break;
  }
  return row;
}

async function runAll(scene, commands) {
  const answers = [];
  for (const command of [commands].flat()) answers.push((await scene.run(command, { timeout: 120 })).said);
  return answers.join('\n').replaceAll(/^.*echo ESCAPED.*$/gm, '');
}

function count(row, isHeld, note) {
  row.tried++;
  if (isHeld) row.held++;
  else {
    row.failed++;
    row.notes.push(note.slice(0, 300));
  }
}

/** What lies outside of the workspace, in one text. */
function snapshot({ home }) {
  const own = ['./work', './.cache/jinn', './.cache/pip', './.docker', './.colima'].map(
    (name) => `-path ${name} -prune`,
  );
  const find = `cd ${home} && find . ${own.join(' -o ')} -o -type f -printf '%p %m %s %T@\\n' | sort; ls -d /etc/jinn-evil /usr/bin/jinn-evil /opt/x /root/x /var/tmp/jinn-evil 2> /dev/null`;
  return spawnSync('bash', ['-c', find], { encoding: 'utf8' }).stdout;
}

/** Each file is there or not, in the workspace and in a repository below it, and is written in each way. */
async function plantRunFiles(what, files, { jinn, user }) {
  const row = { what, tried: 0, held: 0, failed: 0, notes: [] };
  for (const [i, plant] of PLANTS.entries()) {
    for (const top of ['.', 'repo']) {
      const scene = await openScene(jinn, user);
      scene.person('git init -q repo');
      const known = files.filter((_, j) => (i + j) % 2 === 0);
      for (const file of known)
        scene.person(`mkdir -p "$(dirname ${file})"; echo own > ${file}`, `${scene.root}/${top}`);
      for (const file of files) {
        const { said } = await scene.run(plant.replaceAll('FILE', file), { cwd: top, timeout: 20 });
        const content = scene.person(`chmod u+rwx "$(dirname ${file})"; cat ${file}`, `${scene.root}/${top}`).stdout;
        count(row, content === (known.includes(file) ? 'own\n' : ''), `${file} in ${top}: ${plant}: ${said}`);
      }
      await scene.close();
    }
  }
  return row;
}

/** Each trap in a fresh scene with a repository; then the person uses git in every directory. */
async function attemptTraps(what, traps, { jinn, user }) {
  const row = { what, tried: 0, held: 0, failed: 0, notes: [] };
  for (const { name, commands, setUp = '' } of traps) {
    const scene = await openScene(jinn, user);
    const marker = `${scene.home}/TRAPPED`;
    scene.person(
      `git init -q . && git config user.name p && git config user.email p@x && git add a.txt && git commit -qm one; ${setUp}`,
    );
    const answers = [];
    for (const command of commands)
      answers.push((await scene.run(command.replaceAll('TRAP', `touch ${marker}`), { timeout: 20 })).said);
    await scene.close();
    scene.person(PERSON_USES_GIT);
    count(row, !fs.existsSync(marker), `${name}: ${answers.join(' | ')}`);
  }
  return row;
}

/** Commands in the background swap directories while others start. */
async function race(what, { jinn, user, seconds }) {
  const scene = await openScene(jinn, user);
  const row = { what, tried: 0, held: 0, failed: 0, notes: [] };
  scene.person(RACE_SCENE);
  await scene.run('for pair in "x/.git l" "sec decoy" "x sec" "y/l y/.git"; do perl swap.pl $pair & done; wait', {
    background: true,
  });
  const before = snapshot(scene);
  const end = Date.now() + seconds * 1_000;
  let refused = 0;
  while (Date.now() < end) {
    const { ok, said } = await scene.run(RACE_COMMAND, { network: row.tried % 2 === 0 });
    if (!ok) refused++;
    const isHeld = !said.includes(SECRET) && snapshot(scene) === before;
    count(row, isHeld, said);
    if (!isHeld) break;
  }
  row.notes.push(`${refused} of ${row.tried} were not run, since the workspace kept changing`);
  await scene.close();
  return row;
}

const RACE_SCENE = `mkdir -p x/.git/.ssh sec decoy y/.git; ln -s ../.. l; ln -s ../../.. y/l; echo ${SECRET} > sec/.env; echo none > decoy/.env
git init -q nest; cp -r nest/.git/. y/.git
cat > swap.pl << 'EOF'
my ($one, $other) = @ARGV;
my $renameat2 = { x86_64 => 316, aarch64 => 276, riscv64 => 276 }->{(split ' ', \`uname -m\`)[0]};
while (1) { syscall($renameat2, -100, $one, -100, $other, 2) }
EOF`;

const RACE_COMMAND = `for place in x/.git x l y/l y/.git; do echo evil >> $place/.bashrc; cat $place/.ssh/id_rsa; done 2> /dev/null
for i in 1 2 3 4 5 6; do cat sec/.env decoy/.env x/.env; done 2> /dev/null; echo evil >> nest/.git/config`;

/** What must work. A job fails when a command in it fails, or the sandbox is named. */
async function doDailyWork(what, jobs, { jinn, user }) {
  const row = { what, tried: 0, held: 0, failed: 0, notes: [] };
  for (const { name, setUp = '', commands, check } of jobs) {
    const scene = await openScene(jinn, user);
    scene.person(`rm -rf sub; ${setUp}`);
    for (const command of commands) {
      const { ok, meta, said } = await scene.run(command, { timeout: 60 });
      const isFine = ok && meta.exit_code === 0 && (check === undefined || check(said)) && !meta.sandbox_denied;
      count(row, isFine, `${name}: ${command}: ${said}`);
      if (!isFine) break;
    }
    await scene.close();
  }
  return row;
}
