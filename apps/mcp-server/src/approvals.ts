import { type Answer, type Question, ToolError } from '@jinn/core';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  SdkError,
  SdkErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** A person may be away for a while; the host may end the wait sooner. */
const WAIT_MS = 10 * 60 * 1000;
const KEY_BYTES = 32;
/** How much is shown of what a host says of its own failure. */
const MAX_REASON = 200;

/** The key of the one answer that a round of the stateless revision waits for. */
const ANSWER = 'approval';

/** What a round carries to the next: which call it is for, and what was asked. */
interface State {
  readonly call: string;
  readonly asked: string;
}

/** What a person did with the form of a question. */
interface Response {
  readonly action?: unknown;
  readonly content?: { readonly remember?: unknown } | undefined;
}

export type StateCodec = ReturnType<typeof createStateCodec>;

/**
 * Seals what goes through the host and back. Only a process with the same key can open it; without a key, the process has
 * one of its own.
 */
export function createStateCodec(key: string | undefined) {
  const { createHash, randomBytes } = process.getBuiltinModule('node:crypto');
  const bytes = key === undefined ? randomBytes(KEY_BYTES) : createHash('sha256').update(key).digest();
  return createRequestStateCodec<State>({ key: bytes, ttlSeconds: WAIT_MS / 1000 });
}

export interface Approvals {
  /** Undefined if the host cannot ask a person. */
  readonly ask: ((question: Question) => Promise<Answer | undefined>) | undefined;
  /** After the call: what to answer instead of its result, if a person must be asked first. */
  inputRequired(): Promise<InputRequiredResult | undefined>;
}

/** Asks the person at the host, in the form that the protocol of the connection has. `call` names tool and arguments. */
export async function createApprovals(
  server: Server,
  ctx: ServerContext,
  call: () => string,
  codec: () => StateCodec,
): Promise<Approvals> {
  const { envelope } = ctx.mcpReq;
  if (envelope === undefined) return askNow(server, ctx);
  const declared = envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities };
  if (!asksForms(declared[CLIENT_CAPABILITIES_META_KEY]?.elicitation))
    return { ask: undefined, inputRequired: async () => undefined };
  return askByRounds(ctx, call, codec);
}

/** Revisions with a handshake: the question is a request of the server, and the call waits for the answer. */
function askNow(server: Server, ctx: ServerContext): Approvals {
  const canAsk = asksForms(server.getClientCapabilities()?.elicitation);
  return {
    ask: canAsk
      ? async (question) => {
          const params = toElicitation(question.message);
          const options = { timeout: WAIT_MS, signal: ctx.mcpReq.signal };
          const sent = ctx.mcpReq.send({ method: 'elicitation/create', params }, options);
          return toAnswer(await sent.catch((error: unknown) => giveUp(error, ctx.mcpReq.signal)));
        }
      : undefined,
    inputRequired: async () => undefined,
  };
}

/** Returns that the person did not answer in time, or throws why the question could not be put. */
function giveUp(error: unknown, signal: AbortSignal): Response {
  if (signal.aborted) throw new ToolError('canceled', 'the call was canceled');
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return {};
  const reason = String((error as Error).message)
    .replace(/\s+/g, ' ')
    .slice(0, MAX_REASON);
  throw new ToolError('approval_required', `the host could not ask the person: ${reason}`, {
    suggestion: 'tell the person what you want to run, and why',
  });
}

/** The stateless revision: the call ends with the question, and comes again with the answer and a sealed state. */
async function askByRounds(ctx: ServerContext, call: () => string, codec: () => StateCodec): Promise<Approvals> {
  const sealed = ctx.mcpReq.requestState<string>();
  const state = sealed === undefined ? undefined : await unseal(codec(), sealed, ctx);
  const response = ctx.mcpReq.inputResponses?.[ANSWER] as Response | undefined;
  const isAnswered = response !== undefined && state?.call === digest(call());
  let asked: string | undefined;
  return {
    ask: async ({ message }) => {
      if (isAnswered && state?.asked === message) return toAnswer(response);
      asked = message;
      throw new ToolError('approval_required', message);
    },
    inputRequired: async () => {
      if (asked === undefined) return undefined;
      const requestState = await codec().mint({ call: digest(call()), asked }, ctx);
      return inputRequired({ inputRequests: { [ANSWER]: inputRequired.elicit(toElicitation(asked)) }, requestState });
    },
  };
}

function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64');
}

/** Returns undefined if this process did not seal it, or too long ago: then the question is asked again. */
async function unseal(codec: StateCodec, sealed: string, ctx: ServerContext): Promise<State | undefined> {
  try {
    return (await codec.verify(sealed, ctx)) as State;
  } catch {
    return undefined;
  }
}

/** A declaration without a mode means forms. */
function asksForms(elicitation: object | undefined): boolean {
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation));
}

/** Accepting the form is the approval; nothing must be filled in. */
function toElicitation(message: string) {
  const title = 'Do not ask again for this in this workspace';
  return {
    message,
    requestedSchema: { type: 'object' as const, properties: { remember: { type: 'boolean' as const, title } } },
  };
}

/** Returns undefined if the person turned away without an answer. */
function toAnswer({ action, content }: Response): Answer | undefined {
  if (action === 'accept') return content?.remember === true ? 'always' : 'once';
  return action === 'decline' ? 'deny' : undefined;
}
