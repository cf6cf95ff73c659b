import * as z from 'zod/mini';
import type { ArgsSchema } from '../tool.ts';
import type { InputOf } from './input.ts';
import { type Issue, invalidArgs, namesAt } from './invalid-args.ts';
import { nearestArgument } from './read-args.ts';

const MAX_CALL = 400;

/** Checks arguments and fills in defaults. Throws `invalid_args`, which names each fault. */
export function parseArgs(build: (zod: typeof z) => ArgsSchema, sent: unknown, { name, examples }: InputOf): object {
  const input = build(z);
  const parsed = z.safeParse(input, sent, { error: z.locales.en().localeError, reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const args = correctNames(input, sent, issues) ?? withChoices(sent, issues, examples) ?? examples[0] ?? {};
  throw invalidArgs(name, { input, issues, example: { tool: name, args } });
}

function correctNames(input: ArgsSchema, sent: unknown, issues: readonly Issue[]): object | undefined {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const names = namesAt(input, []);
  const all = Object.entries<unknown>(Object(sent));
  const kept = all.filter(([name]) => !unknown.includes(name));
  const meant = all.flatMap(([name, value]) => {
    const nearest = unknown.includes(name) ? nearestArgument(name, names) : undefined;
    return nearest === undefined ? [] : [[nearest, value] as const];
  });
  const isRight = (args: object) => isShort(args) && z.safeParse(input, args).success;
  return [[...meant, ...kept], kept]
    .filter((entries) => entries.length > 0)
    .map(Object.fromEntries)
    .find(isRight);
}

function withChoices(sent: unknown, issues: readonly Issue[], examples: readonly object[]): object | undefined {
  const names = Object.keys(Object(sent));
  const like = examples.find((example) => names.length > 0 && names.every((name) => Object.hasOwn(example, name)));
  const isLack = ({ code, input }: Issue) => code === 'invalid_value' && input === undefined;
  if (!like || !issues.every(isLack)) return undefined;
  const lacks = issues.map(({ path }) => path.join('.'));
  const choices = Object.entries(like).filter(([name]) => lacks.includes(name));
  const args = { ...Object.fromEntries(choices), ...Object(sent) };
  return isShort(args) ? args : undefined;
}

// The JSON of a long text would take twice its size.
function isShort(args: object): boolean {
  let left = MAX_CALL;
  const json = JSON.stringify(args, (key, value: unknown) => {
    left -= key.length + (typeof value === 'string' ? value.length : 1);
    return left < 0 ? undefined : value;
  });
  return left >= 0 && json.length <= MAX_CALL;
}
