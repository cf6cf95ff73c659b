import { createHash } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Answer, Question, Request, Surroundings } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type AskMessage, type PageMessage, RECORD_VERSION, readMessage } from './journal-record.ts';

/** The longest wait for a sign of the page. A page that runs gives one much sooner. */
const SEEN_MS = 2_000;
/** Longer arguments are not sent: the question shows the parts that matter. */
const MAX_ARGS = 262_144;

/** The call that asks. */
export interface AskingCall {
  /** Its id in the journal, and that of its session. */
  readonly id: string;
  readonly session: string;
  readonly request: Request;
  readonly at: Surroundings;
  readonly program: string;
  /** The name by which the host calls itself. */
  readonly host?: string | undefined;
}

/** The page that is asked, and the time until the call stops waiting. */
export interface AskedPage {
  readonly socket: string;
  readonly waitMs: number;
}

type PersonAnswer = Answer | 'everybody' | 'nobody' | undefined;

/** Asks the user at the page, and at the host if it can ask. The first answer counts. */
export async function askPerson(call: AskingCall, page: AskedPage, question: Question): Promise<PersonAnswer> {
  const { ask: askHost, signal } = call.at;
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const byPage = askPage(toMessage(call, question, page), page, ended);
  const byHost = askHost?.(question, ended);
  const answers = byHost === undefined ? [byPage] : [orElse(byPage, byHost), orElse(byHost, byPage)];
  for (const each of answers) each.catch(() => undefined); // A rejection is handled below, unless another answer came first.
  const answer = await Promise.race(answers).finally(() => stop.abort());
  if (signal?.aborted) throw new ToolError('canceled', 'the call was canceled while its question was open');
  return answer;
}

async function orElse(one: Promise<PersonAnswer>, other: Promise<PersonAnswer>): Promise<PersonAnswer> {
  const answer = await one;
  return answer === 'nobody' || answer === undefined ? other : answer;
}

function toMessage(
  { id, session, request, at, program, host }: AskingCall,
  question: Question,
  { waitMs }: AskedPage,
): AskMessage {
  const { tool, args = {} } = request;
  const { message, words = message, patch, permission, always, onlyOnce, details } = question;
  const workspace = at.workspace.root;
  const facts = JSON.stringify([tool, args, workspace, message]);
  return {
    v: RECORD_VERSION,
    k: 'ask',
    // Security: no one can answer a question before it is put, since its id cannot be guessed.
    id: crypto.randomUUID(),
    call: id,
    session,
    sha: createHash('sha256').update(facts).digest('hex'),
    door: program,
    client: host ?? request.client ?? at.client,
    workspace,
    tool,
    args: facts.length > MAX_ARGS ? {} : args,
    message: words,
    patch,
    permission,
    always,
    isOnlyOnce: onlyOnce !== undefined,
    risk: details?.risk,
    until: Date.now() + waitMs,
  };
}

function askPage(message: AskMessage, { socket: path, waitMs }: AskedPage, signal: AbortSignal): Promise<PersonAnswer> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const unseen = setTimeout(() => settle('nobody'), SEEN_MS);
    const waiting = setTimeout(() => settle(undefined), waitMs);
    function settle(answer: PersonAnswer): void {
      clearTimeout(unseen);
      clearTimeout(waiting);
      socket.destroy();
      resolve(answer);
    }
    addAbortListener(signal, () => settle(undefined));
    socket.on('error', () => settle('nobody'));
    socket.on('close', () => settle('nobody'));
    socket.write(`${JSON.stringify(message)}\n`);
    createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      const said = readMessage(line) as PageMessage | undefined;
      if (said?.k === 'seen') clearTimeout(unseen);
      if (said?.k === 'nobody') settle('nobody');
      const answer = said?.k === 'answer' ? toAnswer(said, message) : undefined;
      if (answer) settle(answer);
    });
  });
}

/**
 * Returns the answer of a message. Security: an answer to another question, or one that was not offered, does not
 * count.
 */
function toAnswer({ sha, answer }: { sha: string; answer: string }, asked: AskMessage): Answer | undefined {
  const answers: readonly Answer[] = asked.isOnlyOnce ? ['once', 'deny'] : ['once', 'always', 'deny'];
  return sha === asked.sha ? answers.find((each) => each === answer) : undefined;
}
