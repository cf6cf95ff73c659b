import type { Visualization, VisualizationOf } from '@jinn/core/visualization';
import { Component, type ComponentChildren } from 'preact';
import { plural, shownLinesOf, toShown } from '../text/shown-text.ts';
import { Card } from './card.tsx';
import { CodeBody, CodeView } from './code-view.tsx';
import { DataTableView } from './data-table-view.tsx';
import { DiffsView, DiffView } from './diff-view.tsx';
import { FileListView } from './file-list-view.tsx';
import { Icon } from './icon.tsx';
import { MarkdownView } from './markdown-view.tsx';
import { ShellView } from './shell-view.tsx';

type TodoList = VisualizationOf<'todo-list'>;

const NAMES = { completed: 'done', in_progress: 'in progress', pending: 'to do', cancelled: 'cancelled' } as const;
const TONES = { completed: 'over', in_progress: 'warn', pending: '', cancelled: 'over' } as const;
const BOXES = { completed: '[x]', in_progress: '[~]', pending: '[ ]', cancelled: '[-]' } as const;

/** Shows a visualization. A faulty one is written as JSON, and does not affect the others. */
export function ResultView({ visualization }: { visualization: Visualization }) {
  return (
    <ErrorBoundary otherwise={<Raw visualization={visualization} />}>
      <Chosen visualization={visualization} />
    </ErrorBoundary>
  );
}

function Chosen({ visualization: shown }: { visualization: Visualization }) {
  const isOpen = shown.collapsed !== true;
  switch (shown.type) {
    case 'diff':
      return <DiffView diff={shown} isOpen={isOpen} />;
    case 'diffs':
      return <DiffsView diffs={shown} isOpen={isOpen} />;
    case 'code':
      return <CodeView code={shown} isOpen={isOpen} />;
    case 'file-list':
      return <FileListView list={shown} isOpen={isOpen} />;
    case 'table':
      return <DataTableView table={shown} isOpen={isOpen} />;
    case 'markdown':
      return <MarkdownView markdown={shown} isOpen={isOpen} />;
    case 'shell-output':
      return <ShellView shell={shown} isOpen={isOpen} />;
    case 'todo-list':
      return <TodoView list={shown} isOpen={isOpen} />;
    case 'none': {
      const message = [shown.title, shown.message ?? 'Success'].filter((part) => part !== undefined).map(toShown);
      return (
        <p class="card done">
          <span class="good">
            <Icon name="completed" />
          </span>
          {message.join(' · ')}
        </p>
      );
    }
    default:
      return <Raw visualization={shown} />;
  }
}

function Raw({ visualization }: { visualization: unknown }) {
  const lines = shownLinesOf(JSON.stringify(visualization, null, 2) ?? '');
  return (
    <Card
      title="A result that this page cannot draw"
      isOpen
      body={() => <CodeBody name="a result" lines={lines} language="json" />}
    />
  );
}

interface ErrorBoundaryProps {
  readonly children: ComponentChildren;
  readonly otherwise: ComponentChildren;
}

/** Shows something else where a component throws. */
class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render({ children, otherwise }: ErrorBoundaryProps) {
    return this.state.hasFailed ? otherwise : children;
  }
}

function TodoView({ list: { title, items }, isOpen }: { list: TodoList; isOpen: boolean }) {
  const completed = items.filter(({ status }) => status === 'completed').length;
  return (
    <Card
      title={title ?? 'Tasks'}
      isOpen={isOpen}
      facts={<span>{`${plural(items.length, 'task')}, ${completed} completed`}</span>}
      copied={() => items.map(({ status, content }) => `- ${BOXES[status]} ${content}\n`).join('')}
      body={() => (
        <ul class="list">
          {items.map(({ content, status, priority = 'medium' }, i) => (
            <li key={i} class={TONES[status]}>
              <Icon name={status} />
              <span class="unseen">{`${NAMES[status]}: `}</span>
              <span>{toShown(content)}</span>{' '}
              {priority !== 'medium' && (
                <span class={`badge ${priority === 'high' ? 'bad' : ''}`}>{toShown(priority)}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    />
  );
}
