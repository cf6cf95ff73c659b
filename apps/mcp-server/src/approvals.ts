import { type Answer, type CallHooks, type Question, REFUSALS } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { ANSWER_WORDS, wordsFor } from '@jinn/core/text/answer-words';
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type ServerContext as RequestContext,
  SdkError,
  SdkErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { askerOf, capabilitiesOf } from './request-facts.ts';

const WAIT_MS = 10 * 60 * 1000;
const KEY_BYTES = 32;
const MAX_REASON = 200;

const ANSWER = 'approval';

interface State {
  readonly call: string;
  readonly asked: string;
  readonly nonce: string;
}

interface Response {
  readonly action?: unknown;
  readonly content?: { readonly decision?: unknown } | undefined;
}

type StateCodec = ReturnType<typeof createStateCodec>;

/** Seals what goes through the host, for one session and person. Only a process with this key opens it. The default is a key of its own. */
export function createStateCodec(key: string | undefined) {
  const { createHash, randomBytes } = process.getBuiltinModule('node:crypto');
  const bytes = key === undefined ? randomBytes(KEY_BYTES) : createHash('sha256').update(key).digest();
  const bind = (ctx: RequestContext) =>
    JSON.stringify([ctx.http?.req?.headers.get('jinn-session') ?? null, askerOf(ctx).person]);
  return createRequestStateCodec<State>({ key: bytes, ttlSeconds: WAIT_MS / 1000, bind });
}

type NonceSpender = (nonce: string, until: Date) => Promise<boolean>;

/** Makes the record of used answers of a process that shares its answers with no other. */
export function createNonceSpender(): NonceSpender {
  const spent = new Map<string, number>();
  return async (nonce, until) => {
    for (const [old, end] of spent) if (end < Date.now()) spent.delete(old);
    if (spent.has(nonce)) return false;
    spent.set(nonce, until.getTime());
    return true;
  };
}

export interface Rounds {
  readonly codec: StateCodec;
  readonly spend: NonceSpender;
}

export interface McpApprovals {
  /** Undefined if the host cannot ask the user. */
  readonly ask: CallHooks['ask'];
  /** Returns, after the call, what to answer in place of its result if the user must be asked first. */
  inputRequired(): Promise<InputRequiredResult | undefined>;
}

interface AskedCall {
  call(): string;
  rounds(): Rounds;
  readonly signal: AbortSignal;
  readonly onQuestion: ((question: Question) => void) | undefined;
}

/** Asks the user at the host. Security: an approval lets something run, so someone who may not execute is never asked. */
export async function createMcpApprovals(
  server: Server,
  ctx: RequestContext,
  asking: AskedCall,
): Promise<McpApprovals> {
  const mayAllow = askerOf(ctx).scopes.includes('jinn:execute');
  const { elicitation } = capabilitiesOf(server, ctx);
  const asksForms = elicitation !== undefined && ('form' in elicitation || !('url' in elicitation));
  if (!mayAllow || !asksForms) return { ask: undefined, inputRequired: async () => undefined };
  return ctx.mcpReq.envelope === undefined ? askNow(ctx, asking) : askByRounds(ctx, asking);
}

function askNow(ctx: RequestContext, { signal, onQuestion }: AskedCall): McpApprovals {
  return {
    ask: async (question, elsewhere) => {
      onQuestion?.(question);
      const params = toElicitation(question);
      const ended = elsewhere ? AbortSignal.any([signal, elsewhere]) : signal;
      const sent = ctx.mcpReq.send({ method: 'elicitation/create', params }, { timeout: WAIT_MS, signal: ended });
      return toAnswer(await sent.catch((error: unknown) => giveUp(error, ended)));
    },
    inputRequired: async () => undefined,
  };
}

function giveUp(error: unknown, signal: AbortSignal): Response {
  if (signal.aborted) throw new ToolError('canceled', 'the call was canceled');
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return {};
  const reason = String((error as Error).message)
    .replace(/\s+/g, ' ')
    .slice(0, MAX_REASON);
  const [, suggestion] = REFUSALS.nobody;
  throw new ToolError('approval_required', `the host could not ask the user: ${reason}`, { suggestion });
}

// In the stateless revision, the call ends with the question, and comes again with the answer and a sealed state. Security: an answer is
// used up by the first call that brings it, no matter what it says, and whether or not the call asks again.
async function askByRounds(ctx: RequestContext, { call, rounds, onQuestion }: AskedCall): Promise<McpApprovals> {
  const { codec, spend } = rounds();
  const response = ctx.mcpReq.inputResponses?.[ANSWER] as Response | undefined;
  const sealed = ctx.mcpReq.requestState<string>();
  const state = response && sealed !== undefined ? await unseal(codec, sealed, ctx) : undefined;
  const answered = state?.call === digest(call()) ? state : undefined;
  const refusal = answered && (await use(answered, spend));
  let asked: Question | undefined;
  return {
    ask: async (question) => {
      if (refusal) throw refusal;
      if (response && answered?.asked === digest(question.message)) return toAnswer(response);
      asked = question;
      throw new ToolError('approval_required', question.message);
    },
    inputRequired: async () => {
      if (asked === undefined) return undefined;
      onQuestion?.(asked);
      const nonce = crypto.randomUUID();
      const requestState = await codec.mint({ call: digest(call()), asked: digest(asked.message), nonce }, ctx);
      return inputRequired({ inputRequests: { [ANSWER]: inputRequired.elicit(toElicitation(asked)) }, requestState });
    },
  };
}

async function use({ nonce }: State, spend: NonceSpender): Promise<unknown> {
  try {
    if (await spend(nonce, new Date(Date.now() + WAIT_MS))) return undefined;
  } catch (error) {
    return error;
  }
  return new ToolError('approval_required', 'this answer of the user was used before, and counts once', {
    suggestion: 'see whether the first call ran. A new call without requestState asks again',
  });
}

function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64');
}

// A state that this process did not seal, or too long ago, does not count: the question is asked again.
async function unseal(codec: StateCodec, sealed: string, ctx: RequestContext): Promise<State | undefined> {
  try {
    return (await codec.verify(sealed, ctx)) as State;
  } catch {
    return undefined;
  }
}

/** The answers of a form. "Deny" comes first, and no value is preset: what a host fills in by itself is no approval. */
const DECISIONS = ['deny', 'once', 'always', 'everybody'] as const;

function toElicitation({ message, always, onlyOnce, forAll }: Question) {
  const isOffered = { deny: true, once: true, always: onlyOnce === undefined, everybody: forAll === true };
  const offered = Object.values(wordsFor(DECISIONS.filter((decision) => isOffered[decision])));
  const decision = {
    type: 'string' as const,
    title: 'Decision',
    enum: offered,
    ...(isOffered.always && { description: always || FOR_GOOD }),
  };
  return { message, requestedSchema: { type: 'object' as const, properties: { decision }, required: ['decision'] } };
}

const FOR_GOOD = `"${ANSWER_WORDS.always}" runs this without asking from now on in this workspace. jinn-mcp grants lists such answers, and revokes them.`;

function toAnswer({ action, content }: Response): Answer | 'everybody' | undefined {
  if (action === 'decline') return 'deny';
  return action === 'accept' ? DECISIONS.find((each) => ANSWER_WORDS[each] === content?.decision) : undefined;
}
