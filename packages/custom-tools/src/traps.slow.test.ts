import fs from 'node:fs';
import { findSandbox } from '@jinn/process/sandbox';
import type { FileTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { makeScene, resultOf, toolMd } from './fixture/custom-registry.ts';
import { has, installRuntimes, isHidden, PATH_WITH_RUNTIMES } from './fixture/installed-runtimes.ts';

const sandbox = await findSandbox({ network: true });

/** What a script prints, as a result and as the verdict of a check. */
const said = (value: string) =>
  `"said": ${value}, "allowed": true, "requiresApproval": false, "permissionType": "t", "permissionKey": "k"`;
/** A module of node, bun and deno that says that it was loaded, and answers in place of what loads it. */
const EVIL_JS =
  'require("node:fs").writeFileSync("TRAPPED-js", ""); console.log(JSON.stringify({ said: "trap", allowed: false })); process.exit(0);';
const EVIL_ESM = `import fs from "node:fs"; fs.writeFileSync("TRAPPED-esm", ""); export const word = "trap";`;
const EVIL_PY = 'open("TRAPPED-py", "w")\nword = "trap"\n';
const EVIL_PERL = 'BEGIN { open(my $f, ">", "TRAPPED-perl") } package Word; sub word { "trap" } 1;';
const EVIL_RUBY = 'File.write("TRAPPED-ruby", "")\nWORD = "trap"\n';
const EVIL_PHP = '<?php touch("TRAPPED-php"); $word = "trap";';
const EVIL_SH = 'touch TRAPPED-sh; word=trap';
const EVIL_GO =
  'package word\nimport "os"\nvar Word = "trap"\nfunc init() { os.WriteFile("TRAPPED-go", nil, 0o600) }\n';
const PROGRAM = { content: `#!/bin/sh\n${EVIL_SH}\n`, mode: 0o755 };

/** A workspace with all that some runtime might obey or load from its working directory. */
const TRAPS: FileTree = {
  'bunfig.toml': 'preload = ["./evil.cjs"]\n[test]\npreload = ["./evil.cjs"]\n',
  '.env': 'FROM_WORKSPACE=trap\nNODE_OPTIONS=--require ./evil.cjs\n',
  '.env.local': 'FROM_WORKSPACE=trap\n',
  'evil.cjs': EVIL_JS,
  'package.json': JSON.stringify({
    type: 'module',
    main: 'evil.cjs',
    imports: { '#word': './word.mjs', word: './word.mjs' },
    scripts: {
      script: 'touch TRAPPED-script',
      'script.ts': 'touch TRAPPED-script',
      '/run/tool/script.ts': 'touch TRAPPED-script',
    },
  }),
  'tsconfig.json': JSON.stringify({ compilerOptions: { baseUrl: '.', paths: { word: ['./word.mjs'], '*': ['./*'] } } }),
  'deno.json': JSON.stringify({ imports: { word: './word.mjs', './word.ts': './word.mjs' }, preload: ['./evil.cjs'] }),
  '.npmrc': 'node-options=--require ./evil.cjs\n',
  'word.mjs': EVIL_ESM,
  'word.ts': EVIL_ESM,
  'node_modules/word/index.js': EVIL_JS,
  'node_modules/.bin/date': PROGRAM,
  'bin/env': PROGRAM,
  ...Object.fromEntries(
    ['sitecustomize', 'usercustomize', 'json', 'word', 'os', 'site'].map((name) => [`${name}.py`, EVIL_PY]),
  ),
  'pyvenv.cfg': 'home = .\n',
  '.python-version': '3.99\n',
  ...Object.fromEntries(['Word', 'strict', 'lib/Word', 'JSON/PP'].map((name) => [`${name}.pm`, EVIL_PERL])),
  ...Object.fromEntries(
    ['word.rb', 'json.rb', 'rubygems.rb', 'lib/word.rb', '.irbrc', '.rubyrc'].map((n) => [n, EVIL_RUBY]),
  ),
  Gemfile: EVIL_RUBY,
  '.bundle/config': 'BUNDLE_GEMFILE: ./Gemfile\n',
  '.ruby-version': '9.9.9\n',
  'php.ini': 'auto_prepend_file = evil.php\n',
  'php-cli.ini': 'auto_prepend_file = evil.php\n',
  '.user.ini': 'auto_prepend_file = evil.php\n',
  'evil.php': EVIL_PHP,
  'word.php': EVIL_PHP,
  ...Object.fromEntries(['.bashrc', '.bash_profile', '.profile', '.bash_env', 'word.sh'].map((n) => [n, EVIL_SH])),
  'go.mod': 'module tool\n',
  'go.work': 'go 1.18\nuse ./none\n',
  'word/word.go': EVIL_GO,
  'vendor/tool/word/word.go': EVIL_GO,
};

interface Trapped {
  readonly program: string;
  readonly runtime: string;
  readonly script: string;
  readonly files: FileTree;
}

const program = (content: string) => ({ content, mode: 0o755 });

const TOOLS: Readonly<Record<string, Trapped>> = {
  bun: {
    program: 'bun',
    runtime: 'bun',
    script: 'script.ts',
    files: {
      'script.ts': `import { word } from "word";\nconsole.log(JSON.stringify({ ${said('process.env.FROM_WORKSPACE ?? word')} }));`,
      'node_modules/word/index.ts': 'export const word = "mine";',
    },
  },
  deno: {
    program: 'deno',
    runtime: 'binary',
    script: 'script.ts',
    files: {
      'script.ts': program(
        `#!/usr/bin/env -S deno run --allow-env\nimport { word } from "./word.ts";\nconsole.log(JSON.stringify({ ${said('Deno.env.get("FROM_WORKSPACE") ?? word')} }));`,
      ),
      'word.ts': 'export const word = "mine";',
    },
  },
  node: {
    program: 'node',
    runtime: 'node',
    script: 'script.js',
    files: {
      'script.js': `const { word } = require("word");\nconsole.log(JSON.stringify({ ${said('process.env.FROM_WORKSPACE ?? word')} }));`,
      'node_modules/word/index.js': 'exports.word = "mine";',
    },
  },
  python: {
    program: 'python3',
    runtime: 'python',
    script: 'script.py',
    files: {
      'script.py': `import json, os\nfrom word import word\ntrue, false = True, False\nprint(json.dumps({ ${said('os.environ.get("FROM_WORKSPACE", word)')} }))`,
      'word.py': 'word = "mine"\n',
    },
  },
  bash: {
    program: 'bash',
    runtime: 'bash',
    script: 'script.sh',
    files: {
      'script.sh': `. "$(dirname "$0")/word.sh"\ndate > /dev/null\necho "{ ${said('"$word"').replaceAll('"', '\\"').replace('\\"$word\\"', '\\"$word\\"')} }"`,
      'word.sh': 'word=mine\n',
    },
  },
  go: {
    program: 'go',
    runtime: 'go',
    script: 'script.go',
    files: {
      'script.go': `package main\nimport ("fmt"; "tool/word")\nfunc main() { fmt.Printf(\`{ ${said('"%s"')} }\`, word.Word) }\n`,
      'go.mod': 'module tool\n\ngo 1.18\n',
      'word/word.go': 'package word\nvar Word = "mine"\n',
    },
  },
  perl: {
    program: 'perl',
    runtime: 'binary',
    script: 'script.pl',
    files: {
      'script.pl': program(
        `#!/usr/bin/env perl\nuse strict; use FindBin; use lib $FindBin::RealBin; use Word; use JSON::PP ();\nprint '{ ${said('"\' . Word::word() . \'"')} }';`,
      ),
      'Word.pm': 'package Word; sub word { "mine" } 1;',
    },
  },
  ruby: {
    program: 'ruby',
    runtime: 'binary',
    script: 'script.rb',
    files: {
      'script.rb': program(
        `#!/usr/bin/env ruby\nrequire "json"\nrequire_relative "word"\nputs JSON.generate({ ${said('WORD')} })`,
      ),
      'word.rb': 'WORD = "mine"\n',
    },
  },
  php: {
    program: 'php',
    runtime: 'binary',
    script: 'script.php',
    files: {
      'script.php': program(
        `#!/usr/bin/env php\n<?php require __DIR__ . "/word.php";\necho '{ ${said('"\' . $word . \'"')} }';`,
      ),
      'word.php': '<?php $word = "mine";',
    },
  },
};

installRuntimes();

const modes = [['without the sandbox', 'off'] as const, ['in the sandbox', 'require'] as const];

for (const [where, mode] of modes) {
  test.for(Object.entries(TOOLS))(
    `%s ${where} runs the tool and its check, whatever lies in the working directory`,
    { timeout: 180_000 },
    async ([name, tool], { skip }) => {
      if (!has(tool.program)) skip(`there is no ${tool.program}`);
      if (mode === 'require' && !sandbox.works) skip('there is no sandbox');
      if (mode === 'require' && isHidden(tool.program))
        skip(`${tool.program} lies below /tmp, which the sandbox hides`);
      const { runtime, script, files } = tool;
      const fields = {
        name,
        runtime,
        script,
        hasSecurityCheck: true,
        securityScript: script,
        securityTimeout: 100_000,
      };
      const all = { 'tool.md': toolMd({ ...fields, timeout: 100_000 }), ...files };
      const scene = await makeScene({
        config: Object.fromEntries(Object.entries(all).map(([file, entry]) => [`tools/${name}/${file}`, entry])),
        workspace: TRAPS,
        environment: { ...process.env, PATH: `node_modules/.bin:${PATH_WITH_RUNTIMES}::.` },
        sandbox: { mode, network: true },
      });
      expect(resultOf(await scene.call(name))).toMatchObject({ said: 'mine' });
      expect(fs.readdirSync(scene.root).filter((entry) => entry.startsWith('TRAPPED'))).toEqual([]);
    },
  );
}
