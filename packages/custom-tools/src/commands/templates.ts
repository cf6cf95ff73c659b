import type { Runtime } from '../run/runtimes.ts';

interface Template {
  readonly script: string;
  readonly text: string;
}

/** A script of each runtime that counts the words of a text. */
export const TEMPLATES: Readonly<Record<Runtime, Template>> = {
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

/** Writes the definition of a new tool. */
export function definitionOf(name: string, runtime: Runtime): string {
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

export const TEST_INPUT = 'test-input.json';

export const TEST_INPUT_TEXT = '{ "text": "one two three" }\n';
