import { CodeView } from '@jinn/views/show/code-view';
import { View } from '@jinn/views/show/view';
import { toShown } from '@jinn/views/text/shown-text';
import type { CallDetail } from '../journal/read-journal.ts';
import { CallState, took } from './call-table.tsx';
import type { CallRow } from './page-api.ts';
import { Said, useRead } from './small-parts.tsx';

/** Shows a whole call: its arguments, the view of the result for a person, and the text that the agent got. */
export function CallCard({ call, close }: { call: CallRow; close: () => void }) {
  const { value, fault } = useRead<CallDetail>('call', { at: call.at });
  return (
    <section class="chosen" aria-label="Call">
      <h2>
        <bdi>{toShown(call.tool)}</bdi> <CallState row={call} />{' '}
        <button type="button" class="more" onClick={close}>
          Close
        </button>
      </h2>
      <CallFacts call={call} />
      {value ? <Detail detail={value} isFailed={call.ok === false} /> : <Said text={fault || 'Loading'} />}
    </section>
  );
}

function CallFacts({ call }: { call: CallRow }) {
  const { time, ms, tokens, client, door, workspace, pid, risk, settled, code, operation } = call;
  const facts: readonly (readonly [string, unknown])[] = [
    ['Began', new Date(time).toLocaleString()],
    ['Took', ms === undefined ? undefined : took(ms)],
    ['Tokens', tokens && `about ${tokens[0]} sent, ${tokens[1]} answered`],
    ['By', client === undefined ? door : `${client}, through ${door}`],
    ['In', workspace],
    ['Process', pid],
    ['Risk', risk],
    ['Approval', settled],
    ['Error', code],
    ['In the history', operation],
  ];
  return (
    <dl class="known">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{toShown(value)}</bdi>
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Detail({ detail, isFailed }: { detail: CallDetail; isFailed: boolean }) {
  const { args, text, suggestion, warnings = [], visualization, leftOut = [] } = detail;
  const content = JSON.stringify(args, null, 2) ?? '';
  const answer = suggestion === undefined ? text : `${text}\n${suggestion}`;
  return (
    <>
      {args !== undefined && (
        <CodeView
          code={{ type: 'code', path: 'Arguments', language: 'json', content }}
          isOpen={visualization === undefined}
        />
      )}
      {visualization && <View visualization={visualization} />}
      {answer && (
        <CodeView
          code={{ type: 'code', path: isFailed ? 'Error' : 'Answer', content: answer }}
          isOpen={visualization === undefined}
        />
      )}
      {[...warnings, ...leftOut.map((what) => `not kept: ${what}`)].map((sentence) => (
        <p key={sentence} class="note">
          {toShown(sentence)}
        </p>
      ))}
    </>
  );
}
