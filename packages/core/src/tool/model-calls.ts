import { ToolError } from '../errors/index.ts';
import { parseJson } from '../text/index.ts';
import { type ModelBlock, toModelContent } from './model-content.ts';
import { toFailure } from './outcome.ts';

/** A call as the API of a model gives it, which is answered as the same API takes it. */
export interface ApiCall {
  readonly tool: string;
  readonly args: unknown;
  readonly id: string;
  /** What is wrong with the call. It is answered in place of a call. */
  readonly fault?: ToolError;
  /** Formats the answer as the API takes it. */
  toAnswer(ok: boolean, content: readonly ModelBlock[]): object;
}

type Members = Readonly<Record<string, unknown>>;

interface ModelApi {
  read(call: Members): {
    readonly name: unknown;
    readonly args: unknown;
    readonly id: unknown;
    readonly idName: string;
  };
  toAnswer(id: string, ok: boolean, content: readonly ModelBlock[]): object;
}

/** By the `type` of a call: OpenAI's Chat Completions, OpenAI's Responses, and Anthropic's Messages. */
const APIS: Readonly<Record<string, ModelApi>> = {
  function: {
    read: ({ function: called, id }) => {
      const { name, arguments: args } = Object(called) as Members;
      return { name, args, id, idName: 'id' };
    },
    toAnswer: (id, _, content) => ({ role: 'tool', tool_call_id: id, content: content.map(toTextAlone).join('\n') }),
  },
  function_call: {
    read: ({ name, arguments: args, call_id: id }) => ({ name, args, id, idName: 'call_id' }),
    toAnswer: (id, _, content) => ({
      type: 'function_call_output',
      call_id: id,
      output: textOr(content, (block) =>
        block.type === 'text'
          ? { type: 'input_text', text: block.text }
          : { type: 'input_image', image_url: `data:${block.mimeType};base64,${block.data}`, detail: 'auto' },
      ),
    }),
  },
  tool_use: {
    read: ({ name, input: args, id }) => ({ name, args, id, idName: 'id' }),
    toAnswer: (id, ok, content) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: textOr(content, (block) =>
        block.type === 'text'
          ? block
          : { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } },
      ),
      ...(!ok && { is_error: true }),
    }),
  },
};

/** Returns the call that a value is, if its `type` is that of an API. Throws `invalid_request` if the answer could not name it. */
export function toModelCall(value: Members): ApiCall | undefined {
  const type = String(value['type']);
  const api = Object.hasOwn(APIS, type) ? APIS[type] : undefined;
  if (!api) return undefined;
  const { name, args, id, idName } = api.read(value);
  if (typeof id !== 'string') throw invalid(`the ${idName} of a ${type} must be a string`);
  const toAnswer: ApiCall['toAnswer'] = (ok, content) => api.toAnswer(id, ok, content);
  try {
    if (typeof name !== 'string') throw invalid(`the name of a ${type} must be a string`);
    return { tool: name, args: toArgs(args, type), id, toAnswer };
  } catch (fault) {
    return { tool: '', args: {}, id, toAnswer, fault: fault as ToolError };
  }
}

/** Formats the answer to a call that reached no tool. */
export function refuseModelCall({ toAnswer }: ApiCall, error: ToolError): object {
  const words = toModelContent(toFailure(error), { effect: 'read', hosting: {} }, { endsWithCall: false });
  return toAnswer(false, words);
}

function toArgs(args: unknown, type: string): unknown {
  const given = typeof args === 'string' ? parseArgs(args, type) : (args ?? {});
  if (typeof given !== 'object' || Array.isArray(given)) throw invalid(`the arguments of a ${type} must be an object`);
  return given;
}

function parseArgs(text: string, type: string): unknown {
  if (text === '') return {};
  const read = parseJson(Buffer.from(text));
  if (read.ok) return read.value ?? {};
  throw invalid(`the arguments of a ${type}: ${read.message}`);
}

function invalid(what: string): ToolError {
  return new ToolError('invalid_request', `invalid request: ${what}`, {
    suggestion: 'pass the call on as the API gave it',
  });
}

function textOr(content: readonly ModelBlock[], toBlock: (block: ModelBlock) => object): string | object[] {
  const told = content.filter((block) => block.type !== 'text' || block.text !== '');
  const [first] = told;
  if (first === undefined) return '';
  return told.length === 1 && first.type === 'text' ? first.text : told.map(toBlock);
}

function toTextAlone(block: ModelBlock): string {
  return block.type === 'text' ? block.text : `[an image, ${block.mimeType}: a tool message holds text alone]`;
}
