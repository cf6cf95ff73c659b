import { findBuiltIn, placesOf } from '../custom-toolset.ts';
import { TOOL_NAME } from '../define/definition.ts';
import { makeSideFolder, placeFolder, removeTree, writeFiles } from '../folders/index.ts';
import { RUNTIMES, type ToolRuntime } from '../run/runtimes.ts';
import { toolsCommand } from '../shell-words.ts';
import { invalid, requiredWord, type TerminalCommand, toolsDirectory } from './command-host.ts';
import TEMPLATES from './new-tool.txt';

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
    const { script, text, definition } = templateOf(name, runtime);
    const side = makeSideFolder(directory);
    try {
      const files = { 'tool.md': definition, [script]: text, [TEST_INPUT]: TEST_INPUT_TEXT };
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

/** Returns the script of a runtime, which counts the words of a text, and the definition of the tool. */
function templateOf(name: string, runtime: ToolRuntime) {
  const parts = TEMPLATES.split(/^==== /m).map((part) => part.split(/\n(.*)/s));
  const [head = '', text = ''] = parts.find(([first]) => first?.startsWith(`${runtime} `)) ?? [];
  const [, script = ''] = head.split(' ');
  const [, page = ''] = parts.at(-1) ?? [];
  const definition = page
    .replace('NAME', () => name)
    .replace('SCRIPT', script)
    .replace('RUNTIME', runtime);
  return { script, text, definition };
}
