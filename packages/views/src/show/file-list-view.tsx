import type { VisualizationOf } from '@jinn/core/visualization';
import { plural, toShown } from '../text/shown-text.ts';
import { Card } from './card.tsx';
import { Icon } from './icon.tsx';
import { RowTable } from './row-table.tsx';

type FileList = VisualizationOf<'file-list'>;
type ListedFile = NonNullable<FileList['files']>[number];
type FileGroup = NonNullable<FileList['groups']>[number];

const ACTIONS = { created: 'good', modified: 'warn', deleted: 'bad' } as const;

/** Shows files in groups or one below the other, with their lines and changes. */
export function FileListView({ list, isOpen }: { list: FileList; isOpen: boolean }) {
  const { title, groups = [], files = [], total } = list;
  const all = [...groups.flatMap((group) => group.files), ...files];
  const rows: (ListedFile | FileGroup)[] = [...groups.flatMap((group) => [group, ...group.files]), ...files];
  const label = toShown(title ?? 'Files');
  const { size } = new Set(all.map(({ path }) => path));
  const places = total !== undefined && total > all.length ? `${all.length} of ${total}` : String(all.length);
  const count =
    size < all.length ? `${places} places in ${plural(size, 'file')}` : `${places} ${size === 1 ? 'file' : 'files'}`;
  return (
    <Card
      title={label}
      isOpen={isOpen}
      facts={<span>{count}</span>}
      copied={() => all.map(({ path }) => `${path}\n`).join('')}
      body={() => (
        <RowTable
          label={label}
          kind="files"
          count={rows.length}
          columns={1}
          rowClass={(i) => ('files' in (rows[i] ?? {}) ? 'group' : '')}
          row={(i) => {
            const row = rows[i];
            return row && <td>{'files' in row ? <Group {...row} /> : <File {...row} />}</td>;
          }}
        />
      )}
    />
  );
}

function Group({ label, icon, files }: FileGroup) {
  return (
    <>
      {icon && <Icon name={icon} />}
      {toShown(label)} <span class="quiet">({files.length})</span>
    </>
  );
}

function File({ path, action, line, content }: ListedFile) {
  return (
    <>
      <bdi class="mono">{toShown(path)}</bdi>
      {line !== undefined && <span class="quiet">{`:${toShown(line)}`}</span>}{' '}
      {action !== undefined && <span class={`badge ${ACTIONS[action]}`}>{toShown(action)}</span>}
      {content !== undefined && <code>{toShown(content.trim())}</code>}
    </>
  );
}
