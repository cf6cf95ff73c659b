// Makes the models that the AI SDK is given by name speak from a script: they list the directory, and say what is there.
import { customProvider } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { turn } from './scripted-ai.ts';

const list = turn('tool-calls', [{ type: 'tool-call', toolCallId: 'one', toolName: 'list_dir', input: '{}' }]);
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const heard = prompt.at(-1)?.role === 'tool' && JSON.stringify(prompt.at(-1)).includes('README.md');
    return heard ? turn('stop', [{ type: 'text', text: 'a directory with README.md' }]) : list;
  },
});
globalThis.AI_SDK_DEFAULT_PROVIDER = customProvider({ languageModels: { 'anthropic/claude-sonnet-4.5': model } });
