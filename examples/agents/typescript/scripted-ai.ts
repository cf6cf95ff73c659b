import { MockLanguageModelV4 } from 'ai/test';
import { LAST_WORDS, SCRIPT } from './project.ts';

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

const WORDS = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** Makes a model of the AI SDK that speaks from the script. */
export function scriptedModel(): MockLanguageModelV4 {
  const turns = SCRIPT.map(({ name, args }, i) =>
    turn('tool-calls', [{ type: 'tool-call', toolCallId: `call-${i}`, toolName: name, input: JSON.stringify(args) }]),
  );
  return new MockLanguageModelV4({ doGenerate: [...turns, turn('stop', [{ type: 'text', text: LAST_WORDS }])] });
}

/** Makes a turn of a model of the AI SDK. */
export function turn(reason: 'tool-calls' | 'stop', content: Generated['content']): Generated {
  return { content, finishReason: { unified: reason, raw: undefined }, usage: WORDS, warnings: [] };
}
