import type { TextBlock } from '@jinn/core/model-content';
import type { McpTool, SchemaFormat } from '@jinn/toolsets';

interface ObjectSchema {
  readonly [keyword: string]: unknown;
  /** Arguments are always an object. */
  readonly type: 'object';
}

/** A tool, by the API or protocol that takes it so. */
export interface ApiTools extends Record<SchemaFormat, object> {
  /** Chat Completions of OpenAI. */
  readonly openai: {
    type: 'function';
    function: { name: string; description: string; parameters: Record<string, unknown>; strict?: boolean };
  };
  /** Responses of OpenAI. */
  readonly 'openai-responses': {
    type: 'function';
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    strict: boolean;
  };
  /** Messages of Anthropic. */
  readonly anthropic: { name: string; description: string; input_schema: ObjectSchema };
  /** A function declaration of Gemini. */
  readonly gemini: { name: string; description: string; parametersJsonSchema: ObjectSchema };
  /** The Model Context Protocol. */
  readonly mcp: McpTool;
}

/** The answer to a call of a model, by the `type` of the call, as the API expects it. */
export interface ApiAnswers {
  /** Chat Completions of OpenAI: a message, which holds only text. */
  readonly function: { role: 'tool'; tool_call_id: string; content: string };
  /** Responses of OpenAI: an item of the input. */
  readonly function_call: {
    type: 'function_call_output';
    call_id: string;
    output:
      | string
      | ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' })[];
  };
  /** Messages of Anthropic: a block of the next message. */
  readonly tool_use: {
    type: 'tool_result';
    tool_use_id: string;
    content: string | (TextBlock | AnthropicImage)[];
    is_error?: true;
  };
}

interface AnthropicImage {
  readonly type: 'image';
  /** The bytes of the image. */
  readonly source: {
    /** How `data` is written. */
    type: 'base64';
    /** The kind of image. */
    media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
    /** The bytes. */
    data: string;
  };
}

/** A call as the API of a model gives it: a `tool_use` of Anthropic, a `function` or `function_call` of OpenAI. */
export interface ApiToolCall {
  /** Which API it is from. */
  readonly type: keyof ApiAnswers;
}
