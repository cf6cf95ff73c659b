import type { ModelAnswer } from '@jinn/toolsets';
import { type JSONSchema7, jsonSchema, type SingleToolApprovalFunction, type ToolSet } from 'ai';
import type { ModelJinn } from '../create-jinn.ts';
import { toModelOutput } from './answer-text.ts';
import { createDecisions } from './decisions.ts';

/** The options for `generateText`, `streamText` and `ToolLoopAgent` of the AI SDK. */
export interface AiTools {
  /** The tools, by name. */
  readonly tools: ToolSet;
  /** Makes a call wait for the user if jinn would ask. The reason of the request is the text for the user. */
  readonly toolApproval: Readonly<Record<string, SingleToolApprovalFunction<unknown, unknown, unknown>>>;
}

/** Makes the tools of an instance tools of the AI SDK. */
export async function jinnTools(jinn: ModelJinn): Promise<AiTools> {
  const decisions = createDecisions(jinn);
  const tools: ToolSet = {};
  const toolApproval: Record<string, AiTools['toolApproval'][string]> = {};
  for (const { name, description, schema } of await jinn.tools()) {
    tools[name] = {
      description,
      inputSchema: jsonSchema(schema as JSONSchema7),
      execute: (args: unknown, { toolCallId: id, abortSignal }) => decisions.run({ id, name, args }, abortSignal),
      toModelOutput: ({ output }: { output: ModelAnswer }) => toModelOutput(output),
    };
    toolApproval[name] = async (args, { toolCallId: id }) => {
      const reason = await decisions.question({ id, name, args });
      return reason === undefined ? undefined : { type: 'user-approval', reason };
    };
  }
  return { tools, toolApproval };
}
