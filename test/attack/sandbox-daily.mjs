const IDENTITY = 'git config user.name me; git config user.email me@x';
const REPOSITORY = `git init -q . -b main; ${IDENTITY}; git add a.txt; git commit -qm one`;
const WITH_ENV = `git init -q . -b main; ${IDENTITY}; echo X=1 > .env.example; git add -A; git commit -qm one`;
const REMOTE = `git init -q --bare remote.git; git init -q app -b main; cd app; ${IDENTITY}; echo a > a; git add a; git commit -qm one; git remote add origin ../remote.git`;
const SUBMODULE = `git init -q lib -b main; git -C lib -c user.name=a -c user.email=a@x commit -q --allow-empty -m l; git init -q app -b main; cd app; ${IDENTITY}; git -c protocol.file.allow=always submodule -q add ../lib libs/foo; git commit -qm sub`;
const ALLOW_FILES = 'export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always;';

/** Work that must go on inside as it does outside. */
export const DAILY = [
  {
    name: 'git init',
    commands: [
      `git init -q . && ${IDENTITY} && git add a.txt && git commit -qm one`,
      'git log --oneline && git status --short',
    ],
  },
  {
    name: 'git add, commit',
    setUp: REPOSITORY,
    commands: ['echo b > b && git add -A && git commit -qm two', 'git commit --amend -qm three && git show --stat'],
  },
  {
    name: 'git stash',
    setUp: REPOSITORY,
    commands: [
      'echo c >> a.txt && git stash -q && git stash pop -q',
      'git stash -q && git stash list && git stash drop -q',
    ],
  },
  {
    name: 'git branches',
    setUp: REPOSITORY,
    commands: [
      'git checkout -qb f && echo f > f && git add f && git commit -qm f',
      'git checkout -q main && git merge -q f && git branch -d f',
      'git tag v1 && git reset -q --hard HEAD~1 && git reflog | head -3',
    ],
  },
  {
    name: 'git rebase',
    setUp: REPOSITORY,
    commands: [
      'git checkout -qb f && echo f > f && git add f && git commit -qm f && git checkout -q main && echo m > m && git add m && git commit -qm m',
      'git checkout -q f && git rebase -q main',
      'git cherry-pick main~0 --allow-empty --keep-redundant-commits && git revert --no-edit HEAD~1',
    ],
  },
  {
    name: 'git clone',
    setUp: REPOSITORY,
    commands: [
      'git clone -q . clone',
      'cd clone && echo x > x && git add x && git -c user.name=a -c user.email=a@x commit -qm x',
      'rm -rf clone',
    ],
  },
  { name: 'git clone in one command', setUp: REPOSITORY, commands: ['git clone -q . clone && rm -rf clone'] },
  {
    name: 'git worktree',
    setUp: REPOSITORY,
    commands: [
      'git worktree add -q wt -b w',
      'cd wt && echo w > w && git add w && git commit -qm w',
      'git worktree list && git worktree remove wt && git branch -D w',
      'git worktree prune',
    ],
  },
  {
    name: 'git submodule',
    setUp: SUBMODULE,
    commands: [
      `cd app && ${ALLOW_FILES} git submodule update --init`,
      `cd app && ${ALLOW_FILES} git submodule update --remote`,
      'cd app && git submodule status',
      'cd app/libs/foo && git checkout -qb x && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m x',
    ],
  },
  {
    name: 'git submodule add',
    setUp: REPOSITORY,
    commands: [`git clone -q . lib && ${ALLOW_FILES} git submodule add -q ./lib libs/new && git commit -qm sub`],
  },
  {
    name: 'git push -u',
    setUp: REMOTE,
    commands: [
      'cd app && git push -q -u origin main',
      'cd app && git rev-parse --abbrev-ref @{upstream}',
      'cd app && git fetch -q && git pull -q --rebase && git push -q',
    ],
  },
  {
    name: 'git remote, branch and config',
    setUp: REPOSITORY,
    commands: [
      'git remote add o https://example.org/x.git && git remote -v',
      'git config user.name Other && git config user.name',
      'git remote rename o p && git remote remove p',
      'git config --unset user.name',
    ],
  },
  {
    name: 'git clean',
    setUp: REPOSITORY,
    commands: [
      'mkdir dist && touch dist/x && git clean -fdx',
      'git gc -q && git fsck && git maintenance run',
      'git bisect start && git bisect reset',
      'git sparse-checkout set a.txt --no-cone && git sparse-checkout disable',
    ],
  },
  {
    name: 'a tracked .env.example: add, diff',
    setUp: WITH_ENV,
    commands: [
      'cat .env.example && git add -A && git status --short && git diff',
      'echo Y=2 >> .env.example',
      'cat .env.example && git add -A && git commit -qm two',
    ],
  },
  {
    name: 'a tracked .env.example: stash, rebase, checkout',
    setUp: WITH_ENV,
    commands: [
      'git checkout -qb f && echo F=1 >> .env.example && git commit -qam f',
      'git checkout -q main && git checkout -q f && git rebase -q main',
      'echo G=1 >> .env.example && git stash -q && git stash pop -q && git checkout -q -- .env.example',
      'git checkout -q main && cat .env.example && git diff f --stat',
    ],
  },
  {
    name: 'a tracked .env.example: clean',
    setUp: WITH_ENV,
    commands: ['git clean -fdx && git reset -q --hard && git mv .env.example .env.ci && git commit -qm mv'],
  },
  {
    name: 'files',
    commands: [
      'mkdir -p d/e && echo x > d/e/f && mv d g && cp -r g h && rm -rf g h',
      'ln -s a.txt l && ln a.txt hard && chmod +x a.txt && rm l hard',
      'mkfifo p && (echo x > p & cat p) && rm p',
    ],
  },
  {
    name: '/tmp',
    commands: [
      'echo kept > /tmp/x',
      'grep kept /tmp/x && rm /tmp/x',
      't=$(mktemp -d) && touch $t/x && rm -r $t',
      'TMPDIR=/tmp mktemp && python3 -c "import tempfile; tempfile.TemporaryFile()"',
    ],
  },
  {
    name: '/dev',
    commands: [
      'echo x > /dev/null && head -c 4 /dev/urandom > /dev/null && echo x > /dev/shm/x && ls /dev/fd/',
      'python3 -c "import multiprocessing as m; q = m.Queue(); q.put(1); print(q.get())"',
    ],
  },
  {
    name: 'languages',
    commands: [
      'python3 -c "import ssl, sqlite3, json; print(1)"',
      'perl -e "print 1"',
      'awk "BEGIN { print 1 }"',
      'node -e "console.log(1)"',
      'bash -c "echo <(true)"',
    ],
  },
  {
    name: 'a Unix socket of its own',
    commands: [
      `python3 -c "
import socket, threading
s = socket.socket(socket.AF_UNIX); s.bind('own.sock'); s.listen()
threading.Thread(target=lambda: s.accept()[0].sendall(b'x')).start()
c = socket.socket(socket.AF_UNIX); c.connect('own.sock'); print(c.recv(1))" && rm own.sock`,
      `python3 -c "
import multiprocessing as m
with m.Manager() as g: print(g.dict(a=1))"`,
    ],
  },
  {
    name: 'the loopback',
    commands: [
      `python3 -c "
import socket, threading
s = socket.create_server(('127.0.0.1', 0))
threading.Thread(target=lambda: s.accept()[0].sendall(b'x')).start()
print(socket.create_connection(s.getsockname()).recv(1))"`,
    ],
  },
  {
    name: 'npm',
    commands: [
      'echo \'{"scripts":{"test":"node -e 0"}}\' > package.json && npm test --silent',
      'npm config get registry > /dev/null && npm pkg set name=x',
    ],
  },
  {
    name: 'caches',
    commands: [
      'touch ~/.cache/pip/x && rm ~/.cache/pip/x',
      'touch ~/.npm/_cacache/x && rm ~/.npm/_cacache/x',
      'mkdir -p ~/.npm/_npx/x && touch ~/.npm/_logs',
    ],
  },
  {
    name: 'make and archives',
    commands: [
      "printf 'all:\\n\\techo made > out\\n' > Makefile && make -s && cat out",
      'tar czf x.tgz a.txt && tar tzf x.tgz && gzip -k a.txt && rm x.tgz a.txt.gz',
    ],
  },
  {
    name: 'searching',
    commands: [
      'grep -r text . && find . -name "*.txt" && ls -la && du -sh . && wc -l a.txt',
      'sed -i s/text/TEXT/ a.txt && sort a.txt | uniq -c && diff a.txt a.txt',
    ],
  },
  {
    name: 'processes',
    commands: [
      'sleep 0.1 & wait; ps > /dev/null; kill -0 $$',
      'timeout 1 true && nohup true && xargs echo < a.txt && time true',
    ],
  },
];
