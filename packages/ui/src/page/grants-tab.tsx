import { toShown } from '@jinn/views/text/shown-text';
import { change } from './page-api.ts';
import { Said, SureButton, useChange, useRead } from './small-parts.tsx';

interface Grant {
  readonly tool: string;
  readonly type: string;
  readonly key: string;
  readonly created: string;
  readonly forAll: boolean;
  readonly ended?: string;
}

/** Lists the lasting grants in a workspace, to be taken back. */
export function GrantsTab({ workspace }: { workspace: string }) {
  const { value: grants, fault, again } = useRead<readonly Grant[]>('grants', { workspace });
  const { said, run } = useChange(again);
  return (
    <>
      <Said text={fault || said || (grants?.length === 0 ? 'Nothing is allowed for good here.' : '')} />
      {grants && grants.length > 0 && (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">May do</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="unseen">Take back</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {grants.map(({ tool, type, key, created, forAll, ended }) => (
              <tr key={`${tool} ${type} ${key} ${forAll}`}>
                <td>{toShown(tool)}</td>
                <td>
                  {toShown(type)}: <code>{toShown(key)}</code>
                  {forAll && <span class="quiet"> for everybody</span>}
                  {ended && <span class="quiet"> ended: {toShown(ended)}</span>}
                </td>
                <td>{created.slice(0, 10)}</td>
                <td>
                  <SureButton
                    label="Take back"
                    sure="Really take back"
                    act={() => run(change('revoke', { workspace, tool, type, key, forAll }))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
