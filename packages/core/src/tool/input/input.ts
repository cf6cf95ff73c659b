/** The part of JSON Schema that the schemas made from zod use. A schema that a user wrote may hold more. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean | JsonSchema;
}

export interface Input {
  /** True for a schema that a user wrote: hosts see it unchanged. */
  readonly isExact?: boolean;
  schema(): JsonSchema | Promise<JsonSchema>;
  /** Throws `invalid_args`, which names each fault. */
  parse(args: unknown): object | Promise<object>;
}

export interface InputOf {
  readonly name: string;
  readonly examples: readonly object[];
}
