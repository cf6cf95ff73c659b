import { ERROR_CODES } from '@jinn/core/errors';
import { visualizationJsonSchema } from '@jinn/core/visualization/visualization-schema';
import { PROTOCOL_VERSION } from './request.ts';

type Properties = Readonly<Record<string, object | true>>;

const text = (description: string) => ({ type: 'string', description });
const flag = (description: string) => ({ type: ['boolean', 'null'], description });
const record = (description: string) => ({ type: 'object', description });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const anyOf = (names: readonly string[]) => ({ anyOf: names.map(ref) });

function object(description: string, required: readonly string[], properties: Properties): object {
  return { type: 'object', description, required, properties };
}

const closed = (schema: object) => ({ ...schema, additionalProperties: false });

const ID = { type: ['string', 'number'], description: 'The id of a request. A number keeps its digits' };
const BESIDE: Properties = {
  client: { type: ['string', 'null'], description: 'The host that asks' },
  parallel: flag('Whether the call may overtake others of the session'),
  protocol: { enum: [PROTOCOL_VERSION, null], description: 'The version that the caller uses. Any other is rejected' },
};

const REQUESTS = {
  call: object('A call of a tool.', ['tool'], {
    tool: text('The name of the tool'),
    args: { type: ['object', 'null'], description: 'Its arguments. jinn --schema prints what each tool takes' },
    request_id: { type: ['string', 'number', 'null'], description: 'Returned in the response. A cancel names it' },
    meta: flag('Whether the answer has all of meta'),
    ...BESIDE,
  }),
  tool_call: object('A call as the Chat Completions API of OpenAI gives it.', ['type', 'id', 'function'], {
    type: { const: 'function' },
    id: text('The id of the call'),
    function: object('What is called.', ['name'], {
      name: text('The name of the tool'),
      arguments: { type: ['string', 'object', 'null'], description: 'Its arguments, as JSON text' },
    }),
    ...BESIDE,
  }),
  function_call: object('A call as the Responses API of OpenAI gives it.', ['type', 'call_id', 'name'], {
    type: { const: 'function_call' },
    call_id: text('The id of the call'),
    name: text('The name of the tool'),
    arguments: { type: ['string', 'object', 'null'], description: 'Its arguments, as JSON text' },
    ...BESIDE,
  }),
  tool_use: object('A call as the Messages API of Anthropic gives it.', ['type', 'id', 'name'], {
    type: { const: 'tool_use' },
    id: text('The id of the call'),
    name: text('The name of the tool'),
    input: { type: ['object', 'null'], description: 'Its arguments' },
    ...BESIDE,
  }),
  cancel: object('Stops the open requests of an id.', ['cancel'], { cancel: ID }),
  decision: object('Answers a question, with --approvals=stdio.', ['approval', 'answer'], {
    approval: text('The id of the question'),
    answer: { enum: ['once', 'always', 'deny'] },
  }),
};

const IMAGE = object('An image.', ['type', 'mimeType', 'data'], {
  type: { const: 'image' },
  mimeType: text('What it is'),
  data: text('Its bytes in base64'),
});

const meta = record('What a program may want: versions, ids for undo, warnings');
const visualization = { $ref: '#/$defs/visualization', description: 'A visualization for the user' };
const classification = text('How a command ended');
const risk = { enum: ['safe', 'caution', 'dangerous'], description: 'The verdict on a command before it ran' };
const data = { type: 'array', minItems: 1, items: { type: 'object', required: ['type'] } };

const ANSWERS = {
  success: closed(
    object('The tool did what it was asked.', ['ok'], {
      ok: { const: true },
      result: text('The text of the result. Data is compact JSON'),
      content: { type: 'array', items: ref('image'), description: 'Images' },
      classification,
      risk,
      truncated: { type: 'boolean', description: 'Whether a limit cut the result' },
      total_count: { type: 'number', description: 'How much there is' },
      visualization,
      meta,
      request_id: ID,
    }),
  ),
  failure: closed(
    object('It did not.', ['ok', 'error', 'error_code'], {
      ok: { const: false },
      error: text('What is wrong'),
      error_code: { enum: ERROR_CODES, description: 'The kind of fault' },
      suggestion: text('One next step'),
      classification,
      risk,
      visualization,
      meta,
      approval: text('The id in a decision that was not taken'),
      request_id: ID,
    }),
  ),
  tool_message: closed(
    object('The answer to a tool_call.', ['role', 'tool_call_id', 'content'], {
      role: { const: 'tool' },
      tool_call_id: text('The id of the call'),
      content: text('What the model reads'),
    }),
  ),
  function_call_output: closed(
    object('The answer to a function_call.', ['type', 'call_id', 'output'], {
      type: { const: 'function_call_output' },
      call_id: text('The id of the call'),
      output: { anyOf: [{ type: 'string' }, data], description: 'What the model reads: a text, or texts and images' },
    }),
  ),
  tool_result: closed(
    object('The answer to a tool_use.', ['type', 'tool_use_id', 'content'], {
      type: { const: 'tool_result' },
      tool_use_id: text('The id of the call'),
      content: { anyOf: [{ type: 'string' }, data], description: 'What the model reads: a text, or texts and images' },
      is_error: { const: true },
    }),
  ),
  progress: closed(
    object('How far an open call is, with --progress. It is not an answer.', ['progress'], {
      progress: object('The report.', ['done', 'message'], {
        done: { type: 'number', description: 'How much is done. It never decreases' },
        total: { type: 'number', description: 'How much there is to do, if it is known' },
        message: text('What is done'),
      }),
      request_id: ID,
    }),
  ),
  question: closed(
    object('A question to a person, with --approvals=stdio. It is not an answer.', ['approval'], {
      approval: object('The question.', ['id', 'tool', 'args', 'message', 'permission'], {
        id: text('To be sent back in the decision'),
        tool: text('The tool that is called'),
        args: record('Its arguments'),
        message: text('The text for the user'),
        permission: object('The effect of the answer always.', ['type', 'key'], {
          type: text('Its kind'),
          key: text('What'),
        }),
        answers: {
          type: 'array',
          items: { enum: ['once', 'deny'] },
          description: 'The answers that are taken, if not all',
        },
        labels: record('The words for each accepted answer, to be shown to the user'),
        risk,
        request_id: ID,
      }),
    }),
  ),
};

/** Makes the JSON Schema of what jinn reads and of what it writes, each a value of its own. It loads zod for the visualizations. */
export function protocolSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:jinn:protocol:${PROTOCOL_VERSION}`,
    title: `The protocol of jinn, version ${PROTOCOL_VERSION}`,
    description: 'The definition "request" is what jinn reads, "answer" is a line that it writes.',
    anyOf: [ref('request'), ref('answer')],
    $defs: {
      request: anyOf(Object.keys(REQUESTS)),
      answer: anyOf(Object.keys(ANSWERS)),
      ...REQUESTS,
      ...ANSWERS,
      image: IMAGE,
      visualization: visualizationJsonSchema(),
    },
  };
}
