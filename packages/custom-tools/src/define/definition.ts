import { nearestName } from '@jinn/core/errors';
import { isObject, parseStrictJson } from '@jinn/core/text';
import { VARIABLE_NAME } from '../folders/index.ts';
import { RUNTIMES, type ToolRuntime } from '../run/runtimes.ts';
import { findSchemaFault } from './schema-faults.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_CHECK_MS = 10_000;
/** An hour. Timers of Node overflow at 24 days, and fire at once. */
const MAX_TIMEOUT_MS = 3_600_000;
/** The names that the APIs of models accept for a tool. They would refuse the whole request because of another one. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_SHOWN = 60;

/** The content of tool.md or tool.json, checked. */
export interface ToolDefinition {
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** Relative to the folder, as are all paths here. */
  readonly script: string;
  readonly runtime: ToolRuntime;
  readonly inputSchema: object;
  readonly outputSchema: object;
  /** Milliseconds, as are all times here. */
  readonly timeout: number;
  readonly requireApproval: boolean;
  readonly dangerous: boolean;
  /** The script that judges each call, or undefined if there is none. */
  readonly securityScript: string | undefined;
  readonly securityTimeout: number;
  /** The variables of `.env` that the tool gets. */
  readonly env: readonly string[];
}

/** Reports what is wrong with a definition, one sentence for each fault: `runtime: it is missing`. */
export class DefinitionError extends Error {
  readonly faults: readonly string[];
  /** The name of the tool, if the definition has one that is a text. */
  readonly toolName: string | undefined;

  constructor(faults: readonly string[], toolName?: string) {
    super(faults.join('; '));
    this.faults = faults;
    this.toolName = toolName;
  }
}

/** Reads a definition. Throws DefinitionError with all that is wrong. */
export async function readDefinition(file: 'tool.md' | 'tool.json', text: string): Promise<ToolDefinition> {
  const { fields, body } = await readFields(file, text);
  if (!isObject(fields)) throw new DefinitionError(['it defines no fields']);
  const reader = new FieldReader(fields);
  const description = body || reader.text('description', '');
  const definition: ToolDefinition = {
    name: reader.name(),
    description,
    script: reader.text('script'),
    runtime: reader.runtime(),
    inputSchema: await reader.schema('inputSchema'),
    outputSchema: await reader.schema('outputSchema'),
    timeout: reader.milliseconds('timeout', DEFAULT_TIMEOUT_MS),
    requireApproval: reader.flag('requireApproval'),
    dangerous: reader.flag('dangerous'),
    securityScript: reader.securityScript(),
    securityTimeout: reader.milliseconds('securityTimeout', DEFAULT_CHECK_MS),
    env: reader.variables(),
  };
  reader.finish();
  return definition;
}

async function readFields(file: string, text: string): Promise<{ fields: unknown; body: string }> {
  try {
    if (file === 'tool.md') {
      const { fields, body } = (await import('@jinn/core/text/yaml/front-matter')).parseFrontMatter(text);
      return { fields, body: body.trim() };
    }
  } catch (error) {
    throw new DefinitionError([(error as Error).message]);
  }
  try {
    return { fields: parseStrictJson(text), body: '' };
  } catch (error) {
    throw new DefinitionError([`it is ${(error as Error).message}`]);
  }
}

const FIELDS = [
  'name',
  'description',
  'script',
  'runtime',
  'inputSchema',
  'outputSchema',
  'timeout',
  'requireApproval',
  'dangerous',
  'hasSecurityCheck',
  'securityScript',
  'securityTimeout',
  'env',
] as const;

type Field = (typeof FIELDS)[number];

/** Reads fields and collects their faults, so that an author sees all at once. */
class FieldReader {
  readonly #fields: Record<string, unknown>;
  readonly #faults: string[] = [];

  constructor(fields: Record<string, unknown>) {
    this.#fields = fields;
    for (const name of Object.keys(fields)) {
      if ((FIELDS as readonly string[]).includes(name)) continue;
      // Security: a mistyped field such as requireAproval would switch off what was meant to protect.
      const near = nearestName(name, FIELDS);
      if (near !== undefined) this.#faults.push(`${show(name)}: there is no such field. Did you mean ${near}?`);
    }
  }

  text(field: Field, fallback?: string): string {
    const value = this.#fields[field];
    if (typeof value === 'string' && (value !== '' || fallback !== undefined)) return value;
    if (value === undefined && fallback !== undefined) return fallback;
    return this.#fault(field, value === undefined ? 'it is missing' : `it must be a text, not ${show(value)}`, '');
  }

  name(): string {
    const name = this.text('name');
    if (name !== '' && !TOOL_NAME.test(name)) {
      this.#fault('name', `${show(name)} must be 1 to 64 letters, digits, - and _, as models take it`, '');
    }
    return name;
  }

  runtime(): ToolRuntime {
    const value = this.text('runtime');
    const runtime = RUNTIMES.find((known) => known === value);
    if (runtime !== undefined || value === '') return runtime ?? 'binary';
    return this.#fault('runtime', `${show(value)} is not one of ${RUNTIMES.join(', ')}`, 'binary');
  }

  /** Returns the schema of a field. If its root has no type, it gets `type: object`, which hosts and models require. */
  async schema(field: Field): Promise<object> {
    const value = this.#fields[field];
    const fault = value === undefined ? 'it is missing' : await findSchemaFault(value);
    return fault === undefined ? { type: 'object', ...(value as object) } : this.#fault(field, fault, {});
  }

  flag(field: Field): boolean {
    const value = this.#fields[field] ?? false;
    if (typeof value === 'boolean') return value;
    return this.#fault(field, `it must be true or false, not ${show(value)}`, true);
  }

  /** Reads the check script, or undefined if there is none. */
  securityScript(): string | undefined {
    const script = this.text('securityScript', 'security.ts');
    if (this.flag('hasSecurityCheck')) return script;
    const isMeant = this.#fields['securityScript'] !== undefined && this.#fields['hasSecurityCheck'] === undefined;
    // Security: anyone who names a check believes that it runs.
    return isMeant ? this.#fault('securityScript', 'it only runs with hasSecurityCheck: true', script) : undefined;
  }

  milliseconds(field: Field, fallback: number): number {
    const value = this.#fields[field] ?? fallback;
    const isFit = typeof value === 'number' && value >= 1 && value <= MAX_TIMEOUT_MS;
    if (isFit) return Math.ceil(value);
    return this.#fault(field, `it must be a number of milliseconds, 1 to ${MAX_TIMEOUT_MS}, not ${show(value)}`, 1);
  }

  variables(): string[] {
    const value = this.#fields['env'] ?? [];
    const isFit = Array.isArray(value) && value.every((name) => typeof name === 'string' && VARIABLE_NAME.test(name));
    return isFit ? value : this.#fault('env', `it must be a list of names of variables, not ${show(value)}`, []);
  }

  /** Throws the collected faults. */
  finish(): void {
    const { name } = this.#fields;
    if (this.#faults.length > 0) throw new DefinitionError(this.#faults, typeof name === 'string' ? name : undefined);
  }

  #fault<T>(field: Field, reason: string, instead: T): T {
    this.#faults.push(`${field}: ${reason}`);
    return instead;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
