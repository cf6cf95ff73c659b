import { ToolError } from '@jinn/errors';
import {
  type Caller,
  createSession,
  type Machine,
  type Outcome,
  type Question,
  type Registry,
  type Request,
  type Session,
  type Surroundings,
  toFailure,
} from '@jinn/tool';
import type { ModelBlock } from '@jinn/tool/model-content';
import { openRegistry, type ServedChoice } from '@jinn/toolsets';

/** What one call has of its own: its signal, and the ways to ask a person and to report progress. */
export type CallSide = Omit<Caller, 'session'>;

/** What is served, and what all calls have in common. */
export interface EngineOptions extends Pick<Caller, 'client' | 'dangerous' | 'showsVisualizations' | 'signal'> {
  readonly version: string;
  readonly served: ServedChoice;
}

/** What a model reads of a call, whether it went well or not. */
export interface ModelAnswer {
  /** False if the call failed: the content says why. */
  readonly ok: boolean;
  /** The texts and images, in order. */
  readonly content: readonly ModelBlock[];
}

/** The tools of a machine, in one session. */
export interface Engine extends Pick<Registry, 'asksServers' | 'describe'> {
  readonly session: Session;
  /** Settles when the tools are chosen. Rejects with a ToolError for a toolset or a tool that does not exist, as each call fails. */
  readonly ready: Promise<unknown>;
  /** Answers a call. It never rejects. */
  call(request: Request, side?: CallSide): Promise<Outcome>;
  /** Answers a call for a model: in its words, and of bounded size. It never rejects. */
  callForModel(request: Request, side?: CallSide): Promise<ModelAnswer>;
  /** Returns the question that a call would put to a person who can be asked; see Registry. */
  question(request: Request): Promise<Question | undefined>;
  /** Ends what still runs, such as jobs and language servers. Later calls fail with `canceled`. The machine stays open. */
  close(): Promise<void>;
}

/** Opens the tools on a machine, for one caller. Nothing of a tool is loaded before it is called. */
export function openEngine(machine: Machine, { served, version, ...caller }: EngineOptions): Engine {
  const session = createSession();
  const at: Surroundings = { ...machine, session, ...caller };
  const ready = openRegistry(served, machine, {
    version,
    // Who decides on dangerous commands decides for all calls: no argument overrides that.
    hides: caller.dangerous === undefined ? [] : ['overrides'],
    onInternalError: (error) => machine.log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  ready.catch(() => {}); // Each call tells it.
  let hasEnded = false;

  const call: Engine['call'] = (request, side) => {
    if (hasEnded) return Promise.resolve(toFailure(closed()));
    return ready.then((registry) => registry.call(request, side ? { ...at, ...side } : at), toFailure);
  };
  return {
    session,
    ready,
    call,
    callForModel: async (request, side) => {
      const { MODEL_RESULT_BYTES, toModelContent } = await import('@jinn/tool/model-content');
      const outcome = await call(request, { ...side, maxResult: MODEL_RESULT_BYTES });
      const tool = await ready.then((registry) => registry.find(request.tool)).catch(() => undefined);
      return { ok: outcome.ok, content: toModelContent(outcome, tool, session) };
    },
    question: async (request) => (await ready).question(request, { ...at, ask: async () => undefined }),
    asksServers: async (request) => (await ready).asksServers(request),
    describe: async () => (await ready).describe(),
    close: () => {
      hasEnded = true;
      return session.close();
    },
  };
}

function closed(): ToolError {
  return new ToolError('canceled', 'this instance of jinn is closed', { suggestion: 'create another one' });
}
