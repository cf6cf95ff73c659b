import type { Risk } from '@jinn/core';

/** A program that runs the command which its arguments hold. */
export interface Wrapper {
  readonly verb: string;
  /** The first operands, which are not part of the command. Several choices are separated by ` | `. */
  readonly sub?: string;
  /** Options that take the next word. */
  readonly valued?: string;
  /** Options that take none. One that is in neither list may take a word or not: both are looked at. */
  readonly flags?: string;
  /** Options whose word a shell runs. */
  readonly code?: string;
  /** Options whose word is the program that is run instead of another (`docker --entrypoint`). */
  readonly program?: string;
  /** Options that only ask for something, so that nothing runs. */
  readonly asks?: string;
  /** The number of words before the command. */
  readonly skip?: number;
  /** The words of the command are joined and handed to a shell. */
  readonly joins?: true;
  /** Every word is a text that a shell runs. */
  readonly texts?: true;
  /** The risk of the wrapper itself, no matter what it runs. */
  readonly risk?: Risk;
  readonly reason?: string;
  /** The risk without a command. */
  readonly alone?: Risk;
  /** Options are too many to list: every word that names a dangerous program counts. */
  readonly loose?: true;
}

const RUNS = 'runs another command';

export const WRAPPERS: readonly Wrapper[] = [
  { verb: 'command', flags: '-p', asks: '-v -V' },
  { verb: 'builtin nohup setsid', flags: '-c -f -w --ctty --fork --wait' },
  { verb: 'exec', flags: '-c -l', valued: '-a' },
  {
    verb: 'sudo doas pkexec run0 gksudo kdesudo please',
    valued:
      '-u -g -C -D -h -p -r -t -T -R -U --user --group --close-from --chdir --host --prompt --role --type --chroot --other-user --command-timeout',
    flags: '-n -E -H -S -k -P -A -b -B -i -s --non-interactive --preserve-env --set-home --login --shell --background',
    asks: '-l -v -V -K --list --validate --version --remove-timestamp',
    alone: 'dangerous',
  },
  { verb: 'gosu su-exec', skip: 1, alone: 'dangerous' },
  {
    verb: 'su runuser',
    skip: 1,
    code: '-c --command --session-command',
    valued: '-g -G -s -u -w --group --supp-group --shell --user --whitelist-environment',
    flags: '- -l -m -p -P -f --login --pty --fast --preserve-environment',
    alone: 'dangerous',
  },
  { verb: 'nice', valued: '-n --adjustment', flags: '-0 -1 -2 -3 -4 -5 -6 -7 -8 -9' },
  { verb: 'time gtime', valued: '-f -o --format --output', flags: '-p -a -v -q -V --append --verbose --portability' },
  {
    verb: 'timeout gtimeout',
    skip: 1,
    valued: '-k -s --kill-after --signal',
    flags: '-v -f -p --foreground --preserve-status --verbose',
  },
  { verb: 'stdbuf', valued: '-i -o -e --input --output --error' },
  { verb: 'ionice', valued: '-c -n -p -P -u --class --classdata --pid', flags: '-t --ignore' },
  {
    verb: 'chrt',
    skip: 1,
    valued: '-T -P -D -p --sched-runtime --sched-period --sched-deadline',
    flags: '-a -b -d -f -i -o -r -R -v -m',
  },
  { verb: 'taskset', skip: 1, flags: '-a -c --all-tasks --cpu-list', asks: '-p --pid' },
  {
    verb: 'numactl',
    valued: '-N -m -C -i -l -p --cpunodebind --membind --physcpubind --interleave',
    asks: '-s -H --show --hardware',
  },
  { verb: 'cpulimit', valued: '-l -p -e --limit', flags: '-z -i -f -v' },
  {
    verb: 'setarch linux32 linux64 i386 x86_64 arch',
    valued: '-arch -e',
    flags: '-R -X -L -B -3 -v -32 -64 -x86_64 -arm64',
  },
  { verb: 'prlimit', valued: '-p --pid -o --output', flags: '--raw --noheadings' },
  {
    verb: 'flock',
    skip: 1,
    valued: '-w -E --timeout --conflict-exit-code',
    flags: '-s -x -e -u -n -o -F -v',
    code: '-c --command',
  },
  {
    verb: 'unbuffer rlwrap caffeinate winpty fakeroot catchsegv torsocks proxychains proxychains4 dbus-run-session xvfb-run systemd-inhibit runcon setpriv chpst softlimit daemonize start-stop-daemon',
    risk: 'caution',
    reason: RUNS,
  },
  { verb: 'faketime', skip: 1, valued: '-f', risk: 'caution', reason: RUNS },
  {
    verb: 'strace ltrace dtruss truss',
    valued: '-a -e -E -I -o -O -p -P -s -S -u -U -X -b -l -n -x -A -D -F',
    flags: '-c -C -f -ff -i -k -q -qq -r -t -tt -ttt -T -v -w -y -yy -z -Z',
    risk: 'caution',
    reason: 'looks into another command',
  },
  {
    verb: 'hyperfine',
    texts: true,
    valued: '-w -r -m -M -p -c -n -S -L -i --warmup --runs --export-json --export-markdown',
    flags: '-N -i --show-output',
    risk: 'caution',
    reason: 'measures another command',
  },
  {
    verb: 'valgrind perf heaptrack gprof rr',
    sub: ' | stat | record | trace | bench',
    valued: '-e -o -p -F -n -w -r -m -M -i -g -s',
    risk: 'caution',
    reason: 'measures another command',
  },
  { verb: 'gdb', flags: '-q -batch', valued: '-ex -x -p -c', risk: 'caution', reason: 'debugs another command' },
  {
    verb: 'unshare',
    valued: '-S -G -R -w --root --wd --setuid --setgid --map-user --map-group --propagation --setgroups',
    flags: '-m -u -i -n -p -U -C -T -f -r -c',
    risk: 'caution',
    reason: 'runs a command in namespaces of its own',
    alone: 'dangerous',
  },
  {
    verb: 'nsenter',
    valued: '-t -S -G -r -w --target',
    risk: 'dangerous',
    reason: 'enters the namespaces of another process',
  },
  { verb: 'chroot', skip: 1, risk: 'dangerous', reason: 'runs a command in another root' },
  {
    verb: 'ssh-agent sg capsh valgrind heaptrack rr perf cross-env cross-env-shell env-cmd dotenv dotenvx nix aws-vault chamber envchain bwrap firejail proot systemd-nspawn toolbox distrobox flatpak-spawn steam-run run-parts pidproxy tini dumb-init catatonit s6-setuidgid setuidgid envdir envuidgid daemon sem lockf with-contenv tsocks trickle cgexec schedtool pkgx devbox flox ts-node-dev npm-run-all run-s run-p wait-on start-server-and-test dbus-launch startx xinit sshuttle reflex air modd cargo-watch onchange chokidar chokidar-cli watchman-make task-spooler tsp',
    loose: true,
    risk: 'caution',
    reason: RUNS,
  },
  {
    verb: 'proot bwrap firejail',
    risk: 'caution',
    reason: 'runs a command in a sandbox',
    valued: '-b -r -w --bind --ro-bind --dev-bind --chdir --setenv --symlink --tmpfs --proc --dev',
  },
  {
    verb: 'watch',
    joins: true,
    valued: '-n -q --interval --equexit',
    flags: '-d -t -b -e -g -c -x -p -w',
    risk: 'caution',
    reason: 'runs a command again and again',
  },
  { verb: 'entr', flags: '-a -c -d -n -p -r -s -z', risk: 'caution', reason: 'runs a command again and again' },
  {
    verb: 'watchexec nodemon',
    valued: '-w -e -i -d -s --watch --ext --ignore --signal',
    code: '-x --exec',
    risk: 'caution',
    reason: 'runs a command again and again',
  },
  {
    verb: 'script',
    code: '-c --command',
    valued: '-t -o -E -I -O -B -T -m',
    flags: '-q -a -e -f',
    skip: 1,
    risk: 'caution',
    reason: 'records what another command writes',
  },
  {
    verb: 'systemd-run',
    valued:
      '-p -u -t -E -H -M --property --unit --slice --description --uid --gid --nice --setenv --on-active --on-calendar',
    flags: '--scope --user --wait --pty --collect -q -r -G -S -d --quiet --same-dir',
    risk: 'dangerous',
    reason: 'has the system run a command',
  },
  {
    verb: 'tmux',
    sub: 'new | new-session | new-window | neww | split-window | splitw | respawn-pane | run-shell | run | if-shell',
    joins: true,
    valued: '-s -n -t -c -x -y -e -F',
    flags: '-d -A -D -P -h -v -b',
    risk: 'caution',
    reason: RUNS,
  },
  {
    verb: 'screen',
    valued: '-S -c -h -p -s -t -T -e',
    flags: '-d -m -D -R -L -A -x -q',
    risk: 'caution',
    reason: RUNS,
  },
  {
    verb: 'parallel',
    joins: true,
    valued:
      '-j -P -N -n -L -a -I -S -d -E -s -S --jobs --arg-file --colsep --delimiter --joblog --results --sshlogin --timeout --retries --tmpdir --workdir --max-args',
    flags:
      '-k -m -q -r -t -u -v -X -0 --bar --dry-run --keep-order --pipe --progress --will-cite --halt-on-error --null --no-run-if-empty',
    risk: 'caution',
    reason: RUNS,
    alone: 'dangerous',
  },
  {
    verb: 'ssh mosh autossh',
    joins: true,
    skip: 1,
    valued: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -P -Q -R -S -W -w',
    flags: '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y',
    risk: 'caution',
    reason: 'runs a command on another machine',
  },
  { verb: 'sshpass', valued: '-p -f -d -P', flags: '-e -v', risk: 'caution', reason: RUNS },
  {
    verb: 'rsh remsh',
    joins: true,
    skip: 1,
    valued: '-l',
    risk: 'caution',
    reason: 'runs a command on another machine',
  },
  { verb: 'busybox toybox', risk: 'caution', reason: RUNS },
  {
    verb: 'ld.so ld-linux.so ld-linux-x86-64.so ld-musl-x86_64.so ld-linux-aarch64.so',
    valued: '--library-path --preload --audit --argv0 --inhibit-rpath',
    risk: 'dangerous',
    reason: 'runs a program behind its name',
  },
  {
    verb: 'npx bunx pnpx',
    valued: '-p --package -w --workspace',
    flags: '-y -q --yes --no --no-install --quiet --bun',
    code: '-c --call',
    risk: 'caution',
    reason: 'runs a package, which it may fetch',
  },
  {
    verb: 'npm pnpm yarn bun',
    sub: 'exec | x | dlx',
    valued: '-p --package -w --workspace --prefix -C --filter -F --dir',
    flags: '-y --yes --no --silent -s',
    code: '-c --call',
    risk: 'caution',
    reason: 'runs a package, which it may fetch',
  },
  {
    verb: 'uv poetry pipenv pdm hatch rye pixi conda mamba micromamba devbox',
    sub: 'run | exec',
    valued: '-p -n -C --python --with --directory --project --name --group --extra --env-file',
    flags: '-q -v --no-sync --frozen --isolated --locked --no-capture-output --live-stream',
    risk: 'caution',
    reason: 'runs a command in its environment',
  },
  {
    verb: 'uvx pipx',
    sub: ' | run',
    valued: '--from --with -p --python --spec',
    risk: 'caution',
    reason: 'runs a package, which it may fetch',
  },
  { verb: 'direnv', sub: 'exec *', risk: 'caution', reason: 'runs a command in its environment' },
  { verb: 'pyenv rbenv nodenv goenv jenv', sub: 'exec', risk: 'caution', reason: 'runs a command in its environment' },
  { verb: 'bundle', sub: 'exec', risk: 'caution', reason: 'runs a command in its environment' },
  { verb: 'rustup', sub: 'run *', risk: 'caution', reason: 'runs a command in its environment' },
  {
    verb: 'nix',
    sub: 'shell | develop | run',
    program: '-c --command',
    risk: 'caution',
    reason: 'runs a command in its environment',
  },
  {
    verb: 'nix-shell',
    code: '--run --command',
    valued: '-p -I -A',
    risk: 'caution',
    reason: 'runs a command in its environment',
  },
  {
    verb: 'mise asdf rtx op doppler',
    sub: ' | exec | run | x',
    valued: '-f -e',
    risk: 'caution',
    reason: 'runs a command in its environment',
  },
  { verb: 'concurrently', texts: true, risk: 'caution', reason: RUNS },
  {
    verb: 'docker podman nerdctl',
    sub: 'run | create | container run | compose run',
    skip: 1,
    program: '--entrypoint',
    valued:
      '-v -e -p -w -u -l -m -h -a -c -f --volume --env --env-file --name --publish --workdir --user --network --net --mount --label --memory --cpus --hostname --platform --restart --add-host --tmpfs --ulimit --shm-size --gpus --log-driver --pull --volumes-from --cap-add --cap-drop --security-opt --device --pid --ipc --userns --file --project-name --host --context',
    flags: '-d -i -t -it -ti -P -q --rm --init --detach --interactive --tty --privileged --read-only --no-deps --quiet',
    risk: 'caution',
    reason: 'runs a command in a container',
  },
  {
    verb: 'docker podman nerdctl docker-compose',
    sub: 'exec | container exec | compose exec',
    skip: 1,
    valued: '-e -w -u --env --env-file --workdir --user --index -f --file --project-name -p --host --context',
    flags: '-d -i -t -T -it -ti --detach --interactive --tty --privileged',
    risk: 'caution',
    reason: 'runs a command in a container',
  },
  {
    verb: 'kubectl oc',
    sub: 'exec',
    skip: 1,
    valued: '-n -c -f --namespace --container --context --kubeconfig',
    flags: '-i -t -it -ti -q --stdin --tty',
    risk: 'caution',
    reason: 'runs a command in a container',
  },
  {
    verb: 'kubectl oc',
    sub: 'run',
    skip: 1,
    valued: '-n --namespace --image --restart --env --overrides --context',
    flags: '-i -t -it -ti --rm --command --stdin --tty',
    risk: 'caution',
    reason: 'runs a command in a container',
  },
  { verb: 'vagrant', sub: 'ssh', code: '-c --command', risk: 'caution', reason: 'runs a command on another machine' },
  {
    verb: 'gcloud',
    sub: 'compute ssh',
    code: '--command',
    risk: 'caution',
    reason: 'runs a command on another machine',
  },
  {
    verb: 'ansible',
    code: '-a --args',
    valued: '-i -m -u -f -e -l',
    risk: 'caution',
    reason: 'runs a command on other machines',
  },
  { verb: 'git', sub: 'bisect run', risk: 'caution', reason: RUNS },
  {
    verb: 'git',
    sub: 'submodule foreach',
    joins: true,
    flags: '--recursive -q --quiet',
    risk: 'caution',
    reason: RUNS,
  },
  {
    verb: 'git',
    sub: 'rebase',
    code: '-x --exec',
    valued: '--onto -s -X -C --strategy',
    skip: 99,
    risk: 'caution',
    reason: 'rewrites commits',
  },
];
