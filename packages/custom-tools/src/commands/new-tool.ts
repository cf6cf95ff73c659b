import { findBuiltIn, placesOf } from '../custom-toolset.ts';
import { TOOL_NAME } from '../define/definition.ts';
import { makeSideFolder, placeFolder, removeTree, writeFiles } from '../folders/index.ts';
import { RUNTIMES, type ToolRuntime } from '../run/runtimes.ts';
import { toolsCommand } from '../shell-words.ts';
import { invalid, requiredWord, type TerminalCommand, toolsDirectory } from './command-host.ts';

interface Template {
  readonly script: string;
  readonly text: string;
}

/** A script of each runtime that counts the words of a text. */
const TEMPLATES: Readonly<Record<ToolRuntime, Template>> = {
  node: {
    script: 'script.mjs',
    text: `import { readFileSync } from "node:fs";

const input = JSON.parse(readFileSync(0, "utf8"));
const words = input.text.split(/\\s+/).filter(Boolean).length;
console.log(JSON.stringify({ words }));
`,
  },
  bun: {
    script: 'script.ts',
    text: `const input: { text: string } = JSON.parse(await Bun.stdin.text());
const words = input.text.split(/\\s+/).filter(Boolean).length;
console.log(JSON.stringify({ words }));
`,
  },
  python: {
    script: 'script.py',
    text: `import json
import sys

given = json.load(sys.stdin)

words = len(given["text"].split())
print(json.dumps({"words": words}))
`,
  },
  bash: {
    script: 'script.sh',
    text: `#!/usr/bin/env bash
set -euo pipefail

# The input is one JSON object. jq takes it apart where it is installed: text=$(jq -r .text)
input=$(cat)
[[ $input =~ \\"text\\":\\"(([^\\"\\\\]|\\\\.)*)\\" ]]
read -ra words <<<"\${BASH_REMATCH[1]}"

printf '{"words": %d}\\n' "\${#words[@]}"
`,
  },
  go: {
    script: 'script.go',
    text: `package main

import (
	"encoding/json"
	"os"
	"strings"
)

func main() {
	var input struct{ Text string }
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]int{"words": len(strings.Fields(input.Text))})
}
`,
  },
  binary: {
    script: 'program',
    text: `#!/bin/sh
# Put a compiled program in the place of this file.
words=$(sed 's/.*"text":"//; s/".*//' | wc -w)
echo "{\\"words\\": $((words))}"
`,
  },
  powershell: {
    script: 'script.ps1',
    text: `$given = [Console]::In.ReadToEnd() | ConvertFrom-Json

$words = @($given.text -split '\\s+' | Where-Object { $_ }).Count
@{ words = $words } | ConvertTo-Json -Compress
`,
  },
};

export const TEST_INPUT = 'test-input.json';
const TEST_INPUT_TEXT = '{ "text": "one two three" }\n';

export const newTool: TerminalCommand = {
  usage: 'new NAME [--runtime RUNTIME] [--workspace]',
  about: 'Create a working tool to start from',
  flags: {
    runtime: { about: 'Language of the script', value: 'NAME' },
    workspace: { about: 'Create it in this workspace' },
  },
  maxWords: 1,
  help: `Writes a folder with a definition, a script and a test input, and says how to run it.

  --runtime    one of ${RUNTIMES.join(', ')}; node if absent
  --workspace  write it to .jinn/tools of this directory, for all who work here

  jinn tools new word-count --runtime python
  jinn tools run word-count '{"text": "a b c"}'`,
  run: async (given, host) => {
    const name = requiredWord(given, 0, 'NAME');
    const asked = given.flags['runtime'] ?? 'node';
    const runtime = RUNTIMES.find((known) => known === asked);
    if (runtime === undefined) throw invalid(`unknown runtime ${asked}`, `it is one of ${RUNTIMES.join(', ')}`);
    if (!TOOL_NAME.test(name))
      throw invalid(`${name} cannot be the name of a tool`, 'use 1 to 64 letters, digits, - and _');
    const toolset = findBuiltIn(name, host.builtIn);
    if (toolset !== undefined) throw invalid(`${name} is a built-in tool of ${toolset}`, 'choose another name');
    const inWorkspace = given.flags['workspace'] === true;
    const directory = inWorkspace ? (placesOf(host.machine).at(-1)?.directory ?? '') : toolsDirectory(host);
    const { script, text } = TEMPLATES[runtime];
    const side = makeSideFolder(directory);
    try {
      const files = { 'tool.md': definitionOf(name, runtime), [script]: text, [TEST_INPUT]: TEST_INPUT_TEXT };
      writeFiles(side, files, [script]);
      placeFolder(side, { directory, name, replaces: false });
    } catch (error) {
      removeTree(side);
      throw error;
    }
    const trust = inWorkspace
      ? `Tools of a workspace are off until you allow them:  ${toolsCommand('trust', name)}\n`
      : '';
    host.write(`wrote ${directory}/${name}\n\n${trust}Try it:  ${toolsCommand('run', name)}\n`);
    return 0;
  },
};

function definitionOf(name: string, runtime: ToolRuntime): string {
  return `---
name: ${name}
script: ${TEMPLATES[runtime].script}
runtime: ${runtime}
inputSchema:
  type: object
  properties:
    text:
      type: string
      description: "The text whose words are counted"
  required:
    - text
outputSchema:
  type: object
  properties:
    words:
      type: number
---

Count the words of a text.

Say here what the tool does, when to use it, and what to mind: a model reads this.
`;
}
