import { type Approval, ToolError } from '@jinn/core';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** A person may be away for a while; the host may end the wait sooner. */
const WAIT_MS = 10 * 60 * 1000;
const KEY_BYTES = 32;

/** The one answer that is waited for in a round of the stateless revision. */
const ANSWER = 'approval';

/** What a round carries to the next: which call it is for, and what was asked. */
interface State {
  readonly call: string;
  readonly approved: readonly string[];
  readonly asked: string;
}

export type StateCodec = ReturnType<typeof createStateCodec>;

/** Seals what goes through the host and back; a seal of another process is none. */
export function createStateCodec() {
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  return createRequestStateCodec<State>({ key: randomBytes(KEY_BYTES), ttlSeconds: WAIT_MS / 1000 });
}

export interface Approvals {
  /** Undefined where the host cannot ask a person. */
  readonly approve: ((question: string) => Promise<Approval | undefined>) | undefined;
  /** After the call: what to answer instead of its result, when a person must be asked first. */
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
    return { approve: undefined, inputRequired: async () => undefined };
  return askByRounds(ctx, call, codec);
}

/** Revisions with a handshake: the question is a request of the server, and the call waits for the answer. */
function askNow(server: Server, ctx: ServerContext): Approvals {
  const canAsk = asksForms(server.getClientCapabilities()?.elicitation);
  return {
    approve: canAsk
      ? async (question) => {
          const params = toElicitation(question);
          const options = { timeout: WAIT_MS, signal: ctx.mcpReq.signal };
          const { action } = await ctx.mcpReq.send({ method: 'elicitation/create', params }, options);
          return toApproval(action);
        }
      : undefined,
    inputRequired: async () => undefined,
  };
}

/** The stateless revision: the call ends with the question, and comes again with the answer and a sealed state. */
async function askByRounds(ctx: ServerContext, call: () => string, codec: () => StateCodec): Promise<Approvals> {
  const sealed = ctx.mcpReq.requestState<string>();
  const state = sealed === undefined ? undefined : await unseal(codec(), sealed, ctx);
  const { approved = [], asked: answered } = state && state.call === digest(call()) ? state : {};
  const answer = ctx.mcpReq.inputResponses?.[ANSWER] as { action?: unknown } | undefined;
  const confirmed = [...approved];
  let asked: string | undefined;
  return {
    approve: async (question) => {
      if (confirmed.includes(question)) return 'approved';
      if (question === answered && answer !== undefined) {
        if (toApproval(answer.action) === 'declined') return 'declined';
        confirmed.push(question);
        return 'approved';
      }
      asked = question;
      throw new ToolError('approval_required', question);
    },
    inputRequired: async () => {
      if (asked === undefined) return undefined;
      const requestState = await codec().mint({ call: digest(call()), approved: confirmed, asked }, ctx);
      return inputRequired({ inputRequests: { [ANSWER]: inputRequired.elicit(toElicitation(asked)) }, requestState });
    },
  };
}

function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64');
}

/** Undefined for what this process did not seal, or too long ago: then the question is asked again. */
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

/** Nothing is to be filled in: accepting is the approval. */
function toElicitation(message: string) {
  return { message, requestedSchema: { type: 'object' as const, properties: {} } };
}

function toApproval(action: unknown): Approval {
  return action === 'accept' ? 'approved' : 'declined';
}
