import type { VisualizationOf } from '@jinn/core/visualization';
import { plural, toShown } from '../text/shown-text.ts';
import { Card } from './card.tsx';
import { Icon } from './icon.tsx';

type TodoList = VisualizationOf<'todo-list'>;

const NAMES = { completed: 'done', in_progress: 'in progress', pending: 'to do', cancelled: 'cancelled' } as const;
const TONES = { completed: 'over', in_progress: 'warn', pending: '', cancelled: 'over' } as const;
const BOXES = { completed: '[x]', in_progress: '[~]', pending: '[ ]', cancelled: '[-]' } as const;

/** Shows tasks with their state. */
export function TodoView({ list: { title, items }, isOpen }: { list: TodoList; isOpen: boolean }) {
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
