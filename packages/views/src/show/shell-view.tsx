import type { VisualizationOf } from '@jinn/core/visualization';
import { useMemo } from 'preact/hooks';
import { MAX_LINE, plural, toShown } from '../text/shown-text.ts';
import { type TerminalPart, toTerminalLines } from '../text/terminal-colors.ts';
import { Card, LongLine } from './card.tsx';
import { RowTable } from './row-table.tsx';

type Shell = VisualizationOf<'shell-output'>;

/** Shows a command and its output. */
export function ShellView({ shell, isOpen }: { shell: Shell; isOpen: boolean }) {
  const { title, command, stdout = '', stderr = '', exitCode } = shell;
  return (
    <Card
      title={title ?? 'Command'}
      isOpen={isOpen}
      facts={<span class={`badge ${exitCode === 0 ? 'good' : 'bad'}`}>exit {toShown(exitCode)}</span>}
      copied={() => stdout + stderr}
      body={() => (
        <div class="terminal">
          <pre>
            <span aria-hidden="true">$ </span>
            {command.split('\n').map(toShown).join('\n')}
          </pre>
          <Output label="Standard output" text={stdout} />
          <Output label="Standard error" text={stderr} />
        </div>
      )}
    />
  );
}

function Output({ label, text }: { label: string; text: string }) {
  const lines = useMemo(() => toTerminalLines(text), [text]);
  const longest = useMemo(() => lines.reduce((most, line) => Math.max(most, lengthOf(line)), 0), [lines]);
  if (text === '') return null;
  return (
    <>
      <p class="note">{label}</p>
      <RowTable
        label={`${label}, ${plural(lines.length, 'line')}`}
        kind={`source ${label === 'Standard error' ? 'bad' : ''}`}
        count={lines.length}
        longest={Math.min(longest, MAX_LINE)}
        columns={1}
        row={(i) => (
          <td class="line">
            <TerminalLine parts={lines[i] ?? []} />
          </td>
        )}
      />
    </>
  );
}

function TerminalLine({ parts }: { parts: readonly TerminalPart[] }) {
  return (
    <LongLine key={parts} length={lengthOf(parts)} limit={MAX_LINE} draw={(shown) => cut(parts, shown).map(toNode)} />
  );
}

function lengthOf(parts: readonly TerminalPart[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0);
}

function cut(parts: readonly TerminalPart[], room: number): TerminalPart[] {
  let left = room;
  return parts.flatMap((part) => {
    const text = part.text.slice(0, left);
    left -= text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}

function toNode({ text, color, background, className }: TerminalPart, index: number) {
  if (color === undefined && background === undefined && className === '') return toShown(text);
  const style = { ...(color && { color }), ...(background && { backgroundColor: background }) };
  return (
    <span key={index} class={className} style={style}>
      {toShown(text)}
    </span>
  );
}
