// Makes the models that the AI SDK is given by name speak from a script: they list the directory, try to remove
// one, and say what is there once that was refused.
import { customProvider } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { turn } from './scripted-ai.ts';

const call = (toolName: string, args: object) =>
  turn('tool-calls', [{ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(args) }]);
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const heard = JSON.stringify(prompt.at(-1));
    if (heard.includes('command_blocked')) return turn('stop', [{ type: 'text', text: 'a directory with README.md' }]);
    return heard.includes('README.md') ? call('run_shell', { command: 'rm -rf build' }) : call('list_dir', {});
  },
});
globalThis.AI_SDK_DEFAULT_PROVIDER = customProvider({ languageModels: { 'anthropic/claude-sonnet-4.5': model } });
