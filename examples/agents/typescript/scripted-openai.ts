import { type Model, type ModelResponse, Usage } from '@openai/agents';
import { LAST_WORDS, SCRIPT } from './project.ts';

/** A model of the OpenAI Agents SDK that speaks from the script. */
export class ScriptedModel implements Model {
  #turn = 0;

  async getResponse(): Promise<ModelResponse> {
    const call = SCRIPT[this.#turn++];
    if (!call) {
      const content = [{ type: 'output_text' as const, text: LAST_WORDS }];
      return answer({ type: 'message', role: 'assistant', status: 'completed', content });
    }
    const { name, args } = call;
    return answer({ type: 'function_call', callId: `call-${this.#turn}`, name, arguments: JSON.stringify(args) });
  }

  getStreamedResponse(): never {
    throw new Error('the script does not stream');
  }
}

function answer(item: ModelResponse['output'][number]): ModelResponse {
  return { usage: new Usage(), output: [item] };
}
